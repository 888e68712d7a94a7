"""Whole scenario files: what is read out of a good one, and every way in which a bad one is told so."""

from __future__ import annotations

import re
import textwrap

import pytest

from yarnbox.sim.scenario.reading.document import VERBS, InvalidScenarioError, Scenario, parse_scenario
from yarnbox.sim.scenario.reading.guide import Guide
from yarnbox.sim.scenario.reading.names import ContainerName
from yarnbox.sim.scenario.reading.steps import (
    Advance,
    Ask,
    Complete,
    Expect,
    ExpectError,
    Heartbeat,
    LabelNode,
    Reserve,
    ResizeNode,
    Step,
    Submit,
)
from yarnbox.yarn.enums import ExecutionType, ReservationRequestInterpreter

HEAD = """\
name: a-case
conf: {yarn.resourcemanager.scheduler.class: capacity, yarn.resource-types: yarn.io/gpu}
capacity-scheduler:
  yarn.scheduler.capacity.root.queues: a,p
  yarn.scheduler.capacity.root.p.auto-queue-creation-v2.enabled: true
labels: {x: {exclusive: false}, y: }
nodes:
  - {name: n1, memory-mb: 4096}
  - {name: "h1:1001", memory-mb: 1024}
  - {name: "h1:1002", memory-mb: 1024, labels: [x]}
steps:
"""
STEPS_BEGIN = HEAD.count("\n") + 1


def scenario(steps: str) -> Scenario:
    return parse_scenario(HEAD + textwrap.indent(textwrap.dedent(steps), "  "))


def only(steps: str) -> Step:
    """The last step, after an application of each kind."""
    before = "- submit: {app: a1}\n- submit: {app: m1, managed: true, am: {memory-mb: 1024}}\n"
    return scenario(before + textwrap.dedent(steps)).steps[-1]


# ---- good ones


def test_the_document_around_the_steps() -> None:
    read = parse_scenario(
        """
        name: whole
        about: >-
          Everything there is.
        conf: {a.b: true, a.c: 1.50, a.d: word, yarn.resourcemanager.scheduler.class: fair}
        fair-scheduler: |
          <allocations/>
        groups: {alice: [dev, ops]}
        nodes:
          - {name: "n%d", count: 3, rack: /r1, memory-mb: 1024, vcores: 2, attributes: {os: linux}}
        steps: []
        """
    )
    assert read.name == "whole"
    assert read.about == "Everything there is."
    assert read.conf["a.b"] == "true"
    assert read.conf["a.c"] == "1.50"
    assert read.fair_scheduler == "<allocations/>\n"
    assert read.groups == {"alice": ("dev", "ops")}
    assert [node.name for node in read.nodes] == ["n1:1234", "n2:1234", "n3:1234"]
    assert read.nodes[2].host == "n3"
    assert read.nodes[2].port == 1234
    assert read.nodes[0].resource == {"memory-mb": 1024, "vcores": 2}
    assert read.nodes[0].labels is None
    assert read.nodes[0].attributes == {"os": "linux"}


def test_defaults_of_a_node_and_of_a_label() -> None:
    read = scenario("[]")
    assert read.nodes[0].rack == "/default-rack"
    assert read.nodes[0].resource == {"memory-mb": 4096, "vcores": 8}
    assert read.nodes[2].labels == ("x",)
    assert not read.nodes[2].labels_of_host
    assert read.labels == {"x": False, "y": True}


def test_submit() -> None:
    step = only(
        "- submit: {app: a2, queue: root.a, user: u, managed: true, am: {memory-mb: 512}, name: n, "
        "priority: 3, label: x, am-label: y, tags: [t], max-attempts: 4, keep-containers: true, "
        "attempt-failures-validity: 10s, lifetime: 5m}"
    )
    assert isinstance(step, Submit)
    assert step.am == {"memory-mb": 512, "vcores": 1}
    assert (step.priority, step.max_attempts, step.keep_containers) == (3, 4, True)
    assert (step.attempt_failures_validity_ms, step.lifetime_ms) == (10_000, 300_000)
    assert step.tags == ("t",)


