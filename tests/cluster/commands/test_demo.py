"""`yarnbox demo`: every demo plays, shows what its guide speaks of, and is told, written and served."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path
from typing import Any

import pytest

from yarnbox.cluster.commands import demo
from yarnbox.cluster.main import main
from yarnbox.cluster.viewer import command
from yarnbox.cluster.viewer.answers import RecordedCluster
from yarnbox.cluster.viewer.containers import EPOCH_MS
from yarnbox.cluster.viewer.details import applications, plans, preemptions
from yarnbox.cluster.viewer.library import RecordingLibrary
from yarnbox.sim.recording.document import read, read_file, write
from yarnbox.sim.scenario.playing.player import play, play_recorded
from yarnbox.sim.scenario.reading.document import parse_scenario

FOUND = demo.demos()
TOPICS = {
    "delay",
    "fair-and-fifo",
    "drf",
    "preemption",
    "labels",
    "reservations",
    "node-loss",
    "am-restart",
    "user-limits",
    "starvation",
}
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def clusters() -> dict[str, list[RecordedCluster]]:
    """Each demo, played: its expectations hold, or `recorded` raises."""
    return {
        name: [RecordedCluster(read(text, name)) for text in demo.recorded(path)]
        for name, path in FOUND.items()
    }


def test_every_topic_has_its_demo_and_every_demo_a_guide(clusters: dict[str, list[RecordedCluster]]) -> None:
    assert set(clusters) == TOPICS
    for name, (first, *others) in clusters.items():
        guide = first.recording.data["guide"]
        assert len(guide["watch"]) > 200, name
        assert len(guide["change"]) > 80, name
        assert guide["shows"], name
        assert len(others) == (name == "fair-and-fifo")


def applications_of(cluster: RecordedCluster, at: int | None = None) -> dict[str, Any]:
    found: Rows = applications(cluster.recording, cluster.place(at), EPOCH_MS)["app"]
    return {one["name"]: one for one in found}


def test_delay_counts_what_is_skipped(clusters: dict[str, list[RecordedCluster]]) -> None:
    (cluster,) = clusters["delay"]
    apps = applications_of(cluster)
    assert max(filter(None, apps["query"]["skippedOverTime"])) == 3
    assert [one for one in apps["stranger"]["skippedOverTime"] if one] == [1, 2, 3, 1, 2, 3, 3]
    assert {name: (one["local"], one["rack"], one["off"]) for name, one in apps.items()} == {
        "batch": (2, 0, 0),
        "query": (0, 1, 0),
        "lucky": (1, 0, 0),
        "filler": (1, 0, 0),
        "stranger": (0, 0, 1),
    }
    early = applications_of(cluster, 12_000)
    assert (early["query"]["skipped"], early["stranger"]["isThere"]) == (2, False)
    assert any("opportunities missed" in one for one in early["query"]["waits"])


def test_drf_raises_the_smaller_dominant_share(clusters: dict[str, list[RecordedCluster]]) -> None:
    (cluster,) = clusters["drf"]
    apps = applications_of(cluster)
    assert {name: (one["share"], one["dominant"]) for name, one in apps.items()} == {
        "of-ann": (66.67, "memory"),
        "of-bob": (66.67, "vcores"),
    }
    climbs = zip(apps["of-ann"]["shareOverTime"], apps["of-bob"]["shareOverTime"], strict=True)
    assert all(abs((ann or 0) - (bob or 0)) < 34 for ann, bob in climbs)


def test_preemption_says_who_lost_what_when_and_to_whom(clusters: dict[str, list[RecordedCluster]]) -> None:
    (cluster,) = clusters["preemption"]

    def rows(at: int | None) -> Rows:
        found = preemptions(cluster.recording, cluster.place(at), EPOCH_MS)["preemption"]
        return [dict(one) for one in found]

    found = rows(None)
    assert len(found) == 6
    for one in found:
        assert (one["name"], one["for"], one["heir"]) == ("scan", "queue root.etl", "nightly")
        assert 5_000 <= one["killed"] - one["marked"] <= 7_000
        assert one["got"] >= one["killed"]
    first = rows(14_000)
    assert [(one["killed"], one["heir"]) for one in first] == [(0, "")] * 3


def test_marked_containers_that_end_by_themselves_are_told() -> None:
    text = FOUND["preemption"].read_text()
    head, _, _ = text.partition("  - expect: {apps: {scan: {containers: 12, to-preempt: 3}}}")
    changed = head + "  - complete: [scan/10, scan/11, scan/12]\n  - advance: 1s\n"
    outcome, data = play_recorded(parse_scenario(changed), changed)
    assert outcome.is_ok
    assert data is not None
    recording = read(write(data), "x")
    found = preemptions(recording, len(recording.moments) - 1, EPOCH_MS)
    assert len(found["preemption"]) == 3
    for one in found["preemption"]:
        assert one["unmarked"] > one["marked"]
        assert (one["killed"], one["heir"]) == (0, "")


def test_a_reserved_node_is_shown_while_it_is_kept(clusters: dict[str, list[RecordedCluster]]) -> None:
    (cluster,) = clusters["starvation"]
    kept = [applications_of(cluster, at)["big"]["reserved"] for at in (11_000, 13_000, 16_000)]
    assert kept == [0, 1, 0]


def test_the_plan_is_drawn_over_time(clusters: dict[str, list[RecordedCluster]]) -> None:
    (cluster,) = clusters["reservations"]
    (plan,) = plans(cluster.recording, cluster.place(None), EPOCH_MS)["plan"]
    assert plan["capacity"] == 16_384
    memory = {one["name"]: max(one["memory"]) for one in plan["booking"]}
    assert memory == {"report": 8_192, "billing": 12_288}
    sums = [sum(each) for each in zip(*(one["memory"] for one in plan["booking"]), strict=True)]
    assert max(sums) <= plan["capacity"]
    (before,) = plans(cluster.recording, cluster.place(3_000), EPOCH_MS)["plan"]
    assert before["booking"] == []


def test_short_jobs_wait_less_under_the_fair_scheduler(clusters: dict[str, list[RecordedCluster]]) -> None:
    fair, fifo = clusters["fair-and-fifo"]
    assert (fair.recording.scheduler, fifo.recording.scheduler) == ("FairScheduler", "FifoScheduler")
    waits = [
        max(one["longestWait"] or 0 for one in each.recording.data["figures"]["queues"].values())
        for each in (fair, fifo)
    ]
    assert 4 * waits[0] < waits[1]


CHANGES: dict[str, tuple[tuple[str, str], list[str]]] = {
    "delay": (
        ("threshold.node: 0.5", "threshold.node: -1"),
        ["apps.query.containers: expected 0, got 1", "apps.stranger.containers: expected 0, got 1"],
    ),
    "fair-and-fifo": (
        ("user: mei, task-time: 10s", "user: mei, task-time: 60s"),
        ["apps.how-many.state: expected FINISHED, got RUNNING"],
    ),
    "preemption": (
        ("natural_termination_factor: 1.0", "natural_termination_factor: 0.2"),
        ["apps.scan.to-preempt: expected 3, got 1", "apps.nightly.containers: expected 6, got 3"],
    ),
    "labels": (
        ("gpu: {exclusive: true}", "gpu: {exclusive: false}"),
        ["apps.nightly.per-node.g1: expected 0, got 4", "apps.train.containers: expected 3, got 0"],
    ),
    "reservations": (("deadline: 70s", "deadline: 45s"), ["reserve: expected to be carried out, got org"]),
    "node-loss": (
        ("memory-mb: 4096", "memory-mb: 2048"),
        ["apps.crunch.containers: expected 6, got 4"],
    ),
    "am-restart": (
        ("max-attempts: 2", "max-attempts: 3"),
        ["apps.batch.state: expected FAILED, got RUNNING"],
    ),
    "user-limits": (
        ("limit-percent: 34", "limit-percent: 100"),
        ["apps.of-tom.containers: expected 5, got 0"],
    ),
    "starvation": (
        ("count: 1, memory-mb: 4096", "count: 1, memory-mb: 2048"),
        ["apps.big.reserved: expected 4096, got 0"],
    ),
}
"""What a guide proposes to change, and what then is another than the demo expects."""


@pytest.mark.parametrize("name", CHANGES)
def test_a_proposed_change_does_what_the_guide_says(name: str) -> None:
    (old, new), failures = CHANGES[name]
    text = FOUND[name].read_text()
    assert old in text
    outcome = play(parse_scenario(text.replace(old, new)))
    said = [str(one) for one in outcome.failures]
    for failure in failures:
        assert any(failure in one for one in said), said


def test_without_drf_memory_alone_counts() -> None:
    text = FOUND["drf"].read_text()
    changed = text.replace("Policy>drf<", "Policy>fair<")
    assert changed != text
    _, data = play_recorded(parse_scenario(changed), changed)
    assert data is not None
    apps = applications_of(RecordedCluster(read(write(data), "x")))
    both = list(zip(apps["of-ann"]["shareOverTime"], apps["of-bob"]["shareOverTime"], strict=True))
    assert (22.22, 66.67) in both


def test_they_are_listed_with_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[: len(FOUND)]] == sorted(TOPICS)
    assert all(40 < len(line) <= 120 for line in lines[: len(FOUND)])


@pytest.mark.parametrize(
    "words, status, said",
    [
        (["demo", "dealy"], 2, "there is no demo dealy (did you mean delay?)"),
        (["demo", "--out", "x.json"], 2, "--out needs the name of a demo"),
        (
            ["demo", "drf", "--out", "nowhere/x.json"],
            1,
            "--out nowhere/x.json: cannot be written: No such file",
        ),
    ],
)
def test_what_cannot_be_done_is_told(
    words: list[str], status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == status
    told = capsys.readouterr()
    assert said in told.err
    assert told.out == ""


def test_recordings_are_written_for_view(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "x.json"
    assert main(["demo", "fair-and-fifo", "--out", str(out)]) == 0
    beside = tmp_path / "x-fifo.json"
    assert f"yarnbox view {out} {beside}" in capsys.readouterr().out
    assert [read_file(one).scheduler for one in (out, beside)] == ["FairScheduler", "FifoScheduler"]


def test_one_is_served_and_the_browser_opened_on_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    served: list[tuple[RecordingLibrary, int, object]] = []

    async def serve(library: RecordingLibrary, port: int, opened: object) -> int:
        served.append((library, port, opened))
        return 0

    monkeypatch.setattr(command, "serve", serve)
    monkeypatch.setenv("DISPLAY", ":1")
    assert main(["demo", "drf", "--port", "7"]) == 0
    assert main(["demo", "drf", "--no-browser"]) == 0
    assert "Watch: The cluster has 9 vcores and 18 GiB." in capsys.readouterr().out
    (library, port, opened), (_, _, silent) = served
    assert (library.demo, "drf.yaml" in library.files(), port) == ("drf.yaml", True, 7)
    assert library.text("drf.yaml") == FOUND["drf"].read_text()
    assert opened is webbrowser.open
    assert silent is demo.nobody


@pytest.mark.parametrize(
    "environment, opens", [({}, False), ({"DISPLAY": ":0"}, True), ({"BROWSER": "firefox"}, True)]
)
def test_no_browser_is_opened_in_a_terminal(
    environment: dict[str, str], opens: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    assert demo.has_browser(environment) is opens
