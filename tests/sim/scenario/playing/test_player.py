"""The player: what each verb makes the nodes, the AMs and the administrator do, and when a play ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from yarnbox.sim.scenario.playing.player import Outcome, play
from yarnbox.sim.scenario.reading.document import parse_scenario, read_scenario

ROOT = Path(__file__).parents[4]
HEAD = """\
name: played
conf:
  yarn.resourcemanager.scheduler.class: fifo
  yarn.nm.liveness-monitor.expiry-interval-ms: 60000
nodes:
  - {name: n1, memory-mb: 4096}
  - {name: n2, memory-mb: 4096}
steps:
"""
RUNNING_A1 = """\
- submit: {app: a1}
- ask: {app: a1, requests: [{count: 2, memory-mb: 1024}]}
- heartbeat: n1
- pull: a1
- heartbeat: n1
"""


def played(steps: str, head: str = HEAD) -> Outcome:
    return play(parse_scenario(head + textwrap.indent(textwrap.dedent(steps), "  ")))


HOLDS = {
    "completed containers free their node with the next heartbeat": """
        - complete: [a1/1]
        - expect: {nodes: {n1: {containers: 2}}}
        - heartbeat: n1
        - expect: {containers: {a1/1: {state: COMPLETED, exit: 0}}, nodes: {n1: {containers: 1}}}
        - complete: {container: a1/2, status: 137}
        - heartbeat: n1
        - pull: a1
        - expect: {apps: {a1: {heard: {completed: {a1/1: 0, a1/2: 137}}}}}
        """,
    "completing some takes the first that run on the node": """
        - complete: {app: a1, count: 1, node: n1, status: 3}
        - heartbeat: n1
        - expect: {containers: {a1/1: {exit: 3}, a1/2: {state: RUNNING}}}
        """,
    "a removed node is lost at once, and its AMs hear of it": """
        - remove-node: n1
        - pull: a1
        - expect:
            apps: {a1: {containers: 0, heard: {completed: {a1/1: -100}, updated-nodes: {n1: LOST}}}}
            nodes: {n1: {state: LOST, containers: 0}}
            cluster: {nodes: 1}
        - add-node: {name: n1, memory-mb: 2048}
        - expect: {nodes: {n1: {state: RUNNING, available: 2048}}, cluster: {nodes: 2, total: 6144}}
        """,
    "a node decommissioned at once loses its containers and comes back when it is wanted again": """
        - decommission: n1
        - expect: {nodes: {n1: {state: DECOMMISSIONED}}, apps: {a1: {containers: 0}}}
        - expect-error: {heartbeat: n1, matching: "NodeManager of n1:1234 is gone"}
        - recommission: n1
        - heartbeat: n1
        - expect: {nodes: {n1: {state: RUNNING, containers: 0}}}
        """,
    "a node drains, and is out when its applications have finished": """
        - decommission: {node: n1, graceful: 60s}
        - expect: {nodes: {n1: {state: DECOMMISSIONING, containers: 2}}}
        - heartbeat: n1
        - ask: {app: a1, requests: [{count: 3, memory-mb: 1024}]}
        - heartbeat: n1
        - expect: {apps: {a1: {containers: 2}}, nodes: {n1: {available: 0}}}
        - finish: a1
        - heartbeat: n1
        - expect: {nodes: {n1: {state: DECOMMISSIONED}}}
        """,
    "a draining node may be wanted again": """
        - decommission: {node: n1, graceful: 60s}
        - heartbeat: n1
        - recommission: n1
        - heartbeat: n1
        - expect: {nodes: {n1: {state: RUNNING, containers: 2, available: 2048}}}
        """,
    "an unhealthy node says so with its next heartbeat": """
        - unhealthy: {node: n1, report: "disk failed"}
        - expect: {nodes: {n1: {state: RUNNING}}}
        - heartbeat: n1
        - expect: {nodes: {n1: {state: UNHEALTHY}}, apps: {a1: {containers: 0}}, cluster: {nodes: 1}}
        - unhealthy: {node: n1, report: ""}
        - heartbeat: n1
        - expect: {nodes: {n1: {state: RUNNING}}, cluster: {nodes: 2}}
        """,
    "a node that was shrunk may hold more than it has": """
        - resize-node: {node: n1, memory-mb: 1024}
        - expect: {nodes: {n1: {used: 2048, available: {memory-mb: -1024, vcores: 6}}}}
        """,
    "a silent node that speaks again is asked to register again": """
        - advance: 90s
        - expect: {nodes: {n1: {state: LOST}}}
        - heartbeat: n1
        - expect: {nodes: {n1: {state: RUNNING, containers: 0}}, cluster: {nodes: 1}}
        """,
    "a managed AM registers with the heartbeat that reports it, and exits after it has unregistered": """
        - submit: {app: m1, managed: true, am: {memory-mb: 512}}
        - heartbeat: n2
        - expect: {apps: {m1: {state: ACCEPTED}}, containers: {m1/0: {state: ACQUIRED, node: n2}}}
        - heartbeat: n2
        - expect: {apps: {m1: {state: RUNNING, containers: 1}}, containers: {m1/0: {state: RUNNING}}}
        - finish: m1
        - expect: {apps: {m1: {state: FINISHED}}, nodes: {n2: {containers: 1}}}
        - heartbeat: n2
        - expect: {containers: {m1/0: {state: COMPLETED, exit: 0}}, nodes: {n2: {containers: 0}}}
        """,
    "an application has a lifetime": """
        - submit: {app: a2, lifetime: 10s}
        - advance: 9s
        - expect: {apps: {a2: {state: RUNNING}}}
        - advance: 6s
        - expect: {apps: {a2: {state: KILLED, diagnostics: lifetime}}}
        """,
    "sums are over applications": """
        - submit: {app: a2}
        - ask: {app: a2, requests: [{count: 1, memory-mb: 2048}]}
        - heartbeat: n2
        - expect:
            sum: {apps: [a1, a2], containers: 3, used: {memory-mb: 4096, vcores: 3}, per-node: {n2: 1}}
        """,
    "a refused submission leaves no application": """
        - expect-error: {submit: {app: a2, tags: ["\\u00e9"]}, matching: ASCII}
        - expect-error: {kill: a2, matching: "no application a2"}
        - submit: {app: a2}
        - expect: {apps: {a2: {state: RUNNING}}}
        """,
    "plan reservations are refused where there are none": """
        - expect-error:
            reserve:
              name: r1
              queue: root.default
              arrival: 1s
              deadline: 9s
              requests: [{count: 1, memory-mb: 1024, duration: 1s}]
            matching: "."
        - expect-error: {delete-reservation: r1, matching: "no reservation r1"}
        """,
}


@pytest.mark.parametrize("steps", HOLDS.values(), ids=HOLDS)
def test_it_holds(steps: str) -> None:
    outcome = played(RUNNING_A1 + textwrap.dedent(steps))
    assert outcome.is_ok, "\n".join(map(str, outcome.failures))


FAILS = {
    "- kill: a1\n- pull: a1": "step 7: pull: expected to be carried out, got Application attempt",
    "- complete: a1/7": "step 6: complete: expected to be carried out, got there is no container a1/7",
    "- complete: {app: a1, count: 3}": "a1 has 2 running containers, not 3",
    "- expect: {apps: {a1: {containers: 5}}}": "step 6: apps.a1.containers: expected 5, got 2",
    "- expect: {queues: {root.default: {used: {vcores: 9}}}}": (
        "step 6: queues.root.default.used.vcores: expected 9, got 2"
    ),
    "- expect: {containers: {a1/9: {exit: 0}}}": "containers.a1/9: expected to exist, got nothing called",
    "- expect: {nodes: {n1: {reserved-for: a1}}}": "nodes.n1.reserved-for: expected a1, got nothing",
    "- expect-error: {pull: a1, matching: .}": "expected pull to be refused: /./, got no refusal",
    "- expect-error: {complete: a1/7, matching: gone}": "got there is no container a1/7",
}


@pytest.mark.parametrize(("steps", "line"), FAILS.items(), ids=FAILS)
def test_it_fails_and_says_why(steps: str, line: str) -> None:
    outcome = played(RUNNING_A1 + steps)
    assert line in "\n".join(map(str, outcome.failures))


def test_a_step_that_is_refused_ends_the_play_and_a_failed_expectation_does_not() -> None:
    wrong = "- expect: {cluster: {nodes: 9}}\n"
    assert [each.step for each in played(wrong + wrong).failures] == [1, 2]
    refused = RUNNING_A1 + "- complete: a1/9\n" + wrong
    assert [each.step for each in played(refused).failures] == [6]


def test_a_cluster_that_cannot_be_set_up_fails_before_the_first_step() -> None:
    head = HEAD.replace("fifo", "capacity").replace(
        "nodes:", "capacity-scheduler: {yarn.scheduler.capacity.root.queues: a}\nnodes:", 1
    )
    (failure,) = played("- submit: {app: a1}\n", head).failures
    assert (failure.step, failure.path) == (0, "the cluster as it is described")


def test_nodes_and_ams_call_at_the_period_that_the_file_gives_while_time_passes() -> None:
    head = HEAD.replace("conf:", "conf:\n  yarnbox.scenario.heartbeat-ms: 1000")
    outcome = played(
        """
        - submit: {app: m1, managed: true, am: {memory-mb: 512}}
        - advance: 999ms
        - expect: {apps: {m1: {state: ACCEPTED, containers: 0}}}
        - advance: 1ms
        - expect: {apps: {m1: {state: ACCEPTED, containers: 1}}}
        - advance: 1s
        - expect: {apps: {m1: {state: RUNNING}}}
        - ask: {app: m1, requests: [{count: 3, memory-mb: 1024}]}
        - advance: 3s
        - expect: {containers: {m1/1: {state: RUNNING}, m1/3: {state: RUNNING}}}
        - advance: 5m
        - expect: {cluster: {nodes: 2}, apps: {m1: {containers: 4}}}
        """,
        head,
    )
    assert outcome.is_ok, "\n".join(map(str, outcome.failures))


def test_a_container_is_made_smaller_at_once_and_larger_when_its_node_has_room() -> None:
    outcome = played(
        """
        - submit: {app: a1}
        - ask: {app: a1, requests: [{count: 1, memory-mb: 2048}]}
        - heartbeat: n1
        - pull: a1
        - heartbeat: n1
        - expect: {nodes: {n1: {used: 2048}}}
        - ask: {app: a1, requests: [{update: a1/1, memory-mb: 1024}]}
        - expect: {containers: {a1/1: {state: RUNNING, used: 1024}}, nodes: {n1: {used: 1024}}}
        - heartbeat: n1
        - ask: {app: a1, requests: [{update: a1/1, memory-mb: 3072}]}
        - expect: {containers: {a1/1: {used: 1024}}}
        - heartbeat: n1
        - pull: a1
        - heartbeat: n1
        - expect: {containers: {a1/1: {state: RUNNING, used: 3072}}, nodes: {n1: {used: 3072, containers: 1}}}
        """,
        HEAD.replace("scheduler.class: fifo", "scheduler.class: capacity").replace(
            "nodes:",
            """capacity-scheduler:
  yarn.scheduler.capacity.root.queues: default
  yarn.scheduler.capacity.root.default.capacity: 100
