"""The kit on real processes. One cluster serves all tests that break nothing."""

from __future__ import annotations

import sys

import pytest

from tests.testing.masters import TASKS, retrying
from tests.waiting import MISSED_MS, PATIENCE_S
from yarnbox.cluster.cluster import wait_until
from yarnbox.testing import YarnCluster, drop_next, fill_disk, lose_node_of, preempt
from yarnbox.testing.plugin import Pool

ASKED = {"nodes": 2, "conf": {"yarn.nm.liveness-monitor.expiry-interval-ms": str(MISSED_MS)}}
pytestmark = pytest.mark.yarn(**ASKED)


def test_an_am_survives_preemption_and_lost_calls(yarn_cluster: YarnCluster) -> None:
    yarn_cluster.at("2nd allocate", drop_next("allocate"))
    yarn_cluster.at("first startContainers after 1 containers", drop_next("startContainers"))
    app = yarn_cluster.submit(retrying)
    yarn_cluster.wait_for_event("ATTEMPT_REGISTERED", app=app, timeout_s=PATIENCE_S)
    app.succeeds(PATIENCE_S)
    assert [one.exit_status for one in yarn_cluster.containers(app)].count(0) >= TASKS - 1
    yarn_cluster.assert_no_leaks()


def test_the_same_cluster_serves_the_next_test_as_new(
    yarn_cluster: YarnCluster, yarn_cluster_pool: Pool
) -> None:
    app = yarn_cluster.submit([sys.executable, "-c", "import sys; sys.exit('no AM')"], max_attempts=1)
    with pytest.raises(AssertionError, match=r"(?s)ended FAILED.*no AM"):
        app.succeeds(PATIENCE_S)
    assert wait_until(lambda: yarn_cluster.containers() != [], PATIENCE_S)  # its log is written now and then
    assert yarn_cluster_pool.take(ASKED) is yarn_cluster
    assert yarn_cluster.containers() == []


def test_a_preempted_container_and_a_full_disk(yarn_cluster: YarnCluster) -> None:
    yarn_cluster.at("first allocate after 1 containers", preempt(1))
    app = yarn_cluster.submit(retrying)
    app.succeeds(PATIENCE_S)
    assert [one.exit_status for one in yarn_cluster.containers(app)].count(-102) == 1
    yarn_cluster.inject(fill_disk("nm2"))
    yarn_cluster.wait_for_event("NODE_REMOVED", node="nm2", timeout_s=PATIENCE_S)


def test_a_broken_cluster_is_followed_by_another(yarn_cluster: YarnCluster, yarn_cluster_pool: Pool) -> None:
    yarn_cluster.at("first allocate after 3 containers", lose_node_of(2))
    app = yarn_cluster.submit(retrying)
    yarn_cluster.wait_for_event("NODE_REMOVED", timeout_s=PATIENCE_S)
    app.succeeds(PATIENCE_S)
    assert yarn_cluster_pool.take(ASKED) is not yarn_cluster
