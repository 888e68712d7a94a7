"""Fetching map output: what is kept in memory, what is merged when, and what becomes of bad answers."""

from __future__ import annotations

import io
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.am.mapreduce.task_rig import summing, write_segment
from tests.waiting import PATIENCE_S
from yarnbox.am.mapreduce.api import SHUFFLE_ERRORS, TASK_COUNTERS, Tally
from yarnbox.am.mapreduce.codecs import Codec, codec_named
from yarnbox.am.mapreduce.shuffle.fetch import GivenUpError, Shuffle
from yarnbox.am.mapreduce.shuffle.fetched import FetchedOutputs, FetchLimits
from yarnbox.am.mapreduce.shuffle.merging import Merges, Segment
from yarnbox.am.mapreduce.shuffle.records import decode, encode
from yarnbox.am.mapreduce.shuffle.segments import Written
from yarnbox.am.mapreduce.umbilical import Plan
from yarnbox.yarn.shuffle import NAME, REPLY_HASH, URL_HASH, ShuffleHeader, reply_hash

SECRET = b"secret"
JOB = "job_1_0001"


def attempt(number: int, again: int = 0) -> str:
    return f"attempt_1_0001_m_{number:06d}_{again}"


def stored(words: list[str], codec: Codec | None = None) -> tuple[bytes, Written]:
    stream = io.BytesIO()
    written = write_segment([[(encode(word), encode(1)) for word in sorted(words)]], stream, codec)
    return stream.getvalue(), written


def counters(tally: Tally, group: str = TASK_COUNTERS) -> dict[str, int]:
    return tally.groups.get(group, {})


def outputs_of(
    directory: Path,
    tally: Tally,
    *,
    factor: int = 10,
    combines: bool = False,
    codec: Codec | None = None,
    **limits: int,
) -> tuple[FetchedOutputs, Merges]:
    merges = Merges(factor, codec, summing(tally) if combines else None, tally)
    given = {"memory_bytes": 1000, "largest_bytes": 250, "merge_bytes": 660, "keep_bytes": 0, **limits}
    return FetchedOutputs(merges, FetchLimits(factor=factor, **given), directory), merges


def words_of(merges: Merges, segments: list[Segment]) -> Counter[str]:
    found: Counter[str] = Counter()
    keys = []
    for batch in merges.records(segments):
        for key, value in batch:
            keys.append(key)
            found[decode(key)] += decode(value)
    assert keys == sorted(keys)
    return found


# What is fetched.


def keep(outputs: FetchedOutputs, words: list[str]) -> bool:
    """Hands over an output as a fetch does; whether it went to memory."""
    data, written = stored(words)
    if outputs.reserve(written.raw_length):
        outputs.keep(Segment(len(data), data=data, outputs=1))
        return True
    path = outputs.file()
    path.write_bytes(data)
    outputs.keep(Segment(len(data), path=path, is_whole_file=True, outputs=1))
    return False


def test_a_large_output_goes_to_a_file_a_small_one_to_memory(tmp_path: Path) -> None:
    tally = Tally()
    outputs, merges = outputs_of(tmp_path, tally)
    assert keep(outputs, ["a"])
    assert not keep(outputs, ["b" * 300])
    assert len(list(tmp_path.iterdir())) == 1
    segments = outputs.all()
    assert all(segment.path is not None for segment in segments), "nothing may stay in memory"
    assert words_of(merges, segments) == {"a": 1, "b" * 300: 1}
    assert counters(tally) == {"SPILLED_RECORDS": 1, "MERGED_MAP_OUTPUTS": 2}


def test_what_may_stay_in_memory_is_never_written(tmp_path: Path) -> None:
    tally = Tally()
    outputs, merges = outputs_of(tmp_path, tally, keep_bytes=1000)
    keep(outputs, ["a", "b"])
    keep(outputs, ["a"])
    assert words_of(merges, outputs.all()) == {"a": 2, "b": 1}
    assert list(tmp_path.iterdir()) == []
    assert counters(tally) == {"MERGED_MAP_OUTPUTS": 2}