def test_ask() -> None:
    step = only(
        """
        - ask:
            app: a1
            requests:
              - {count: 2, memory-mb: 1024, resources: {yarn.io/gpu: 1}, at: [n1, n9], label: "", id: 7}
              - {count: 0, memory-mb: -1, vcores: 3, priority: 0, at: /r1, relax: false,
                 execution: opportunistic}
              - {update: a1/2, memory-mb: 2048}
            release: [a1/1]
            blacklist: {add: [n1, "*"], remove: [/r9]}
        """
    )
    assert isinstance(step, Ask)
    first, second, third = step.requests
    assert first.resource == {"memory-mb": 1024, "vcores": 1, "yarn.io/gpu": 1}
    assert (first.at, first.label, first.allocation_id, first.priority) == (("n1", "n9"), "", 7, 1)
    assert (second.at, second.relax, second.execution) == ("/r1", False, ExecutionType.OPPORTUNISTIC)
    assert third.update == ContainerName("a1", 2)
    assert step.release == (ContainerName("a1", 1),)
    assert (step.blacklist_add, step.blacklist_remove) == (("n1", "*"), ("/r9",))


def test_one_name_is_a_list_of_one() -> None:
    assert only("- heartbeat: n1") == Heartbeat(line=STEPS_BEGIN + 2, nodes=("n1:1234",))
    assert only("- heartbeat: [n1, 'h1:1002', n1]") == Heartbeat(
        line=STEPS_BEGIN + 2, nodes=("n1:1234", "h1:1002", "n1:1234")
    )
    assert only("- heartbeat: {node: n1, times: 3}") == Heartbeat(
        line=STEPS_BEGIN + 2, nodes=("n1:1234",), times=3
    )
    some = only("- complete: {app: m1, count: 2, node: n1, status: 7}")
    assert isinstance(some, Complete)
    assert (some.app, some.count, some.node, some.status) == ("m1", 2, "n1:1234", 7)
    named = only("- complete: [m1/0, a1/1]")
    assert isinstance(named, Complete)
    assert named.containers == (ContainerName("m1", 0), ContainerName("a1", 1))


@pytest.mark.parametrize(
    ("written", "ms"), [("500ms", 500), ("10s", 10_000), ("1.5s", 1_500), ("5m", 300_000), ("2h", 7_200_000)]
)
def test_times_have_units(written: str, ms: int) -> None:
    step = only(f"- advance: {written}")
    assert isinstance(step, Advance)
    assert step.span_ms == ms


def test_steps_about_the_cluster() -> None:
    labelled = only("- label-node: {n7: [x], 'h1:1001': []}")
    assert isinstance(labelled, LabelNode)
    assert labelled.labels == {"n7": ("x",), "h1:1001": ()}
    resized = only("- resize-node: {node: n1, vcores: 4, overcommit-timeout: 10s}")
    assert isinstance(resized, ResizeNode)
    assert (resized.resource, resized.overcommit_timeout_ms) == ({"vcores": 4}, 10_000)
    reserved = only(
        "- reserve: {name: r, queue: root.a, arrival: 1s, deadline: 2s, interpreter: order-no-gap, "
        "requests: [{count: 1, memory-mb: 1, duration: 1s}]}"
    )
    assert isinstance(reserved, Reserve)
    assert reserved.interpreter is ReservationRequestInterpreter.ORDER_NO_GAP
    assert reserved.requests[0].duration_ms == 1_000


