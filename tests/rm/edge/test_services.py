"""Who calls, as the edge establishes it: the caller's address, and hosts that can be resolved."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from tests.rm.edge.test_process import NODE, play, running
from yarnbox.rm.edge.services import HostNames
from yarnbox.yarn.connection.address_book import AddressBook, write_address_book
from yarnbox.yarn.enums import NodeAction, YarnApplicationState
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.client import KillApplicationRequest
from yarnbox.yarn.records.tracker import RegisterNodeManagerRequest
from yarnbox.yarn.resources.resource import Resource

NOWHERE = "n" * 64
"""No label of a host name may be that long: nobody has to be asked."""


def test_a_name_is_known_to_the_address_book_or_to_the_machine(tmp_path: Path) -> None:
    book = tmp_path / "addresses.json"
    write_address_book(book, {"nm1": "127.0.0.1"})
    names = HostNames(AddressBook(book))

    async def known() -> list[bool]:
        return [await names.knows(host) for host in ("nm1", "127.0.0.1", NOWHERE, "")]

    assert asyncio.run(known())[:3] == [True, True, False]


def test_a_node_whose_host_cannot_be_resolved_is_refused_if_that_is_checked(tmp_path: Path) -> None:
    request = RegisterNodeManagerRequest(
        node_id=NodeId(NOWHERE, 4711), http_port=1, resource=Resource(8192, 8), nm_version="3.4.1"
    )
    check = {"yarn.resourcemanager.resource_tracker.nm.ip_hostname_check": "true"}

    async def scene() -> None:
        async with running(tmp_path, **check) as desk:
            refused = await desk.tracker.call("registerNodeManager", request)
            assert refused.node_action is NodeAction.SHUTDOWN
            said = f"hostname cannot be resolved (ip=127.0.0.1, hostname={NOWHERE})"
            assert refused.diagnostics_message == said
            here = replace(request, node_id=NodeId("127.0.0.1", NODE.port))
            taken = await desk.tracker.call("registerNodeManager", here)
            assert taken.node_action is NodeAction.NORMAL
            assert taken.container_token_master_key is not None

    play(scene)


def test_a_node_may_be_anywhere_if_that_is_not_checked(tmp_path: Path) -> None:
    async def scene() -> None:
        async with running(tmp_path) as desk:
            assert (await desk.register()).node_action is NodeAction.NORMAL

    play(scene)


def test_diagnostics_say_from_where_an_application_was_killed(tmp_path: Path) -> None:
    async def scene() -> None:
        async with running(tmp_path) as desk:
            application_id = await desk.submit()
            request = KillApplicationRequest(application_id=application_id)
            while not (await desk.client.call("forceKillApplication", request)).is_kill_completed:
                await asyncio.sleep(0.01)
            while True:
                report = await desk.report(application_id)
                if report.yarn_application_state is YarnApplicationState.KILLED:
                    break
                await asyncio.sleep(0.01)
            assert f"{application_id} was killed by user ann at 127.0.0.1" in report.diagnostics

    play(scene)
