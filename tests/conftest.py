"""What holds for every test: how fast a machine is decides nothing, so examples have no deadline; none takes
nothing that another program may have, neither YARN's default ports nor its default directories; and Ctrl-C
means what it means at a terminal, also where the tests run in the background of a script, which ignores it.
Tests that wait for processes come first, so that others run meanwhile.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from _pytest.assertion import rewrite
from hypothesis import HealthCheck, settings

from tests.browser import Browser, needs_browser
from tests.tree import PACKAGES, ROOT
from tests.waiting import PATIENCE_S
from yarnbox import CORE
from yarnbox.cluster.forkserver import imported_once

pytest_plugins = ["yarnbox.testing.plugin"]  # as pytest finds it where yarnbox is installed

settings.register_profile("untimed", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # and every process that a test starts would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

DEFAULT_PORTS = (8030, 8031, 8032, 8033, 8040, 8042, 8050, 8088, 13_562)
DEFAULT_DIRECTORIES = ("/tmp/hadoop-", "/tmp/logs")


def default_of_yarn(event: str, arguments: tuple[Any, ...]) -> str | None:
    """What a test is about to take that belongs to whoever else runs YARN on this machine."""
    if event == "socket.bind":
        address = arguments[1]
        if isinstance(address, tuple) and address[1] in DEFAULT_PORTS:
            return f"port {address[1]}"
    if event in ("open", "os.mkdir"):
        path = arguments[0]
        if isinstance(path, str) and path.startswith(DEFAULT_DIRECTORIES):
            return path
    return None


def _refuse_defaults(
    event: str, arguments: tuple[Any, ...], is_over: Callable[[], bool] = sys.is_finalizing
) -> None:
    if event not in ("socket.bind", "open", "os.mkdir") or is_over():
        return  # in the end what this function calls is gone
    found = default_of_yarn(event, arguments)
    if found is not None:
        raise AssertionError(
            f"{found} belongs to the machine: tests use free ports and directories of their own"
        )


sys.addaudithook(_refuse_defaults)


gc.disable()


def pytest_collection_finish() -> None:
    """What is collected stays to the end, and nothing of it is garbage, now or later. Little of what tests
    make is cyclic: to look for that as often as Python does takes a tenth of the time of those that compute.
    """
    gc.freeze()
    gc.set_threshold(10_000)
    gc.enable()


os.environ["YARNBOX_PATIENCE_S"] = str(PATIENCE_S)
"""The kit that tests are written with waits no shorter than the tests do."""

os.environ["SSL_CERT_FILE"] = os.devnull
"""aiohttp reads the machine's certificates when it is imported, a tenth of a second in each daemon that a
test starts. No test believes them: those of TLS have an authority of their own.
"""

_WAITING = (
    "tests/processes/",
    "tests/cluster/viewer/",
    "tests/nm/test_",
    "tests/rm/edge/ha/",
    "tests/rm/edge/test_browser",
    "tests/testing/test_",
    "tests/client/test_main",
    "tests/deploy/",
    "tests/test_packaging",
    "tests/test_quality",
)
_READING = (
    "tests/test_compiled_core",
    "tests/test_layers",
    "tests/test_manual",
    "tests/test_settings_have_effect",
    "tests/test_tidy",
)
"""They read all modules, and one process reads them once."""
_COMPARING = (
    "tests/sim/whatif/test_comparison",
    "tests/sim/whatif/test_conditions",
    "tests/sim/whatif/test_report",
)
"""They look at one comparison, which one process computes once."""
_SHARING = (
    "tests/sim/federation/",
    "tests/sim/paper/test_experiments",
    "tests/sim/whatif/test_policies",
    "tests/walks/test_walks",
)
"""Tests of such a file look at the same plays, which one process plays once."""


_TEMPLATE = pytest.StashKey[ExitStack]()


def _starts_workers(config: pytest.Config) -> bool:
    """Whether this process does something for workers that would each do it for themselves."""
    return not hasattr(config, "workerinput") and bool(config.getoption("numprocesses", None))


def pytest_configure(config: pytest.Config) -> None:
    """Imports what the daemons of all clusters need."""
    if _starts_workers(config):
        config.stash[_TEMPLATE] = stack = ExitStack()
        stack.enter_context(imported_once())


@pytest.hookimpl(trylast=True)  # when Hypothesis may write, and before there are workers
def pytest_sessionstart(session: pytest.Session) -> None:
    """Prepares files that every worker reads."""
    config = session.config
    if not _starts_workers(config):
        return
    constants = get_context("fork").Process(target=_prepare_constants)
    constants.start()  # on the other core
    if not sys.dont_write_bytecode:
        _prepare_assertions(config)
    constants.join()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Ends what was begun there."""
    if _TEMPLATE in config.stash:
        config.stash[_TEMPLATE].close()


