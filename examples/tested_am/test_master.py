"""Eleven tests of the ApplicationMaster."""

import pytest
from master import TASKS, master

from yarnbox.am import FinalApplicationStatus
from yarnbox.testing import (
    Ends,
    delay,
    drop_next,
    expire_token,
    fill_disk,
    lose_node_of,
    preempt,
    restart_rm,
    runs,
)


def statuses(cluster):
    return [one.exit_status for one in cluster.containers() if one.exit_status is not None]


class TestInVirtualTime:
    def test_it_succeeds(self, virtual_cluster):
        app = virtual_cluster.submit(master)
        app.succeeds()
        virtual_cluster.assert_no_leaks()
        assert statuses(virtual_cluster) == [0] * TASKS

    @pytest.mark.yarn(nodes=3, containers=runs(20))
    def test_a_lost_node_costs_no_task(self, virtual_cluster):
        virtual_cluster.at("first allocate after 3 containers", lose_node_of(2))
        app = virtual_cluster.submit(master)
        virtual_cluster.wait_for_event("NODE_REMOVED")
        app.succeeds()
        virtual_cluster.assert_faults_happened()
        assert statuses(virtual_cluster).count(0) == TASKS

    @pytest.mark.yarn(containers=runs(20), scheduler="fair")
    def test_a_preempted_container_is_asked_for_again(self, virtual_cluster):
        virtual_cluster.at("first allocate after 3 containers", preempt(1))
        virtual_cluster.submit(master).succeeds()
        assert statuses(virtual_cluster).count(-102) == 1

    @pytest.mark.yarn(containers=runs(20))
    def test_it_survives_its_resource_manager(self, virtual_cluster):
        virtual_cluster.at("next allocate after 3 containers", restart_rm(5000))
        virtual_cluster.submit(master).succeeds()

    @pytest.mark.yarn(
        nodes=1,
        containers=runs(5),
        conf={
            "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": "100",
            "yarn.scheduler.capacity.per-node-heartbeat.multiple-assignments-enabled": "false",
        },
    )
    def test_it_may_be_granted_more_than_it_asked_for(self, virtual_cluster):
        virtual_cluster.at("next allocate after 4 containers", delay("allocate", 10_000))
        app = virtual_cluster.submit(master)
        app.succeeds()
        assert len(virtual_cluster.containers(app)) > TASKS + 1

    def test_a_lost_answer_is_asked_for_again(self, virtual_cluster):
        virtual_cluster.at("2nd allocate", drop_next("allocate", answers=True))
        app = virtual_cluster.submit(master)
        app.succeeds()
        assert len(virtual_cluster.containers(app)) == TASKS + 1

    def test_a_container_that_expired_is_given_back(self, virtual_cluster):
        virtual_cluster.at("first startContainers", expire_token(1))
        virtual_cluster.submit(master).succeeds()

    def test_a_full_disk_is_avoided(self, virtual_cluster):
        virtual_cluster.inject(fill_disk("nm2"))
        virtual_cluster.wait_for_event("NODE_REMOVED", node="nm2")
        app = virtual_cluster.submit(master)
        app.succeeds()
        assert "nm2" not in [one.node for one in virtual_cluster.containers(app)]

    def test_many_failures(self, virtual_cluster):
        virtual_cluster.behaviour = lambda started: Ends(10_000, 0 if started.number > 30 else 1)
        virtual_cluster.submit(master).succeeds()
        assert statuses(virtual_cluster).count(1) == 30


def test_against_a_scripted_resource_manager(fake_rm):
    fake_rm.behaviour = lambda started: Ends(50)
    fake_rm.at("first startContainers", preempt(1))
    ended = fake_rm.run(master)
    assert ended.status == 0, ended.traceback
    assert fake_rm.finished is FinalApplicationStatus.SUCCEEDED


@pytest.mark.yarn(nodes=1)
def test_on_real_processes(yarn_cluster):
    app = yarn_cluster.submit(master)
    app.succeeds()
    yarn_cluster.assert_no_leaks()
