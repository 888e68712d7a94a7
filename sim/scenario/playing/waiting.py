"""What an AM waits for, as it remembers its own asks: what it asks for again when it has to register anew.

Hadoop: AMRMClientImpl, its table of requests that another ResourceManager has not heard of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from yarnbox.rm.asks import ANY
from yarnbox.yarn.frozen import replace
from yarnbox.yarn.records.container import Container
from yarnbox.yarn.records.request import ResourceBlacklistRequest, ResourceRequest

_Key = tuple[int | None, int, str | None]
"""Priority, allocation request id and location."""


class Waiting:
    """The asks of one AM, less what it was given, and its blacklist."""

    def __init__(self) -> None:
        self._asks: dict[_Key, ResourceRequest] = {}
        self._blacklist: dict[str, None] = {}

    def clear(self) -> None:
        """Another attempt begins."""
        self._asks.clear()
        self._blacklist.clear()

    def record(self, asks: Iterable[ResourceRequest], blacklist: ResourceBlacklistRequest | None) -> None:
        """A call asked for that: each count replaces the earlier one."""
        for ask in asks:
            self._asks[_key(ask)] = ask
            if not ask.num_containers:
                del self._asks[_key(ask)]
        if blacklist is not None:
            self._blacklist.update(dict.fromkeys(blacklist.blacklist_additions))
            for place in blacklist.blacklist_removals:
                self._blacklist.pop(place, None)

    def record_given(self, containers: Iterable[Container], rack_of: Callable[[str], str]) -> None:
        """A call brought these: one less at each place that they fulfil."""
        for container in containers:
            host = "" if container.node_id is None else container.node_id.host
            for place in (host, rack_of(host), ANY):
                key = container.priority, container.allocation_request_id, place
                ask = self._asks.pop(key, None)
                if ask is not None and (count := (ask.num_containers or 0) - 1):
                    self._asks[key] = replace(ask, num_containers=count)

    def repeated(
        self, asks: Iterable[ResourceRequest], blacklist: ResourceBlacklistRequest | None
    ) -> tuple[tuple[ResourceRequest, ...], ResourceBlacklistRequest | None]:
        """What a call asks of a ResourceManager that knows of no earlier one: these, and what the AM still
        waits for.
        """
        everything = self._asks | {_key(ask): ask for ask in asks}
        if blacklist is None and not self._blacklist:
            return tuple(everything.values()), None
        new = blacklist or ResourceBlacklistRequest()
        kept = (place for place in self._blacklist if place not in new.blacklist_removals)
        additions = tuple(dict.fromkeys((*kept, *new.blacklist_additions)))
        return tuple(everything.values()), replace(new, blacklist_additions=additions)


def _key(ask: ResourceRequest) -> _Key:
    return ask.priority, ask.allocation_request_id, ask.resource_name
