"""When jobs are submitted: at the load's times, or as users go on after what has ended."""

from __future__ import annotations

from yarnbox.sim import Job, Load, Nodes, NodeSpec, Site, Task, play
from yarnbox.sim.workload.arrivals import LONGEST_THINK_MS, AsTraced, Closed
from yarnbox.yarn.resources.resource import Resource


def job(name: str, submit_ms: int, end_ms: int = 0, user: str = "mei") -> Job:
    return Job(job_id=name, submit_ms=submit_ms, end_ms=end_ms, user=user, tasks=(Task(duration_ms=20_000),))


def names(arrivals: object) -> list[tuple[str, int]]:
    return [(one.job.job_id, one.at_ms) for one in arrivals]  # type: ignore[attr-defined]


def test_open_submission_looks_one_job_ahead() -> None:
    first, second = job("a", 5), job("b", 9)
    arrivals = AsTraced(iter([first, second]))
    assert names(arrivals.begin()) == [("a", 5)]
    assert names(arrivals.submitted()) == [("b", 9)]
    assert names(arrivals.submitted()) == names(arrivals.ended(first, 50)) == []


def test_a_batch_follows_a_think_time_after_the_end_of_the_one_before() -> None:
    jobs = [job("a", 0, 60_000), job("b", 30_000, 50_000), job("c", 70_000, 80_000), job("d", 71_000, 90_000)]
    arrivals = Closed(jobs, lambda _: 0)
    assert names(arrivals.begin()) == [("a", 0), ("b", 30_000)]
    assert names(arrivals.ended(jobs[1], 55_000)) == []
    assert names(arrivals.ended(jobs[0], 200_000)) == [("c", 210_000), ("d", 211_000)]


def test_a_session_begins_at_its_time_or_when_the_one_before_is_over() -> None:
    late_ms = 60_000 + LONGEST_THINK_MS + 1
    jobs = [job("a", 0, 60_000), job("b", late_ms, late_ms + 1)]
    early = Closed(jobs, lambda _: 0)
    assert names(early.begin()) == [("a", 0)]
    assert names(early.ended(jobs[0], 10_000)) == [("b", late_ms)]
    late = Closed(jobs, lambda _: 0)
    late.begin()
    assert names(late.ended(jobs[0], late_ms + 5)) == [("b", late_ms + 5)]


def test_users_are_independent_and_ends_that_are_not_told_are_taken_from_the_empty_cluster() -> None:
    jobs = [job("a", 0), job("x", 1000, user="tom"), job("b", 25_000)]
    arrivals = Closed(jobs, lambda _: 22_000)
    assert names(arrivals.begin()) == [("a", 0), ("x", 1000)]
    assert names(arrivals.ended(jobs[1], 4000)) == []
    assert names(arrivals.ended(jobs[0], 40_000)) == [("b", 43_000)]


def test_a_slower_cluster_is_given_fewer_jobs_at_once() -> None:
    """Five jobs, each submitted a second after the one before had ended."""
    jobs = [job(str(number), number * 31_000, number * 31_000 + 30_000) for number in range(5)]
    slow = Nodes(nodes=(NodeSpec(host="h", rack="/r", resource=Resource(8192, 8), speed=0.1),))
    load = Load.of(jobs, slow)
    opened = play(None, load, site=Site(nodes=slow))
    closed = play(None, load, site=Site(nodes=slow, feedback=True))
    assert [row.state for row in closed.jobs] == ["FINISHED"] * 5
    begun = [row.submitted_ms for row in closed.jobs]
    ended = [row.ended_ms or 0 for row in closed.jobs]
    assert [now - before for now, before in zip(begun[1:], ended[:-1], strict=True)] == [1000] * 4
    assert [row.submitted_ms for row in opened.jobs] == [one.submit_ms for one in jobs]
