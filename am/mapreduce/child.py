"""The process of a task: `python -m yarnbox.am.mapreduce.child HOST PORT ATTEMPT` in a container.

Asks its AM what to do, does it, and tells how far it is meanwhile; and once more where a process may take
several tasks. A map reads its split and leaves its output where the node's shuffle service finds it; a reduce
fetches, merges and writes; both commit when the AM lets them. Hadoop: YarnChild, MapTask and ReduceTask.
"""

from __future__ import annotations

import errno
import gc
import logging
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain, count
from operator import length_hint
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yarnbox.am.mapreduce.api import (
    CounterLimits,
    MapContext,
    Out,
    ReduceContext,
    Tally,
    mapper_named,
    partitioner_named,
    reducer_named,
)
from yarnbox.am.mapreduce.codecs import Codec, codec_named
from yarnbox.am.mapreduce.committers.choice import committer_of
from yarnbox.am.mapreduce.core_turns import core_turns
from yarnbox.am.mapreduce.ids import TaskAttemptId
from yarnbox.am.mapreduce.input import input_format_named
from yarnbox.am.mapreduce.output import PartFile, part_file
from yarnbox.am.mapreduce.shuffle.fetched import FetchedOutputs, FetchLimits
from yarnbox.am.mapreduce.shuffle.map_output import MapOutput, SortLimits
from yarnbox.am.mapreduce.shuffle.merging import Combiner, Merges, Segment, grouped
from yarnbox.am.mapreduce.shuffle.records import Group, Record, decode
from yarnbox.am.mapreduce.shuffle.segments import Batch
from yarnbox.am.mapreduce.skipping import Skipping, kept_at
from yarnbox.am.mapreduce.splits import Split
from yarnbox.am.mapreduce.umbilical import DIE, RUN, AMUnreachableError, Plan, Umbilical
from yarnbox.yarn.connection.address_book import AddressBook
from yarnbox.yarn.connection.hosting import NM_ADDRESS_BOOK, NM_TLS_AUTHORITY
from yarnbox.yarn.security.credentials import password_of_environment
from yarnbox.yarn.shuffle import INDEX_FILE, JOB_TOKEN, OUTPUT_DIRECTORY, OUTPUT_FILE, read_index

if TYPE_CHECKING:
    from yarnbox.yarn.configuration import Configuration
    from yarnbox.yarn.security.tls import Tls

log = logging.getLogger("am.mapreduce.child")

WAIT_S = 0.05
COMPUTE_WAIT_S = 0.25
NOT_WANTED = 143
"""The exit code of a task that its AM does not want any more."""
MAP_SHARE = 2 / 3
"""The part of a map that is not its sort, in Hadoop's MapTask 0.667. A map that computes long after it has
read its last record is thereby not at its end, and is seen to be slow.
"""


class NotWantedError(Exception):
    """The AM says that this attempt is to end."""


