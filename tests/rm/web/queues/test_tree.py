"""The scheduler's page: what it says of a queue comes to what the scheduler says."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.cluster.viewer.conftest import recorded
from tests.pictures import SCENARIO
from yarnbox.cluster.viewer.answers import RecordedCluster
from yarnbox.rm.web.queues.limits import limits_of_users
from yarnbox.rm.web.queues.row import LIMITS, Row
from yarnbox.rm.web.queues.tree import queues_page
from yarnbox.rm.web.queues.words import TIMES
from yarnbox.sim.recording.document import Recording

MORE_USERS = """\
  - submit: {app: ann2, queue: root.etl, user: ann}
  - ask: {app: ann2, requests: [{count: 4, memory-mb: 1024}]}
  - advance: 10s
  - submit: {app: kim, queue: root.etl, user: kim}
  - advance: 10s
"""
STEP_MB = 1024


def computed(formula: str) -> int:
    """What a formula of the page comes to, in MiB and rounded up to the step."""
    text = formula.partition(", rounded up")[0].replace(" GiB", "").replace(TIMES, "*")
    text = re.sub(r"([\d.]+)%", r"(\1 / 100)", re.sub(r" users?\b|weights of ", "", text))
    assert re.fullmatch(r"(min|max|[\d. +*/(),])+", text), text
    gib = float(eval(text, {"__builtins__": {}, "min": min, "max": max}))  # checked the line before
    return -(-round(1024 * gib) // STEP_MB) * STEP_MB


def page(cluster: RecordedCluster, queue: str, at: int | None, **query: str) -> Any:
    info = cluster.answer("/scheduler", {}, at)["scheduler"]["schedulerInfo"]
    return queues_page(info, queue, query.get("partition", ""), STEP_MB)


def facts(shown: Any) -> dict[str, Any]:
    return {one["name"]: (one["value"], one["how"]) for one in shown["chosen"]["fact"] if "how" in one}


@pytest.mark.parametrize("more", ["", MORE_USERS])
def test_limits_of_users_come_to_those_of_the_scheduler(more: str) -> None:
    factor = "user-limit-factor: 1.5" if more else "user-limit-factor: 3"
    cluster = RecordedCluster(recorded(SCENARIO.replace("user-limit-factor: 3", factor) + more))
    compared = 0
    for at in range(0, 80_000, 3000):
        for row in page(cluster, "", at)["row"]:
            for user in (page(cluster, row["path"], at)["chosen"]["user"]) or ():
                limit, _, formula = user["how"].removeprefix("user limit ").partition(" = ")
                assert computed(limit) == computed(formula) == user["userResourceLimit"]["memory"]
                compared += 1
    assert compared > 10


def limit_of(*, active: bool, weight: float = 1.0, used_mb: int = 0, factor: float = 1.0) -> str:
    size = {"memory": 4096}
    user = {
        "isActive": active,
        "resourcesUsed": {"memory": used_mb},
        "userWeight": weight,
        "userResourceLimit": size,
    }
    queue = {
        "users": {"user": [user]},
        "userLimit": 50,
        "userLimitFactor": factor,
        "userAMResourceLimit": size,
    }
    capacity = {"effectiveMinResource": size, "effectiveMaxResource": {"memory": 8192}}
    row = Row("root.a", queue, None, 0.0, 0.0, 0.0, 0, 0, "", capacity=capacity)
    return str(limits_of_users(row, STEP_MB)[0]["how"]).partition(" = ")[2].partition(", rounded")[0]


def test_limits_in_words() -> None:
    assert limit_of(active=False) == f"min(4 GiB {TIMES} 50%, 4 GiB {TIMES} 1)", "nobody divides nothing"
    assert limit_of(active=True, factor=-1) == f"min(max((0 + 1) GiB / 1 user, 4 GiB {TIMES} 50%), 8 GiB)"
    beyond = limit_of(active=True, used_mb=6000, weight=2.5)
    assert beyond == f"min(max((5.86 + 1) GiB / weights of 2.5, (6 + 1) GiB {TIMES} 50%), 4 GiB {TIMES} 1)"


def test_a_tree_of_the_capacity_scheduler() -> None:
    cluster = RecordedCluster(recorded(SCENARIO))
    shown = page(cluster, "root.etl", None)
    assert (shown["scheduler"], shown["partition"]) == ("CapacityScheduler", [""])
    assert [(one["path"], one["depth"]) for one in shown["row"]][:2] == [("root", 0), ("root.etl", 1)]
    assert shown["chosen"]["sibling"] == [one["path"] for one in shown["row"][1:]]
    headline = r"Uses \d+\.0 GiB of \d+\.\d GiB guaranteed; .*(borrowed|lent|free)"
    assert re.match(headline, shown["chosen"]["headline"])
    found = facts(shown)
    share = found["Absolute Configured Capacity"][0]
    assert found["Absolute Configured Capacity"][1] == f"etl absolute {share} = root 100.0 % {TIMES} {share}"
    assert found["Max Applications"][1].startswith(f"{found['Max Applications'][0]} = 10000 of the scheduler")
    root = page(cluster, "root", None)["chosen"]
    used = sum(row["used"] for row in shown["row"] if row["depth"] == 1)
    assert root["headline"].startswith(f"Uses {used / 100 * shown['whole']['memory'] / 1024:.1f} GiB of ")
    assert page(cluster, "root.nobody", None)["chosen"] is None
    assert page(cluster, "", None, partition="gpu")["row"] == []


def test_a_tree_of_the_fair_scheduler() -> None:
    text = """\
