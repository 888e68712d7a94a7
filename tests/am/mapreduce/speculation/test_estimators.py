"""Estimates from readings and durations, by tables of numbers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.am.mapreduce.rig import JOB
from yarnbox.am.mapreduce.ids import TaskAttemptId, TaskId, TaskType
from yarnbox.am.mapreduce.speculation.estimators import (
    UNKNOWN_MS,
    DataStatistics,
    ExponentiallySmoothedTaskRuntimeEstimator,
    LegacyTaskRuntimeEstimator,
    SimpleExponentialSmoothing,
    SimpleExponentialTaskRuntimeEstimator,
    TaskRuntimeEstimator,
)
from yarnbox.am.mapreduce.speculation.settings import SpeculationSettings


def attempt(task: int, number: int = 0) -> TaskAttemptId:
    return TaskAttemptId(TaskId(JOB, TaskType.MAP, task), number)


def made(
    kind: type[TaskRuntimeEstimator], completed: int = 1, total: int = 10, **properties: object
) -> TaskRuntimeEstimator:
    settings = SpeculationSettings(**properties)  # type: ignore[arg-type]
    estimator = kind(settings, lambda _type: (completed, total))
    estimator.enroll(attempt(0), 1000)
    return estimator


class TestStatistics:
    def test_of_two_durations(self) -> None:
        statistics = DataStatistics()
        statistics.add(17)
        statistics.add(29)
        assert (statistics.mean, statistics.std, statistics.outlier(1.0)) == (23, 6, 29)

    def test_of_none_and_of_one(self) -> None:
        statistics = DataStatistics()
        assert (statistics.mean, statistics.std, statistics.outlier(1.0), statistics.mean_upper) == (0,) * 4
        statistics.add(5)
        assert (statistics.mean, statistics.std, statistics.mean_upper) == (5, 0, 0)

    @given(st.lists(st.floats(0, 1e6), min_size=2, max_size=20))
    def test_the_spread_is_a_number(self, durations: list[float]) -> None:
        statistics = DataStatistics()
        for duration in durations:
            statistics.add(duration)
        assert statistics.mean_upper >= statistics.mean
        assert statistics.outlier(1.0) >= statistics.mean


class TestDurations:
    def test_count_once_for_a_task(self) -> None:
        estimator = made(LegacyTaskRuntimeEstimator)
        estimator.enroll(attempt(0, 1), 1000)
        estimator.succeed(attempt(0), 61_000)
        estimator.succeed(attempt(0, 1), 91_000)
        assert estimator.new_attempt_ms(TaskType.MAP) == 60_000

    @pytest.mark.parametrize("start", [0, 1, 70_000])
    def test_without_a_sensible_start_do_not_count(self, start: int) -> None:
        estimator = made(LegacyTaskRuntimeEstimator)
        estimator.enroll(attempt(1), start)
        estimator.succeed(attempt(1), 61_000)
        assert estimator.new_attempt_ms(TaskType.MAP) == 0

    @pytest.mark.parametrize(("completed", "total"), [(0, 20), (1, 21)])
    def test_of_too_few_tasks_set_no_threshold(self, completed: int, total: int) -> None:
        assert made(LegacyTaskRuntimeEstimator, completed, total).threshold_ms(TaskType.MAP) == math.inf

    def test_of_a_twentieth_of_the_tasks_set_one(self) -> None:
        assert made(LegacyTaskRuntimeEstimator, 1, 20).threshold_ms(TaskType.MAP) < math.inf


class TestLegacy:
    def test_goes_by_the_mean_rate(self) -> None:
        estimator = made(LegacyTaskRuntimeEstimator)
        estimator.update(attempt(0), 0.5, 101_000)
        assert estimator.runtime_ms(attempt(0)) == 200_000

    def test_takes_no_progress_for_a_ten_thousandth(self) -> None:
        estimator = made(LegacyTaskRuntimeEstimator)
        estimator.update(attempt(0), 0.0, 1010)
        assert estimator.runtime_ms(attempt(0)) == 100_000

    def test_knows_nothing_of_an_attempt_that_has_not_started(self) -> None:
        estimator = made(LegacyTaskRuntimeEstimator)
        estimator.update(attempt(1), 0.5, 101_000)
        estimator.update(attempt(0), 0.5, 1000)
        assert estimator.runtime_ms(attempt(0)) == estimator.runtime_ms(attempt(1)) == UNKNOWN_MS


class TestExponentiallySmoothed:
    @pytest.mark.parametrize("smooths_rate", [True, False])
    def test_of_a_constant_rate_finds_it(self, smooths_rate: bool) -> None:
        estimator = made(ExponentiallySmoothedTaskRuntimeEstimator, smooths_rate=smooths_rate)
        for second in range(1, 6):
            estimator.update(attempt(0), second / 100, 1000 + 1000 * second)
        assert estimator.runtime_ms(attempt(0)) == pytest.approx(100_000, abs=2)

    def test_after_one_report_knows_nothing(self) -> None:
        estimator = made(ExponentiallySmoothedTaskRuntimeEstimator)
        estimator.update(attempt(0), 0.1, 2000)
        assert estimator.runtime_ms(attempt(0)) == UNKNOWN_MS

    def test_forgets_a_good_beginning(self) -> None:
        estimator = made(ExponentiallySmoothedTaskRuntimeEstimator, smoothing_lambda_ms=1000)
        for second, progress in enumerate([0.2, 0.4, 0.41, 0.42, 0.43, 0.44, 0.45, 0.46], 1):
            estimator.update(attempt(0), progress, 1000 + 1000 * second)
        assert estimator.runtime_ms(attempt(0)) > 8000 + 0.8 * 54_000


class TestSimpleExponential:
    def test_of_a_constant_rate_makes_no_error(self) -> None:
        smoothing = SimpleExponentialSmoothing(10_000, 12, 0, 1000)
        for second in range(1, 101):
            smoothing.add(0.005 * second, 1000 + 1000 * second)
        assert smoothing.last is not None
        assert smoothing.last.square_error < 1e-6
        assert smoothing.rate == pytest.approx(0.005 / 1000)

    def test_has_no_forecast_before_enough_readings(self) -> None:
        estimator = made(SimpleExponentialTaskRuntimeEstimator, forecast_skip_initials=2)
        for second in (1, 2):
            estimator.update(attempt(0), second / 10, 1000 + 1000 * second)
        assert estimator.runtime_ms(attempt(0)) > 10**9
        estimator.update(attempt(0), 0.3, 4000)
        assert estimator.runtime_ms(attempt(0)) == pytest.approx(10_000, abs=2)

    def test_of_two_reports_at_one_moment_keeps_the_later(self) -> None:
        once, twice = (SimpleExponentialSmoothing(10_000, 0, 0, 1000) for _ in range(2))
        once.add(0.1, 2000)
        once.add(0.3, 3000)
        for progress, now_ms in ((0.1, 2000), (0.2, 3000), (0.3, 3000), (0.3, 3000)):
            twice.add(progress, now_ms)
        assert once.rate == pytest.approx(twice.rate)

    def test_a_new_attempt_is_estimated_with_caution(self) -> None:
        estimator = made(SimpleExponentialTaskRuntimeEstimator)
        estimator.succeed(attempt(0), 18_000)
        assert estimator.new_attempt_ms(TaskType.MAP) == 0
        estimator.enroll(attempt(1), 1000)
        estimator.succeed(attempt(1), 30_000)
        upper = 23_000 + 1.96 * 6000 / math.sqrt(2)
        assert estimator.new_attempt_ms(TaskType.MAP) == int(upper + 3000)

    def test_is_stagnated_within_its_window(self) -> None:
        estimator = made(
            SimpleExponentialTaskRuntimeEstimator, forecast_skip_initials=0, forecast_stagnated_ms=240_000
        )
        assert not estimator.is_stagnated(attempt(0), 2000)
        estimator.update(attempt(0), 0.1, 2000)
        assert estimator.is_stagnated(attempt(0), 241_999)
        assert not estimator.is_stagnated(attempt(0), 242_000)
