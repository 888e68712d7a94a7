"""`yarnbox decommission-node` and `recommission-node` on real nodes."""

from __future__ import annotations

from tests.processes.conftest import Desk, wait_until
from tests.waiting import PATIENCE_S


def test_a_node_leaves_and_comes_back(desk: Desk) -> None:
    desk.up("--nodes", "2")
    assert "there is no node n1 (did you mean nm1?)" in desk.here("decommission-node", "n1", status=1)
    assert "nm2 is not decommissioned" in desk.here("recommission-node", "nm2", status=1)

    assert "nm2 is DECOMMISSIONED" in desk.here("decommission-node", "nm2")
    assert "nm2 is decommissioned already" in desk.here("decommission-node", "nm2", status=1)
    assert "nm2 is RUNNING again" in desk.here("recommission-node", "nm2")


def test_what_runs_on_a_leaving_node_may_go_on(desk: Desk) -> None:
    desk.up("--nodes", "1")
    job = desk.start("job", "shell", "--", "sleep", "300")
    assert wait_until(lambda: desk.daemon("nm1")["containers"] == 2, PATIENCE_S)
    leaving = desk.start("decommission-node", "nm1", "--timeout", "600")
    assert wait_until(lambda: "DECOMMISSIONING" in desk.here("yarn", "node", "-list", "-all"), PATIENCE_S)
    # Taken back while it is on its way out, it goes on with what it has.
    assert "nm1 is RUNNING again" in desk.here("recommission-node", "nm1")
    assert desk.daemon("nm1")["containers"] == 2
    for command in (leaving, job):
        command.kill()


def test_a_list_that_the_user_keeps_is_the_users(desk: Desk) -> None:
    desk.up("--nodes", "1", "-D", "yarn.resourcemanager.nodes.exclude-path=mine")
    said = desk.here("decommission-node", "nm1", status=1)
    assert "mine, named by yarn.resourcemanager.nodes.exclude-path, lists the hosts to exclude" in said
