"""A job within the test's own process: the same mappers, formats, sorts and merges, without a cluster."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any

from tests.am.mapreduce.task_rig import Surroundings
from yarnbox.am.mapreduce.api import (
    MapContext,
    Out,
    ReduceContext,
    Tally,
    mapper_named,
    partitioner_named,
    reducer_named,
)
from yarnbox.am.mapreduce.client import JobClient
from yarnbox.am.mapreduce.input import input_format_named
from yarnbox.am.mapreduce.output import PartFile, part_file
from yarnbox.am.mapreduce.settings import JobSettings
from yarnbox.am.mapreduce.shuffle.map_output import MapOutput, SortLimits
from yarnbox.am.mapreduce.shuffle.merging import Combiner, Merges, Segment, grouped
from yarnbox.am.mapreduce.shuffle.records import decode
from yarnbox.am.mapreduce.splits import Placement, Split, input_files, make_splits
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.settings import read
from yarnbox.yarn.shuffle import INDEX_FILE, OUTPUT_FILE, read_index


class LocalClient(JobClient):
    """Cuts input into small splits, and asks nobody."""

    def __init__(self, properties: dict[str, str]) -> None:
        self.configuration = Configuration.of(properties)
        self.settings = read(JobSettings, self.configuration)

    def text_splits(self) -> list[Split]:
        form = input_format_named(self.settings.input_format)
        return make_splits(
            input_files(self.settings.input_paths),
            Placement(),
            block_bytes=1 << 20,
            max_bytes=self.settings.split_max_bytes,
            is_splittable=form.is_splittable,
        )


class LocalRunner:
    """Runs jobs in a directory; what the command line would say is in `over`."""

    def __init__(self, directory: Path, **over: str) -> None:
        self._directory = directory
        self._over = {"mapreduce.input.fileinputformat.split.maxsize": "1000", **over}
        self.counters: dict[str, dict[str, int]] = {}

    def client(self, properties: dict[str, str]) -> LocalClient:
        return LocalClient({**properties, **self._over})

    def run_job(self, client: JobClient, splits: Sequence[Split] | None = None) -> bool:
        client.check()
        tally = Tally()
        output = Path(client.settings.output_dir)
        output.mkdir(parents=True)
        maps = [
            self._map(client, number, split, output, tally)
            for number, split in enumerate(splits if splits is not None else client.text_splits())
        ]
        for number in range(client.settings.reduces):
            self._reduce(client, number, [one[number] for one in maps], output, tally)
        (output / "_SUCCESS").touch()
        self.counters = tally.groups
        return True

    def _map(self, client: JobClient, number: int, split: Split, output: Path, tally: Tally) -> list[Segment]:
        settings, surroundings = client.settings, Surroundings(client.configuration)
        form = input_format_named(settings.input_format)

        def records() -> Iterator[tuple[Any, Any]]:
            yield from split.records
            batches = (form.batches(chunk, client.configuration) for chunk in split.chunks)
            yield from chain.from_iterable(chain.from_iterable(batches))

        def run(out: Out) -> None:
            context = MapContext(
                records, lambda: chain(*map(form.blocks, split.chunks)), out, tally, surroundings
            )
            mapper_named(settings.mapper).run(context)

        if not settings.reduces:
            with self._part(client, output / f"part-m-{number:05d}", tally) as lines:
                run(lines)
            return []
        directory = Path(tempfile.mkdtemp(dir=self._directory))
        combiner = (
            Combiner(reducer_named(settings.combiner), tally, surroundings) if settings.combiner else None
        )
        partition = partitioner_named(settings.partitioner, lambda: client.configuration)
        limits = SortLimits(limit_bytes=50_000, factor=3)
        collected = MapOutput(directory, settings.reduces, partition, combiner, limits, tally)
        run(collected)
        collected.finish()
        data = (directory / OUTPUT_FILE).read_bytes()
        return [
            Segment(one.length, data=data[one.start : one.start + one.length])  # as fetched
            for one in read_index(directory / INDEX_FILE)
        ]

    @staticmethod
    def _part(client: JobClient, path: Path, tally: Tally) -> PartFile:
        return part_file(path, client.settings.output_format, client.configuration, tally, "OUT")

    def _reduce(
        self, client: JobClient, number: int, segments: list[Segment], output: Path, tally: Tally
    ) -> None:
        merges = Merges(10, None, None, tally)
        passes, names = Path(tempfile.mkdtemp(dir=self._directory)), count()
        few = merges.few(segments, lambda: passes / str(next(names)))

        def groups() -> Iterator[tuple[Any, Iterator[Any]]]:
            return ((decode(key), values) for key, values in grouped(merges.records(few)))

        surroundings = Surroundings(client.configuration)
        with self._part(client, output / f"part-r-{number:05d}", tally) as lines:
            reducer_named(client.settings.reducer).run(ReduceContext(groups, lines, tally, surroundings))


def parts(output: Path) -> list[bytes]:
    """The parts of a result, in their order."""
    assert (output / "_SUCCESS").exists()
    return [path.read_bytes() for path in sorted(output.glob("part-*"))]
