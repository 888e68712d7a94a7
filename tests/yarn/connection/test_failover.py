"""Calls that find the active of several ResourceManagers, over real connections."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.waiting import PATIENCE_S
from yarnbox.yarn.configuration import Configuration, ConfigurationError
from yarnbox.yarn.connection.failover import FailoverSettings, blocking_stub_of, stub_of
from yarnbox.yarn.connection.rm_ids import TRACKER, all_of, rm_addresses
from yarnbox.yarn.connection.rpc import (
    Caller,
    ConnectionFailedError,
    add_service,
    listen,
    new_server,
)
from yarnbox.yarn.errors import ApplicationNotFoundError, NotReadyError, YarnError
from yarnbox.yarn.records.client import GetNewApplicationRequest, GetNewApplicationResponse
from yarnbox.yarn.settings import read

SERVICE = "ApplicationClientProtocolService"
STANDBY = NotReadyError("ResourceManager rm1 is not Active!")
ASK = ("getNewApplication", GetNewApplicationRequest())
NOBODY = "127.0.0.1:1"
_RM = "yarn.resourcemanager."


class Peer:
    """A ResourceManager that answers, or refuses with `refusal`."""

    def __init__(self, refusal: YarnError | None = None) -> None:
        self.refusal = refusal
        self.calls = 0
        self.address = ""

    def handle(self, rpc: str, request: Any, caller: Caller) -> Any:
        self.calls += 1
        if self.refusal is not None:
            raise self.refusal
        return GetNewApplicationResponse()


@asynccontextmanager
async def serving(*peers: Peer) -> AsyncIterator[list[str]]:
    servers = []
    for peer in peers:
        server = new_server()
        add_service(server, SERVICE, peer.handle)
        peer.address = f"127.0.0.1:{listen(server, '127.0.0.1:0', 'nothing')}"
        await server.start()
        servers.append(server)
    try:
        yield [peer.address for peer in peers]
    finally:
        for server in servers:
            await server.stop(None)


def play(scene: Any) -> None:
    asyncio.run(asyncio.wait_for(scene(), PATIENCE_S))


def test_the_active_is_found_and_kept_until_it_is_a_standby() -> None:
    async def scene() -> None:
        first, second = Peer(STANDBY), Peer()
        async with serving(first, second) as addresses:
            stub = stub_of([NOBODY, *addresses], SERVICE)
            for _ in range(3):
                await stub.call(*ASK)
            assert (first.calls, second.calls) == (1, 3)
            first.refusal, second.refusal = None, STANDBY
            await stub.call(*ASK)
            await stub.call(*ASK)
            assert (first.calls, second.calls) == (3, 4)
            await stub.close()

    play(scene)


def test_without_asyncio_too() -> None:
    async def scene() -> None:
        peer = Peer()
        async with serving(peer) as addresses:

            def ask() -> None:
                with blocking_stub_of([NOBODY, *addresses], SERVICE) as stub:
                    stub.call(*ASK)
                    stub.call(*ASK)

            await asyncio.to_thread(ask)
            assert peer.calls == 2

    play(scene)


def test_nobody_active_is_told_after_one_round_and_an_answer_is_an_answer() -> None:
    async def scene() -> None:
        first, second = Peer(STANDBY), Peer(STANDBY)
        async with serving(first, second) as addresses:
            stub = stub_of(addresses, SERVICE)
            with pytest.raises(
                ConnectionFailedError, match=r"no ResourceManager is active: .*rm1 is not Active!"
            ):
                await stub.call(*ASK)
            assert (first.calls, second.calls) == (1, 1)
            first.refusal = ApplicationNotFoundError("never heard of it")
            with pytest.raises(ApplicationNotFoundError):
                await stub.call(*ASK)
            assert (first.calls, second.calls) == (2, 1)
            await stub.close()

    play(scene)


def test_calls_at_the_same_time_switch_once() -> None:
    async def scene() -> None:
        first, second = Peer(STANDBY), Peer()
        async with serving(first, second) as addresses:
            stub = stub_of(addresses, SERVICE)
            await asyncio.gather(*(stub.call(*ASK) for _ in range(20)))
            assert second.calls == 20
            await stub.close()

    play(scene)


def test_one_resourcemanager_that_starts_or_stops_is_as_good_as_not_there() -> None:
    async def scene() -> None:
        peer = Peer(NotReadyError("the ResourceManager is starting"))
        async with serving(peer) as addresses:
            stub = stub_of(addresses, SERVICE)
            with pytest.raises(
                ConnectionFailedError, match=r"^getNewApplication: the ResourceManager is starting$"
            ):
                await stub.call(*ASK)
            peer.refusal = None
            assert await stub.call(*ASK) == GetNewApplicationResponse()
            await stub.close()

    play(scene)


def test_one_that_is_not_there_is_called_by_its_address() -> None:
    with blocking_stub_of([NOBODY], SERVICE) as stub, pytest.raises(ConnectionFailedError) as caught:
        stub.call(*ASK)
    assert "no ResourceManager is active" not in str(caught.value)


def test_pauses_double_up_to_the_longest() -> None:
    found = read(
        FailoverSettings,
        Configuration.of(
            {"yarn.client.failover-sleep-base-ms": "100", "yarn.client.failover-sleep-max-ms": "1000"}
        ),
    )
    assert [found.pause_ms(round_, 7, lambda: 0.5) for round_ in (1, 2, 3, 4, 5, 900)] == [
        100,
        200,
        400,
        800,
        1000,
        1000,
    ]
    assert FailoverSettings().pause_ms(9, 30_000, lambda: 0.5) == 30_000
    assert [found.pause_ms(1, 7, draw) for draw in (lambda: 0.0, lambda: 1.0)] == [50, 150]


def test_each_rm_has_the_addresses_of_its_id() -> None:
    several = {_RM + "ha.enabled": "true", _RM + "ha.rm-ids": " rm1 , rm2"}
    properties = {
        **several,
        _RM + "hostname.rm1": "one",
        _RM + "hostname.rm2": "two",
        "yarnbox.resourcemanager.grpc.address.rm2": "other:77",
        _RM + "address": "somebody:1",
    }
    configuration = Configuration.of(properties)
    assert rm_addresses(configuration) == ("one:8050", "other:77")
    assert rm_addresses(configuration, TRACKER) == ("one:8031", "two:8031")
    first, second = all_of(configuration)
    assert [one.value(_RM + "address") for one in (first, second)] == ["one:8032", "two:8032"]
    assert rm_addresses(Configuration.of({})) == ("127.0.0.1:8050",)
    with pytest.raises(ConfigurationError, match=r"hostname\.rm1 or yarn\.resourcemanager\.address\.rm1"):
        rm_addresses(Configuration.of(several))
