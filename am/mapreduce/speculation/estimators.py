"""How long an attempt will run, and how long a new one would.

Knows when attempts started, what they reported and how long the tasks that are done took; decides nothing.
Times are milliseconds. Hadoop: DataStatistics, StartEndTimesBase, LegacyTaskRuntimeEstimator,
ExponentiallySmoothedTaskRuntimeEstimator and SimpleExponentialTaskRuntimeEstimator.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from yarnbox.am.mapreduce.ids import TaskAttemptId, TaskId, TaskType
from yarnbox.am.mapreduce.speculation.settings import SpeculationSettings
from yarnbox.yarn.runtime.ordered import OrderedSet

UNKNOWN_MS = -1
_LEAST_PROGRESS = 0.0001
_LEAST_RATE = 1e-10
_LEAST_COMPLETED_SHARE = 0.05


class DataStatistics:
    """Number, mean and spread of some durations."""

    __slots__ = ("_square_sum", "_sum", "count")

    def __init__(self) -> None:
        self.count = 0
        self._sum = 0.0
        self._square_sum = 0.0

    def add(self, value: float) -> None:
        self.count += 1
        self._sum += value
        self._square_sum += value * value

    @property
    def mean(self) -> float:
        """0 of none."""
        return self._sum / self.count if self.count else 0.0

    @property
    def std(self) -> float:
        """The standard deviation; 0 of one or none."""
        if self.count <= 1:
            return 0.0
        return math.sqrt(max(self._square_sum / self.count - self.mean**2, 0.0))

    @property
    def mean_upper(self) -> float:
        """The upper end of the 95 % confidence interval of the mean; 0 of one or none."""
        return self.mean + 1.96 * self.std / math.sqrt(self.count) if self.count > 1 else 0.0

    def outlier(self, deviations: float) -> float:
        """What lies so many standard deviations above the mean; 0 of none."""
        return self.mean + deviations * self.std if self.count else 0.0


Completed = Callable[[TaskType], tuple[int, int]]
"""How many tasks of a type are done, of how many."""


class TaskRuntimeEstimator(ABC):
    """What all estimators know: starts of attempts, and durations of tasks that are done."""

    def __init__(self, settings: SpeculationSettings, completed: Completed) -> None:
        self._settings = settings
        self._completed = completed
        self._started_ms: dict[TaskAttemptId, int] = {}
        self._done: OrderedSet[TaskId] = OrderedSet()
        self._durations = {type_: DataStatistics() for type_ in TaskType}

    def enroll(self, attempt_id: TaskAttemptId, now_ms: int) -> None:
        """The attempt's container has been launched."""
        self._started_ms[attempt_id] = now_ms

    def started_ms(self, attempt_id: TaskAttemptId) -> int | None:
        """When the attempt was launched, if it was."""
        return self._started_ms.get(attempt_id)

    def succeed(self, attempt_id: TaskAttemptId, now_ms: int) -> None:
        """The attempt is done. Of a task that is done twice the first duration counts."""
        if attempt_id.task_id in self._done:
            return
        self._done.add(attempt_id.task_id)
        start = self._started_ms.get(attempt_id)
        if start is not None and 1 < start <= now_ms:
            self._durations[attempt_id.task_id.type].add(now_ms - start)

    def threshold_ms(self, type_: TaskType) -> float:
        """The runtime from which on a task of this type is slow; infinite while too few are done to say."""
        completed, total = self._completed(type_)
        if completed < 1 or completed / total < _LEAST_COMPLETED_SHARE:
            return math.inf
        return self._durations[type_].outlier(self._settings.slow_task_threshold)

    def new_attempt_ms(self, type_: TaskType) -> int:
        """How long one more attempt would run."""
        return int(self._durations[type_].mean)

    def is_stagnated(self, attempt_id: TaskAttemptId, now_ms: int) -> bool:
        """Whether the attempt is known to make no progress."""
        return False

    @abstractmethod
    def update(self, attempt_id: TaskAttemptId, progress: float, now_ms: int) -> None:
        """A running attempt tells how far it is, from 0 to 1."""

    @abstractmethod
    def runtime_ms(self, attempt_id: TaskAttemptId) -> int:
        """How long the attempt will have run at its end; UNKNOWN_MS while that cannot be said."""