def test_an_expectation_becomes_one_check_for_each_thing_written() -> None:
    step = only(
        """
        - expect:
            apps: {a1: {used: 1024, pending: {memory-mb: 1, vcores: 2}, per-node: {n1: 2},
                        locality: {node-local: 1},
                        heard: {completed: {a1/2: -100}, updated-nodes: {n1: lost}, to-preempt: [a1/3]}}}
            queues: {root.p.new: {capacity: 50, users: {u: {used: 7}},
                                  labels: {x: {absolute-capacity: 12.5}}}}
            nodes: {n1: {reserved-for: null, labels: [x]}}
            sum: {apps: [a1, m1], containers: 8}
        """
    )
    assert isinstance(step, Expect)
    assert [(check.path, check.keys, check.expected) for check in step.checks] == [
        ("apps.a1.used", ("used", "memory-mb"), 1024),
        ("apps.a1.pending.memory-mb", ("pending", "memory-mb"), 1),
        ("apps.a1.pending.vcores", ("pending", "vcores"), 2),
        ("apps.a1.per-node.n1", ("per-node", "n1:1234"), 2),
        ("apps.a1.locality.node-local", ("locality", "node-local"), 1),
        ("apps.a1.heard.completed.a1/2", ("heard", "completed", "a1/2"), -100),
        ("apps.a1.heard.updated-nodes.n1", ("heard", "updated-nodes", "n1:1234"), "LOST"),
        ("apps.a1.heard.to-preempt", ("heard", "to-preempt"), ("a1/3",)),
        ("queues.root.p.new.capacity", ("capacity",), 50.0),
        ("queues.root.p.new.users.u.used", ("users", "u", "used", "memory-mb"), 7),
        ("queues.root.p.new.labels.x.absolute-capacity", ("labels", "x", "absolute-capacity"), 12.5),
        ("nodes.n1.reserved-for", ("reserved-for",), None),
        ("nodes.n1.labels", ("labels",), ("x",)),
        ("sum.containers", ("containers",), 8),
    ]


def test_a_refusal_may_name_what_is_not_there() -> None:
    step = only("- expect-error: {remove-labels: [nosuch], matching: nosuch}")
    assert isinstance(step, ExpectError)
    assert step.matching.search("no nosuch here")


def test_a_name_refused_may_be_submitted_again() -> None:
    scenario("- expect-error: {submit: {app: a1, queue: nope}, matching: x}\n- submit: {app: a1}\n")


# ---- bad ones

