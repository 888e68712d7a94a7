"""The properties of speculative execution. Hadoop: MRJobConfig; those of LATE are ours."""

from __future__ import annotations

from collections.abc import Callable

from yarnbox.yarn.settings import setting, settings

ESTIMATOR_NAMES = (
    "LegacyTaskRuntimeEstimator",
    "ExponentiallySmoothedTaskRuntimeEstimator",
    "SimpleExponentialTaskRuntimeEstimator",
)
SPECULATOR_NAMES = ("DefaultSpeculator", "LateSpeculator")


def _one_class(names: tuple[str, ...]) -> Callable[[str], str]:
    def parse(text: str) -> str:
        """The class by its name, with or without a package before it."""
        name = text.strip().rpartition(".")[2]
        if name not in names:
            raise ValueError("one of " + ", ".join(names))
        return name

    return parse


@settings
class SpeculationSettings:
    """Whether, when and how often a second attempt is made."""

    map_speculative: bool = setting("mapreduce.map.speculative", True, "second attempts of slow maps")
    reduce_speculative: bool = setting(
        "mapreduce.reduce.speculative", True, "second attempts of slow reduces"
    )
    speculator: str = setting(
        "yarn.app.mapreduce.am.job.speculator.class",
        "DefaultSpeculator",
        "who decides: " + " or ".join(SPECULATOR_NAMES),
        parse=_one_class(SPECULATOR_NAMES),
    )
    estimator: str = setting(
        "yarn.app.mapreduce.am.job.task.estimator.class",
        "LegacyTaskRuntimeEstimator",
        "how the end is estimated: " + ", ".join(ESTIMATOR_NAMES),
        parse=_one_class(ESTIMATOR_NAMES),
    )
    minimum_allowed: int = setting(
        "mapreduce.job.speculative.minimum-allowed-tasks", 10, "always allowed at a time", at_least=0
    )
    cap_total: float = setting(
        "mapreduce.job.speculative.speculative-cap-total-tasks",
        0.01,
        "share of all tasks of a type that is allowed",
        at_least=0,
        at_most=1,
    )
    cap_running: float = setting(
        "mapreduce.job.speculative.speculative-cap-running-tasks",
        0.1,
        "share of the running ones that is allowed",
        at_least=0,
        at_most=1,
    )
    retry_after_none_ms: int = setting(
        "mapreduce.job.speculative.retry-after-no-speculate",
        1000,
        "pause after a look that found nobody",
        unit="ms",
        at_least=1,
    )
    retry_after_some_ms: int = setting(
        "mapreduce.job.speculative.retry-after-speculate",
        15_000,
        "pause after a second attempt was made",
        unit="ms",
        at_least=1,
    )
    slow_task_threshold: float = setting(
        "mapreduce.job.speculative.slowtaskthreshold",
        1.0,
        "standard deviations above the mean; without effect beyond being finite, as in Hadoop",
        at_least=0,
    )

    # The exponential estimators.
    smoothing_lambda_ms: int = setting(
        "yarn.app.mapreduce.am.job.task.estimator.exponential.smooth.lambda-ms",
        60_000,
        "age at which a report weighs 1/e",
        unit="ms",
        at_least=1,
    )
    smooths_rate: bool = setting(
        "yarn.app.mapreduce.am.job.task.estimator.exponential.smooth.rate",
        True,
        "smooth progress per time; else time per progress",
    )
    forecast_lambda_ms: int = setting(
        "yarn.app.mapreduce.am.job.task.estimator.simple.exponential.smooth.lambda-ms",
        120_000,
        "age at which a reading weighs 1/e",
        unit="ms",
        at_least=1,
    )
    forecast_stagnated_ms: int = setting(
        "yarn.app.mapreduce.am.job.task.estimator.simple.exponential.smooth.stagnated-ms",
        360_000,
        "window in which an unchanged attempt counts as stagnated",
        unit="ms",
        at_least=0,
    )
    forecast_skip_initials: int = setting(
        "yarn.app.mapreduce.am.job.task.estimator.simple.exponential.smooth.skip-initials",
        24,
        "readings before the first forecast",
        at_least=0,
    )

    # LATE.
    late_minimum_age_ms: int = setting(
        "yarnbox.mapreduce.speculator.late.minimum-age-ms",
        60_000,
        "LATE judges no attempt that is younger",
        unit="ms",
        at_least=0,
    )
    late_slow_task_percent: float = setting(
        "yarnbox.mapreduce.speculator.late.slow-task-percentile",
        25.0,
        "LATE: an attempt is slow below this percentile of the rates",
        at_least=0,
        at_most=100,
    )
    late_slow_node_percent: float = setting(
        "yarnbox.mapreduce.speculator.late.slow-node-percentile",
        25.0,
        "LATE: a node is slow below this percentile of the nodes' progress",
        at_least=0,
        at_most=100,
    )
