"""The shapes of the small versions: exact, monotone, or within a tolerance of the theory.

Only what the literature's public pages say and what is derived judges; what is recalled does not.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import pytest

from yarnbox.sim.paper.experiment import Experiment, Findings, Scale
from yarnbox.sim.paper.experiments.breaks import HOT, LONG, local_in_theory
from yarnbox.sim.paper.experiments.day import BINS, FAIR, FIFO, GAP_S, JOBS, drawn, shape
from yarnbox.sim.paper.experiments.head import HADOOP, NODES, PUBLISHED
from yarnbox.sim.paper.experiments.holding import Use
from yarnbox.sim.paper.experiments.load import BINS as LOAD_SIZES
from yarnbox.sim.paper.experiments.load import KEPT, WAYS
from yarnbox.sim.paper.experiments.patience import Patience
from yarnbox.sim.paper.experiments.static import JOB, OF_OWN, OF_USER, OWN, SHARED, USER
from yarnbox.sim.paper.experiments.sticky import StickySlots
from yarnbox.sim.paper.experiments.water import WaterFilling
from yarnbox.sim.paper.figures import Spread
from yarnbox.sim.paper.recorded import recorded
from yarnbox.sim.paper.register import EXPERIMENTS, play_case
from yarnbox.sim.paper.theory import mean_locality, reachable

pytestmark = pytest.mark.long


def found_by(experiment: Experiment, *kinds: str) -> Findings:
    """What its small version comes to; of these kinds of plays alone, if some are named."""
    cases = experiment.plays(Scale.SMALL, 1)
    return Findings({case: play_case(case) for case in cases if not kinds or case.what[0] in kinds})


def test_water_is_poured_exactly() -> None:
    experiment = WaterFilling()
    outcome = experiment.outcome(found_by(experiment), Scale.SMALL)
    for table in outcome.tables[:2]:
        for row in table.rows:
            assert row.theory is not None
            assert row.here == (row.theory.value,), row.of
    assert outcome.tables[0].rows[0].literature is not None
    (tenth,) = outcome.tables[2].rows
    assert isinstance(tenth.here[0], float)
    assert tenth.here[0] == pytest.approx(6.0, abs=3.0)


@cache
def sticky() -> Findings:
    return found_by(StickySlots(), "without delay", "published")


def test_jobs_stick_to_their_slots_without_delay() -> None:
    assert sticky().mean("node", "without delay", 10) == pytest.approx(reachable(NODES, 3, 10), abs=0.08)


def test_the_published_delay_unsticks_them() -> None:
    assert sticky().mean("node", "published", 10) > 0.9


@cache
def patient() -> Findings:
    experiment = Patience()
    small = [case for case in experiment.plays(Scale.SMALL, 1) if case.what[1] == 3]
    return Findings({case: play_case(case) for case in small})


def test_patience_is_never_less_local_and_follows_the_formula() -> None:
    offers = (1, 10, 70)
    found = [patient().mean("node", PUBLISHED, 3, count) for count in offers]
    for less, more in pairwise(found):
        assert more >= less - 0.02
    for count, local in zip(offers, found, strict=True):
        assert local == pytest.approx(mean_locality(NODES, 3, 3, count), abs=0.1)


def test_the_head_of_the_line_waits_as_hadoop_counts() -> None:
    """More patience by the same threshold where free places alone are counted."""
    experiment = EXPERIMENTS["head"]
    cases = [case for case in experiment.plays(Scale.SMALL, 1) if case.what[1:] == (3, 0.5)]
    found = Findings({case: play_case(case) for case in cases})
    assert found.mean("node", PUBLISHED, 3, 0.5) > found.mean("node", HADOOP, 3, 0.5) + 0.2


def test_long_tasks_put_data_out_of_reach_and_several_slots_a_node_bring_it_back() -> None:
    experiment = EXPERIMENTS["breaks"]
    cases = [case for case in experiment.plays(Scale.SMALL, 1) if case.what[0] == LONG and case.what[2]]
    found = Findings({case: play_case(case) for case in cases})
    (kept,) = {float(case.what[2]) for case in cases}
    one, four = (found.mean("node", LONG, each, kept) for each in (1, 4))
    assert one == pytest.approx(local_in_theory(LONG, 1, kept), abs=0.15)
    assert four > one + 0.05
    assert found.mean("wait", LONG, 1, kept) > 2 * found.mean("wait", LONG, 4, kept)


def test_no_patience_gets_more_from_a_hot_block_than_its_nodes_can_serve() -> None:
    experiment = EXPERIMENTS["breaks"]
    cases = [case for case in experiment.plays(Scale.SMALL, 1) if case.what[0] == HOT and case.what[2]]
    found = Findings({case: play_case(case) for case in cases})
    (wanted,) = {float(case.what[2]) for case in cases}
    three, twelve = (found.mean("node", HOT, copies, wanted) for copies in (3, 12))
    assert three == pytest.approx(local_in_theory(HOT, 3, wanted), abs=0.12)
    assert twelve > 0.9
    assert found.mean("wait", HOT, 3, wanted) > found.mean("wait", HOT, 12, wanted)


def test_a_minimum_share_comes_back_at_its_timeout_and_the_fair_share_at_its_own() -> None:
    experiment = EXPERIMENTS["isolation"]
    (demand,) = dict.fromkeys(str(case.what[0]) for case in experiment.plays(Scale.SMALL, 1))
    found = found_by(experiment)
    assert found.mean("minimum", demand, "published") == pytest.approx(20.0, abs=2.0)
    assert found.mean("fair", demand, "published") == pytest.approx(50.0, abs=2.0)
    assert found.mean("early", demand, "published") == 30, "no more than the minimum share before Tfair"
    assert found.mean("early", demand, "Hadoop 3.4") > 30
    assert found.mean("held", demand, "published") == 10, "the fair share of each job that lost containers"
    assert found.mean("killed", demand, "no preemption") == 0


def test_a_guarantee_comes_back_sooner_by_a_larger_factor() -> None:
    found = found_by(EXPERIMENTS["guarantee"])
    for part in ("0.5", "0.8", "0.9"):
        larger, smaller = (found.mean(part, "natural_termination_factor", factor) for factor in (1.0, 0.2))
        assert larger < smaller


@cache
def day() -> Findings:
    return found_by(EXPERIMENTS["day"], FIFO, FAIR)


def test_small_jobs_of_a_day_wait_for_large_ones_where_the_first_comes_first() -> None:
    for size in (1, 2):
        assert day().mean(f"mean.{size}", FAIR, "") < day().mean(f"mean.{size}", FIFO, "") / 2
    assert day().mean("makespan", FAIR, "") == pytest.approx(day().mean("makespan", FIFO, ""), rel=0.02)


def test_a_day_is_drawn_with_the_shape_of_the_trace() -> None:
    found = shape(drawn(1, JOBS))
    assert found["gap"] == pytest.approx(GAP_S, rel=0.05)
    assert found["reducing"] == pytest.approx(0.245, abs=0.02)
    for one in BINS:
        assert found[f"jobs.{one.low}"] == pytest.approx(one.jobs, abs=0.01)
        assert found[f"maps.{one.low}"] == pytest.approx(one.maps, abs=0.06)


def test_the_record_of_five_seeds_is_of_the_load_that_is_played() -> None:
    """Its tables stand beside those of the first seed: the same rows and ways, with least and most."""
    response, *_, claims = recorded("load", *KEPT)
    assert [row.of for row in response.rows] == [f"{size} ({count})" for size, count in LOAD_SIZES]
    assert response.here == tuple(WAYS)
    assert all(isinstance(one, Spread) and one.low < one.high for row in response.rows for one in row.here)
    assert [row.literature.origin for row in claims.rows if row.literature] == ["S", "P", "P"]


def test_small_jobs_answer_sooner_by_fair_sharing_and_sooner_still_near_their_data() -> None:
    found = found_by(EXPERIMENTS["load"])
    fifo, naive, hadoop, published = (("IO", way) for way in WAYS)
    assert found.mean("response.1", *fifo) > 1.5 * found.mean("response.1", *naive)
    assert found.mean("response.1", *naive) > found.mean("response.1", *hadoop)
    assert found.mean("response.1", *hadoop) > found.mean("response.1", *published)
    for size in (1, 2, 10):
        assert found.mean(f"node.{size}", *published) > found.mean(f"node.{size}", *naive)
    assert found.mean("makespan", *hadoop) < 1.05 * found.mean("makespan", *naive), "delay costs little"


def test_a_long_job_pays_for_reduces_that_wait() -> None:
    found = found_by(EXPERIMENTS["reduces"])
    early, late = "slow start 0.05", "slow start 1"
    assert found.mean("long", late, "fair") < found.mean("long", early, "fair")
    assert (
        found.mean("short", early, "fair")
        < found.mean("short", late, "fair")
        < found.mean("short", late, "fifo")
    )


def test_second_attempts_bring_a_part_of_the_stragglers_time_back() -> None:
    found = found_by(EXPERIMENTS["stragglers"])
    without, nobody = found.mean("response", "no straggler"), found.mean("response", "none")
    for way in ("hadoop", "late"):
        assert without < found.mean("response", way) < nobody / 1.5
        assert found.mean("busy", way) < found.mean("busy", "none"), "slow attempts are given up"
        assert found.mean("second", way) > 0 == found.mean("second", "none")


def test_an_exclusive_partition_costs_what_a_lending_one_wins_back() -> None:
    found = found_by(EXPERIMENTS["labels"])
    exclusive, lending, free = (
        found.mean("used", "work", way) for way in ("exclusive", "lending", "no labels")
    )
    assert exclusive < 0.75 < 0.9 < lending <= free
    assert found.mean("response", "work", "exclusive") < found.mean("response", "work", "lending")
    assert found.mean("first", "shares") == pytest.approx(0.7, abs=0.02)


@cache
def private() -> Findings:
    return found_by(EXPERIMENTS["static"])


def test_a_shared_cluster_is_more_local_and_answers_sooner_than_any_private_one() -> None:
    found = private()
    assert found.mean("node", OWN) == pytest.approx(reachable(20, 3, OF_OWN), abs=0.1)
    assert found.mean("node", USER) == pytest.approx(reachable(20, 3, OF_USER), abs=0.1)
    for way in (OWN, USER, JOB):
        assert found.mean("node", SHARED) > found.mean("node", way)
        assert found.mean("response", SHARED) < found.mean("response", way)


def test_a_cluster_on_demand_is_idle_behind_its_tails_and_not_without_a_job() -> None:
    found = private()
    assert found.mean("TAIL", JOB) > found.mean("TAIL", USER) > found.mean("TAIL", OWN)
    assert found.mean("NOTHING", JOB) == found.mean("NOTHING", USER) == 0
    assert found.mean("NOTHING", OWN) > found.mean("WORK", OWN) / 4


def test_every_slot_is_accounted_for() -> None:
    found = private()
    for way, slots_s in (
        (OWN, 80 * found.mean("makespan", OWN)),
        (SHARED, 80 * found.mean("makespan", SHARED)),
    ):
        assert sum(found.mean(use.name, way) for use in Use) == pytest.approx(slots_s, rel=0.001)
