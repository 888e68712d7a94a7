"""What a comparison says: who loses, who wins, what is the same, in which order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.sim.whatif.conftest import SITE, capacities, jobs
from yarnbox.sim.load.jobs import Job, Task
from yarnbox.sim.whatif.compare import compare
from yarnbox.sim.whatif.comparison import Comparison
from yarnbox.sim.whatif.engines.pool import LocalPool
from yarnbox.sim.whatif.growth import scaled
from yarnbox.sim.whatif.metrics import METRICS
from yarnbox.sim.whatif.reports.summary import markdown
from yarnbox.sim.whatif.reports.table import headline, lines
from yarnbox.sim.whatif.statistics import Verdict
from yarnbox.sim.whatif.study import Case
from yarnbox.sim.whatif.variants import Change, InvalidChangeError


def test_who_has_less_waits_longer_and_the_largest_regression_comes_first(comparison: Comparison) -> None:
    row = comparison.row(1, "queue:root.etl", METRICS["response.mean"])
    assert row.verdict is Verdict.WORSE
    assert comparison.row(1, "user:mei", METRICS["response.mean"]).data()["difference"] > 0
    sizes = [abs(one.relative or 0) for one in comparison.all_rows if one.verdict is Verdict.WORSE]
    known = [one for one in sizes if one]
    assert known == sorted(known, reverse=True)
    assert comparison.all_rows[0].verdict is Verdict.WORSE


def test_the_same_configuration_is_the_same_to_the_last_figure(comparison: Comparison) -> None:
    """Common random numbers: whoever plays the same has the same chance."""
    assert {row.verdict for row in comparison.all_rows if row.change == "same"} == {Verdict.SAME}
    assert headline(comparison, 2, ("*",)) == "Nothing changes: every figure is the same under every seed."


def test_seeds_differ_and_a_node_more_helps(comparison: Comparison) -> None:
    values = comparison.values(0, "all", "response.mean")
    assert len(dict.fromkeys(values)) == len(values)
    assert comparison.row(3, "all", METRICS["response.mean"]).verdict is Verdict.BETTER


def test_rows_are_plain_values(comparison: Comparison) -> None:
    rows = comparison.rows(["wait", "unfinished"])
    assert {type(value) for row in rows for value in row.values()} <= {str, int, float, type(None)}
    assert {row["metric"] for row in rows} == {"wait.mean", "wait.p50", "wait.p95", "wait.p99", "unfinished"}
    assert {row["scope"] for row in rows} == {"all", "queue", "user", "class", "type"}


def test_people_that_are_the_same_are_one_line(comparison: Comparison) -> None:
    text = list(lines(comparison, ["response.mean"]))
    assert text[0] == "less for etl"
    assert sum("queue:root.etl = user:mei" in line for line in text) >= 1
    assert "Nothing changes" in "\n".join(text)
    assert text[-1] == "24 plays: 6 seeds each, intervals of 95 %"


def test_a_summary_for_a_pull_request(comparison: Comparison) -> None:
    text = markdown(comparison, ["response.mean"], [])
    assert text.startswith("## What if\n\n### less for etl\n")
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert {line.count("|") for line in rows} == {9}


def test_the_number_of_workers_changes_nothing(comparison: Comparison) -> None:
    study = comparison.study
    cases = study.cases[:4]
    told: list[Case] = []
    found = LocalPool(2).run(study, cases, lambda played: told.append(played.case))
    assert list(found) == list(cases)
    assert [one.data() for one in found.values()] == [comparison.plays[case].data() for case in cases]
    assert sorted(told) == sorted(cases)


def test_jobs_that_never_finish_are_told(conf: Path, tmp_path: Path) -> None:
    (tmp_path / "capacity-scheduler.xml").write_text(
        capacities(60).replace("etl,adhoc", "etl,other").replace("root.adhoc", "root.other")
    )
    found = compare(conf, [tmp_path], jobs()[:4], seeds=[1, 2], site=SITE, workers=1)
    text = "\n".join(lines(found, ["wait"]))
    assert "Note: 2 jobs do not finish, 0 under the base; their waits are in no figure." in text
    assert "the first of them:\n    question0: " in text
    row = found.row(1, "all", METRICS["unfinished"])
    assert row.verdict is Verdict.WORSE


def test_a_load_that_is_refused_everywhere_is_no_result(conf: Path) -> None:
    strangers = [replace(job, queue="nobodys") for job in jobs()[:2]]
    text = list(lines(compare(conf, [conf], strangers, seeds=[1, 2], site=SITE, workers=1), ["wait"]))
    assert text[1:3] == [
        "  No job finishes, neither under the base nor under the change: there is nothing to compare.",
        "  Note: 2 jobs do not finish, as many under the base; their waits are in no figure.",
    ]


def test_a_load_grows_by_copies_and_shrinks_by_chance_of_each_job() -> None:
    many = [Job(job_id=f"j{number}", submit_ms=number, tasks=(Task(duration_ms=1),)) for number in range(400)]
    more, less = scaled(many, 1.3, 1), scaled(many, 0.5, 1)
    assert 480 < len(more) < 560
    assert 160 < len(less) < 240
    assert len(dict.fromkeys(job.job_id for job in more)) == len(more)
    assert [job.submit_ms for job in more] == sorted(job.submit_ms for job in more)
    assert scaled(many[200:], 0.5, 1) == [job for job in less if job in many[200:]]
    assert scaled(many, 1.3, 2) != more


@pytest.mark.parametrize(
    "changes, why",
    [
        ([], "there is no change to compare the base with"),
        ([Change(nodes=("+0",))], r"nodes \+0: is not of the form"),
        ([Change(nodes=("-2",))], r"nodes -2: there are 2 nodes, and one node has to stay"),
        ([Change(nodes=("-1:gpu",))], r"nodes -1:gpu: there are 0 nodes with the label gpu"),
        (
            [Change(nodes=("+1:gpu",))],
            r"nodes \+1:gpu: nodes carry labels \(gpu\), and yarn.node-labels.enabled",
        ),
        ([Change(load_factor=0)], "load factor 0: is a number above 0"),
        ([Change(conf="no/such")], "no/such: there is no such file or directory"),
        ([Change(name="a"), Change(name="a")], "a: two changes are called so"),
        (
            [Change(scheduler="no.Such")],
            "scheduler no.Such: yarn.resourcemanager.scheduler.class: there is no",
        ),
    ],
)
def test_a_change_that_cannot_be_played_is_one_line(conf: Path, changes: list[Change], why: str) -> None:
    with pytest.raises(InvalidChangeError, match=why) as caught:
        compare(conf, changes, jobs(), seeds=1, site=SITE, workers=1)
    assert "\n" not in str(caught.value)
