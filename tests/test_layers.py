"""Who may import whom: `protos <- yarn <- {rm, nm, am, client} <- {cluster, sim}`; what a core may not touch.

Every import statement of the tree is walked, wherever it stands. Each rule is a function from a module to the
sentences that say what is wrong with it, and is itself tested on modules that break it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

import pytest

from tests.tree import ROOMS, Module, modules

NEIGHBOURS = ("rm", "nm", "am", "client")
MAY_IMPORT = {
    "protos": ("protos",),
    "yarn": ("protos", "yarn"),
    **{room: ("protos", "yarn", room) for room in NEIGHBOURS},
    "sim": ("protos", "yarn", *NEIGHBOURS, "sim"),
    "cluster": ROOMS,
}
OUTSIDE = ("tests", "bench", "examples", "hatch_build")  # may import every room, and no room imports them

# Where records become messages and calls become packets; whoever else needs a message asks these.
SPEAKS_PROTOBUF = ("yarn.wire", "yarn.rpc", "yarn.tokens", "yarn.edge", "yarn.hadoop_ipc")
PROTOBUF = ("protos", "google.protobuf", "grpc")

# The parts of nm that act on the world; all else in rm and nm is a sans-IO core behind effects.
EDGES = ("rm.edge", "nm.edge", "nm.executor", "nm.monitor", "nm.localizer", "nm.shuffle")
MAPREDUCE_CORE = (
    "am.mapreduce.core",
    "am.mapreduce.context",
    "am.mapreduce.events",
    "am.mapreduce.effects",
    "am.mapreduce.job",
    "am.mapreduce.task",
    "am.mapreduce.attempt",
    "am.mapreduce.allocator",
    "am.mapreduce.waiting",
    "am.mapreduce.rampup",
    "am.mapreduce.preemption",
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
    ("settings", "events", "effects", "counters", "health", "context"),
    ("container", "node", "labels", "placement", "profiles"),
    ("scheduler",),
    ("diagnostics", "finished", "blacklist", "log_aggregation", "state", "tokens"),
    ("attempt", "app", "access", "nodes", "decommissioning", "monitors", "submission", "reservation"),
    ("reports", "tables"),
    ("services",),
    ("web",),
    ("core",),
    ("edge",),
    ("__main__",),
)
RM_RANK = {name: rank for rank, names in enumerate(RM_ORDER) for name in names}


def imports(module: Module, *, with_types: bool = True) -> Iterator[tuple[int, str]]:
    """Line and full name of everything a module imports; `from a import b` is a.b.

    Literal names given to import_module count. Without `with_types`, imports for annotations only do not.
    """
    types_only = () if with_types else tuple(_under_type_checking(module.syntax))
    for node in ast.walk(module.syntax):
        if node in types_only:
            continue
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = _source_of(module, node)
            yield from ((node.lineno, f"{source}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in (
            "import_module",
            "__import__",
        ):
            yield from ((node.lineno, name) for name in map(_literal, node.args[:1]) if name)


def _under_type_checking(syntax: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(syntax):
        if isinstance(node, ast.If) and ast.unparse(node.test).split(".")[-1] == "TYPE_CHECKING":
            for statement in node.body:
                yield from ast.walk(statement)


def _source_of(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    package = parts[: len(parts) - node.level + module.is_package]
    return ".".join([*package, *([node.module] if node.module else [])])


def _literal(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _names(target: str, packages: tuple[str, ...]) -> bool:
    return any(target == package or target.startswith(f"{package}.") for package in packages)


def is_core(module: Module) -> bool:
    """Whether the module belongs to a deterministic, sans-IO core."""
    return (module.room in ("rm", "nm") and not module.within(*EDGES)) or module.within(*MAPREDUCE_CORE)


def wrong_rooms(module: Module) -> Iterator[str]:
    """Arrows between rooms that point the wrong way."""
    if module.room not in ROOMS:
        return
    for line, target in imports(module):
        room = target.partition(".")[0]
        if room in (*ROOMS, *OUTSIDE) and room not in MAY_IMPORT[module.room]:
            yield f"{module.name}:{line} imports {target}: {module.room} must not know {room}"


def protobuf_outside_its_modules(module: Module) -> Iterator[str]:
    """Generated messages or gRPC in a part of yarn that speaks records."""
    if module.room != "yarn" or module.within(*SPEAKS_PROTOBUF):
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
    for node in ast.walk(module.syntax):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("open", "print")
        ):
            yield f"{module.name}:{node.lineno} calls {node.func.id}: a core acts by effects"


def builtin_sets_in_the_core(module: Module) -> Iterator[str]:
    """The builtin set, whose order differs from run to run; yarn.ordered has one that does not."""
    if not is_core(module):
        return
    for node in ast.walk(module.syntax):
        named = isinstance(node, ast.Name) and node.id == "set"
        if named or isinstance(node, ast.Set | ast.SetComp):
            line = getattr(node, "lineno", 0)
            yield f"{module.name}:{line} uses the builtin set: OrderedSet, a dict or a tuple has an order"


def clock_in_the_simulator(module: Module) -> Iterator[str]:
    """The wall clock, or chance without a seed, where time is virtual."""
    if module.room != "sim" or module.within(*SIM_WITH_A_CLOCK):
        return
    for line, target in imports(module):
        if _names(target, ("time", "datetime", "secrets", "uuid")):
            yield f"{module.name}:{line} imports {target}: time is virtual here, chance comes from the seed"
        if target.startswith("random.") and target != "random.Random":
            yield f"{module.name}:{line} imports {target}: chance is a random.Random from the seed"
    for node in ast.walk(module.syntax):
        used = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
        if used.startswith("random.") and used.count(".") == 1 and used != "random.Random":
            yield f"{module.name}: uses {used}: chance is a random.Random from the seed"


def wrong_order_in_rm(module: Module) -> Iterator[str]:
    """An import against the order of rm's parts; names imported for annotations only are no dependency."""
    if module.room != "rm" or module.name == "rm":
        return
    part = module.name.split(".")[1]
    if part not in RM_RANK:
        yield f"{module.name}: rm.{part} has no place in the order of rm's parts"
        return
    for line, target in imports(module, with_types=False):
        room, _, rest = target.partition(".")
        other = rest.partition(".")[0]
        if room == "rm" and RM_RANK.get(other, -1) > RM_RANK[part]:
            yield f"{module.name}:{line} imports {target}: {other} comes after {part}"


