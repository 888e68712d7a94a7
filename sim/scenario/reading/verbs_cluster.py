"""The verbs about nodes, labels, configuration files and plan reservations, from the tree to their steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from yarnbox.sim.scenario.reading.fields import (
    NO_PROPERTIES,
    VCORES,
    Fields,
    Problems,
    as_duration_ms,
    as_flag,
    as_integer,
    as_list,
    as_mapping,
    as_member,
    as_one_or_list,
    as_properties,
    as_text,
    as_word,
)
from yarnbox.sim.scenario.reading.source import Entries, Scalar, Tree
from yarnbox.sim.scenario.reading.steps import (
    DEFAULT_PORT,
    DEFAULT_RACK,
    AddLabels,
    AddNode,
    Decommission,
    DeleteReservation,
    LabelNode,
    NodeQueue,
    NodeSpec,
    PlanRequestSpec,
    Recommission,
    Refresh,
    RemoveLabels,
    RemoveNode,
    Reserve,
    ResizeNode,
    RestartRM,
    Step,
    Unhealthy,
    UpdateReservation,
)
from yarnbox.sim.scenario.reading.verbs import Reading, Verb, read_resource
from yarnbox.yarn.enums import ReservationRequestInterpreter

MOST_NODES = 20_000
_NODE_KEYS = ("name", "count", "rack", "memory-mb", "vcores", "resources", "labels", "attributes")


def read_nodes(reading: Reading, tree: Tree) -> tuple[NodeSpec, ...]:
    """One node, or with `count` a row of them: `n%d` makes n1, n2, ..."""
    problems, names = reading.problems, reading.names
    fields = Fields(problems, tree, "a node", _NODE_KEYS)
    pattern = fields.word("name")
    count = fields.integer("count", 1, at_least=1)
    if count > MOST_NODES:
        problems.add(tree.line, f"count of a node must be at most {MOST_NODES}, not {count}")
        count = 1
    if ("count" in fields) != ("%d" in pattern):
        problems.add(tree.line, "'count' and a '%d' in the name of a node go together")
    rack = fields.read("rack", as_word, DEFAULT_RACK)
    if not rack.startswith("/"):
        problems.add(tree.line, f"a rack begins with a slash, {rack!r} does not")
    labels = fields.tree("labels")
    resource = read_resource(reading, fields, {VCORES: 8}, at_least=0)
    every = NodeSpec(
        name=pattern,
        rack=rack,
        resource=MappingProxyType(dict(resource)),
        labels=None if labels is None else read_labels(reading, labels, "labels of a node"),
        labels_of_host=":" not in pattern,
        attributes=fields.read("attributes", as_properties, NO_PROPERTIES),
    )
    specs = []
    for number in range(1, count + 1):
        name = node_key(problems, tree.line, pattern.replace("%d", str(number)))
        names.nodes[name] = None
        specs.append(replace(every, name=name))
    return tuple(specs)


def node_key(problems: Problems, line: int, name: str) -> str:
    """`host:port`, with the port that a bare host gets."""
    host, colon, port = name.rpartition(":")
    if not colon:
        return f"{name}:{DEFAULT_PORT}"
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        problems.add(line, f"a node is called host or host:port, not {name!r}")
        return f"{name.replace(':', '')}:{DEFAULT_PORT}"
    return f"{host}:{int(port)}"


def read_labels(reading: Reading, tree: Tree, what: str) -> tuple[str, ...]:
    """Labels that must exist."""
    each = as_list(reading.problems, tree, what)
    return tuple(reading.names.sent_label(reading.problems, label, f"a label in {what}") for label in each)


def read_label_definitions(reading: Reading, tree: Tree, what: str) -> Mapping[str, bool]:
    """`{x: {exclusive: false}}`: labels to whether they are exclusive, true where it is not said.

    A label is sent as it is written; the ResourceManager trims it, and refuses one that is no name.
    """
    definitions = {}
    for key, value in as_mapping(reading.problems, tree, what):
        label = as_text(reading.problems, key, f"a label of {what}")
        is_plain = isinstance(value, Scalar) and value.value is None
        fields = None if is_plain else Fields(reading.problems, value, f"label {label}", ("exclusive",))
        definitions[label] = True if fields is None else fields.read("exclusive", as_flag, True)
        reading.names.labels[label.strip()] = None
    return MappingProxyType(definitions)


def _read_add_node(reading: Reading, tree: Tree) -> Step:
    return AddNode(line=tree.line, nodes=read_nodes(reading, tree))


def _read_remove_node(reading: Reading, tree: Tree) -> Step:
    return RemoveNode(
        line=tree.line, node=reading.names.known_node(reading.problems, tree, "the node of remove-node")
    )


def _read_decommission(reading: Reading, tree: Tree) -> Step:
    known = reading.names.known_node
    if not isinstance(tree, Entries):
        return Decommission(line=tree.line, node=known(reading.problems, tree, "the node of decommission"))
    fields = Fields(reading.problems, tree, Decommission.verb, ("node", "graceful"))
    graceful_ms = fields.read("graceful", as_duration_ms, None)
    return Decommission(line=tree.line, node=fields.need("node", known, ""), graceful_ms=graceful_ms)


def _read_recommission(reading: Reading, tree: Tree) -> Step:
    known = reading.names.known_node
    if not isinstance(tree, Entries):
        return Recommission(line=tree.line, node=known(reading.problems, tree, "the node of recommission"))
    fields = Fields(reading.problems, tree, Recommission.verb, ("node",))
    return Recommission(line=tree.line, node=fields.need("node", known, ""))


def _read_unhealthy(reading: Reading, tree: Tree) -> Step:
    fields = Fields(reading.problems, tree, Unhealthy.verb, ("node", "report"))
    node = fields.need("node", reading.names.known_node, "")
    return Unhealthy(line=tree.line, node=node, report=fields.need("report", as_text, ""))


def _read_node_queue(reading: Reading, tree: Tree) -> Step:
    fields = Fields(reading.problems, tree, NodeQueue.verb, ("node", "capacity", "length", "wait"))
    named = fields.tree("node")
    each = () if named is None else as_one_or_list(named)
    if not each:
        fields.required("node")
    known = reading.names.known_node
    return NodeQueue(
        line=tree.line,
        nodes=tuple(known(reading.problems, one, f"the node of {NodeQueue.verb}") for one in each),
        capacity=fields.integer("capacity", 0, at_least=0),
        length=fields.integer("length", 0, at_least=0),
        wait_ms=fields.read("wait", as_duration_ms, None),
    )


def _read_resize_node(reading: Reading, tree: Tree) -> Step:
    keys = ("node", "memory-mb", "vcores", "resources", "overcommit-timeout")
    fields = Fields(reading.problems, tree, ResizeNode.verb, keys)
    return ResizeNode(
        line=tree.line,
        node=fields.need("node", reading.names.known_node, ""),
        resource=read_resource(reading, fields, {}, is_memory_needed=False, at_least=0),
        overcommit_timeout_ms=fields.read("overcommit-timeout", _as_overcommit_timeout_ms, -1),
    )


def _as_overcommit_timeout_ms(problems: Problems, tree: Tree, what: str) -> int:
    """A time, or Hadoop's -1: never."""
    if isinstance(tree, Scalar) and tree.value in (-1, 0) and not isinstance(tree.value, bool):
        return as_integer(problems, tree, what)
    return as_duration_ms(problems, tree, what)


