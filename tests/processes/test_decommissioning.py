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
    desk.up("--nodes", "2", "-D", "yarn.resourcemanager.nodes.exclude-path=mine")
    mine = desk.run.path / "mine"

    def told(*command: str, edit: str) -> None:
        """Does what the refusal says."""
        said = desk.here(*command, status=1)
        assert f"{mine} is your own list of hosts to exclude" in said
        assert f"(yarn.resourcemanager.nodes.exclude-path): {edit}, then `yarnbox " in said
        for step in said.split("`")[1::2]:
            desk.here(*step.split()[1:])

    assert "there is no node n1" in desk.here("decommission-node", "n1", status=1)
    mine.write_text("nm2\n", encoding="utf-8")
    told("decommission-node", "nm2", edit="add nm2 to it")
    assert wait_until(lambda: desk.daemon("nm2")["state"] == "DECOMMISSIONED", PATIENCE_S)
    mine.write_text("", encoding="utf-8")
    told("recommission-node", "nm2", edit="remove nm2 from it")
    assert wait_until(lambda: desk.daemon("nm2")["state"] == "RUNNING", PATIENCE_S)
    mine.write_text("nm1\n", encoding="utf-8")
    told("decommission-node", "nm1", "--timeout", "60", edit="add nm1 to it")
    assert wait_until(lambda: desk.daemon("nm1")["state"] == "DECOMMISSIONED", PATIENCE_S)