BAD_STEPS = [
    ("- sleep: 5", "unknown verb 'sleep'"),
    ("- heartbeat", "a step must be a mapping"),
    ("- {heartbeat: n1, pull: a1}", "exactly one key"),
    ("- {}", "exactly one key"),
    ("- submit: {app: a2, que: root.a}", "unknown key 'que' in submit"),
    ("- submit: {queue: root.a}", "submit needs 'app'"),
    ("- submit: a2", "submit must be a mapping, not 'a2'"),
    ("- submit: {app: a1}", "has been submitted before"),
    ("- submit: {app: a/2}", "no slash"),
    ("- submit: {app: 'a 2'}", "must be a word"),
    ("- submit: {app: 5}", "app of submit must be text, not 5"),
    ("- submit: {app: a2, managed: yes}", "managed of submit must be true or false, not 'yes'"),
    ("- submit: {app: a2, managed: true}", "needs 'am'"),
    ("- submit: {app: a2, am: {memory-mb: 1}}", "no other has one"),
    ("- submit: {app: a2, managed: true, am: 1024}", "am of submit must be a mapping"),
    ("- submit: {app: a2, managed: true, am: {memory: 1}}", "unknown resource type 'memory'"),
    ("- submit: {app: a2, priority: high}", "priority of submit must be a whole number, not 'high'"),
    ("- submit: {app: a2, lifetime: 10}", "a time with its unit"),
    ("- submit: {app: a2, reservation: r9}", "unknown reservation 'r9'"),
    ("- submit: {app: a2, tags: t}", "tags of submit must be a list"),
    ("- ask: {app: a9, requests: []}", "unknown application 'a9'"),
    ("- ask: {app: a1, requests: {count: 1}}", "requests of ask must be a list, not a mapping"),
    ("- ask: {app: a1, requests: [{count: 1}]}", "a request needs 'memory-mb'"),
    ("- ask: {app: a1, requests: [{count: 1.5, memory-mb: 1}]}", "count of a request must be a whole number"),
    ("- ask: {app: a1, requests: [{count: -1, memory-mb: 1}]}", "count of a request must be at least 0"),
    ("- ask: {app: a1, requests: [{memory-mb: true}]}", "memory-mb of a request must be a whole number"),
    ("- ask: {app: a1, requests: [{memory-mb: 1, resources: {fpga: 1}}]}", "unknown resource type 'fpga'"),
    ("- ask: {app: a1, requests: [{memory-mb: 1, at: []}]}", "not a list"),
    ("- ask: {app: a1, requests: [{memory-mb: 1, at: [n1, '*']}]}", "a list under at holds hosts"),
    ("- ask: {app: a1, requests: [{memory-mb: 1, execution: LAZY}]}", "one of GUARANTEED, OPPORTUNISTIC"),
    ("- ask: {app: a1, release: [a1-1]}", "a container like a1/2"),
    ("- ask: {app: a1, release: [a9/1]}", "unknown container 'a9/1'"),
    ("- ask: {app: a1, release: [a1/0]}", "unmanaged and has no AM container"),
    ("- ask: {app: a1, blacklist: [n1]}", "blacklist of ask must be a mapping"),
    ("- ask: {app: a1, blacklist: {plus: [n1]}}", "unknown key 'plus'"),
    ("- pull: a9", "unknown application 'a9'"),
    ("- pull: [a1, {app: a1}]", "must be text, not a mapping"),
    ("- heartbeat: n9", "unknown node 'n9'"),
    ("- heartbeat: h1", "ambiguous: it may be h1:1001 or h1:1002"),
    ("- heartbeat: {node: n1, times: 0}", "at least 1"),
    ("- heartbeat: {node: n1, times: 1000000}", "at most 100000"),
    ("- heartbeat: {times: 3}", "heartbeat needs 'node'"),
    ("- complete: {app: a1, container: a1/1}", "not both"),
    ("- complete: {count: 1}", "complete needs 'app'"),
    ("- finish: a9", "unknown application"),
    ("- fail-am: a1", "fail-am is about managed applications"),
    ("- kill: [a1]", "must be text, not a list"),
    ("- add-node: {name: n2}", "a node needs 'memory-mb'"),
    ("- add-node: {name: n%d, memory-mb: 1}", "go together"),
    ("- add-node: {name: n2, count: 2, memory-mb: 1}", "go together"),
    ("- add-node: {name: n2, memory-mb: -1}", "at least 0"),
    ("- add-node: {name: n2, memory-mb: 1, rack: r1}", "begins with a slash"),
    ("- add-node: {name: n2, memory-mb: 1, labels: [z]}", "unknown node label 'z'"),
    ("- add-node: {name: 'n2:port', memory-mb: 1}", "host or host:port"),
    ("- remove-node: n9", "unknown node"),
    ("- restart-rm: soon", "a time with its unit"),
    ("- restart-rm: 0s", "takes some time"),
    ("- decommission: {node: n1, graceful: soon}", "a time with its unit"),
    ("- recommission: {node: n1, graceful: 1s}", "unknown key 'graceful'"),
    ("- unhealthy: {node: n1}", "unhealthy needs 'report'"),
    ("- resize-node: {node: n1, overcommit-timeout: -2}", "a time with its unit"),
    ("- add-labels: {z: {exclusiv: true}}", "unknown key 'exclusiv'"),
    ("- add-labels: [z]", "must be a mapping"),
    ("- remove-labels: [nosuch]", "unknown node label 'nosuch'"),
    ("- label-node: {n1: x}", "the labels of n1 must be a list"),
    ("- label-node: {n1: [nosuch]}", "unknown node label"),
    ("- refresh: {}", "takes one file"),
    ("- refresh: {fair-scheduler: '<allocations/>'}", "is not a file of the capacity scheduler"),
    ("- refresh: {capacity-scheduler: {a: [1]}}", "must be a value, not a list"),
    ("- move: {app: a1}", "move needs 'queue'"),
    ("- priority: {app: a1}", "priority needs 'priority'"),
    ("- delete-reservation: r9", "unknown reservation"),
    ("- reserve: {name: r, queue: q, arrival: 1s, deadline: 2s}", "reserve needs 'requests'"),
    (
        "- reserve: {name: r, queue: q, arrival: 1s, deadline: 2s, requests: [], interpreter: some}",
        "one of ANY, ALL, ORDER, ORDER_NO_GAP",
    ),
    ("- update-shares: false", "true or a number of times"),
    ("- preempt: often", "a whole number"),
    ("- advance: 10", "a time with its unit"),
    ("- advance: 0.5ms", "a time with its unit"),
    ("- advance: 400d", "more than a year"),
    ("- expect: {app: {}}", "unknown key 'app' in expect"),
    ("- expect: {apps: {a9: {state: RUNNING}}}", "unknown application 'a9'"),
    ("- expect: {apps: {a1: {stat: RUNNING}}}", "unknown key 'stat' in apps.a1"),
    ("- expect: {apps: {a1: {state: ALIVE}}}", "apps.a1.state must be one of NEW"),
    ("- expect: {apps: {a1: {containers: many}}}", "apps.a1.containers must be a whole number"),
    ("- expect: {apps: {a1: {used: {memory: 1}}}}", "unknown resource type 'memory'"),
    ("- expect: {apps: {a1: {used: 1.5}}}", "a whole number"),
    ("- expect: {apps: {a1: {per-node: {n9: 1}}}}", "unknown node 'n9'"),
    ("- expect: {apps: {a1: {diagnostics: '('}}}", "is not a regular expression"),
    ("- expect: {apps: {a1: {heard: {lost: 1}}}}", "unknown key 'lost'"),
    ("- expect: {queues: {root.b: {apps: 1}}}", "unknown queue 'root.b'"),
    ("- expect: {queues: {a: {apps: 1}}}", "whole path from root"),
    ("- expect: {queues: {root.a: {capacity: half}}}", "must be a number"),
    ("- expect: {queues: {root.a: {labels: {z: {capacity: 1}}}}}", "unknown node label 'z'"),
    ("- expect: {nodes: {n9: {state: LOST}}}", "unknown node"),
    ("- expect: {nodes: {n1: {reserved-for: a9}}}", "unknown application"),
    ("- expect: {containers: {a1/0: {state: RUNNING}}}", "unmanaged"),
    ("- expect: {containers: {a1/1: {state: DONE}}}", "one of NEW, RESERVED"),
    ("- expect: {labels: {z: {nodes: 1}}}", "unknown node label"),
    ("- expect: {cluster: {node: 1}}", "unknown key 'node' in cluster"),
    ("- expect: {reservations: {r9: {state: active}}}", "unknown reservation"),
    ("- expect: {sum: {containers: 1}}", "sum needs 'apps'"),
    ("- expect: {sum: {apps: [a9], containers: 1}}", "unknown application"),
    ("- expect-error: {kill: a1}", "expect-error needs 'matching'"),
    ("- expect-error: {matching: x}", "exactly one step"),
    ("- expect-error: {kill: a1, pull: a1, matching: x}", "exactly one step"),
    ("- expect-error: {kill: a1, matching: '['}", "is not a regular expression"),
    ("- expect-error: {expect: {}, matching: x}", "unknown key 'expect'"),
]


