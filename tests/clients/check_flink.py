"""Flink on our cluster, in application mode: the job's main runs in the ApplicationMaster."""

from __future__ import annotations

import re
from pathlib import Path

from tests.clients.flink import Flink
from tests.clients.site import yarn
from tests.clients.spark import counted, real_text
from tests.waiting import PATIENCE_S
from yarnbox.cluster.cluster import Cluster, wait_until

JOB_S = PATIENCE_S


def test_an_application_counts_words(cluster: Cluster, scratch: Path, tmp_path: Path) -> None:
    text, target = real_text(tmp_path / "text.txt"), tmp_path / "words.txt"
    said = Flink(cluster, scratch / "flink").run(str(text), str(target))
    found = re.search(r"application_\d+_\d+", said.out + said.err)
    assert found, str(said)
    assert said.status == 0, f"{said}\n{yarn(cluster, 'logs', '-applicationId', found[0])}"

    def report() -> str:
        return yarn(cluster, "application", "-status", found[0]).out

    def is_over() -> bool:
        return "State : FINISHED" in report() or "State : FAILED" in report()

    assert wait_until(is_over, JOB_S), report()
    assert "Final-State : SUCCEEDED" in report(), report()
    lines = target.read_text(encoding="utf-8").splitlines(keepends=True)
    assert "".join(sorted(lines)) == counted(text)
