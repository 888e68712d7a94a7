"""Map output on its way into a reduce: asked for at the nodes' shuffle services, kept in memory or in files.

Learns from the AM which maps have ended and where, fetches several hosts at a time, all maps of a host in one
request, and tells the AM which outputs it cannot get: the maps will run again. Hadoop: Shuffle,
EventFetcher, Fetcher and ShuffleSchedulerImpl.
"""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from yarnbox.am.mapreduce.api import SHUFFLE_ERRORS, Tally
from yarnbox.am.mapreduce.codecs import Codec
from yarnbox.am.mapreduce.ids import TaskAttemptId
from yarnbox.am.mapreduce.shuffle.fetched import FetchedOutputs
from yarnbox.am.mapreduce.shuffle.health import FetchHealth
from yarnbox.am.mapreduce.shuffle.merging import Segment
from yarnbox.am.mapreduce.shuffle.segments import CorruptSegmentError, copy_segment, decompressed
from yarnbox.am.mapreduce.umbilical import Plan
from yarnbox.yarn.shuffle import (
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

if TYPE_CHECKING:
    from yarnbox.yarn.security.tls import Tls

Resolve = Callable[[str], str]
Completions = Callable[[int], Sequence[dict[str, Any]]]
Complain = Callable[[Sequence[str]], None]

POLL_S = 0.2
MAPS_AT_ONCE = 200
_MOST_FAILURES = 30


@dataclass(slots=True)
class _Host:
    """The outputs that wait at one shuffle service."""

    address: tuple[str, int]
    waiting: dict[int, str] = field(default_factory=dict)
    at_once: int = MAPS_AT_ONCE
    failures: int = 0
    not_before: float = 0.0
    busy: bool = False
    asked: float | None = None
    """Since when it has been asked without an answer."""


class GivenUpError(Exception):
    """An output that could not be had however often it was asked for, or too many that could not be had."""


class FetchFailedError(Exception):
    """A shuffle service that does not answer as it should; `counter` is Hadoop's name for it."""

    def __init__(self, counter: str, text: str) -> None:
        super().__init__(text)
        self.counter = counter
        self.attempt: str | None = None
        """Whose output it was, where one is known to be bad."""


class UnreachableError(FetchFailedError):
    """A shuffle service that does not answer, or not to the end."""


class _Body:
    """The body of an answer; its failures are the network's."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self._response = response
        self.taken = 0

    def read(self, size: int) -> bytes:
        with _network("IO_ERROR"):
            data = self._response.read(size)
        self.taken += len(data)
        return data


@contextmanager
def _network(counter: str) -> Iterator[None]:
    try:
        yield
    except (OSError, http.client.HTTPException) as error:
        raise UnreachableError(counter, f"{type(error).__name__}: {error}") from error


class Shuffle:
    """The fetching of one reduce."""

    def __init__(
        self,
        plan: Plan,
        reduce: int,
        secret: bytes,
        outputs: FetchedOutputs,
        codec: Codec | None,
        resolve: Resolve,
        tally: Tally,
        tls: Tls | None = None,
    ) -> None:
        self._tls = tls
        self._plan = plan
        self._reduce = reduce
        self._secret = secret
        self._outputs = outputs
        self._codec = codec
        self._resolve = resolve
        self._tally = tally
        self._hosts: dict[tuple[str, int], _Host] = {}
        self._fetched: dict[int, None] = {}
        self._obsolete: dict[str, None] = {}
        self._failures: dict[str, int] = {}
        self._seen = 0
        self._clock = 0.0
        self._wake = threading.Event()
        self._lock = threading.Lock()

    @property
    def progress(self) -> float:
        """The share of the maps whose output is here."""
        return len(self._fetched) / self._plan.maps if self._plan.maps else 1.0

    def run(self, completions: Completions, complain: Complain, monotonic: Callable[[], float]) -> None:
        """Fetches until the output of every map is here. GivenUpError when there is no hope."""
        self._health = FetchHealth(self._plan.maps, 1000 * monotonic())
        running: dict[Future[None], tuple[_Host, dict[int, str]]] = {}
        with ThreadPoolExecutor(self._plan.fetchers) as pool:
            while len(self._fetched) < self._plan.maps:
                self._clock = monotonic()
                self._learn(completions(self._seen))
                for host in self._ready(self._plan.fetchers - len(running)):
                    host.busy = True
                    host.asked = self._clock if host.asked is None else host.asked
                    wanted = dict(list(host.waiting.items())[: host.at_once])
                    running[pool.submit(self._fetch, host.address, wanted)] = (host, wanted)
                if not running:
                    self._wake.wait(POLL_S)
                    continue
                ended, _ = wait(running, timeout=POLL_S, return_when=FIRST_COMPLETED)
                self._clock = monotonic()
                for future in ended:
                    self._take(*running.pop(future), future, complain)

    def _learn(self, events: Sequence[dict[str, Any]]) -> None:
        self._seen += len(events)
        for event in events:
            attempt, number = event["attempt"], TaskAttemptId.parse(event["attempt"]).task_id.number
            if event["status"] == "SUCCEEDED":
                self._health.learn(event["runTimeMs"])
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

    def _take(self, host: _Host, wanted: Mapping[int, str], future: Future[None], complain: Complain) -> None:
        """What became of a fetch. A service that answers, but not with what was asked, is asked for one
        output at a time, so that only those are complained of that cannot be had.
        """
        host.busy = False
        for number in self._fetched:
            host.waiting.pop(number, None)
        missing = {number: wanted[number] for number in wanted if number in host.waiting}
        for number, attempt in wanted.items():
            if number in self._fetched:
                self._health.copied(attempt, 1000 * self._clock)
        try:
            future.result()
        except UnreachableError as error:
            self._count(error, missing.values())
            self._pause(host)
            complain(list(host.waiting.values()))
            if error.counter == "CONNECTION":
                self._look_at_silence(host, error, missing.values(), complain)
            else:
                self._look_at_health(error, missing.values(), complain)
            return
        except FetchFailedError as error:
            host.asked = None
            self._count(error, missing.values())
            host.at_once = 1
            if len(wanted) == 1:
                self._pause(host)
                complain(list(wanted.values()))
                for number, attempt in missing.items():  # to the end of the line
                    del host.waiting[number]
                    host.waiting[number] = attempt
            self._look_at_health(error, missing.values(), complain)
            return
        host.failures = 0
        host.asked = None

    def _count(self, error: FetchFailedError, missing: Collection[str]) -> None:
        """Gives up when one output has failed too often; until then its map may be run again."""
        self._tally.add("FAILED_SHUFFLE", len(missing))
        self._tally.add(error.counter, 1, SHUFFLE_ERRORS)
        for attempt in missing:
            failures = self._failures[attempt] = self._failures.get(attempt, 0) + 1
            if failures >= max(_MOST_FAILURES, self._plan.maps // 10):
                raise GivenUpError(
                    f"{attempt} failed to be fetched {failures} times, the last time: {error}"
                ) from None

    def _look_at_silence(
        self, host: _Host, error: FetchFailedError, missing: Collection[str], complain: Complain
    ) -> None:
        """A service that cannot be reached is asked again quickly; all that within the time to reach it is
        one failure, which is what Hadoop's fetchers, who try to connect for so long, make of it.
        """
        if host.asked is not None and 1000 * (self._clock - host.asked) >= self._plan.fetch_timeout_ms:
            host.asked = None
            self._look_at_health(error, missing, complain)

    def _look_at_health(self, error: FetchFailedError, missing: Collection[str], complain: Complain) -> None:
        """Gives up when too many outputs fail and too few come; not without a complaint, so that the maps
        run again before the reduce has failed too often.
        """
        done = len(self._fetched)
        for attempt in missing if error.attempt is None else [error.attempt]:
            if self._health.failed(attempt, done, 1000 * self._clock):
                complain(list(missing))
                raise GivenUpError(
                    "Exceeded MAX_FAILED_UNIQUE_FETCHES; bailing-out: too many outputs cannot be fetched, "
                    f"{done} of {self._plan.maps} are here; the last failure, of {attempt}: {error}"
                ) from None

    def _pause(self, host: _Host) -> None:
        host.failures += 1
        pause_ms = min(250 * 2**host.failures, self._plan.fetch_retry_ms)
        host.not_before = self._clock + pause_ms / 1000

    # In the threads of the pool.

    def _fetch(self, address: tuple[str, int], wanted: Mapping[int, str]) -> None:
        """One request to one service."""
        target = request_target(self._plan.job, self._reduce, list(wanted.values()))
        host, _, port = self._resolve(f"{address[0]}:{address[1]}").rpartition(":")
        asked = url_hash(self._secret, target, int(port))
        connection = _connection_to(host, int(port), self._tls, self._plan.fetch_timeout_ms / 1000)
        with closing(connection), ExitStack() as stack:
            with _network("CONNECTION"):
                connection.request(
                    "GET", target, headers={URL_HASH: asked, NAME_HEADER: NAME, VERSION_HEADER: VERSION}
                )
                response = stack.enter_context(connection.getresponse())
            if response.status != 200:
                raise FetchFailedError("IO_ERROR", f"{host}:{port} answered {response.status}")
            if not is_signed(reply_hash(self._secret, asked), response.getheader(REPLY_HASH)):
                raise FetchFailedError("IO_ERROR", f"{host}:{port} does not know the job's secret")
            numbers = {attempt: number for number, attempt in wanted.items()}
            for _ in wanted:
                self._take_output(_Body(response), numbers)

    def _take_output(self, body: _Body, numbers: Mapping[str, int]) -> None:
        """The next output of an answer."""
        stream = cast(BinaryIO, body)
        try:
            header = ShuffleHeader.read(stream)
        except ValueError as error:
            raise FetchFailedError("BAD_ID", str(error)) from None
        number = numbers.get(header.attempt)
        if number is None:
            raise FetchFailedError("WRONG_MAP", f"an answer with the output of {header.attempt}")
        try:
            segment = self._take_segment(body, header)
        except FetchFailedError as error:
            error.attempt = header.attempt
            raise
        with self._lock:
            is_new = number not in self._fetched and header.attempt not in self._obsolete
            if is_new:
                self._fetched[number] = None
        if not is_new:
            self._drop(segment)
            return
        self._tally.add("SHUFFLED_MAPS")
        self._tally.add("REDUCE_SHUFFLE_BYTES", header.length)
        self._outputs.keep(segment)

    def _take_segment(self, body: _Body, header: ShuffleHeader) -> Segment:
        """The output that the header announces."""
        if header.reduce != self._reduce:
            raise FetchFailedError("WRONG_REDUCE", f"an answer for the reduce {header.reduce}")
        body.taken = 0
        try:
            segment = self._stored(cast(BinaryIO, body), header)
        except CorruptSegmentError as error:
            raise FetchFailedError("IO_ERROR", f"the output of {header.attempt}: {error}") from error
        if body.taken != header.length:
            self._drop(segment)
            raise FetchFailedError(
                "WRONG_LENGTH", f"the output of {header.attempt} is {body.taken} bytes long"
            )
        return segment

    def _stored(self, stream: BinaryIO, header: ShuffleHeader) -> Segment:
        """The output, in memory or in a file."""
        if self._outputs.reserve(header.raw_length):
            try:
                data = decompressed(stream, self._codec)
                if len(data) != header.raw_length:
                    raise CorruptSegmentError(f"it is {len(data)} bytes long, not {header.raw_length}")
            except BaseException:
                self._outputs.release(header.raw_length)
                raise
            return Segment(len(data), data=data, outputs=1)
        path = self._outputs.file()
        with path.open("wb") as file:
            length = copy_segment(stream, file)
        return Segment(length, path=path, is_whole_file=True, outputs=1)

    def _drop(self, segment: Segment) -> None:
        if segment.path is None:
            self._outputs.release(segment.length)
        else:
            segment.path.unlink()


def _connection_to(host: str, port: int, tls: Tls | None, timeout_s: float) -> http.client.HTTPConnection:
    """What TLS needs is imported where there is TLS."""
    if tls is None:
        return http.client.HTTPConnection(host, port, timeout=timeout_s)
    from yarnbox.yarn.security.tls import connection_to

    return connection_to(host, port, tls, timeout_s)