name: fair
conf: {yarn.resourcemanager.scheduler.class: fair}
nodes:
  - {name: "n%d", count: 2, memory-mb: 4096}
steps:
  - submit: {app: a1, queue: root.a}
  - ask: {app: a1, requests: [{count: 9, memory-mb: 1024}]}
  - heartbeat: {node: n1, times: 6}
  - submit: {app: b1, queue: root.b}
  - advance: 10s
"""
    shown = page(RecordedCluster(recorded(text)), "root.a", None)
    assert shown["scheduler"] == "FairScheduler"
    assert shown["whole"] is None
    assert {one["path"] for one in shown["row"]} >= {"root", "root.a", "root.b"}
    assert shown["chosen"]["user"] is None
    assert shown["chosen"]["pending"].endswith(" containers")
    how = facts(shown)["Instantaneous Fair Share"][1]
    assert "= the share of the 8 GiB of root by weight, among the active children: " in how
    assert facts(shown)["Max Running Applications"][0] == "no limit"
    whole = facts(page(RecordedCluster(recorded(text)), "root", None))
    assert whole["Steady Fair Share"][1] == "the whole cluster: 8 GiB"


LIMITED = """\
name: limited
conf: {yarn.resourcemanager.scheduler.class: capacity}
capacity-scheduler:
  yarn.scheduler.capacity.root.queues: a,b
  yarn.scheduler.capacity.root.a.capacity: 30
  yarn.scheduler.capacity.root.b.capacity: 70
  yarn.scheduler.capacity.root.b.maximum-applications: 7000
  yarn.scheduler.capacity.maximum-applications: 9999
nodes:
  - {name: n1, memory-mb: 4096}
steps:
  - advance: 1s
"""


def most_applications(text: str, queue: str) -> tuple[Any, str]:
    name = "Max Applications" if "class: capacity" in text else "Max Running Applications"
    found: tuple[Any, str] = facts(page(RecordedCluster(recorded(text)), queue, None))[name]
    return found


def test_the_rule_that_limits_applications_is_the_schedulers_own() -> None:
    assert most_applications(LIMITED, "root.a") == (2999, f"2999 = 9999 of the scheduler {TIMES} 30.0 %")
    own = "maximum-applications of this queue"
    assert most_applications(LIMITED, "root.b") == (7000, own), "though it is a share of a round number"
    common = "  yarn.scheduler.capacity.global-queue-max-application: 20\nnodes:"
    found = most_applications(LIMITED.replace("nodes:", common), "root.a")
    assert found == (20, "global-queue-max-application, at most maximum-applications of the scheduler")


def test_limits_of_running_applications_say_where_they_are_set() -> None:
    queues = "<queue name='a'><maxRunningApps>3</maxRunningApps></queue><queue name='b'/>"
    default = "<queueMaxAppsDefault>5</queueMaxAppsDefault>"
    text = "name: fair\nconf: {{yarn.resourcemanager.scheduler.class: fair}}\nfair-scheduler: >-\n"
    text += "  <allocations>{}</allocations>\nsteps:\n  - advance: 1s\n"
    limited, free = text.format(queues + default), text.format(queues)
    assert most_applications(limited, "root.a") == (3, "maxRunningApps of this queue")
    assert most_applications(limited, "root.b") == (5, "queueMaxAppsDefault")
    assert most_applications(free, "root.b") == ("no limit", "")


def test_older_recordings_do_not_say_which_rule_it_is() -> None:
    recording = recorded(LIMITED)
    tracks = recording.documents["/scheduler"]
    kept = {name: track for name, track in tracks.items() if LIMITS not in name}
    assert len(kept) < len(tracks)
    older = Recording({**recording.data, "documents": {**recording.documents, "/scheduler": kept}})
    assert facts(page(RecordedCluster(older), "root.a", None))["Max Applications"] == (2999, "")