def test_a_memory_that_is_full_becomes_one_combined_file(tmp_path: Path) -> None:
    tally = Tally()
    outputs, merges = outputs_of(tmp_path, tally, combines=True)
    size = len(stored(["word"] * 5)[0])
    for number in count(1):
        keep(outputs, ["word"] * 5)
        assert len(list(tmp_path.iterdir())) == (number * size >= 660)
        if number * size >= 660:
            break
    assert counters(tally)["COMBINE_INPUT_RECORDS"] == 5 * number
    assert counters(tally)["SPILLED_RECORDS"] == 1
    assert outputs.reserve(250), "the memory is free again"
    outputs.release(250)
    assert words_of(merges, outputs.all()) == {"word": 5 * number}


def test_a_fetch_waits_for_room(tmp_path: Path) -> None:
    outputs, _ = outputs_of(tmp_path, Tally())
    for _ in range(5):
        assert outputs.reserve(201)
    got = threading.Event()

    def one_more() -> None:
        assert outputs.reserve(100)
        got.set()

    thread = threading.Thread(target=one_more, daemon=True)
    thread.start()
    assert not got.is_set()
    outputs.release(201)
    thread.join(PATIENCE_S)
    assert got.is_set()


def test_nearly_twice_the_factor_of_files_are_too_many(tmp_path: Path) -> None:
    tally = Tally()
    outputs, merges = outputs_of(tmp_path, tally, factor=3, largest_bytes=0)
    for number in range(4):
        keep(outputs, [f"word{number}"] * (number + 1))
        assert len(list(tmp_path.iterdir())) == number + 1
    keep(outputs, ["more"] * 10)
    assert len(list(tmp_path.iterdir())) == 3
    assert counters(tally)["SPILLED_RECORDS"] == 1 + 2 + 3, "the smallest three"
    segments = outputs.all()
    assert len(segments) == 3
    assert words_of(merges, segments).total() == 1 + 2 + 3 + 4 + 10


def test_a_merge_that_fails_fails_everybody(tmp_path: Path) -> None:
    outputs, _ = outputs_of(tmp_path / "missing", Tally(), merge_bytes=1)
    with pytest.raises(FileNotFoundError):
        keep(outputs, ["a"])
    with pytest.raises(FileNotFoundError):
        outputs.reserve(10)
    with pytest.raises(FileNotFoundError):
        outputs.all()


# Fetching.