class Task:
    """One attempt, from its first report to its last."""

    def __init__(
        self,
        umbilical: Umbilical,
        plan: Plan,
        secret: bytes,
        local_dir: Path,
        work_dir: Path,
        tls: Tls | None = None,
    ) -> None:
        self._tls = tls
        self._umbilical = umbilical
        self._plan = plan
        self._secret = secret
        self._local_dir = local_dir
        self._work_dir = work_dir
        self._attempt_id = TaskAttemptId.parse(plan.attempt)
        self._committer = committer_of(
            plan.output, plan.app_attempt, plan.commit_algorithm, work=work_dir / "output"
        )
        self._tally = Tally(CounterLimits(*plan.counter_limits))
        self._turns = core_turns(plan.turn_ms)
        self._phase = "MAP" if self._attempt_id.is_map else "SHUFFLE"
        self._progress: Callable[[], float] = lambda: 0.0
        self._configuration: Configuration | None = None
        self._status = ""
        self._breaths = 0
        self._out: Callable[[], int] = lambda: 0
        self._last_signs: tuple[object, ...] = ()
        self._unfetched: dict[str, None] = {}
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._unwanted = threading.Event()

    def run(self) -> None:
        """Does the work; NotWantedError when it is not wanted any more."""
        reporter = threading.Thread(target=self._report, name="reporter", daemon=True)
        reporter.start()
        try:
            if self._attempt_id.is_map:
                self._run_map()
            else:
                self._run_reduce()
        finally:
            self._ended.set()
            self._turns.leave()
        self._say("done", counters=self._tally.groups)
        if self._plan.asks_for_more:
            reporter.join()  # it must not speak for the next one

    def check_cancelled(self) -> None:
        """Called now and then within the work: ends it when it is not wanted any more, and waits while it is
        the turn of others.
        """
        self._breaths += 1
        if self._unwanted.is_set():
            raise NotWantedError
        if self._phase != "SHUFFLE":  # which waits for maps, in several threads
            self._turns.next()

    # What mappers and reducers may ask.

    def configuration(self) -> Configuration:
        """The job's properties, and what only this task knows."""
        if self._configuration is None:
            from yarnbox.yarn.configuration import Configuration  # which brings XML: few tasks look

            job = Path(self._plan.job_file).resolve()
            found = Configuration(environment=os.environ).with_files(job.parent, [job.name])
            self._configuration = found.overlaid(self._own_properties(), "the task")
        return self._configuration

    def set_status(self, text: str) -> None:
        """Told with the next report."""
        self._status = text

    def _own_properties(self) -> dict[str, str]:
        attempt_id = self._attempt_id
        own = {
            "mapreduce.job.id": self._plan.job,
            "mapreduce.task.id": str(attempt_id.task_id),
            "mapreduce.task.attempt.id": str(attempt_id),
            "mapreduce.task.partition": str(attempt_id.task_id.number),
            "mapreduce.task.ismap": str(attempt_id.is_map).lower(),
            "mapreduce.task.output.dir": str(self._committer.work_path(attempt_id)),
        }
        chunks = (self._plan.split or {}).get("chunks", [])
        if len(chunks) == 1:
            path, start, length = chunks[0]
            own["mapreduce.map.input.file"] = path
            own["mapreduce.map.input.start"] = str(start)
            own["mapreduce.map.input.length"] = str(length)
        return own

    # The work.

    def _run_map(self) -> None:
        plan = self._plan
        split = Split.from_json(plan.split or {"chunks": [], "records": [], "hosts": [], "racks": []})
        if plan.reduces == 0:
            with self._part_file("MAP_OUTPUT_RECORDS") as lines:
                self._out = lambda: lines.pending_bytes
                self._map(split, lines)
            self._commit()
            return
        directory = self._local_dir / OUTPUT_DIRECTORY / plan.attempt
        directory.mkdir(parents=True, exist_ok=True)
        output = MapOutput(
            directory,
            plan.reduces,
            partitioner_named(plan.partitioner, self.configuration),
            self._combiner(),
            SortLimits(
                limit_bytes=plan.sort_bytes,
                factor=plan.sort_factor,
                combine_spills=plan.combine_spills,
                most_spills=plan.most_spills,
            ),
            self._tally,
            codec=self._codec(),
            check_cancelled=self.check_cancelled,
        )
        self._out = lambda: output.room
        self._map(split, output, MAP_SHARE)
        self._phase = "SORT"
        self._progress = lambda: MAP_SHARE + (1 - MAP_SHARE) * output.merged
        output.finish()

    def _codec(self) -> Codec | None:
        return codec_named(self._plan.codec) if self._plan.codec else None

    def _combiner(self) -> Combiner | None:
        if not self._plan.combiner:
            return None
        return Combiner(reducer_named(self._plan.combiner), self._tally, self)

    def _map(self, split: Split, out: Out, share: float = 1.0) -> None:
        """Maps all records; that is so much of the task."""
        read = 0
        form = input_format_named(self._plan.input_format)
        total = split.length or len(split.records) or 1
        batch: list[Record] = []
        rest = iter(batch)  # of the batch: its hint tells how much that is, at no cost for a record

        def progress() -> float:
            done = form.size_of(batch) * (1 - length_hint(rest) / len(batch)) if batch else 0
            return share * min((read + done) / total, 1.0)

        self._progress = progress

        def batches() -> Iterator[Iterator[Record]]:
            nonlocal read, batch, rest
            for pair in split.records:
                yield iter([pair])
                read += 1
            for chunk in split.chunks:
                before = read
                for found in form.batches(chunk, self.configuration()):
                    batch, rest = found, iter(found)
                    yield rest
                    batch, read = [], read + form.size_of(found)
                read = before + chunk.length

        skipping = self._skipping()

        def records() -> Iterator[Iterator[Record]]:
            found: Iterable[Iterator[Record]] = batches()
            if skipping is not None:
                one_by_one = chain.from_iterable(found)
                found = (iter([one]) for one in skipping.passing(one_by_one, skipping.keep_record))
            for some in found:
                self.check_cancelled()
                self._tally.add("MAP_INPUT_RECORDS", length_hint(some))
                yield some

        def blocks() -> Iterator[bytes]:
            nonlocal read
            for chunk in split.chunks:
                for block in form.blocks(chunk):
                    self._tally.add("MAP_INPUT_RECORDS", block.count(b"\n"))
                    yield block
                    read += len(block)
                    self.check_cancelled()

        context = MapContext(lambda: chain.from_iterable(records()), blocks, out, self._tally, self)
        mapper_named(self._plan.mapper).run(context)
        if skipping is not None:
            skipping.finish()

    def _skipping(self) -> Skipping | None:
        """What is left out, where attempts have failed before."""
        plan = self._plan
        if plan.skip is None:
            return None

        def announce(start: int, count: int) -> None:
            self._say("nextRecords", start=start, count=count)

        file = kept_at(plan.skip_dir, plan.output, plan.attempt)
        return Skipping(plan.skip, announce, self._tally, file)

    def _run_reduce(self) -> None:
        plan = self._plan
        directory = self._work_dir / "shuffle"
        directory.mkdir(exist_ok=True)
        addresses = os.environ.get(NM_ADDRESS_BOOK) or plan.addresses
        book = AddressBook(Path(addresses) if addresses else None)
        number = self._attempt_id.task_id.number
        merges = Merges(plan.sort_factor, self._codec(), self._combiner(), self._tally, self.check_cancelled)
        if plan.is_uber:
            names = count()
            few = self._outputs_here(number)
            segments = merges.few(few, lambda: directory / f"merged{next(names)}.out")
        else:
            from yarnbox.am.mapreduce.shuffle.fetch import Shuffle  # which brings HTTP; maps need none

            outputs = FetchedOutputs(merges, FetchLimits(**plan.fetch_limits), directory)
            shuffle = Shuffle(
                plan, number, self._secret, outputs, self._codec(), book.resolve, self._tally, self._tls
            )
            self._progress = lambda: shuffle.progress / 3
            shuffle.run(self._completions, self._complain, time.monotonic)
            self._wait_to_compute()
            segments = outputs.all()
        self._phase = "REDUCE"
        self._tell()  # at once: the history tells when the shuffle has ended
        self._reduce(merges.records(segments), sum(segment.length for segment in segments))
        self._commit()
        if plan.asks_for_more:
            _remove(directory)

    def _wait_to_compute(self) -> None:
        """Asks until there is a slot to compute in, where copies have slots of their own."""
        while self._plan.asks_to_compute and not self._say("computePending")["go"]:
            self._unwanted.wait(COMPUTE_WAIT_S)

    def _outputs_here(self, reduce: int) -> list[Segment]:
        """What the maps, all of which are done, have left in this container for a reduce."""
        succeeded: dict[str, str] = {}
        for event in self._completions(0):
            if event["status"] == "SUCCEEDED":
                succeeded[event["attempt"].rpartition("_")[0]] = event["attempt"]
        segments = []
        for attempt in succeeded.values():
            directory = self._local_dir / OUTPUT_DIRECTORY / attempt
            one = read_index(directory / INDEX_FILE)[reduce]
            path = directory / OUTPUT_FILE
            segments.append(Segment(one.length, path=path, start=one.start, outputs=1))
            self._tally.add("SHUFFLED_MAPS")
            self._tally.add("REDUCE_SHUFFLE_BYTES", one.length)
        return segments

    def _reduce(self, batches: Iterable[Batch], total: int) -> None:
        read = 0
        self._progress = lambda: (1 + 2 * min(read / (total or 1), 1.0)) / 3

        def counted() -> Iterator[Batch]:
            nonlocal read
            for batch in batches:
                self._tally.add("REDUCE_INPUT_RECORDS", len(batch))
                read += sum(map(len, map(b"".join, batch))) + 8 * len(batch)
                yield batch

        seen = 0

        skipping = self._skipping()

        def groups() -> Iterator[Group]:
            nonlocal seen
            found: Iterator[Group]
            found = ((decode(key), values) for key, values in grouped(counted()))
            if skipping is not None:
                found = skipping.passing(found, skipping.keep_group)
            for group in found:
                seen += 1
                yield group

        with self._part_file("REDUCE_OUTPUT_RECORDS") as lines:
            self._out = lambda: lines.pending_bytes
            reducer_named(self._plan.reducer).run(ReduceContext(groups, lines, self._tally, self))
        self._tally.add("REDUCE_INPUT_GROUPS", seen)
        if skipping is not None:
            skipping.finish()

    def _part_file(self, counter: str) -> PartFile:
        task_id = self._attempt_id.task_id
        name = f"part-{task_id.type.value}-{task_id.number:05d}"
        path = self._committer.work_path(self._attempt_id) / name
        return part_file(path, self._plan.output_format, self.configuration(), self._tally, counter)

    def _commit(self) -> None:
        """Asks until this attempt has the right to commit, then does."""
        self._turns.leave()
        while not self._say("commitPending")["go"]:
            self._ended.wait(WAIT_S)
            self._breaths += 1
        self._committer.commit_task(self._attempt_id)

    # Words.

    def _say(self, name: str, **arguments: Any) -> dict[str, Any]:
        answer = self._umbilical.call(name, **arguments)
        if not answer.get("wanted", True):
            self._unwanted.set()
            raise NotWantedError
        return answer

    def _completions(self, start: int) -> list[dict[str, Any]]:
        self.check_cancelled()
        events: list[dict[str, Any]] = self._say("mapCompletions", start=start)["events"]
        return events

    def _complain(self, attempts: Any) -> None:
        with self._lock:
            self._unfetched.update(dict.fromkeys(attempts))
        self._tell()

    def _tell(self) -> None:
        with self._lock:
            unfetched, self._unfetched = list(self._unfetched), {}
        counters = {group: dict(amounts) for group, amounts in list(self._tally.groups.items())}
        self._say(
            "statusUpdate",
            progress=self._progress(),
            phase=self._phase,
            counters=counters,
            unfetched=unfetched,
            status=self._status,
            alive=self._is_alive(),
        )

    def _is_alive(self) -> bool:
        """Whether anything has moved since the last report. Who waits for maps is alive."""
        signs = (self._breaths, self._tally.changes, self._out(), self._phase, self._progress(), self._status)
        before, self._last_signs = self._last_signs, signs
        return signs != before or self._phase == "SHUFFLE"

    def _report(self) -> None:
        """The reporter's thread: tells, now and then, until the work has ended."""
        while not self._ended.wait(self._plan.report_interval_ms / 1000):
            try:
                self._tell()
            except (NotWantedError, AMUnreachableError):
                self._unwanted.set()
                return


