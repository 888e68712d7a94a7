"""Hadoop's own MapReduce on our cluster: its client, its AM and its tasks, with our shuffle service."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

from tests.clients.mapreduce import JOB_S, MapReduce
from tests.clients.site import yarn
from tests.tree import ROOT
from yarnbox.cluster.cluster import Cluster


def counted(target: Path) -> Counter[str]:
    """What the reduces wrote."""
    words: Counter[str] = Counter()
    for part in sorted(target.glob("part-r-*")):
        for line in part.read_text(encoding="utf-8").splitlines():
            word, count = line.split("\t")
            assert word not in words
            words[word] = int(count)
    return words


def lines_until(client: subprocess.Popen[str], wanted: str) -> str:
    """What it prints up to the line that says so, or all where none does."""
    assert client.stdout is not None
    lines = ""
    while wanted not in lines and (line := client.stdout.readline()):
        lines += line
    return lines


def test_words_are_counted_by_many_tasks_and_within_the_master(
    cluster: Cluster, scratch: Path, tmp_path: Path
) -> None:
    """Two jobs at once: one with maps, reduces and a shuffle between them, one that the AM runs itself."""
    text = tmp_path / "text.txt"
    text.write_text("".join(page.read_text(encoding="utf-8") for page in sorted(ROOT.glob("docs/*.md"))))
    expected = Counter(word.decode() for word in text.read_bytes().split())
    hadoop = MapReduce.packed(cluster, scratch / "mapreduce")
    many, alone, gate = tmp_path / "many", tmp_path / "alone", tmp_path / "gate"
    split = str(text.stat().st_size // 2 + 1)
    with (
        hadoop.started(
            text,
            many,
            mapreduce_job_reduces="2",
            mapreduce_input_fileinputformat_split_maxsize=split,
        ) as first,
        hadoop.started(text, alone, mapreduce_job_ubertask_enable="true", words_gate=str(gate)) as second,
    ):
        # Of a job that is over before its client has asked its AM, only a history server could tell.
        begun = lines_until(second, "running in uber mode")
        gate.touch()
        said, rest = first.communicate(timeout=JOB_S)[0], second.communicate(timeout=JOB_S)[0]
    said_alone = begun + rest
    assert (first.returncode, second.returncode) == (0, 0), said + said_alone
    assert "running in uber mode : true" in said_alone
    assert len(list(many.glob("part-r-*"))) == 2
    assert (many / "_SUCCESS").exists()
    assert counted(many) == counted(alone) == expected
    for name, value in (("Launched map tasks", 2), ("Launched reduce tasks", 2), ("Shuffled Maps ", 4)):
        assert f"{name}={value}" in said
    (application,) = set(re.findall(r"application_\d+_\d+", said))
    report = yarn(cluster, "application", "-status", application).out
    assert "Application-Type : MAPREDUCE" in report
    assert "Final-State : SUCCEEDED" in report
    status = hadoop.job("-status", application.replace("application", "job"))  # by the history server
    for line in ("Number of maps: 2", "Job state: SUCCEEDED", "Launched reduce tasks=2"):
        assert line in status.out, str(status)
