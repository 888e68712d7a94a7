"""The code of docs/mapreduce-tutorial.md runs, and does what the page says."""

from __future__ import annotations

import gzip
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.am.mapreduce.local_job import LocalRunner, parts
from tests.tree import ROOT

PAGE = (ROOT / "docs" / "mapreduce-tutorial.md").read_text(encoding="utf-8")
LOG = [f"h{number % 3} /{top}/{number % 5} 200 {number}" for number in range(300) for top in ("shop", "news")]


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The page's code, where a job finds it."""
    code = "\n\n".join(re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
    (tmp_path / "requests_job.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("requests_job", None)


def run(
    directory: Path, source: Path, mapper: str, **properties: str
) -> tuple[list[dict[str, int]], LocalRunner]:
    runner = LocalRunner(directory, **properties)
    output = directory / f"out{len(list(directory.iterdir()))}"
    given = {
        "mapreduce.job.map.class": f"requests_job.{mapper}",
        "mapreduce.job.reduce.class": "requests_job.Total",
        "mapreduce.input.fileinputformat.inputdir": str(source),
        "mapreduce.output.fileoutputformat.outputdir": str(output),
    }
    assert runner.run_job(runner.client(given))
    found = [[line.split("\t") for line in part.decode().splitlines()] for part in parts(output)]
    return [{key: int(value) for key, value in part} for part in found], runner


def test_mapper_reducer_combiner_and_partitioner(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("\n".join([*LOG, "nonsense", ""]))
    wanted = Counter[str]()
    for line in LOG:
        _, path, _, size = line.split()
        wanted[path] += int(size)
    (plain,), runner = run(tmp_path, log, "Requests")
    assert plain == wanted
    assert runner.counters["Requests"] == {"malformed": 1}
    combine = {"mapreduce.job.combine.class": "requests_job.Total"}
    partition = {"mapreduce.job.partitioner.class": "requests_job.ByDirectory", "mapreduce.job.reduces": "2"}
    found, runner = run(tmp_path, log, "Requests", **combine, **partition)
    assert {**found[0], **found[1]} == wanted
    tops = [{path.split("/")[1] for path in part} for part in found]
    assert not tops[0] & tops[1]
    counted = runner.counters["org.apache.hadoop.mapreduce.TaskCounter"]
    assert counted["COMBINE_OUTPUT_RECORDS"] < counted["COMBINE_INPUT_RECORDS"]


@pytest.mark.parametrize("name", ["text", "text.gz"])
def test_an_input_format_of_ones_own(tmp_path: Path, name: str) -> None:
    data = b"one two\nthree\n\n\nfour\n\nfive six seven\n"
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    form = {"mapreduce.job.inputformat.class": "requests_job.Paragraphs"}
    (found,), _ = run(tmp_path, tmp_path / name, "Lengths", **form)
    assert found == {"3": 2, "1": 1}


def test_every_class_of_the_page_is_used_by_its_commands() -> None:
    for name in re.findall(r"^class (\w+)", PAGE, re.MULTILINE):
        assert f"requests_job.{name}" in PAGE
