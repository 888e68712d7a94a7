"""Delay scheduling, EuroSys 2010: what a scheduler without patience loses, and what patience gets back.

Only what the paper's readers report and what can be derived is held against the scheduler, with the
tolerances of a finite experiment. Seeded: the figures are the same on every run.
"""

from __future__ import annotations

import pytest

from tests.rm.scheduler.fair.paper import REPLICAS, Cluster

pytestmark = pytest.mark.long

NODES = 100
NO_PATIENCE = -1.0


def first_maps(threshold: float, maps: int, jobs: int) -> float:
    """How many of many small jobs, one after the other on a busy cluster, start with a local map."""
    cluster = Cluster(NODES, threshold)
    cluster.occupy()
    local = 0
    for number in range(jobs):
        job = cluster.submit(f"small-{number}", maps)
        while not job.started:
            cluster.free_one()
        local += job.local
        cluster.run(job)
        cluster.forget_idle()
    return local / jobs


def locality_of_ten_jobs(threshold: float, maps: int) -> float:
    """Ten jobs with the same number of maps share all slots until the first has nothing left to start."""
    cluster = Cluster(NODES, threshold)
    jobs = [cluster.submit(f"job-{number}", maps) for number in range(10)]
    cluster.fill()
    while all(job.left for job in jobs):
        cluster.free_one()
    return sum(job.local for job in jobs) / sum(job.started for job in jobs)


def test_the_job_at_the_head_of_the_line_takes_whatever_slot_is_free() -> None:
    by_chance = 1 - (1 - REPLICAS / NODES) ** 3
    assert first_maps(NO_PATIENCE, 3, 300) == pytest.approx(by_chance, abs=0.03)


@pytest.mark.parametrize("maps, threshold, jobs", [(3, 0.679, 100), (20, 0.231, 60)])
def test_the_derived_threshold_gets_the_locality_it_was_derived_for(
    maps: int, threshold: float, jobs: int
) -> None:
    assert first_maps(threshold, maps, jobs) >= 0.95 - 0.03


def test_without_patience_jobs_stick_to_their_slots() -> None:
    # Ten jobs of ten slots each reach 1 - C(90, 3) / C(100, 3) of the blocks on the nodes that they stay on.
    reached = 1 - (90 * 89 * 88) / (100 * 99 * 98)
    assert locality_of_ten_jobs(NO_PATIENCE, 200) == pytest.approx(reached, abs=0.05)
