"""Who may import whom: `protos <- yarn <- {rm, nm, am, client} <- {cluster, sim} <- testing`; and what a
core may not touch.

Every import statement of the tree is walked, wherever it stands. Each rule is a function from a module to the
sentences that say what is wrong with it, and is itself tested on modules that break it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.tree import PACKAGES, ROOT, Module, modules

NEIGHBOURS = ("rm", "nm", "am", "client")
MAY_IMPORT = {
    "protos": ("protos",),
    "yarn": ("protos", "yarn"),
    **{package: ("protos", "yarn", package) for package in NEIGHBOURS},
    "sim": ("protos", "yarn", *NEIGHBOURS, "sim"),
    "cluster": tuple(package for package in PACKAGES if package != "testing"),
    "testing": PACKAGES,
}
OUTSIDE = (
    "tests",
    "bench",
    "examples",
    "hatch_build",
    "compile_core",
    "release",
)  # may import all packages; no package imports them

# Where records become messages and calls become packets; whoever else needs a message asks these.
SPEAKS_PROTOBUF = ("yarn.wire", "yarn.connection.rpc", "yarn.security.tokens", "yarn.edge", "yarn.hadoop_ipc")
PROTOBUF = ("protos", "google.protobuf", "grpc")

# The parts of nm that act on the world; all else in rm and nm is a sans-IO core behind effects.
EDGES = ("rm.edge", "nm.edge", "nm.executor", "nm.monitor", "nm.localization.localizer", "nm.shuffle")
MAPREDUCE_CORE = (
    "am.mapreduce.app.core",
    "am.mapreduce.app.context",
    "am.mapreduce.app.events",
    "am.mapreduce.app.effects",
    "am.mapreduce.app.job",
    "am.mapreduce.app.task",
    "am.mapreduce.app.attempt",
    "am.mapreduce.allocation.allocator",
    "am.mapreduce.allocation.waiting",
    "am.mapreduce.allocation.rampup",
    "am.mapreduce.allocation.preemption",
    "am.mapreduce.allocation.uber",
)
WORLD = (
    "asyncio",
    "socket",
    "selectors",
    "ssl",
    "subprocess",
    "multiprocessing",
    "sqlite3",
    "signal",
    "psutil",
)
CHANCE_AND_TIME = ("time", "random", "secrets", "uuid", "threading", "os")

# Virtual time has no clock of its own but the kernel's; a report may say how long the run took.
SIM_WITH_A_CLOCK = ("sim.report", "sim.reports", "sim.main", "sim.cli", "sim.__main__")

RM_ORDER = (
    ("settings", "events", "effects", "ports", "booking", "asks", "log_aggregation"),
    ("container", "container_context", "node", "labels", "statistics"),
    ("scheduler",),
    ("state",),
    ("attempt", "app"),
    ("context",),
    ("access", "monitoring", "submission", "reservation"),
    ("reports", "tables"),
    ("services",),
    ("web",),
    ("core",),
    ("edge",),
    ("__main__",),
)
RM_RANK = {name: rank for rank, names in enumerate(RM_ORDER) for name in names}


# Who shows what a scheduler does reads its views; its own classes stay inside.
READS_VIEWS = ("rm.web", "rm.edge.http", "sim", "cluster")
SHOWS = ("rm.web", "rm.edge.http", "sim.recording", "cluster")
"""These know not even what all schedulers have in common; scenarios and walks look into its books."""
SCHEDULER_PACKAGES = ("rm.scheduler.capacity", "rm.scheduler.fair", "rm.scheduler.fifo")
INSIDES = (
    *("Scheduler", "Queue", "QueueTree", "Attempt", "Application", "Usage", "Amounts"),
    *(".scheduler", ".tree", ".leaf"),
)


def imports(module: Module) -> Iterator[tuple[int, str]]:
    """Line and name of everything a module imports, of ours without the leading `yarnbox.`; names that are
    imported for annotations only count.
    """
    for line, target in full_imports(module):
        yield line, target.removeprefix("yarnbox.")


@cache
def full_imports(module: Module) -> list[tuple[int, str]]:
    """The same by full name; `from a import b` is a.b. Literal names given to import_module count."""
    found = [(node.lineno, alias.name) for node in module.of(ast.Import) for alias in node.names]
    for node in module.of(ast.ImportFrom):
        source = _source_of(module, node)
        found += [(node.lineno, f"{source}.{alias.name}") for alias in node.names]
    for call in module.of(ast.Call):
        if _called(call) in ("import_module", "__import__"):
            found += [(call.lineno, name) for name in map(_literal, call.args[:1]) if name]
    return found


def _called(call: ast.Call) -> str:
    """The last word of what is called; none where that has no name."""
    return str(getattr(call.func, "attr", None) or getattr(call.func, "id", ""))


def _source_of(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = ["yarnbox", *module.name.split(".")]
    package = parts[: len(parts) - node.level + module.is_package]
    return ".".join([*package, *([node.module] if node.module else [])])


def _literal(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _names(target: str, packages: tuple[str, ...]) -> bool:
    return any(target == package or target.startswith(f"{package}.") for package in packages)


def is_core(module: Module) -> bool:
    """Whether the module belongs to a deterministic, sans-IO core."""
    return (module.package in ("rm", "nm") and not module.within(*EDGES)) or module.within(*MAPREDUCE_CORE)


def bare_packages(module: Module) -> Iterator[str]:
    """A package of ours by its folder's name: what is installed is yarnbox, and only yarnbox."""
    for line, target in full_imports(module):
        if target.partition(".")[0] in PACKAGES:
            yield f"{module.name}:{line} imports {target}: its name is yarnbox.{target}"