def _read_add_labels(reading: Reading, tree: Tree) -> Step:
    return AddLabels(line=tree.line, exclusive=read_label_definitions(reading, tree, AddLabels.verb))


def _read_remove_labels(reading: Reading, tree: Tree) -> Step:
    each = as_list(reading.problems, tree, RemoveLabels.verb)
    known = _label_reader(reading)
    return RemoveLabels(
        line=tree.line, labels=tuple(known(reading.problems, label, "a label") for label in each)
    )


def _read_label_node(reading: Reading, tree: Tree) -> Step:
    labels = {}
    known = _label_reader(reading)
    for key, value in as_mapping(reading.problems, tree, LabelNode.verb):
        node = as_word(reading.problems, key, "a node of label-node")
        if ":" in node:
            node = node_key(reading.problems, key.line, node)
        each = as_list(reading.problems, value, f"the labels of {node}")
        labels[node] = tuple(known(reading.problems, label, f"a label of {node}") for label in each)
    return LabelNode(line=tree.line, labels=MappingProxyType(labels))


def _label_reader(reading: Reading) -> Callable[[Problems, Tree, str], str]:
    """A label that must exist, unless the step is one that must be refused."""
    return as_text if reading.is_refusal else reading.names.sent_label


def _read_refresh(reading: Reading, tree: Tree) -> Step:
    fields = Fields(reading.problems, tree, Refresh.verb, ("capacity-scheduler", "fair-scheduler"))
    if len(list(fields)) != 1:
        reading.problems.add(tree.line, "refresh takes one file: capacity-scheduler or fair-scheduler")
    capacity = fields.read("capacity-scheduler", reading.paths.as_capacity_file, None)
    fair = fields.read("fair-scheduler", reading.paths.as_fair_file, None)
    if capacity is not None:
        _needs_scheduler(reading, tree, "capacity")
        reading.names.take_capacity_file(capacity)
    if fair is not None:
        _needs_scheduler(reading, tree, "fair")
    return Refresh(line=tree.line, capacity_scheduler=capacity, fair_scheduler=fair)