@pytest.mark.parametrize(("step", "reason"), BAD_STEPS, ids=[step for step, _ in BAD_STEPS])
def test_a_bad_step_is_told_with_its_line(step: str, reason: str) -> None:
    with pytest.raises(InvalidScenarioError) as invalid:
        only(step)
    assert [problem.line for problem in invalid.value.problems if reason in problem.reason] == [
        STEPS_BEGIN + 2
    ], invalid.value.problems


@pytest.mark.parametrize("down", ["soon", "0s"])
def test_a_restart_is_told_of_once(down: str) -> None:
    with pytest.raises(InvalidScenarioError) as invalid:
        only(f"- restart-rm: {down}")
    assert len(invalid.value.problems) == 1


BAD_DOCUMENTS = [
    ("steps: []", "a scenario needs 'name'"),
    ("name: x", "a scenario needs 'steps'"),
    ("name: two words\nsteps: []", "must be a word"),
    ("name: a/b\nsteps: []", "one word with dashes"),
    ("name: x\nsteps: []\nnode: []", "unknown key 'node' in a scenario"),
    ("- name: x", "a scenario must be a mapping, not a list"),
    ("name: x\nsteps: {}", "steps of a scenario must be a list"),
    ("name: x\nsteps: []\nconf: [[a]]", "conf of a scenario must be a mapping"),
    ("name: x\nsteps: []\nconf: {a: }", "must be a value, not nothing"),
    ("name: x\nsteps: []\ngroups: {u: g}", "the groups of u must be a list"),
    ("name: x\nsteps: []\nfair-scheduler: <allocations/>", "the scheduler is capacity"),
    (
        "name: x\nsteps: []\nconf: {yarn.resourcemanager.scheduler.class: fifo}\ncapacity-scheduler: {a: b}",
        "the scheduler is fifo",
    ),
    ("name: x\nsteps: []\nnodes: [{name: n1, memory-mb: 1}, {name: n1, memory-mb: 1}]", "listed twice"),
    ("name: x\nsteps: []\nnodes: [{name: n%d, count: 100000, memory-mb: 1}]", "at most 20000"),
    ("name: x\nsteps: []\nlabels: {z: true}", "label z must be a mapping"),
]