def _prepare_assertions(config: pytest.Config) -> None:
    """Of all tests: some seconds of processor time in a fresh clone."""
    for file in Path(__file__).parent.rglob("test_*.py"):
        directory = rewrite.get_cache_dir(file)
        prepared = directory / (file.stem + rewrite.PYC_TAIL)
        if rewrite.try_makedirs(directory) and rewrite._read_pyc(file, prepared) is None:
            mark, code = rewrite._rewrite_test(file, config)
            rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, mark, prepared)


def _prepare_constants() -> None:
    """Of all modules: Hypothesis tries the numbers and texts of what it tests, too. It keeps in .hypothesis
    what it has found, but in a fresh clone each worker would read all sources. A version of it that has no
    such module has nothing to prepare.
    """
    try:
        constants_ast = importlib.import_module("hypothesis.internal.constants_ast")
    except ImportError:
        return
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.py"):
            module = ModuleType(file.stem)
            module.__file__ = str(file)
            constants_ast.constants_from_module(module)


@pytest.fixture(scope="module", autouse=True)
def same_environment() -> Iterator[None]:
    """What a test leaves behind for those after it: nothing that changes how their daemons start, or which
    cluster their commands find.
    """
    before = _telling()
    yield
    assert _telling() == before, "a test of this file has left our environment changed"


def _telling() -> dict[str, str]:
    own = ("PYTHON", "YARN", "HADOOP_", "HOME")
    return {name: value for name, value in os.environ.items() if name.startswith(own)}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser of all tests of the process."""
    found = Browser()
    yield found
    found.close()


def pytest_report_header() -> str:
    """Which core is tested."""
    return f"core: {CORE}"


def pytest_itemcollected(item: pytest.Item) -> None:
    """What drives a browser is long, and left out where there is none."""
    if "browser" in getattr(item, "fixturenames", ()):
        item.add_marker(pytest.mark.long)
        item.add_marker(needs_browser)


@pytest.hookimpl(trylast=True)  # when `-m` has chosen
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what the compiled core cannot show, and deals the rest out."""
    if CORE.startswith("compiled"):
        items[:] = [item for item in items if item.get_closest_marker("replaces_methods") is None]
    _deal(config, items)


def _deal(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deals the files that start processes, those that read all modules and those whose tests share plays out
    to the workers, as xdist cuts the list: evenly. Each then begins with some of them, and who has none left
    takes quick ones from the others.
    """
    workers = int(getattr(config, "workerinput", {}).get("workercount", 1))
    files: dict[Path | tuple[str, ...], list[pytest.Item]] = {}
    for item in items:
        together = [group for group in (_READING, _COMPARING) if item.nodeid.startswith(group)]
        files.setdefault(together[0] if together else item.path, []).append(item)
    first = _WAITING + _READING + _COMPARING + _SHARING
    slow = [file for file in files.values() if file[0].nodeid.startswith(first)]
    quick = iter([item for file in files.values() if file not in slow for item in file])
    dealt: list[pytest.Item] = []
    for worker in range(workers):
        mine = [item for file in slow[worker::workers] for item in file]
        room = (worker + 1) * len(items) // workers - len(dealt) - len(mine)
        dealt += [*mine, *islice(quick, max(0, room))]
    items[:] = [*dealt, *quick]