def _needs_scheduler(reading: Reading, tree: Tree, scheduler: str) -> None:
    is_builtin = reading.names.scheduler in ("fifo", "capacity", "fair")
    if is_builtin and reading.names.scheduler != scheduler:
        reading.problems.add(
            tree.line, f"{scheduler}-scheduler is not a file of the {reading.names.scheduler} scheduler"
        )


def _reserve_fields(reading: Reading, tree: Tree, verb: str) -> Fields:
    keys = ("name", "queue", "user", "arrival", "deadline", "requests", "interpreter", "recurrence")
    return Fields(reading.problems, tree, verb, keys)


def _read_reserve(reading: Reading, tree: Tree) -> Step:
    fields = _reserve_fields(reading, tree, Reserve.verb)
    name = fields.word("name")
    reading.names.reservations[name] = None
    return _reservation(reading, fields, name, Reserve)


def _read_update_reservation(reading: Reading, tree: Tree) -> Step:
    fields = _reserve_fields(reading, tree, UpdateReservation.verb)
    return _reservation(
        reading, fields, fields.need("name", reading.names.known_reservation, ""), UpdateReservation
    )


def _reservation(reading: Reading, fields: Fields, name: str, kind: type[Reserve]) -> Step:
    return kind(
        line=fields.line,
        name=name,
        queue=fields.word("queue"),
        user=fields.read("user", as_word, "user"),
        arrival_ms=fields.need("arrival", as_duration_ms, 0),
        deadline_ms=fields.need("deadline", as_duration_ms, 0),
        requests=tuple(_read_plan_request(reading, each) for each in _required_list(fields, "requests")),
        interpreter=fields.read("interpreter", _as_interpreter, ReservationRequestInterpreter.ALL),
        recurrence_ms=fields.read("recurrence", as_duration_ms, 0),
    )


def _required_list(fields: Fields, key: str) -> tuple[Tree, ...]:
    fields.required(key)
    return fields.items(key)


def _as_interpreter(problems: Problems, tree: Tree, what: str) -> ReservationRequestInterpreter:
    return as_member(problems, tree, what, ReservationRequestInterpreter, ReservationRequestInterpreter.ALL)


def _read_plan_request(reading: Reading, tree: Tree) -> PlanRequestSpec:
    keys = ("count", "memory-mb", "vcores", "resources", "duration", "concurrency")
    fields = Fields(reading.problems, tree, "a request of reserve", keys)
    return PlanRequestSpec(
        count=fields.need("count", as_integer, 1),
        resource=read_resource(reading, fields, {VCORES: 1}),
        duration_ms=fields.need("duration", as_duration_ms, 0),
        concurrency=fields.integer("concurrency", 1),
    )


def _read_restart_rm(reading: Reading, tree: Tree) -> Step:
    problems = len(reading.problems.found)
    down_ms = as_duration_ms(reading.problems, tree, RestartRM.verb)
    if down_ms == 0 and len(reading.problems.found) == problems:
        reading.problems.add(
            tree.line, "restart-rm takes some time, because ids tell one start from the next"
        )
    return RestartRM(line=tree.line, down_ms=down_ms)


def _read_delete_reservation(reading: Reading, tree: Tree) -> Step:
    name = reading.names.known_reservation(reading.problems, tree, "the reservation of delete-reservation")
    return DeleteReservation(line=tree.line, name=name)


CLUSTER_VERBS: Mapping[str, Verb] = {
    "add-node": _read_add_node,
    "remove-node": _read_remove_node,
    "decommission": _read_decommission,
    "recommission": _read_recommission,
    "unhealthy": _read_unhealthy,
    "node-queue": _read_node_queue,
    "resize-node": _read_resize_node,
    "add-labels": _read_add_labels,
    "remove-labels": _read_remove_labels,
    "label-node": _read_label_node,
    "refresh": _read_refresh,
    "reserve": _read_reserve,
    "update-reservation": _read_update_reservation,
    "delete-reservation": _read_delete_reservation,
    "restart-rm": _read_restart_rm,
}