@pytest.mark.parametrize(("text", "reason"), BAD_DOCUMENTS, ids=range(len(BAD_DOCUMENTS)))
def test_a_bad_document_is_told(text: str, reason: str) -> None:
    with pytest.raises(InvalidScenarioError) as invalid:
        parse_scenario(text)
    assert any(reason in problem.reason for problem in invalid.value.problems), invalid.value.problems


def test_every_problem_of_a_file_is_told_in_the_order_of_its_lines() -> None:
    with pytest.raises(InvalidScenarioError) as invalid:
        parse_scenario(
            "name: x\nnodes: [{name: n1}]\nsteps:\n  - heartbeat: n9\n  - advance: 1\n  - sleep: 1\n",
            "f.yaml",
        )
    assert [problem.line for problem in invalid.value.problems] == [2, 4, 5, 6]
    assert str(invalid.value).splitlines()[0] == "f.yaml:2: a node needs 'memory-mb'"


def test_every_verb_is_read() -> None:
    assert len(VERBS) == 28


def test_a_guide_is_read_and_its_faults_are_told() -> None:
    text = "name: x\nsteps: []\nguide: {watch: a  b, change: c, shows: [plan], against: fifo}\n"
    guide = parse_scenario(text).guide
    assert guide == Guide(watch="a b", change="c", shows=("plan",), against="fifo")
    for wrong, reason in (
        ("{watch: a}", "guide needs 'change'"),
        ("{watch: a, change: b, shows: [plans]}", "a picture of shows must be one of applications, "),
        ("{watch: a, change: b, against: slurm}", "against of guide must be one of fifo, capacity, fair"),
        ("{watch: a, change: b, hint: c}", "unknown key 'hint' in guide"),
    ):
        with pytest.raises(InvalidScenarioError, match=re.escape(reason)):
            parse_scenario(f"name: x\nsteps: []\nguide: {wrong}\n")
