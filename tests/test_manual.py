"""The manual says what the code does, as far as that can be read off: links, commands, properties.

Each rule is a function from a page to the sentences that say what is wrong with it, and is itself tested on
something that breaks it. What a command does when it is called is the affair of the tests of that command.
"""

from __future__ import annotations

import ast
import importlib
import re
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

import pytest

from tests.tree import PACKAGES, ROOT, Module, modules
from yarnbox.am.job_command.command import parser as job_parser
from yarnbox.client.main import COMMANDS, LACKING
from yarnbox.cluster.arguments import FORWARDED, parser
from yarnbox.sim.load.command import parser as load_parser
from yarnbox.sim.scenario.command import parser as scenario_parser
from yarnbox.sim.workload.command import parser as sim_parser

DOCS = ROOT / "docs"

LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
CODE = re.compile(r"^    .+$|`[^`\n]+`", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"(?:^|[`$/|]|\$ )\s*(?:\.venv/bin/)?(yarnbox|yarn) +([^\s`|\\]+)(?: +([^\s`|\\]+))?")
PROPERTY = re.compile(r"`((?:yarn|yarnbox)\.[^`\s=]+)`")
NAME = re.compile(r"`([\w.-]+)`")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
PLAIN = re.compile(rf"({NUMBER.pattern}|true|false|`[^`]+`)(?=$|[,:;(]| \()")
"""A default that is one value, whatever is said of it behind that."""
FOLDERS = (*PACKAGES, "tests", "bench", "examples", "docs", "conf", "src")
FILE = re.compile(rf"`((?:{'|'.join(FOLDERS)})/[^`\s]*)`")
GUIDES = ("architecture.md", "theory-of-operation.md", "worked-examples.md")
BARE_FILE = re.compile(r"`(\w+\.(?:py|js|yaml|proto|md))`")
"""A file named without its folder: whether it is there cannot be told."""

UNKNOWN = "\0"
"""Stands in a name for a part that is only known when the code runs."""


@dataclass(frozen=True)
class Page:
    """A page of the manual, or what stands beside it at the top of the tree."""

    path: Path
    text: str

    @property
    def name(self) -> str:
        """From the top of the tree."""
        return str(self.path.relative_to(ROOT))


def pages() -> list[Page]:
    """README, the list of changes, and everything in docs/ and beside the examples."""
    found = [
        ROOT / "README.md",
        ROOT / "CHANGELOG.md",
        *sorted(DOCS.glob("*.md")),
        *sorted(DOCS.glob("guide/*.md")),
        *sorted((ROOT / "examples").rglob("*.md")),
    ]
    return [Page(path, path.read_text(encoding="utf-8")) for path in found]


# The rules.


def dead_link(page: Page) -> Iterator[str]:
    """A link to a file that is not there, or to a heading that it does not have."""
    for target in LINK.findall(page.text):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        path = (page.path.parent / file).resolve() if file else page.path
        if not path.exists():
            yield f"{page.name}: the link to {target} leads nowhere"
        elif anchor and anchor not in _anchors(path.read_text(encoding="utf-8")):
            yield f"{page.name}: there is no heading for {target}"


def _anchors(text: str) -> list[str]:
    return [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in HEADING.findall(text)]


def absent_file(page: Page) -> Iterator[str]:
    """A file or directory of the tree that is named and is not there."""
    for name in FILE.findall(page.text):
        if not any(ROOT.glob(name.rstrip("/"))):
            yield f"{page.name}: there is no {name}"


def file_without_folder(page: Page) -> Iterator[str]:
    """A file in the pages for developers that is named in a way that `absent_file` cannot check."""
    if page.path.name in GUIDES:
        for name in BARE_FILE.findall(page.text):
            yield f"{page.name}: {name} is named without its folder"


def unknown_command(page: Page) -> Iterator[str]:
    """`yarnbox` or `yarn` with a word behind it that is no command of theirs."""
    for program, word, next_word in _calls(page.text):
        known = _commands()[program]
        if word not in known and not _is_no_command(word):
            yield f"{page.name}: there is no `{program} {word}`"
        elif known.get(word) and next_word and next_word not in known[word] and not _is_no_command(next_word):
            yield f"{page.name}: there is no `{program} {word} {next_word}`"


def _calls(text: str) -> Iterator[tuple[str, str, str]]:
    for piece in CODE.findall(FENCE.sub("", text)):
        yield from CALL.findall(piece)


def _is_no_command(word: str) -> bool:
    """An option, a place holder in capitals, or dots for what is left out."""
    return word.startswith(("-", "[", "<")) or word.isupper() or word == "..."


@cache
def _commands() -> dict[str, dict[str, tuple[str, ...]]]:
    """By program and command, the commands below that."""
    below = {
        "job": tuple(_choices(job_parser())),
        "scenario": tuple(_choices(scenario_parser())),
        "sim": tuple(_choices(sim_parser())),
        "load": tuple(_choices(load_parser())),
    }
    hadoops: dict[str, tuple[str, ...]] = dict.fromkeys((*COMMANDS, *LACKING), ())
    ours = {name: below.get(name, ()) for name in (*_choices(parser()), *FORWARDED)}
    return {"yarnbox": {**ours, "yarn": tuple(hadoops)}, "yarn": hadoops}