class LegacyTaskRuntimeEstimator(TaskRuntimeEstimator):
    """As if an attempt went on at the mean rate it had up to its last report."""

    def __init__(self, settings: SpeculationSettings, completed: Completed) -> None:
        super().__init__(settings, completed)
        self._runtime_ms: dict[TaskAttemptId, int] = {}

    def update(self, attempt_id: TaskAttemptId, progress: float, now_ms: int) -> None:
        """The rule of three; where the progress is next to nothing, as if it were a ten thousandth."""
        start = self._started_ms.get(attempt_id)
        known = start is not None and now_ms > start
        elapsed = now_ms - start if start is not None else 0
        self._runtime_ms[attempt_id] = int(elapsed / max(_LEAST_PROGRESS, progress)) if known else UNKNOWN_MS

    def runtime_ms(self, attempt_id: TaskAttemptId) -> int:
        """By the last report."""
        return self._runtime_ms.get(attempt_id, UNKNOWN_MS)


@dataclass(frozen=True, slots=True)
class _Smoothed:
    """A smoothed reading (none yet: -1) with the progress and the moment of the report it ends at."""

    value: float
    progress: float
    at_ms: int


class ExponentiallySmoothedTaskRuntimeEstimator(TaskRuntimeEstimator):
    """By the rate of the latest reports: an older one weighs exp(-age / lambda).

    Hadoop leaves the minus sign out, so that old readings never fade, and needs a third report for the first
    value; both are mended here.
    """

    def __init__(self, settings: SpeculationSettings, completed: Completed) -> None:
        super().__init__(settings, completed)
        self._readings: dict[TaskAttemptId, _Smoothed] = {}

    def update(self, attempt_id: TaskAttemptId, progress: float, now_ms: int) -> None:
        """Smooths the progress per time, or the time per progress."""
        before = self._readings.get(attempt_id)
        if before is None:
            self._readings[attempt_id] = _Smoothed(-1.0, progress, now_ms)
            return
        elapsed, gained = now_ms - before.at_ms, progress - before.progress
        if elapsed <= 0 or gained < 0:
            return
        if self._settings.smooths_rate:
            reading = gained / elapsed
        elif gained > 0:
            reading = elapsed / gained
        else:
            return
        weight = math.exp(-elapsed / self._settings.smoothing_lambda_ms) if before.value >= 0 else 0.0
        value = weight * before.value + (1 - weight) * reading
        self._readings[attempt_id] = _Smoothed(value, progress, now_ms)

    def runtime_ms(self, attempt_id: TaskAttemptId) -> int:
        """What has passed at the last report, and the rest at the smoothed rate."""
        start, last = self._started_ms.get(attempt_id), self._readings.get(attempt_id)
        if start is None or last is None or last.value < 0:
            return UNKNOWN_MS
        rest = 1.0 - last.progress
        if self._settings.smooths_rate:
            remaining = rest / max(last.value, _LEAST_RATE)
        else:
            remaining = rest * last.value
        return last.at_ms - start + int(remaining)


@dataclass(frozen=True, slots=True)
class Forecast:
    """One link of the chain of readings of an attempt; index 0 is its start."""

    index: int
    at_ms: int
    progress: float
    rate: float
    square_error: float = 0.0
    before: Forecast | None = None


