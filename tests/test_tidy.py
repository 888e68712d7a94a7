"""The tree keeps its style: sizes, names, docstrings, words that must not be in it. No list of exceptions.

Each rule is a function from a module, or from a file's text, to the sentences that say what is wrong with it,
and is itself tested on something that breaks it. Generated stubs are not ours and are not looked at.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from tests.tree import PACKAGES, ROOT, Module, files, modules, texts

FILE_LINES = 800
FUNCTION_LINES = 60
PACKAGE_MODULES = 15
GRAB_BAGS = ("util", "utils", "common", "misc", "manager", "helper", "helpers")
Function = ast.FunctionDef | ast.AsyncFunctionDef

# Who may wait by the clock: who polls as Hadoop's commands do, waits for processes, or sleeps as its work.
MAY_SLEEP = (
    *("client", "cluster", "nm.executor", "nm.monitor", "am.shell", "am.workload", "examples", "bench"),
    "tests.zookeeper",
)

# Who may leave its tests out, by skipif and with a reason: who drives a browser, runs tools of npm, or needs
# a ZooKeeper, where they are not installed.
MAY_LACK_A_TOOL = (
    "tests.browser",
    "tests.rm.edge.test_page_sources",
    "tests.processes.test_fleet",
    "tests.zookeeper",
)

# One letter of each is in brackets, so that this file does not find itself.
UNFINISHED = re.compile(r"\b(T[O]DO|F[I]XME|X[X]X)\b")
MACHINE_PATH = re.compile(r"(?<![\w.~})/-])/(wor[k]|roo[t]|hom[e])(?![\w.-])")
REGISTRY = re.compile(
    r"py[p]i\.org|pythonhoste[d]\.org|npmj[s]\.org|crate[s]\.io|docke[r]\.io|ghc[r]\.io|qua[y]\.io|gc[r]\.io"
    r"|mave[n]\.(apache\.)?org|inde[x]-url"
)
BLANKET = re.compile(r"type:\s*ignore(?!\[)|noqa(?!:)")


def long_file(module: Module) -> Iterator[str]:
    """A file that outgrew its idea."""
    lines = len(module.text.splitlines())
    if lines > FILE_LINES:
        yield f"{module.name} has {lines} lines, {FILE_LINES} are allowed: split it"


def long_function(module: Module) -> Iterator[str]:
    """A function that does not fit a screen."""
    for node in module.nodes:
        if isinstance(node, Function) and node.end_lineno is not None:
            lines = node.end_lineno - node.lineno + 1
            if lines > FUNCTION_LINES:
                yield f"{module.name}: {node.name} has {lines} lines, {FUNCTION_LINES} are allowed"


def swallowed_exception(module: Module) -> Iterator[str]:
    """A handler that catches everything and says nothing, or a `suppress` that does the same."""
    for node in module.nodes:
        if (
            isinstance(node, ast.ExceptHandler)
            and _is_everything(node.type)
            and all(map(_is_silent, node.body))
        ):
            yield f"{module.name}:{node.lineno} swallows every exception"
        if isinstance(node, ast.Call) and _name(node.func) == "suppress":
            if any(_is_everything(caught) for caught in node.args):
                yield f"{module.name}:{node.lineno} suppresses every exception"


def _name(called: ast.expr) -> str:
    """The last part of a dotted name."""
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def _is_everything(caught: ast.expr | None) -> bool:
    names = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(name is None or ast.unparse(name) in ("Exception", "BaseException") for name in names)


def _is_silent(statement: ast.stmt) -> bool:
    constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return constant or isinstance(statement, ast.Pass | ast.Continue)


def grab_bag(module: Module) -> Iterator[str]:
    """A module named after nothing in particular."""
    for part in module.name.split("."):
        if part in GRAB_BAGS:
            yield f"{module.name}: say what is in it; {part} could be anything"


def missing_docstring(module: Module) -> Iterator[str]:
    """A module that does not say what it owns."""
    if not ast.get_docstring(module.syntax):
        yield f"{module.name} has no docstring"


def blanket_silence(module: Module) -> Iterator[str]:
    """A checker silenced without saying which of its complaints."""
    if not BLANKET.search(module.text):
        return  # taking every file apart takes longer than all other rules
    for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
        if token.type == tokenize.COMMENT and BLANKET.search(token.string):
            yield f"{module.name}:{token.start[0]} silences a checker without a code"


def sleep_for_luck(module: Module) -> Iterator[str]:
    """Waiting by the clock where an event, a timer or a deadline is at hand."""
    if module.within(*MAY_SLEEP):
        return
    for node in module.nodes:
        if isinstance(node, ast.Attribute) and node.attr == "sleep" and ast.unparse(node) == "time.sleep":
            yield f"{module.name}:{node.lineno} sleeps: wait for what you are waiting for"
        if isinstance(node, ast.ImportFrom) and node.module == "time":
            if any(alias.name == "sleep" for alias in node.names):
                yield f"{module.name}:{node.lineno} sleeps: wait for what you are waiting for"


def left_out_test(module: Module) -> Iterator[str]:
    """A test that is written and not run."""
    for node in module.nodes:
        if isinstance(node, ast.Attribute) and node.attr in ("skip", "skipif", "xfail", "importorskip"):
            if node.attr == "skipif" and module.within(*MAY_LACK_A_TOOL):
                continue
            if ast.unparse(node.value) in ("pytest", "pytest.mark"):
                yield f"{module.name}:{node.lineno} leaves a test out: {node.attr}"


def unfinished(path: str, text: str) -> Iterator[str]:
    """A note to come back later."""
    yield from _lines_with(UNFINISHED, path, text, "is unfinished")


def machine_path(path: str, text: str) -> Iterator[str]:
    """A directory of one particular machine."""
    yield from _lines_with(MACHINE_PATH, path, text, "names a path of somebody's machine")


def registry_host(path: str, text: str) -> Iterator[str]:
    """A package index or an image registry: which one is used is the affair of whoever installs."""
    yield from _lines_with(REGISTRY, path, text, "names a registry")


def _lines_with(pattern: re.Pattern[str], path: str, text: str, fault: str) -> Iterator[str]:
    for number, line in enumerate(text.splitlines(), 1):
        found = pattern.search(line)
        if found:
            yield f"{path}:{number} {fault}: {found.group()}"


MODULE_RULES = (
    long_file,
    long_function,
    swallowed_exception,
    grab_bag,
    missing_docstring,
    blanket_silence,
    sleep_for_luck,
    left_out_test,
)
TEXT_RULES = (unfinished, machine_path, registry_host)

BROKEN_MODULES = [
    (long_file, "rm.core", "x = 1\n" * (FILE_LINES + 1)),
    (long_function, "rm.core", "def f():\n" + "    x = 1\n" * FUNCTION_LINES),
    (long_function, "rm.core", "class C:\n    async def f(self):\n" + "        x = 1\n" * FUNCTION_LINES),
    (swallowed_exception, "rm.core", "try:\n    f()\nexcept Exception:\n    pass"),
    (swallowed_exception, "rm.core", "for x in y:\n    try:\n        f()\n    except:\n        continue"),
    (swallowed_exception, "rm.core", "try:\n    f()\nexcept (OSError, BaseException):\n    ..."),
    (swallowed_exception, "rm.core", "with contextlib.suppress(Exception):\n    f()"),
    (grab_bag, "rm.utils", ""),
    (grab_bag, "yarn.common.clock", ""),
    (missing_docstring, "tests.rm.test_core", "x = 1"),
    (blanket_silence, "rm.core", "x = 1  # type: " + "ignore"),
    (blanket_silence, "rm.core", "x = 1  # no" + "qa"),
    (sleep_for_luck, "tests.test_x", "import time\ntime.sleep(1)"),
    (sleep_for_luck, "rm.edge.process", "from time import sleep"),
    (left_out_test, "tests.test_x", "import pytest\n@pytest.mark.skip\ndef test_x(): ..."),
    (left_out_test, "tests.test_x", "import pytest\ndef test_x():\n    pytest.skip('no')"),
    (left_out_test, "tests.rm.edge.test_browser", "import pytest\n@pytest.mark.skip\ndef test_x(): ..."),
    (left_out_test, "tests.test_x", "import pytest\n@pytest.mark.skipif(True)\ndef test_x(): ..."),
    (left_out_test, "tests.test_x", "import pytest\n@pytest.mark.xfail(strict=True)\ndef test_x(): ..."),
]
BROKEN_TEXTS = [
    (unfinished, "x = 1  # TO" + "DO: two"),
    (unfinished, "<!-- FIX" + "ME -->"),
    (machine_path, 'open("/ho' + 'me/alice/x")'),
    (machine_path, "see /wo" + "rk/tree"),
    (machine_path, "cd /ro" + "ot"),
    (registry_host, "pip install --index-u" + "rl x"),
    (registry_host, "https://py" + "pi.org/project/x"),
]
SOUND_TEXTS = [
    "hdfs://nn/home/alice",
    "root.a/work",
    "${HOME}/work",
    "${top}/root",
    "TODOS",
    "/ws/v1/cluster",
    "/workers",
]
SOUND_MODULE = Module(
    "client.main",
    '"""The command."""\nimport time\n\n\ndef main() -> None:\n    """Wait."""\n    try:\n'
    "        time.sleep(1)  # noqa: B001\n    except OSError:\n        pass\n\n\ndef _hidden(): ...\n",
)


def test_every_module_keeps_every_rule() -> None:
    faults = [fault for module in modules() for rule in MODULE_RULES for fault in rule(module)]
    assert not faults, "\n" + "\n".join(faults)


@pytest.mark.parametrize("rule", TEXT_RULES, ids=lambda rule: rule.__name__)
def test_every_text_keeps_the_rule(rule: Callable[[str, str], Iterator[str]]) -> None:
    faults = [fault for path, text in texts() for fault in rule(path, text)]
    assert not faults, "\n" + "\n".join(faults)


@pytest.mark.parametrize("rule, name, text", BROKEN_MODULES)
def test_each_module_rule_finds_what_breaks_it(
    rule: Callable[[Module], Iterator[str]], name: str, text: str
) -> None:
    assert list(rule(Module(name, text)))


@pytest.mark.parametrize("rule, text", BROKEN_TEXTS)
def test_each_text_rule_finds_what_breaks_it(rule: Callable[[str, str], Iterator[str]], text: str) -> None:
    assert list(rule("a.md", text))


@pytest.mark.parametrize("text", SOUND_TEXTS)
def test_no_text_rule_refuses_what_is_allowed(text: str) -> None:
    assert not [fault for rule in TEXT_RULES for fault in rule("a.md", text)]


def test_no_module_rule_refuses_what_is_allowed() -> None:
    assert not [fault for rule in MODULE_RULES for fault in rule(SOUND_MODULE)]


def test_every_rule_is_shown_to_fail() -> None:
    assert {rule for rule, _, _ in BROKEN_MODULES} == set(MODULE_RULES)
    assert {rule for rule, _ in BROKEN_TEXTS} == set(TEXT_RULES)


def test_a_package_with_many_modules_is_two_packages() -> None:
    sizes = Counter(
        module.name.rpartition(".")[0]
        for module in modules()
        if module.package in PACKAGES and not module.is_package and not module.name.endswith("__main__")
    )
    assert not [f"{name} has {size} modules" for name, size in sizes.items() if size > PACKAGE_MODULES]


def test_every_package_has_its_map() -> None:
    packages = {
        path.parent
        for path in files()
        if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in PACKAGES
    }
    assert not [str(package) for package in sorted(packages) if not (package / "__init__.py").exists()]


def test_the_docstring_of_a_package_names_its_modules() -> None:
    packages = {module.name: module for module in modules() if module.is_package}
    inside: dict[str, list[str]] = {}
    for module in modules():
        package, _, name = module.name.rpartition(".")
        if module.package in PACKAGES and package in packages and name != "__main__":
            inside.setdefault(package, []).append(name)
    faults = []
    for package, names in inside.items():
        words = re.findall(r"\w+", ast.get_docstring(packages[package].syntax) or "")
        faults += [f"{package}: {name}" for name in names if len(names) > 1 and name not in words]
    assert not faults
