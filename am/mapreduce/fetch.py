"""Map output on its way into a reduce: asked for at the nodes' shuffle services, kept as files, merged.

Learns from the AM which maps have ended and where, fetches several hosts at a time, all maps of a host in one
request, and tells the AM which outputs it cannot get: the maps will run again. Answers for Shuffle,
EventFetcher, Fetcher and ShuffleSchedulerImpl.
"""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import Any, cast

from am.mapreduce.api import Tally
from am.mapreduce.ids import TaskAttemptId
from am.mapreduce.umbilical import Plan
from yarn.shuffle import (
    NAME,
    NAME_HEADER,
    REPLY_HASH,
    URL_HASH,
    VERSION,
    VERSION_HEADER,
    ShuffleHeader,
    is_signed,
    reply_hash,
    request_target,
    url_hash,
)

Resolve = Callable[[str], str]
Completions = Callable[[int], Sequence[dict[str, Any]]]
Complain = Callable[[Sequence[str]], None]

POLL_S = 0.2
MAPS_AT_ONCE = 200
_COPY_BYTES = 1 << 20


@dataclass(slots=True)
class _Host:
    """The outputs that wait at one shuffle service."""

    address: tuple[str, int]
    waiting: dict[int, str] = field(default_factory=dict)
    at_once: int = MAPS_AT_ONCE
    failures: int = 0
    not_before: float = 0.0
    busy: bool = False


class FetchFailedError(Exception):
    """A shuffle service that does not answer as it should."""


class Shuffle:
    """The fetching of one reduce."""

    def __init__(
        self,
        plan: Plan,
        reduce: int,
        secret: bytes,
        directory: Path,
        resolve: Resolve,
        tally: Tally,
    ) -> None:
        self._plan = plan
        self._reduce = reduce
        self._secret = secret
        self._directory = directory
        self._resolve = resolve
        self._tally = tally
        self._hosts: dict[tuple[str, int], _Host] = {}
        self._fetched: dict[int, Path] = {}
        self._obsolete: dict[str, None] = {}
        self._seen = 0
        self._clock = 0.0
        self._wake = threading.Event()

    @property
    def progress(self) -> float:
        """The share of the maps whose output is here."""
        return len(self._fetched) / self._plan.maps if self._plan.maps else 1.0

    def run(self, completions: Completions, complain: Complain, monotonic: Callable[[], float]) -> list[Path]:
        """Fetches until the output of every map is here; the files."""
        running: dict[Future[dict[int, Path]], tuple[_Host, dict[int, str]]] = {}
        with ThreadPoolExecutor(self._plan.fetchers) as pool:
            while len(self._fetched) < self._plan.maps:
                self._clock = monotonic()
                self._learn(completions(self._seen))
                for host in self._ready(self._plan.fetchers - len(running)):
                    host.busy = True
                    wanted = dict(list(host.waiting.items())[: host.at_once])
                    running[pool.submit(self._fetch, host.address, wanted)] = (host, wanted)
                if not running:
                    self._wake.wait(POLL_S)
                    continue
                ended, _ = wait(running, timeout=POLL_S, return_when=FIRST_COMPLETED)
                for future in ended:
                    self._take(*running.pop(future), future, complain)
        return [self._fetched[number] for number in sorted(self._fetched)]

    def _learn(self, events: Sequence[dict[str, Any]]) -> None:
        self._seen += len(events)
        for event in events:
            attempt, number = event["attempt"], TaskAttemptId.parse(event["attempt"]).task_id.number
            if event["status"] == "SUCCEEDED":
                if number not in self._fetched:
                    address = (event["host"], event["port"])
                    host = self._hosts.setdefault(address, _Host(address))
                    host.waiting[number] = attempt
                continue
            self._obsolete[attempt] = None
            for host in self._hosts.values():
                if host.waiting.get(number) == attempt:
                    del host.waiting[number]

    def _ready(self, count: int) -> list[_Host]:
        ready = [
            host
            for host in self._hosts.values()
            if host.waiting and not host.busy and host.not_before <= self._clock
        ]
        return ready[:count]

    def _take(
        self, host: _Host, wanted: dict[int, str], future: Future[dict[int, Path]], complain: Complain
    ) -> None:
        """What a fetch brought; what of it is still wanted. A service that answers, but not with what was
        asked, is asked for one output at a time, so that only those are complained of that cannot be had.
        """
        host.busy = False
        try:
            files = future.result()
        except (OSError, http.client.HTTPException):
            self._pause(host)
            complain(list(host.waiting.values()))
            return
        except (FetchFailedError, ValueError):
            host.at_once = 1
            if len(wanted) == 1:
                self._pause(host)
                complain(list(wanted.values()))
                for number, attempt in wanted.items():  # to the end of the line
                    if host.waiting.pop(number, None) is not None:
                        host.waiting[number] = attempt
            return
        host.failures = 0
        for number, path in files.items():
            if host.waiting.pop(number, None) is None or number in self._fetched:
                path.unlink()  # fetched twice, or obsolete meanwhile
                continue
            self._fetched[number] = path
            self._tally.add("SHUFFLED_MAPS")
            self._tally.add("REDUCE_SHUFFLE_BYTES", path.stat().st_size)

    def _pause(self, host: _Host) -> None:
        host.failures += 1
        pause_ms = min(250 * 2**host.failures, self._plan.fetch_retry_ms)
        host.not_before = self._clock + pause_ms / 1000

    def _fetch(self, address: tuple[str, int], wanted: dict[int, str]) -> dict[int, Path]:
        """One request to one service."""
        target = request_target(self._plan.job, self._reduce, list(wanted.values()))
        host, _, port = self._resolve(f"{address[0]}:{address[1]}").rpartition(":")
        asked = url_hash(self._secret, target, int(port))
        connection = http.client.HTTPConnection(host, int(port), timeout=self._plan.fetch_timeout_ms / 1000)
        try:
            connection.request(
                "GET", target, headers={URL_HASH: asked, NAME_HEADER: NAME, VERSION_HEADER: VERSION}
            )
            response = connection.getresponse()
            if response.status != 200:
                raise FetchFailedError(f"{host}:{port} answered {response.status}")
            if not is_signed(reply_hash(self._secret, asked), response.getheader(REPLY_HASH)):
                raise FetchFailedError(f"{host}:{port} does not know the job's secret")
            return self._save(response, wanted)
        finally:
            connection.close()

    def _save(self, response: http.client.HTTPResponse, wanted: dict[int, str]) -> dict[int, Path]:
        numbers = {attempt: number for number, attempt in wanted.items()}
        files: dict[int, Path] = {}
        stream = cast(BufferedReader, response)
        for _ in wanted:
            header = ShuffleHeader.read(stream)
            number = numbers.get(header.attempt)
            if number is None or header.reduce != self._reduce:
                raise FetchFailedError(f"an answer with the output of {header.attempt}")
            path = self._directory / f"{header.attempt}.out"
            with path.open("wb") as file:
                left = header.length
                while left:
                    data = response.read(min(left, _COPY_BYTES))
                    if not data:
                        raise FetchFailedError(f"the output of {header.attempt} ends too early")
                    file.write(data)
                    left -= len(data)
            files[number] = path
        return files