def _choices(arguments: ArgumentParser) -> list[str]:
    return [
        name
        for action in arguments._actions
        if isinstance(action, _SubParsersAction)
        for name in action.choices
    ]


def unread_property(page: Page) -> Iterator[str]:
    """A property in the first column of a table that no code names."""
    for line in page.text.splitlines():
        cells = re.split(r"(?<!\\)\|", line)
        if line.startswith("| ") and len(cells) > 2:
            for name in PROPERTY.findall(cells[1]):
                if not _is_read(name):
                    yield f"{page.name}: nothing reads {name}"


def _is_read(name: str) -> bool:
    """Whether the code has the name, or one with places in it that the name, or its place holders, fill.

    Modules of the package begin like its properties.
    """
    places = re.split(r"\*|<[^>]*>|\b[A-Z]{2,}\b", name)
    wanted = re.compile(".+".join(map(re.escape, places)))
    return (
        any(wanted.fullmatch(known) for known in _names())
        or any(pattern.fullmatch(name) for pattern in _patterns())
        or name.removeprefix("yarnbox.") in _module_names()
    )


@cache
def _module_names() -> frozenset[str]:
    return frozenset(module.name for module in modules())


@cache
def _names() -> frozenset[str]:
    """Every text of the code that could be the name of a property."""
    tree = _Tree(
        {module.name: module for module in modules() if module.package in PACKAGES and "yarn" in module.text}
    )
    return frozenset(text for text in tree.texts() if text.startswith(("yarn.", "yarnbox.")))


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """Names with a part that is filled in later, of which more than the prefix is known."""
    return tuple(
        re.compile(".+".join(map(re.escape, text.split(UNKNOWN))))
        for text in _names()
        if UNKNOWN in text and "." in text.rpartition(UNKNOWN)[2].strip(".")
    )


@dataclass(frozen=True)
class _Tree:
    """The texts of the code, put together from the constants of its modules where they are."""

    modules: dict[str, Module]

    def texts(self) -> Iterator[str]:
        """Every text, sum of texts and formatted text."""
        for module in self.modules.values():
            for node in module.nodes:
                if isinstance(node, ast.Constant | ast.BinOp | ast.JoinedStr):
                    yield self._text(module, node, 0)

    def _text(self, module: Module, node: ast.expr, depth: int) -> str:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self._text(module, node.left, depth) + self._text(module, node.right, depth)
        if isinstance(node, ast.JoinedStr):
            return "".join(self._text(module, part, depth) for part in node.values)
        if isinstance(node, ast.FormattedValue):
            return self._text(module, node.value, depth)
        if isinstance(node, ast.Name) and depth < 5:
            return self._constant(module, node.id, depth + 1)
        return UNKNOWN

    def _constant(self, module: Module, name: str, depth: int) -> str:
        bound = _bound(module)
        if name in bound:
            return self._text(module, bound[name], depth)
        for statement in module.syntax.body:
            if isinstance(statement, ast.ImportFrom) and statement.module in self.modules:
                for alias in statement.names:
                    if (alias.asname or alias.name) == name:
                        return self._constant(self.modules[statement.module], alias.name, depth)
        return UNKNOWN


@cache
def _bound(module: Module) -> dict[str, ast.expr]:
    """What each name of a module, or of one of its functions, is first said to be."""
    found: dict[str, ast.expr] = {}
    for node in module.nodes:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                pairs = [(target, node.value)]
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    pairs = list(zip(target.elts, node.value.elts, strict=False))
                for name, value in pairs:
                    if isinstance(name, ast.Name):
                        found.setdefault(name.id, value)
    return found


def wrong_default(page: Page) -> Iterator[str]:
    """A value in the column "default" beside a property that the code declares with another one."""
    has_defaults = False
    for line in page.text.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)]
        if not line.startswith("| ") or cells[1] == "property":
            has_defaults = len(cells) > 2 and cells[2] == "default"
        elif has_defaults:
            names = _whole_names(NAME.findall(cells[1]))
            values = cells[2].split(", ") if len(names) > 1 else [cells[2]]
            for name, value in zip(names, values if len(values) == len(names) else [], strict=False):
                said, declared = PLAIN.match(value), _defaults().get(name)
                if said and declared and all(_as_said(one) != _as_said(said[1]) for one in declared):
                    yield f"{page.name}: {name} is {declared[0]} by default, not {said[1]}"


def _whole_names(names: list[str]) -> list[str]:
    """The names in full: one that begins with a dot shares the beginning of the name before it."""
    whole: list[str] = []
    for name in names:
        if name.startswith(".") and whole:
            words = whole[-1].split(".")
            longer = (".".join(words[:count]) + name for count in range(len(words) - 1, 0, -1))
            name = next((one for one in longer if one in _defaults()), name)
        whole.append(name)
    return whole


def _as_said(value: object) -> object:
    text = str(value).strip("`").lower()
    return float(text) if NUMBER.fullmatch(text) else text


