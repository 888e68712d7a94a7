"""The process of a task: `python -m am.mapreduce.child HOST PORT ATTEMPT` in a container.

Asks its AM what to do, does it, and tells how far it is meanwhile. A map reads its split and leaves its
output where the node's shuffle service finds it; a reduce fetches, merges and writes; both commit when the AM
lets them. Answers for YarnChild, MapTask and ReduceTask.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO

from am.mapreduce.api import MapContext, Tally, mapper_named, partitioner_named, reducer_named
from am.mapreduce.committer import OutputCommitter
from am.mapreduce.fetch import Shuffle
from am.mapreduce.ids import TaskAttemptId
from am.mapreduce.map_output import MapOutput, merge_files
from am.mapreduce.records import Pair, decode, text_of
from am.mapreduce.splits import Split, text_blocks, text_lines
from am.mapreduce.umbilical import DIE, RUN, AMUnreachableError, Plan, Umbilical
from yarn.addresses import AddressBook
from yarn.credentials import credentials_of_environment
from yarn.shuffle import JOB_TOKEN, OUTPUT_DIRECTORY

log = logging.getLogger("am.mapreduce.child")

WAIT_S = 0.05
NOT_WANTED = 143
"""The exit code of a task that its AM does not want any more."""


class NotWantedError(Exception):
    """The AM says that this attempt is to end."""


class Task:
    """One attempt, from its first word to its last."""

    def __init__(
        self, umbilical: Umbilical, plan: Plan, secret: bytes, local_dir: Path, work_dir: Path
    ) -> None:
        self._umbilical = umbilical
        self._plan = plan
        self._secret = secret
        self._local_dir = local_dir
        self._work_dir = work_dir
        self._attempt_id = TaskAttemptId.parse(plan.attempt)
        self._committer = OutputCommitter(Path(plan.output), plan.app_attempt)
        self._tally = Tally()
        self._phase = "MAP" if self._attempt_id.is_map else "SHUFFLE"
        self._progress: Callable[[], float] = lambda: 0.0
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
        self._say("done", counters=self._tally.groups)

    def breathe(self) -> None:
        """Called now and then within the work: ends it when it is not wanted any more."""
        if self._unwanted.is_set():
            raise NotWantedError

    # The work.

    def _run_map(self) -> None:
        plan = self._plan
        split = Split.from_json(plan.split or {"chunks": [], "records": [], "hosts": [], "racks": []})
        if plan.reduces == 0:
            with self._part_file() as stream:
                self._map(
                    split, lambda key, value: self._write_line(stream, key, value, "MAP_OUTPUT_RECORDS")
                )
            self._commit()
            return
        directory = self._local_dir / OUTPUT_DIRECTORY / plan.attempt
        directory.mkdir(parents=True, exist_ok=True)
        output = MapOutput(
            directory,
            plan.reduces,
            partitioner_named(plan.partitioner),
            reducer_named(plan.combiner) if plan.combiner else None,
            plan.sort_bytes,
            plan.sort_factor,
            self._tally,
            self.breathe,
        )
        self._map(split, output.emit)
        output.finish()

    def _map(self, split: Split, emit: Callable[[Any, Any], None]) -> None:
        read = 0
        total = split.length or len(split.records) or 1
        self._progress = lambda: min(read / total, 1.0)

        def records() -> Iterator[tuple[Any, Any]]:
            nonlocal read
            for pair in split.records:
                self.breathe()
                self._tally.add("MAP_INPUT_RECORDS")
                yield pair
                read += 1
            for chunk in split.chunks:
                for offset, line in text_lines(chunk):
                    self._tally.add("MAP_INPUT_RECORDS")
                    yield offset, line
                read += chunk.length
                self.breathe()

        def blocks() -> Iterator[bytes]:
            nonlocal read
            for chunk in split.chunks:
                for block in text_blocks(chunk):
                    self._tally.add("MAP_INPUT_RECORDS", block.count(b"\n"))
                    yield block
                    read += len(block)
                    self.breathe()

        mapper_named(self._plan.mapper).run(MapContext(records, blocks, emit, self._tally))

    def _run_reduce(self) -> None:
        plan = self._plan
        directory = self._work_dir / "shuffle"
        directory.mkdir(exist_ok=True)
        book = AddressBook(Path(plan.addresses) if plan.addresses else None)
        number = self._attempt_id.task_id.number
        shuffle = Shuffle(plan, number, self._secret, directory, book.resolve, self._tally)
        self._progress = lambda: shuffle.progress / 3
        files = shuffle.run(self._completions, self._complain, time.monotonic)
        self._phase = "REDUCE"
        total = sum(path.stat().st_size for path in files) or 1
        read = 0
        self._progress = lambda: (1 + 2 * min(read / total, 1.0)) / 3

        def records() -> Iterator[Pair]:
            nonlocal read
            for key, value in merge_files(files, plan.sort_factor, directory, self.breathe):
                read += len(key) + len(value) + 8
                self._tally.add("REDUCE_INPUT_RECORDS")
                yield key, value

        reducer = reducer_named(plan.reducer)
        with self._part_file() as stream:
            for key, group in groupby(records(), key=itemgetter(0)):
                self._tally.add("REDUCE_INPUT_GROUPS")
                reducer.reduce(
                    decode(key),
                    (decode(value) for _, value in group),
                    lambda k, v: self._write_line(stream, k, v, "REDUCE_OUTPUT_RECORDS"),
                )
        self._commit()

    def _part_file(self) -> BinaryIO:
        task_id = self._attempt_id.task_id
        name = f"part-{task_id.type.value}-{task_id.number:05d}"
        return (self._committer.work_path(self._attempt_id) / name).open("wb", buffering=1 << 20)

    def _write_line(self, stream: BinaryIO, key: Any, value: Any, counter: str) -> None:
        stream.write(text_of(key) + b"\t" + text_of(value) + b"\n")
        self._tally.add(counter)

    def _commit(self) -> None:
        """Asks until this attempt has the right to commit, then does."""
        while not self._say("commitPending")["go"]:
            self._ended.wait(WAIT_S)
        self._committer.commit_task(self._attempt_id)

    # Words.

    def _say(self, name: str, **arguments: Any) -> dict[str, Any]:
        answer = self._umbilical.call(name, **arguments)
        if not answer.get("wanted", True):
            self._unwanted.set()
            raise NotWantedError
        return answer

    def _completions(self, start: int) -> list[dict[str, Any]]:
        self.breathe()
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
        )

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
    token = credentials_of_environment(os.environ).token_of_kind(JOB_TOKEN)
    if token is None:
        log.error("no job token: this program is started by a MapReduce AM")
        return 1
    umbilical = Umbilical(host, int(port), attempt, token.password)
    try:
        plan = _first_word(umbilical)
        local_dir = Path(os.environ["LOCAL_DIRS"].split(",")[0])
        Task(umbilical, plan, token.password, local_dir, Path.cwd()).run()
    except NotWantedError:
        log.info("%s is not wanted any more", attempt)
        return NOT_WANTED
    except AMUnreachableError as error:
        log.error("the AM is gone: %s", error)
        return 1
    except Exception:
        log.exception("%s has failed", attempt)
        umbilical.call("failed", message=traceback.format_exc(limit=20))
        return 1
    finally:
        umbilical.close()
    return 0


def _first_word(umbilical: Umbilical) -> Plan:
    pause = threading.Event()
    while True:
        answer = umbilical.call("getTask")
        if answer["word"] == RUN:
            return Plan.from_json(answer["plan"])
        if answer["word"] == DIE:
            raise NotWantedError
        pause.wait(WAIT_S)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
