"""One mapping with one key, the verb, to its step: the verbs about applications, time and what must hold.

Each reader takes the value under its verb and answers a step that is checked and complete; `verbs_cluster`
has the verbs about nodes, labels, configuration and plans.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from yarnbox.sim.scenario.reading.checks import read_checks
from yarnbox.sim.scenario.reading.constraints import read_constraint, read_registered
from yarnbox.sim.scenario.reading.fields import (
    VCORES,
    Amounts,
    Fields,
    Problems,
    as_duration_ms,
    as_flag,
    as_integer,
    as_member,
    as_one_or_list,
    as_pattern,
    as_text,
    as_times,
    as_word,
    shown,
)
from yarnbox.sim.scenario.reading.names import ContainerName, Names
from yarnbox.sim.scenario.reading.paths import Paths
from yarnbox.sim.scenario.reading.source import Entries, Items, Tree
from yarnbox.sim.scenario.reading.steps import (
    ANY,
    Advance,
    Ask,
    Complete,
    Expect,
    ExpectError,
    FailAm,
    Finish,
    Heartbeat,
    Kill,
    Move,
    Preempt,
    Pull,
    RequestSpec,
    SetPriority,
    Step,
    Submit,
    UpdateShares,
)
from yarnbox.yarn.enums import ExecutionType

LAST_MOMENT_MS = 366 * 86_400_000


@dataclass(frozen=True, slots=True)
class Reading:
    """What a verb's reader works with.

    In a step that must be refused, some names may mean nothing on purpose.
    """

    problems: Problems
    names: Names
    paths: Paths
    is_refusal: bool = False


Verb = Callable[[Reading, Tree], Step]


def read_step(reading: Reading, tree: Tree, verbs: Mapping[str, Verb]) -> Step | None:
    """The step, or None where not even its verb could be read."""
    if not isinstance(tree, Entries):
        reading.problems.wrong(tree, "a step", "a mapping whose one key is its verb")
        return None
    if len(tree.pairs) != 1:
        keys = ", ".join(key.text for key, _ in tree.pairs) or "nothing"
        reading.problems.add(
            tree.line, f"a step is a mapping with exactly one key, its verb; this one has {keys}"
        )
        return None
    key, value = tree.pairs[0]
    if key.text == ExpectError.verb and not reading.is_refusal:
        return _read_refusal(reading, value, verbs)
    if key.text == Expect.verb:
        return Expect(line=key.line, checks=read_checks(reading.problems, reading.names, value))
    if key.text not in verbs:
        reading.problems.add(
            key.line,
            f"unknown verb {key.text!r}; the verbs are {', '.join((*verbs, 'expect', 'expect-error'))}",
        )
        return None
    return verbs[key.text](reading, value)


def _read_refusal(reading: Reading, tree: Tree, verbs: Mapping[str, Verb]) -> Step | None:
    """`{<one step>: ..., matching: "regular expression"}`."""
    fields = Fields(reading.problems, tree, ExpectError.verb, (*verbs, "matching"))
    if len([key for key in fields if key != "matching"]) != 1:
        reading.problems.add(tree.line, "expect-error holds exactly one step, and matching")
        return None
    matching = fields.required("matching")
    assert isinstance(tree, Entries)
    only = Entries(tree.line, tuple(pair for pair in tree.pairs if pair[0].text != "matching"))
    step = read_step(replace(reading, is_refusal=True), only, verbs)
    if step is None or matching is None:
        return None
    pattern = as_pattern(reading.problems, matching, "matching of expect-error")
    return ExpectError(line=tree.line, step=step, matching=pattern)


# ---- applications


def _read_submit(reading: Reading, tree: Tree) -> Step:
    keys = (
        *(
            "app",
            "queue",
            "user",
            "managed",
            "am",
            "name",
            "priority",
            "label",
            "am-label",
            "tags",
            "max-attempts",
        ),
        *("keep-containers", "attempt-failures-validity", "lifetime", "reservation", "constraints"),
        "task-time",
    )
    problems, names = reading.problems, reading.names
    fields = Fields(problems, tree, Submit.verb, keys)
    app = fields.word("app")
    if "/" in app:
        problems.add(fields.line, f"an application's name has no slash, {app!r} has")
    is_managed = fields.read("managed", as_flag, False)
    am: Amounts | None = None
    if (am_tree := fields.tree("am")) is not None:
        am = names.amounts(problems, am_tree, "am of submit", instead={VCORES: 1})
    if is_managed != (am is not None):
        problems.add(
            fields.line,
            "a managed application needs 'am', the resource of its AM container, and no other has one",
        )
    names.submit(fields.line, app, is_managed, reading.is_refusal)
    return Submit(
        line=fields.line,
        app=app,
        queue=fields.read("queue", as_text, "default"),
        user=fields.read("user", as_word, "user"),
        is_managed=is_managed,
        am=am,
        name=fields.read("name", as_text, None),
        priority=fields.read("priority", as_integer, None),
        label=fields.read("label", as_text, None),
        am_label=fields.read("am-label", as_text, None),
        tags=tuple(as_text(problems, tag, "a tag of submit") for tag in fields.items("tags")),
        max_attempts=fields.read("max-attempts", as_integer, None),
        keep_containers=fields.read("keep-containers", as_flag, False),
        attempt_failures_validity_ms=fields.read("attempt-failures-validity", as_duration_ms, None),
        lifetime_ms=fields.read("lifetime", as_duration_ms, None),
        reservation=fields.read("reservation", names.known_reservation, None),
        constraints=read_registered(problems, fields.tree("constraints")),
        task_ms=fields.read("task-time", as_duration_ms, None),
    )


def _read_ask(reading: Reading, tree: Tree) -> Step:
    problems, names = reading.problems, reading.names
    fields = Fields(problems, tree, Ask.verb, ("app", "requests", "release", "blacklist"))
    release = fields.items("release")
    blacklist = fields.tree("blacklist")
    barred = (
        Fields(problems, blacklist, "blacklist of ask", ("add", "remove")) if blacklist is not None else None
    )
    return Ask(
        line=fields.line,
        app=fields.need("app", names.known_app, ""),
        requests=tuple(_read_request(reading, each) for each in fields.items("requests")),
        release=tuple(names.known_container(problems, each, "a container of release") for each in release),
        blacklist_add=_words(barred, "add"),
        blacklist_remove=_words(barred, "remove"),
    )


def _words(fields: Fields | None, key: str) -> tuple[str, ...]:
    if fields is None:
        return ()
    return tuple(as_word(fields.problems, each, f"{key} of {fields.what}") for each in fields.items(key))


def _read_request(reading: Reading, tree: Tree) -> RequestSpec:
    keys = (
        *("count", "memory-mb", "vcores", "resources", "priority", "at", "relax", "label", "id"),
        *("execution", "update", "tags", "constraint"),
    )
    problems = reading.problems
    fields = Fields(problems, tree, "a request", keys)
    update = fields.read("update", reading.names.known_container, None)
    is_constrained, tags, constraint = read_constraint(fields)
    return RequestSpec(
        line=tree.line,
        count=fields.integer("count", 1, at_least=0),
        resource=read_resource(reading, fields, {VCORES: 1} if update is None else {}, update is None),
        priority=fields.integer("priority", 1, at_least=0),
        at=_read_locations(reading, fields),
        relax=fields.read("relax", as_flag, True),
        label=fields.read("label", as_text, None),
        allocation_id=fields.integer("id", 0),
        execution=fields.read("execution", _execution_type, None),
        update=update,
        is_constrained=is_constrained,
        tags=tags,
        constraint=constraint,
    )


def read_resource(
    reading: Reading,
    fields: Fields,
    instead: Mapping[str, int],
    is_memory_needed: bool = True,
    at_least: int | None = None,
) -> Amounts:
    """The keys `memory-mb`, `vcores` and `resources` that stand beside others; `instead` for what is not
    written."""
    problems = reading.problems
    amounts = dict(instead)
    if is_memory_needed:
        fields.required("memory-mb")
    for key in ("memory-mb", "vcores"):
        if key in fields:
            amounts[key] = fields.integer(key, 0, at_least)
    if (others := fields.tree("resources")) is not None:
        amounts.update(reading.names.amounts(problems, others, f"resources of {fields.what}"))
    return amounts


def _read_locations(reading: Reading, fields: Fields) -> str | tuple[str, ...]:
    tree = fields.tree("at")
    if tree is None:
        return ANY
    if not isinstance(tree, Items):
        return as_word(reading.problems, tree, "at of a request")
    if not tree.items:
        reading.problems.wrong(tree, "at of a request", "a host, a rack, '*' or a list that is not empty")
    hosts = tuple(as_word(reading.problems, each, "at of a request") for each in tree.items)
    for host in hosts:
        if host == ANY or host.startswith("/"):
            reading.problems.add(
                tree.line, f"a list under at holds hosts, not {host!r}; their racks and '*' follow"
            )
    return hosts


def _execution_type(problems: Problems, tree: Tree, what: str) -> ExecutionType:
    return as_member(problems, tree, what, ExecutionType, ExecutionType.GUARANTEED)


def _apps(reading: Reading, tree: Tree, verb: str) -> tuple[str, ...]:
    each = as_one_or_list(tree)
    return tuple(reading.names.known_app(reading.problems, app, f"the application of {verb}") for app in each)


def _read_pull(reading: Reading, tree: Tree) -> Step:
    return Pull(line=tree.line, apps=_apps(reading, tree, Pull.verb))


def _read_finish(reading: Reading, tree: Tree) -> Step:
    return Finish(line=tree.line, apps=_apps(reading, tree, Finish.verb))


def _read_fail_am(reading: Reading, tree: Tree) -> Step:
    app = reading.names.known_app(reading.problems, tree, "the application of fail-am")
    if not reading.names.managed.get(app, True):
        reading.problems.add(tree.line, f"fail-am is about managed applications, {app!r} is not")
    return FailAm(line=tree.line, app=app)


def _read_kill(reading: Reading, tree: Tree) -> Step:
    return Kill(
        line=tree.line, app=reading.names.known_app(reading.problems, tree, "the application of kill")
    )


def _read_complete(reading: Reading, tree: Tree) -> Step:
    problems, names = reading.problems, reading.names
    if not isinstance(tree, Entries):
        each = as_one_or_list(tree)
        containers = tuple(names.known_container(problems, name, "a container of complete") for name in each)
        return Complete(line=tree.line, containers=containers)
    fields = Fields(problems, tree, Complete.verb, ("app", "count", "node", "status", "container"))
    status = fields.integer("status", 0)
    if "container" in fields:
        for key in ("app", "count", "node"):
            if key in fields:
                problems.add(tree.line, f"complete names a container or {key!r}, not both")
        container = fields.need("container", names.known_container, ContainerName("", 0))
        return Complete(line=tree.line, containers=(container,), status=status)
    return Complete(
        line=tree.line,
        app=fields.need("app", names.known_app, ""),
        count=fields.integer("count", 1, at_least=1),
        node=fields.read("node", names.known_node, None),
        status=status,
    )


def _read_move(reading: Reading, tree: Tree) -> Step:
    fields = Fields(reading.problems, tree, Move.verb, ("app", "queue"))
    return Move(
        line=tree.line, app=fields.need("app", reading.names.known_app, ""), queue=fields.word("queue")
    )


def _read_priority(reading: Reading, tree: Tree) -> Step:
    fields = Fields(reading.problems, tree, SetPriority.verb, ("app", "priority"))
    app = fields.need("app", reading.names.known_app, "")
    return SetPriority(line=tree.line, app=app, priority=fields.need("priority", as_integer, 0))


# ---- time and heartbeats


def _read_heartbeat(reading: Reading, tree: Tree) -> Step:
    known = reading.names.known_node
    if isinstance(tree, Entries):
        fields = Fields(reading.problems, tree, Heartbeat.verb, ("node", "times"))
        node = fields.need("node", known, "")
        return Heartbeat(line=tree.line, nodes=(node,), times=fields.read("times", as_times, 1))
    nodes = tuple(known(reading.problems, each, "the node of heartbeat") for each in as_one_or_list(tree))
    return Heartbeat(line=tree.line, nodes=nodes)


def _read_update_shares(reading: Reading, tree: Tree) -> Step:
    return UpdateShares(line=tree.line, times=as_times(reading.problems, tree, UpdateShares.verb))


def _read_preempt(reading: Reading, tree: Tree) -> Step:
    return Preempt(line=tree.line, times=as_times(reading.problems, tree, Preempt.verb))


def _read_advance(reading: Reading, tree: Tree) -> Step:
    span_ms = as_duration_ms(reading.problems, tree, Advance.verb)
    if span_ms > LAST_MOMENT_MS:
        reading.problems.add(tree.line, f"advance {shown(tree)} is more than a year")
    return Advance(line=tree.line, span_ms=span_ms)


APPLICATION_VERBS: Mapping[str, Verb] = {
    "submit": _read_submit,
    "ask": _read_ask,
    "pull": _read_pull,
    "complete": _read_complete,
    "finish": _read_finish,
    "fail-am": _read_fail_am,
    "kill": _read_kill,
    "move": _read_move,
    "priority": _read_priority,
    "heartbeat": _read_heartbeat,
    "update-shares": _read_update_shares,
    "preempt": _read_preempt,
    "advance": _read_advance,
}