def main(arguments: list[str]) -> int:
    """The process; its exit code."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    host, port, attempt = arguments
    secret = password_of_environment(os.environ, JOB_TOKEN)
    if secret is None:
        log.error("no job token: this program is started by a MapReduce AM")
        return 1
    tls = _tls_of_node()
    umbilical = Umbilical(host, int(port), attempt, secret, tls=tls)
    local_dir = Path(os.environ["LOCAL_DIRS"].split(",")[0])
    plan: Plan | None = None
    try:
        plan = _first_word(umbilical)
        while plan is not None:
            attempt = plan.attempt
            Task(umbilical, plan, secret, local_dir, Path.cwd(), tls).run()
            plan = _next_word(umbilical) if plan.asks_for_more else None
    except NotWantedError:
        log.info("%s is not wanted any more", attempt)
        return NOT_WANTED
    except AMUnreachableError as error:
        log.error("the AM is gone: %s", error)
        return 1
    except Exception as error:
        if isinstance(error, OSError):
            _note_free_space(error, plan, local_dir)
        log.exception("%s has failed", attempt)
        umbilical.call("failed", message=traceback.format_exc(limit=20))
        return 1
    finally:
        umbilical.close()
    return 0


def _tls_of_node() -> Tls | None:
    if NM_TLS_AUTHORITY not in os.environ:
        return None
    from yarnbox.yarn.security.tls import tls_of_node

    return tls_of_node(os.environ)


def _first_word(umbilical: Umbilical) -> Plan:
    pause = threading.Event()
    while True:
        answer = umbilical.call("getTask")
        if answer["word"] == RUN:
            return Plan.from_json(answer["plan"])
        if answer["word"] == DIE:
            raise NotWantedError
        pause.wait(WAIT_S)


def _next_word(umbilical: Umbilical) -> Plan | None:
    """What to do when a task is done. An AM that does not answer has most likely ended with its job."""
    answer = umbilical.ask("nextTask") or umbilical.ask("nextTask")
    if answer is None or answer["word"] != RUN:
        return None
    plan = Plan.from_json(answer["plan"])
    umbilical.speak_for(plan.attempt)
    gc.collect()  # or what the task before kept would be there until somewhere in this one
    log.info("goes on with %s", plan.attempt)
    return plan


def _note_free_space(error: OSError, plan: Plan | None, local_dir: Path) -> None:
    """Says with the error which disk is full, if one is."""
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        return
    for path in (local_dir, *([Path(plan.output)] if plan is not None else [])):
        with suppress(OSError):
            found = os.statvfs(path)
            error.add_note(f"{found.f_bavail * found.f_frsize >> 20} MiB are free in {path}")


def _remove(directory: Path) -> None:
    from shutil import rmtree  # which brings compression: few tasks need it

    rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
