"""The mapper, reducer and combiner that run a command. Hadoop: PipeMapper, PipeReducer and PipeCombiner."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import IO, Any

from yarnbox.am.mapreduce.api import MapContext, Mapper, ReduceContext, Reducer
from yarnbox.am.mapreduce.input import input_format_name
from yarnbox.am.mapreduce.shuffle.records import text_of
from yarnbox.am.mapreduce.streaming.pipes import Fields, Pipe

MAP_COMMAND = "stream.map.streamprocessor"
REDUCE_COMMAND = "stream.reduce.streamprocessor"
COMBINE_COMMAND = "stream.combine.streamprocessor"

_RECORDS_AT_ONCE = 1000


class StreamMapper(Mapper):
    """Feeds its split to a command: lines of text as they are, other records as key, separator, value."""

    def run(self, context: MapContext) -> None:
        configuration = context.configuration
        separator = (configuration.untrimmed("stream.map.input.field.separator") or "\t").encode()
        form = configuration.read("mapreduce.job.inputformat.class", input_format_name, "TextInputFormat")
        is_text = form == "TextInputFormat"
        without_keys = configuration.boolean("stream.map.input.ignoreKey", is_text)

        def feed(stdin: IO[bytes]) -> None:
            if is_text and without_keys:
                for block in context.blocks():
                    stdin.write(block if block.endswith(b"\n") else block + b"\n")
            elif without_keys:
                _write(stdin, (text_of(value) for _, value in context.records()))
            else:
                _write(stdin, (text_of(k) + separator + text_of(v) for k, v in context.records()))

        command = configuration.value(MAP_COMMAND) or ""
        Pipe(command, context, Fields.of_output(configuration, "map")).run(feed)


class StreamReducer(Reducer):
    """Feeds all its groups to a command: one line of key, separator and value for each value."""

    command = REDUCE_COMMAND

    def run(self, context: ReduceContext) -> None:
        configuration = context.configuration
        separator = (configuration.untrimmed("stream.reduce.input.field.separator") or "\t").encode()

        def lines() -> Iterator[bytes]:
            for key, values in context.groups():
                start = text_of(key) + separator
                for value in values:
                    yield start + text_of(value)

        command = configuration.value(self.command) or ""
        pipe = Pipe(command, context, Fields.of_output(configuration, "reduce"))
        pipe.run(lambda stdin: _write(stdin, lines()))


class StreamCombiner(StreamReducer):
    """The same for what a map has, at each spill."""

    command = COMBINE_COMMAND


def _write(stdin: IO[bytes], lines: Iterable[bytes]) -> None:
    rest: Iterator[Any] = iter(lines)
    while some := list(islice(rest, _RECORDS_AT_ONCE)):
        some.append(b"")
        stdin.write(b"\n".join(some))