class Service(ThreadingHTTPServer):
    """A shuffle service that has what it is given; `spoil` changes the first answers."""

    daemon_threads = True

    def __init__(self, outputs: dict[str, tuple[bytes, Written]]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.outputs = outputs
        self.spoiled: list[str] = []
        self.asked: list[list[str]] = []


class _Handler(BaseHTTPRequestHandler):
    server: Service

    def do_GET(self) -> None:
        maps = parse_qs(urlsplit(self.path).query)["map"][0].split(",")
        self.server.asked.append(maps)
        how = self.server.spoiled.pop(0) if self.server.spoiled else ""
        self.send_response(500 if how == "error" else 200, NAME)
        self.send_header(REPLY_HASH, "wrong" if how == "hash" else reply_hash(SECRET, self.headers[URL_HASH]))
        self.end_headers()
        for name in maps:
            data, written = self.server.outputs[name]
            shown = attempt(99) if how == "map" else name
            reduce = 7 if how == "reduce" else 0
            length = len(data) + (how == "length")
            self.wfile.write(ShuffleHeader(shown, length, written.raw_length, reduce).to_bytes())
            if how == "flip":
                data = data[:30] + bytes([data[30] ^ 1]) + data[31:]
            self.wfile.write(data[: len(data) // 2] if how == "cut" else data)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: a test reads no log."""


@contextmanager
def service(outputs: dict[str, tuple[bytes, Written]]) -> Iterator[Service]:
    server = Service(outputs)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def plan(maps: int) -> Plan:
    return Plan(
        job=JOB, attempt="attempt_1_0001_r_000000_0", app_attempt=1, maps=maps, reduces=1, input_format="",
        output_format="", mapper="", combiner="", reducer="", partitioner="", output="", split=None,
        commit_algorithm=1, sort_bytes=0, sort_factor=10, combine_spills=3, most_spills=-1, codec="",
        fetch_limits={}, fetchers=2, fetch_timeout_ms=5000, fetch_retry_ms=1, report_interval_ms=1000,
        turn_ms=0, is_uber=False, job_file="", addresses="", asks_to_compute=False,
        counter_limits=(120, 50, 128, 64), asks_for_more=False, skip=None, skip_dir="",
    )  # fmt: skip


def clock() -> Callable[[], float]:
    """A second later at each look, so that pauses end."""
    times = count()
    return lambda: float(next(times))


def fetch(
    tmp_path: Path,
    events: list[dict[str, object]],
    maps: int,
    codec: Codec | None = None,
    largest_bytes: int = 250,
    healthy: int = 0,
    complaints: list[str] | None = None,
) -> tuple[Counter[str], Tally, list[str]]:
    """Fetches these, after so many empty ones from another service, which are a reason to be patient."""
    tally, complaints = Tally(), [] if complaints is None else complaints
    outputs, merges = outputs_of(tmp_path, tally, codec=codec, largest_bytes=largest_bytes)
    others = [attempt(50 + number) for number in range(healthy)]
    shuffle = Shuffle(plan(maps + healthy), 0, SECRET, outputs, codec, lambda address: address, tally)
    with service({one: stored([], codec) for one in others}) as other:
        first = events_of(other, others)

        def completions(start: int) -> list[dict[str, object]]:
            is_patient = shuffle.progress * (maps + healthy) >= healthy
            return [*first, *(events if is_patient else [])][start:]

        shuffle.run(completions, complaints.extend, clock())
    assert shuffle.progress == 1.0
    return words_of(merges, outputs.all()), tally, complaints


def events_of(server: Service, attempts: list[str]) -> list[dict[str, object]]:
    port = server.server_address[1]
    known = {"status": "SUCCEEDED", "host": "127.0.0.1", "port": port, "runTimeMs": 0}
    return [{"attempt": one, **known} for one in attempts]


@pytest.mark.parametrize("name", [None, "DefaultCodec"])
def test_outputs_come_in_memory_and_in_files(tmp_path: Path, name: str | None) -> None:
    codec = codec_named(name) if name else None
    words = [["a", "b"], ["b"] * 200, []]
    attempts = [attempt(number) for number in range(3)]
    outputs = {one: stored(some, codec) for one, some in zip(attempts, words, strict=True)}
    with service(outputs) as server:
        found, tally, complaints = fetch(tmp_path, events_of(server, attempts), 3, codec)
    assert found == Counter(word for some in words for word in some)
    assert complaints == []
    assert server.asked == [attempts], "one request for all of a host"
    counted = counters(tally)
    assert counted["SHUFFLED_MAPS"] == 3
    assert counted["REDUCE_SHUFFLE_BYTES"] == sum(len(data) for data, _ in outputs.values())
    assert "FAILED_SHUFFLE" not in counted


@pytest.mark.parametrize(
    "how, counter",
    [
        ("error", "IO_ERROR"), ("hash", "IO_ERROR"), ("map", "WRONG_MAP"), ("reduce", "WRONG_REDUCE"),
        ("length", "WRONG_LENGTH"), ("flip", "IO_ERROR"), ("cut", "IO_ERROR"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("largest", [250, 0], ids=["memory", "files"])
def test_a_bad_answer_is_counted_and_asked_for_again(
    tmp_path: Path, how: str, counter: str, largest: int
) -> None:
    attempts = [attempt(0), attempt(1)]
    with service({one: stored(["a", "b", "c"]) for one in attempts}) as server:
        server.spoiled = [how]
        events = events_of(server, attempts)
        found, tally, complaints = fetch(tmp_path, events, 2, largest_bytes=largest, healthy=4)
    assert found == {"a": 2, "b": 2, "c": 2}
    assert counters(tally, SHUFFLE_ERRORS) == {counter: 1}
    assert 1 <= counters(tally)["FAILED_SHUFFLE"] <= 2
    assert complaints == []
    assert server.asked[1:] in ([[attempts[0]], [attempts[1]]], [[attempts[1]]])


def test_the_one_that_cannot_be_had_is_complained_of(tmp_path: Path) -> None:
    attempts = [attempt(0), attempt(1)]
    with service({one: stored(["a"]) for one in attempts}) as server:
        server.spoiled = ["error", "error"]
        found, tally, complaints = fetch(tmp_path, events_of(server, attempts), 2, healthy=4)
    assert found == {"a": 2}
    assert complaints == [attempt(0)]
    assert counters(tally)["FAILED_SHUFFLE"] == 3


def test_a_service_that_is_gone_is_complained_of_and_a_next_attempt_fetched(tmp_path: Path) -> None:
    with socket.socket() as deaf, service({attempt(0, 1): stored(["a"])}) as server:
        deaf.bind(
            ("127.0.0.1", 0)
        )  # and listens to nobody: a port that was given back might be the server's next
        lost = [{**events_of(server, [attempt(0)])[0], "port": deaf.getsockname()[1]}]
        later = [{**lost[0], "status": "OBSOLETE"}, *events_of(server, [attempt(0, 1)])]
        tally, complaints = Tally(), list[str]()
        outputs, merges = outputs_of(tmp_path, tally)
        shuffle = Shuffle(plan(1), 0, SECRET, outputs, None, lambda address: address, tally)
        shuffle.run(lambda start: [*lost, *(later if complaints else [])][start:], complaints.extend, clock())
        assert words_of(merges, outputs.all()) == {"a": 1}
    assert complaints == [attempt(0)]
    assert counters(tally, SHUFFLE_ERRORS) == {"CONNECTION": 1}


def test_a_reduce_gives_up_an_output_that_never_comes(tmp_path: Path) -> None:
    """One of two that are missing, after two that came: few fail, so that there may be many tries."""
    with service({attempt(0): stored(["a"])}) as server:
        server.spoiled = ["error"] * 100
        with pytest.raises(GivenUpError, match=r"_m_000000_0 failed to be fetched 30 times, .* answered 500"):
            fetch(tmp_path, events_of(server, [attempt(0)]), 2, healthy=2)
        assert len(server.asked) == 30


def test_a_reduce_that_gets_nothing_gives_up_and_complains(tmp_path: Path) -> None:
    attempts, complaints = [attempt(0), attempt(1)], list[str]()
    with service({one: stored(["a"]) for one in attempts}) as server:
        server.spoiled = ["error"] * 100
        with pytest.raises(GivenUpError, match=r"MAX_FAILED_UNIQUE_FETCHES.*0 of 2 are here.*answered 500"):
            fetch(tmp_path, events_of(server, attempts), 2, complaints=complaints)
        assert len(server.asked) == 1
    assert complaints == attempts


def test_one_bad_output_of_three_is_one_failure(tmp_path: Path) -> None:
    attempts = [attempt(0), attempt(1), attempt(2)]
    with service({one: stored(["a"]) for one in attempts}) as server:
        server.spoiled = ["flip"]
        found, _, _ = fetch(tmp_path, events_of(server, attempts), 3)
    assert found == {"a": 3}


def test_a_silent_service_is_given_up_after_the_time_to_reach_it(tmp_path: Path) -> None:
    times = [0.0]

    def later() -> float:
        times.append(times[-1] + 0.5)
        return times[-1]

    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        event = {"attempt": attempt(0), "status": "SUCCEEDED", "host": "127.0.0.1", "runTimeMs": 0}
        events = [{**event, "port": deaf.getsockname()[1]}]
        outputs, _ = outputs_of(tmp_path, Tally())
        shuffle = Shuffle(plan(1), 0, SECRET, outputs, None, lambda address: address, Tally())
        with pytest.raises(GivenUpError, match=r"MAX_FAILED_UNIQUE_FETCHES.*Refused"):
            shuffle.run(lambda start: events[start:], lambda _: None, later)
    assert 5 <= times[-1] <= 8, "mapreduce.reduce.shuffle.connect.timeout of the plan, in seconds"