def wrong_rooms(module: Module) -> Iterator[str]:
    """Arrows between packages that point the wrong way."""
    if module.package not in PACKAGES:
        return
    for line, target in imports(module):
        package = target.partition(".")[0]
        if package in (*PACKAGES, *OUTSIDE) and package not in MAY_IMPORT[module.package]:
            yield f"{module.name}:{line} imports {target}: {module.package} must not know {package}"


def protobuf_outside_its_modules(module: Module) -> Iterator[str]:
    """Generated messages or gRPC in a part of yarn that speaks records."""
    if module.package != "yarn" or module.within(*SPEAKS_PROTOBUF):
        return
    for line, target in imports(module):
        if _names(target, PROTOBUF):
            yield f"{module.name}:{line} imports {target}: only {', '.join(SPEAKS_PROTOBUF)} may"


def world_in_the_core(module: Module) -> Iterator[str]:
    """Input, output, time or chance in a core."""
    if not is_core(module):
        return
    for line, target in imports(module):
        if _names(target, (*PROTOBUF, *WORLD, *CHANCE_AND_TIME)):
            yield f"{module.name}:{line} imports {target}: a core is handed time and chance, acts by effects"
    for node in module.of(ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id in ("open", "print"):
            yield f"{module.name}:{node.lineno} calls {node.func.id}: a core acts by effects"


def builtin_sets_in_the_core(module: Module) -> Iterator[str]:
    """The builtin set, whose order differs from run to run; yarn.ordered has one that does not."""
    if not is_core(module):
        return
    named = [node for node in module.of(ast.Name) if node.id == "set"]
    for node in [*named, *module.of(ast.Set), *module.of(ast.SetComp)]:
        yield f"{module.name}:{node.lineno} uses the builtin set: OrderedSet, a dict or a tuple has an order"


def clock_in_the_simulator(module: Module) -> Iterator[str]:
    """The wall clock, or chance without a seed, where time is virtual."""
    if module.package != "sim" or module.within(*SIM_WITH_A_CLOCK):
        return
    for line, target in imports(module):
        if _names(target, ("time", "datetime", "secrets", "uuid")):
            yield f"{module.name}:{line} imports {target}: time is virtual here, chance comes from the seed"
        if target.startswith("random.") and target != "random.Random":
            yield f"{module.name}:{line} imports {target}: chance is a random.Random from the seed"
    for used in map(ast.unparse, module.of(ast.Attribute)):
        if used.startswith("random.") and used.count(".") == 1 and used != "random.Random":
            yield f"{module.name}: uses {used}: chance is a random.Random from the seed"


def wrong_order_in_rm(module: Module) -> Iterator[str]:
    """An import against the order of rm's parts, those for annotations included."""
    if module.package != "rm" or module.name == "rm":
        return
    part = module.name.split(".")[1]
    if part not in RM_RANK:
        yield f"{module.name}: rm.{part} has no place in the order of rm's parts"
        return
    for line, target in imports(module):
        package, _, rest = target.partition(".")
        other = rest.partition(".")[0]
        if package == "rm" and RM_RANK.get(other, -1) > RM_RANK[part]:
            yield f"{module.name}:{line} imports {target}: {other} comes after {part}"


def circle(found: list[Module]) -> list[str]:
    """The modules of one circle of imports, those for annotations included; empty when there is none."""
    names = {module.name for module in found}
    graph = {
        module.name: {
            next((name for name in (target, target.rpartition(".")[0]) if name in names), module.name)
            for _, target in imports(module)
        }
        - {module.name}
        for module in found
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def schedulers_outside_views(module: Module) -> Iterator[str]:
    """A scheduler, a queue or an attempt of one scheduler where its views are the only window."""
    if not module.within(*READS_VIEWS):
        return
    for line, target in imports(module):
        packages = ("rm.scheduler",) if module.within(*SHOWS) else SCHEDULER_PACKAGES
        if _names(target, packages) and target.endswith(INSIDES):
            yield f"{module.name}:{line} imports {target}: ask the scheduler for a view"
    for node in module.of(ast.Call):
        if _called(node) == "isinstance" and "Scheduler" in ast.unparse(node):
            yield f"{module.name}:{node.lineno} asks for the class of a scheduler: ask it for a view"


RULES = (
    bare_packages,
    wrong_rooms,
    protobuf_outside_its_modules,
    world_in_the_core,
    builtin_sets_in_the_core,
    clock_in_the_simulator,
    wrong_order_in_rm,
    schedulers_outside_views,
)

BROKEN = [
    (bare_packages, "tests.rig", "import rm.core"),
    (bare_packages, "rm.core", "def f():\n    from sim import kernel"),
    (wrong_rooms, "yarn.runtime.story", "import yarnbox.rm.core"),
    (wrong_rooms, "yarn.runtime.story", "def f():\n    from yarnbox.rm import core"),
    (wrong_rooms, "protos.build", "import yarnbox.yarn"),
    (wrong_rooms, "rm.core", "from yarnbox.nm.core import Core"),
    (wrong_rooms, "nm.edge.process", "import yarnbox.client.main"),
    (wrong_rooms, "am.rm_client", "from __future__ import annotations\nimport yarnbox.sim"),
    (wrong_rooms, "client.main", "import importlib\nimportlib.import_module('yarnbox.rm.core')"),
    (wrong_rooms, "sim.kernel", "from yarnbox.cluster.supervisor import Supervisor"),
    (wrong_rooms, "rm.node", "from tests.rig import Rig"),
    (wrong_rooms, "cluster.main", "import yarnbox.testing.plugin"),
    (protobuf_outside_its_modules, "yarn.records.node", "from yarnbox.protos import yarn_protos_pb2"),
    (protobuf_outside_its_modules, "yarn.errors", "import grpc"),
    (protobuf_outside_its_modules, "yarn.ids", "from google.protobuf import message"),
    (world_in_the_core, "rm.core", "import time"),
    (world_in_the_core, "rm.scheduler.capacity.queues.leaf", "from random import Random"),
    (world_in_the_core, "rm.services.client", "from google.protobuf.message import Message"),
    (world_in_the_core, "nm.containers.container", "import os.path"),
    (world_in_the_core, "am.mapreduce.app.job", "import asyncio"),
    (world_in_the_core, "rm.monitoring.nodes", "def f(path):\n    return open(path)"),
    (builtin_sets_in_the_core, "rm.node", "labels = set()"),
    (builtin_sets_in_the_core, "rm.node", "labels = {1, 2}"),
    (builtin_sets_in_the_core, "nm.core", "labels = {x for x in (1, 2)}"),
    (builtin_sets_in_the_core, "rm.app", "def f(x: set[str]) -> None: ..."),
    (clock_in_the_simulator, "sim.kernel", "import time"),
    (clock_in_the_simulator, "sim.faults", "import random\nx = random.random()"),
    (clock_in_the_simulator, "sim.faults", "from random import choice"),
    (wrong_order_in_rm, "rm.container", "from yarnbox.rm.scheduler.base import Scheduler"),
    (wrong_order_in_rm, "rm.scheduler.base", "import yarnbox.rm.services.master"),
    (wrong_order_in_rm, "rm.core", "from yarnbox.rm import edge"),
    (wrong_order_in_rm, "rm.helpful", "x = 1"),
    (
        wrong_order_in_rm,
        "rm.labels.administration",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from yarnbox.rm.context import RMContext",
    ),
    (
        schedulers_outside_views,
        "rm.web.queues.users",
        "from yarnbox.rm.scheduler.fair.scheduler import FairScheduler",
    ),
    (
        schedulers_outside_views,
        "cluster.main",
        "from yarnbox.rm.scheduler.capacity.queues.leaf import LeafQueue",
    ),
    (
        schedulers_outside_views,
        "rm.web.marks",
        "from yarnbox.rm.scheduler.application import Attempt",
    ),
    (schedulers_outside_views, "rm.edge.http.rest.conf", "if isinstance(scheduler, CapacityScheduler): pass"),
]

SOUND = [
    ("yarn.wire", "import grpc\nfrom yarnbox.protos import yarn_protos_pb2"),
    ("rm.edge.process", "import asyncio, grpc, time\nfrom yarnbox.rm.core import Core\nx = set()"),
    ("rm.scheduler.base", "from . import usage\nfrom ..events import Event\ngauge.set(1)"),
    ("nm.executor", "import os, signal, subprocess, time"),
    ("sim.walk", "import random\nchance = random.Random(7)\nfrom yarnbox.rm.core import Core"),
    ("sim.report", "import time"),
    ("cluster.main", "import yarnbox.sim.main"),
    ("tests.rig", "import yarnbox.rm.core, time, random\nx = {1}"),
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_tree_keeps_the_rule(rule: Callable[[Module], Iterator[str]]) -> None:
    faults = [fault for module in modules() for fault in rule(module)]
    assert not faults, "\n" + "\n".join(faults)


@pytest.mark.parametrize("rule, name, text", BROKEN)
def test_each_rule_finds_what_breaks_it(
    rule: Callable[[Module], Iterator[str]], name: str, text: str
) -> None:
    assert list(rule(Module(name, text)))


@pytest.mark.parametrize("name, text", SOUND)
def test_no_rule_refuses_what_is_allowed(name: str, text: str) -> None:
    assert not [fault for rule in RULES for fault in rule(Module(name, text))]


def test_the_order_of_rm_is_complete_and_the_one_in_the_manual() -> None:
    there = {
        module.name.split(".")[1] for module in modules() if module.package == "rm" and module.name != "rm"
    }
    assert set(RM_RANK) == there
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \d+ \| ((?:`\w+` ?)+)\|", page, re.MULTILINE)
    assert [tuple(re.findall(r"\w+", row)) for row in rows] == list(RM_ORDER)


def test_no_imports_go_in_a_circle_not_even_for_annotations() -> None:
    assert circle([module for module in modules() if module.package in PACKAGES]) == []


def test_a_circle_is_found_where_one_half_is_for_annotations() -> None:
    typed = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from yarnbox.rm.b import B"
    found = circle([Module("rm.a", typed), Module("rm.b", "import yarnbox.rm.a"), Module("rm.c", "")])
    assert sorted(set(found)) == ["rm.a", "rm.b"]


def test_every_rule_is_shown_to_fail() -> None:
    assert {rule for rule, _, _ in BROKEN} == set(RULES)


def test_a_relative_import_is_read_from_its_package() -> None:
    package = Module("rm.scheduler", "from .base import Scheduler", is_package=True)
    module = Module("rm.scheduler.fifo", "from .base import Scheduler\nfrom .. import core")
    assert [target for _, target in imports(package)] == ["rm.scheduler.base.Scheduler"]
    assert [target for _, target in imports(module)] == ["rm.scheduler.base.Scheduler", "rm.core"]