nodes:""",
        ),
    )
    assert outcome.is_ok, "\n".join(map(str, outcome.failures))


def test_the_story_is_told_in_the_names_of_the_file() -> None:
    events = played(RUNNING_A1).events
    first = [event for event in events if event.get("name") == "a1/1"]
    assert [(event["step"], event["event"], event["after"]) for event in first] == [
        (3, "ContainerStart", "ALLOCATED"),
        (4, "ContainerAcquired", "ACQUIRED"),
        (5, "ContainerLaunched", "RUNNING"),
    ]
    assert {event["id"] for event in first} == {"container_0_0001_01_000001"}
    assert next(event["name"] for event in events if event["kind"] == "RMApp") == "a1"
    assert json.loads(json.dumps(events)) == list(events)


@pytest.mark.parametrize(
    "case", ["fair/fair-preempt-sibling", "capacity/two-queues-share", "lifecycle/keep-containers"]
)
def test_a_story_and_its_recording_repeat_to_the_letter_whatever_the_order_of_sets_is(
    case: str, tmp_path: Path
) -> None:
    stories, recordings = [], []
    for seed in ("1", "2"):
        command = [
            sys.executable,
            "-m",
            "yarnbox.sim.scenario.command",
            "run",
            "--json",
            "--record",
            str(tmp_path / seed),
            f"tests/scenarios/{case}.yaml",
        ]
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT / "src")}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        stories.append(done.stdout)
        recordings.append((tmp_path / seed).read_bytes())
    assert stories[0] == stories[1]
    assert recordings[0] == recordings[1]
    assert len(json.loads(stories[0])["events"]) > 20


def test_why_applications_wait_is_told_to_who_asks() -> None:
    case = Path(__file__).parents[3] / "scenarios" / "capacity" / "user-am-limit.yaml"
    assert not play(read_scenario(case)).pending
    outcome = play(read_scenario(case), with_reasons=True)
    assert outcome.is_ok
    assert {name: one["reason"] for name, (one,) in outcome.pending.items()} == {"a2": "USER_AM_LIMIT"}
    told = [
        (event["name"], [one["reason"] for one in event["reasons"]])  # type: ignore[attr-defined]
        for event in outcome.events
        if event["kind"] == "Pending"
    ]
    assert told == [
        ("a2", ["USER_AM_LIMIT"]),
        ("a2", ["AM_LIMIT"]),
        ("a5", ["AM_LIMIT"]),
        ("a2", ["USER_AM_LIMIT"]),
        ("a5", []),
    ]


def test_tasks_of_a_given_time_end_by_themselves_and_then_the_application() -> None:
    outcome = play(
        parse_scenario(
            """
name: x
conf: {yarn.resourcemanager.scheduler.class: fifo, yarnbox.scenario.heartbeat-ms: 1000}
nodes: [{name: n1, memory-mb: 2048}]
steps:
  - submit: {app: a1, task-time: 3s}
  - submit: {app: a2}
  - ask: {app: a1, requests: [{count: 3, memory-mb: 1024}]}
  - advance: 1s
  - ask: {app: a2, requests: [{count: 1, memory-mb: 1024}]}
  - advance: 2s
  - expect: {apps: {a1: {containers: 2, pending: 1024, state: RUNNING}}}
  - advance: 3s
  - expect: {apps: {a1: {containers: 1, state: RUNNING}, a2: {containers: 1}}}
  - advance: 3s
  - expect: {apps: {a1: {state: FINISHED, containers: 0}, a2: {containers: 1, state: RUNNING}}}
"""
        )
    )
    assert outcome.is_ok, outcome.failures