@cache
def _defaults() -> dict[str, list[object]]:
    """By property, what the processes that declare it take where no file has it."""
    found: dict[str, list[object]] = {}
    for module in modules():
        if module.package in PACKAGES and "= setting(" in module.text:
            for value in vars(importlib.import_module(module.name)).values():
                for declaration in getattr(value, "__declarations__", ()):
                    found.setdefault(declaration.name, []).append(declaration.default)
    return found


def scattered_component(page: Page) -> Iterator[str]:
    """A component whose entries in a section of the list of changes do not stand together."""
    if page.path.name != "CHANGELOG.md":
        return
    for section in re.split(r"^##+ ", page.text, flags=re.MULTILINE):
        entries = re.findall(r"^- ([A-Z][^:`]*|check-conf): ", section, re.MULTILINE)
        groups = [component for component, _ in groupby(entries)]
        for component in dict.fromkeys(groups):
            if groups.count(component) > 1:
                title = section.partition("\n")[0]
                yield f"{page.name}: move the entries of {component} under {title} together"


def unlisted_page(page: Page) -> Iterator[str]:
    """A page of docs/ that the index does not list."""
    if page.path.is_relative_to(DOCS) and page.path.name != "index.md":
        index = (DOCS / "index.md").read_text(encoding="utf-8")
        if f"]({page.path.relative_to(DOCS)})" not in index:
            yield f"{page.name} is not in docs/index.md"


RULES = (
    dead_link,
    absent_file,
    file_without_folder,
    unknown_command,
    unread_property,
    wrong_default,
    scattered_component,
    unlisted_page,
)
BREAKING: dict[Callable[[Page], Iterator[str]], tuple[str, ...]] = {
    dead_link: ("[gone](gone.md)", "[here](index.md#no-such-heading)", "[up](../docs/nowhere/)"),
    absent_file: ("in `rm/no_such.py`", "`tests/nowhere/*.yaml`", "`src/nothing/`"),
    file_without_folder: ("in `core.py`",),
    unknown_command: (
        "`yarnbox juggle`",
        "    yarn juggle -list",
        "    $ yarnbox job juggle",
        "`yarnbox yarn app2`",
    ),
    unread_property: ("| `yarn.no.such.property` | 1 |", "| `yarn.acl.enable`, `yarnbox.no-such` | |"),
    wrong_default: (
        "| property | default |\n| --- | --- |\n| `yarn.acl.enable` | true |",
        "| property | default |\n| --- | --- |\n| `mapreduce.job.reduces`, `.running.map.limit` | 1, 7 |",
        "| property | default |\n| --- | --- |\n| `mapreduce.jobhistory.max-age-ms` | 3, a moment |",
    ),
    scattered_component: ("### Fixed\n\n- Pages: one.\n- Jobs: two.\n- Pages: three.\n",),
    unlisted_page: ("a page of its own",),
}
NAMES: dict[Callable[[Page], Iterator[str]], str] = {
    file_without_folder: GUIDES[0],
    scattered_component: "CHANGELOG.md",
}
"""Of the page that a rule is about; the others are about any page."""

KEEPING = (
    "`rm/core.py`, `tests/scenarios/preemption/*.yaml`, `bench/`",
    "[top](../README.md), [a heading](index.md#the-manual), [far](https://example.org/x)",
    "`yarnbox COMMAND`, `yarnbox job pi 4 100`, `yarn --config DIR node -list`, `yarn fs2cs`",
    "| `yarn.acl.enable` | false |\n| `yarn.resource-types.*.units` | |\n| a word | `yarn.nonsense` |",
    "| property | default |\n| --- | --- |\n| `mapreduce.job.reduces`, `.running.map.limit` | 1, 0 |",
    "| property | default |\n| --- | --- |\n| `yarn.acl.enable` | true in the sample configuration |",
)


@pytest.mark.parametrize("rule", RULES)
def test_every_page_keeps_the_rule(rule: Callable[[Page], Iterator[str]]) -> None:
    assert [fault for page in pages() for fault in rule(page)] == []


@pytest.mark.parametrize("rule, text", [(rule, text) for rule, texts in BREAKING.items() for text in texts])
def test_each_rule_finds_what_breaks_it(rule: Callable[[Page], Iterator[str]], text: str) -> None:
    assert list(rule(Page(DOCS / NAMES.get(rule, "a-page.md"), text)))


@pytest.mark.parametrize("text", KEEPING)
@pytest.mark.parametrize("rule", RULES[:-1])
def test_no_rule_refuses_what_is_right(rule: Callable[[Page], Iterator[str]], text: str) -> None:
    assert list(rule(Page(DOCS / "a-page.md", text))) == []


def test_every_command_is_in_the_manual() -> None:
    named = {call[:2] for page in pages() for call in _calls(page.text)}
    tables = (DOCS / "commands.md").read_text(encoding="utf-8")
    assert [name for name in _commands()["yarnbox"] if ("yarnbox", name) not in named] == []
    assert [name for name in COMMANDS if f"`{name}`" not in tables] == []