class SimpleExponentialSmoothing:
    """Single exponential smoothing of the rate of one attempt. Hadoop has a class of that name."""

    __slots__ = ("_skip", "_start_ms", "_time_constant_ms", "_window_ms", "last")

    def __init__(self, time_constant_ms: int, skip: int, stagnated_ms: int, start_ms: int) -> None:
        self._time_constant_ms = time_constant_ms
        self._skip = skip
        self._window_ms = max(2 * time_constant_ms, stagnated_ms)
        self._start_ms = start_ms
        self.last: Forecast | None = None

    def add(self, progress: float, now_ms: int) -> None:
        """Takes a report in."""
        last = self.last
        if last is None:
            if now_ms <= self._start_ms:
                return
            last = Forecast(0, self._start_ms, 0.0, progress / (now_ms - self._start_ms))
        if last.at_ms >= now_ms and last.progress >= progress:
            return
        if last.at_ms == now_ms and last.before is not None:
            last = last.before  # one moment's later report takes the place of the earlier
        elapsed = now_ms - last.at_ms
        if elapsed <= 0:
            return
        if last.index == self._skip:
            self._time_constant_ms = max(self._time_constant_ms, now_ms - self._start_ms)
        sample = (progress - last.progress) / elapsed
        alpha = 1.0 - math.exp(-elapsed / self._time_constant_ms)
        rate = alpha * sample + (1.0 - alpha) * last.rate
        error = last.square_error + (sample - last.rate) ** 2
        trimmed = Forecast(last.index, last.at_ms, last.progress, last.rate, last.square_error)
        self.last = Forecast(last.index + 1, now_ms, progress, rate, error, trimmed)

    @property
    def rate(self) -> float:
        """The forecast; -1 after too few readings."""
        return self.last.rate if self.last is not None and self.last.index > self._skip else -1.0

    def is_stagnated(self, now_ms: int) -> bool:
        """As in Hadoop: enough readings, the last of them within the window."""
        last = self.last
        return last is not None and last.index > self._skip and last.at_ms + self._window_ms > now_ms


class SimpleExponentialTaskRuntimeEstimator(TaskRuntimeEstimator):
    """By a forecast of each attempt's rate. Until it has enough readings an attempt seems endless, as in
    Hadoop, and so is the best candidate as soon as a task is done.
    """

    def __init__(self, settings: SpeculationSettings, completed: Completed) -> None:
        super().__init__(settings, completed)
        self._forecasts: dict[TaskAttemptId, SimpleExponentialSmoothing] = {}

    def update(self, attempt_id: TaskAttemptId, progress: float, now_ms: int) -> None:
        """One more reading."""
        start = self._started_ms.get(attempt_id)
        if start is None:
            return
        forecast = self._forecasts.get(attempt_id)
        if forecast is None:
            settings = self._settings
            forecast = self._forecasts[attempt_id] = SimpleExponentialSmoothing(
                settings.forecast_lambda_ms,
                settings.forecast_skip_initials,
                settings.forecast_stagnated_ms,
                start,
            )
        forecast.add(progress, now_ms)

    def runtime_ms(self, attempt_id: TaskAttemptId) -> int:
        """What has passed at the last reading, and the rest at the forecast rate."""
        forecast = self._forecasts.get(attempt_id)
        if forecast is None or forecast.last is None:
            return UNKNOWN_MS
        rest = min(max(1.0 - forecast.last.progress, 0.0), 1.0)
        elapsed = forecast.last.at_ms - self._started_ms[attempt_id]
        return int(rest / max(_LEAST_RATE, forecast.rate)) + elapsed

    def new_attempt_ms(self, type_: TaskType) -> int:
        """A cautious mean: the upper end of its interval, and some of the spread."""
        durations = self._durations[type_]
        upper = durations.mean_upper
        return int(upper + min(0.25 * upper, durations.std / 2))

    def is_stagnated(self, attempt_id: TaskAttemptId, now_ms: int) -> bool:
        """By its forecast."""
        forecast = self._forecasts.get(attempt_id)
        return forecast is not None and forecast.is_stagnated(now_ms)


ESTIMATORS: dict[str, type[TaskRuntimeEstimator]] = {
    estimator.__name__: estimator
    for estimator in (
        LegacyTaskRuntimeEstimator,
        ExponentiallySmoothedTaskRuntimeEstimator,
        SimpleExponentialTaskRuntimeEstimator,
    )
}