RULES = (
    wrong_rooms,
    protobuf_outside_its_modules,
    world_in_the_core,
    builtin_sets_in_the_core,
    clock_in_the_simulator,
    wrong_order_in_rm,
)

BROKEN = [
    (wrong_rooms, "yarn.story", "import rm.core"),
    (wrong_rooms, "yarn.story", "def f():\n    from rm import core"),
    (wrong_rooms, "protos.build", "import yarn"),
    (wrong_rooms, "rm.core", "from nm.core import Core"),
    (wrong_rooms, "nm.edge.process", "import client.main"),
    (wrong_rooms, "am.rm_client", "from __future__ import annotations\nimport sim"),
    (wrong_rooms, "client.main", "import importlib\nimportlib.import_module('rm.core')"),
    (wrong_rooms, "sim.kernel", "from cluster.supervisor import Supervisor"),
    (wrong_rooms, "rm.node", "from tests.rig import Rig"),
    (protobuf_outside_its_modules, "yarn.records.node", "from protos import yarn_protos_pb2"),
    (protobuf_outside_its_modules, "yarn.errors", "import grpc"),
    (protobuf_outside_its_modules, "yarn.ids", "from google.protobuf import message"),
    (world_in_the_core, "rm.core", "import time"),
    (world_in_the_core, "rm.scheduler.capacity.leaf", "from random import Random"),
    (world_in_the_core, "rm.services.client", "from google.protobuf.message import Message"),
    (world_in_the_core, "nm.container", "import os.path"),
    (world_in_the_core, "am.mapreduce.job", "import asyncio"),
    (world_in_the_core, "rm.nodes", "def f(path):\n    return open(path)"),
    (builtin_sets_in_the_core, "rm.node", "labels = set()"),
    (builtin_sets_in_the_core, "rm.node", "labels = {1, 2}"),
    (builtin_sets_in_the_core, "nm.core", "labels = {x for x in (1, 2)}"),
    (builtin_sets_in_the_core, "rm.app", "def f(x: set[str]) -> None: ..."),
    (clock_in_the_simulator, "sim.kernel", "import time"),
    (clock_in_the_simulator, "sim.faults", "import random\nx = random.random()"),
    (clock_in_the_simulator, "sim.faults", "from random import choice"),
    (wrong_order_in_rm, "rm.container", "from rm.scheduler.base import Scheduler"),
    (wrong_order_in_rm, "rm.scheduler.base", "import rm.services.master"),
    (wrong_order_in_rm, "rm.core", "from rm import edge"),
    (wrong_order_in_rm, "rm.helpful", "x = 1"),
]

SOUND = [
    ("yarn.wire", "import grpc\nfrom protos import yarn_protos_pb2"),
    ("rm.edge.process", "import asyncio, grpc, time\nfrom rm.core import Core\nx = set()"),
    ("rm.context", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from rm.app import RMApp"),
    ("rm.scheduler.base", "from . import usage\nfrom ..events import Event\ngauge.set(1)"),
    ("nm.executor", "import os, signal, subprocess, time"),
    ("sim.walk", "import random\nchance = random.Random(7)\nfrom rm.core import Core"),
    ("sim.report", "import time"),
    ("cluster.main", "import sim.main"),
    ("tests.rig", "import rm.core, time, random\nx = {1}"),
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


def test_every_rule_is_shown_to_fail() -> None:
    assert {rule for rule, _, _ in BROKEN} == set(RULES)


def test_a_relative_import_is_read_from_its_package() -> None:
    package = Module("rm.scheduler", "from .base import Scheduler", is_package=True)
    module = Module("rm.scheduler.fifo", "from .base import Scheduler\nfrom .. import core")
    assert [target for _, target in imports(package)] == ["rm.scheduler.base.Scheduler"]
    assert [target for _, target in imports(module)] == ["rm.scheduler.base.Scheduler", "rm.core"]
