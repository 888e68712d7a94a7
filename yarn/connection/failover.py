"""Calls that go to whichever of several ResourceManagers is active.

A call that reaches nobody, or a standby, goes to the next ResourceManager. After one round without an answer
the call fails with ConnectionFailedError, and the caller decides when to try again: FailoverSettings has
Hadoop's pauses. A call to a single ResourceManager that is starting or stopping fails in the same way.
Hadoop: ConfiguredRMFailoverProxyProvider and RetryPolicies.failoverOnNetworkException.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, Self

from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.connection.rpc import BlockingStub, ConnectionFailedError, Stub, Target
from yarnbox.yarn.errors import NotReadyError
from yarnbox.yarn.records.basics import Record
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.security.tls import Tls
from yarnbox.yarn.settings import setting, settings
from yarnbox.yarn.wire import PLAIN, Wire

TRY_S = 5.0
"""So long one of several is waited for: it may stand still, and another one be active."""
_MOST_DOUBLINGS = 16


@settings
class FailoverSettings:
    """How a client of several ResourceManagers tries again."""

    sleep_base_ms: int | None = setting(
        "yarn.client.failover-sleep-base-ms",
        None,
        "Pause after no ResourceManager was active, which doubles each time; absent: the retry interval",
        at_least=1,
    )
    sleep_max_ms: int | None = setting(
        "yarn.client.failover-sleep-max-ms",
        None,
        "Longest of these pauses; absent: the retry interval",
        at_least=1,
    )
    max_attempts: int = setting(
        "yarn.client.failover-max-attempts",
        -1,
        "So often all are tried; -1: for as long as yarn.resourcemanager.connect.max-wait.ms says",
        at_least=-1,
    )

    def pause_ms(self, round_: int, interval_ms: int, draw: Callable[[], float]) -> int:
        """The pause after so many rounds in vain; `interval_ms` is that of a client of one ResourceManager,
        `draw` gives a number from 0 to 1.
        """
        doubled = (self.sleep_base_ms or interval_ms) * 2 ** min(round_ - 1, _MOST_DOUBLINGS)
        return int(min(doubled, self.sleep_max_ms or interval_ms) * (0.5 + draw()))


class Calls(Protocol):
    """A stub for asyncio."""

    async def call(self, rpc: str, request: Record, timeout_s: float | None = None) -> Any:
        """The response record."""

    def use_token(self, token: Token) -> None:
        """Calls with this token from now on."""

    async def close(self) -> None:
        """Closes what it opened."""


class BlockingCalls(Protocol):
    """A stub without asyncio."""

    def call(self, rpc: str, request: Record, timeout_s: float | None = None) -> Any:
        """The response record."""

    def use_token(self, token: Token) -> None:
        """Calls with this token from now on."""

    def close(self) -> None:
        """Closes what it opened."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


class _Turns:
    """Whose turn it is."""

    def __init__(self, count: int) -> None:
        self._count = count
        self.now = 0

    def pass_on(self, tried: int) -> None:
        """To the next one, unless another call has passed it on meanwhile."""
        if tried == self.now:
            self.now = (tried + 1) % self._count


def _nobody(rpc: str, errors: Sequence[Exception]) -> Exception:
    if len(errors) == 1:
        (error,) = errors
        return error if isinstance(error, ConnectionFailedError) else ConnectionFailedError(f"{rpc}: {error}")
    said = "; ".join(dict.fromkeys(str(error) for error in errors))
    return ConnectionFailedError(f"{rpc}: no ResourceManager is active: {said}")


def _limit_s(timeout_s: float | None, count: int) -> float | None:
    """How long each is waited for."""
    return timeout_s if count == 1 else min(timeout_s or TRY_S, TRY_S)


class FailoverStub:
    """Calls for asyncio."""

    def __init__(self, stubs: Sequence[Calls]) -> None:
        self._stubs = stubs
        self._turns = _Turns(len(stubs))

    async def call(self, rpc: str, request: Record, timeout_s: float | None = None) -> Any:
        """The response record; raises what the active one raised, or ConnectionFailedError."""
        errors: list[Exception] = []
        for _ in self._stubs:
            tried = self._turns.now
            try:
                return await self._stubs[tried].call(rpc, request, _limit_s(timeout_s, len(self._stubs)))
            except (ConnectionFailedError, NotReadyError) as error:
                errors.append(error)
                self._turns.pass_on(tried)
        raise _nobody(rpc, errors)

    def use_token(self, token: Token) -> None:
        """Calls with this token from now on."""
        for stub in self._stubs:
            stub.use_token(token)

    async def close(self) -> None:
        """Closes the channels that the stubs opened."""
        for stub in self._stubs:
            await stub.close()


class BlockingFailoverStub:
    """Calls without asyncio."""

    def __init__(self, stubs: Sequence[BlockingStub]) -> None:
        self._stubs = stubs
        self._turns = _Turns(len(stubs))

    def call(self, rpc: str, request: Record, timeout_s: float | None = None) -> Any:
        """The response record; raises what the active one raised, or ConnectionFailedError."""
        errors: list[Exception] = []
        for _ in self._stubs:
            tried = self._turns.now
            try:
                return self._stubs[tried].call(rpc, request, _limit_s(timeout_s, len(self._stubs)))
            except (ConnectionFailedError, NotReadyError) as error:
                errors.append(error)
                self._turns.pass_on(tried)
        raise _nobody(rpc, errors)

    def use_token(self, token: Token) -> None:
        """Calls with this token from now on."""
        for stub in self._stubs:
            stub.use_token(token)

    def close(self) -> None:
        """Closes the channels that the stubs opened."""
        for stub in self._stubs:
            stub.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def stub_of(
    targets: Sequence[Target],
    service: str,
    *,
    user: str | None = None,
    token: Token | None = None,
    peer: str = "",
    tls: Tls | None = None,
    wire: Wire = PLAIN,
) -> Calls:
    """Calls of the service at whichever of them is active."""
    names = _names(peer, targets)
    return FailoverStub(
        [
            Stub(one, service, user=user, token=token, peer=name, tls=tls, wire=wire)
            for one, name in zip(targets, names, strict=True)
        ]
    )


def blocking_stub_of(
    addresses: Sequence[str],
    service: str,
    *,
    user: str | None = None,
    token: Token | None = None,
    peer: str = "",
    tls: Tls | None = None,
) -> BlockingCalls:
    """Calls of the service at whichever of them is active, without asyncio."""
    names = _names(peer, addresses)
    return BlockingFailoverStub(
        [
            BlockingStub(one, service, user=user, token=token, peer=name, tls=tls)
            for one, name in zip(addresses, names, strict=True)
        ]
    )


def _names(peer: str, targets: Sequence[Target]) -> list[str]:
    """What each is called in messages: several by their addresses, so that they can be told apart."""
    return [one if isinstance(one, str) and len(targets) > 1 else peer for one in targets]


PID_FILE_PROPERTY = "yarnbox.resourcemanager.pid-file"
MAX_WAIT_PROPERTY = "yarn.resourcemanager.connect.max-wait.ms"


def is_rm_expected(configuration: Configuration) -> bool:
    """Whether a client waits for a ResourceManager that does not answer its first call.

    It does if the ResourceManager is probably restarting: `yarnbox up` writes the pid file, and
    `yarnbox down` removes it. It also does if the maximum wait is set, as Hadoop's clients do. Otherwise
    there is most likely no cluster, and the client says so at once.
    """
    pid_file = configuration.value(PID_FILE_PROPERTY)
    if pid_file:
        return Path(pid_file).exists()
    return configuration.property(MAX_WAIT_PROPERTY) is not None
