"""A study: one load, its variants and its seeds. `played` is one play of it, the unit of work of engines.

Everything here can be pickled. A play depends on its variant and seed alone, so where and when it runs, and
beside which others, changes nothing. All variants are played under the same seeds: each node, each attempt of
a task and each failure has a stream of chance of its own, so that chance is common to all variants.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple

from yarnbox.sim.load.formats import Load
from yarnbox.sim.load.jobs import InvalidTraceError, Job
from yarnbox.sim.reports.play import Play
from yarnbox.sim.reports.result import Result
from yarnbox.sim.whatif.growth import scaled
from yarnbox.sim.whatif.metrics import figures_of
from yarnbox.sim.whatif.variants import InvalidChangeError, Variant, check_labels
from yarnbox.yarn.configuration import ConfigurationError
from yarnbox.yarn.errors import YarnError

POINTS = 240
"""About so many moments of the shares over time lie between the first submission and the last."""


class Case(NamedTuple):
    """One play of a study."""

    variant: int
    """0 is the base."""
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """What is played."""

    jobs: tuple[Job, ...]
    variants: tuple[Variant, ...]
    """The base first."""
    seeds: tuple[int, ...]
    drawn: Mapping[int, tuple[Job, ...]] = field(default_factory=dict)
    """By seed, the jobs of loads that are drawn anew under each; others play `jobs`."""

    def load(self, variant: Variant, seed: int) -> Load:
        """What a variant plays under a seed. Its queues are those of all seeds: shares depend on them."""
        found = Load.of(scaled(self.drawn.get(seed, self.jobs), variant.load_factor, seed))
        everybody = (job.queue for jobs in (self.jobs, *self.drawn.values()) for job in jobs)
        return replace(found, queues=tuple(dict.fromkeys(everybody)))

    @property
    def cases(self) -> tuple[Case, ...]:
        """All plays, seed by seed."""
        return tuple(Case(variant, seed) for seed in self.seeds for variant in range(len(self.variants)))

    @property
    def step_ms(self) -> int:
        """The distance of moments of the shares over time: the same in every play."""
        everybody = (job for jobs in (self.jobs, *self.drawn.values()) for job in jobs)
        last_ms = max((job.submit_ms for job in everybody), default=0)
        return max(1000, -(-last_ms // POINTS // 1000) * 1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What one play came to."""

    case: Case
    scheduler: str
    end_ms: int
    figures: Mapping[str, Mapping[str, float]]
    waits: Mapping[str, tuple[int, ...]]
    """Of the jobs of each leaf queue, in order."""
    used_mb: Mapping[str, tuple[int, ...]]
    """Of each leaf queue, `step_ms` apart."""
    guarantee_mb: Mapping[str, int]
    troubles: tuple[str, ...] = ()
    """Jobs that did not finish, and nodes that were sent away: the first few, with the reason."""

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Played:
        """What `data` gave."""
        return cls(
            case=Case(int(data["variant"]), int(data["seed"])),
            scheduler=str(data["scheduler"]),
            end_ms=int(data["endMs"]),
            figures={group: dict(found) for group, found in data["figures"].items()},
            waits={queue: tuple(waits) for queue, waits in data["waitsMs"].items()},
            used_mb={queue: tuple(used) for queue, used in data["usedMb"].items()},
            guarantee_mb=dict(data["guaranteeMb"]),
            troubles=tuple(data["troubles"]),
        )

    def data(self) -> dict[str, object]:
        return {
            "variant": self.case.variant,
            "seed": self.case.seed,
            "scheduler": self.scheduler,
            "endMs": self.end_ms,
            "figures": {group: dict(found) for group, found in self.figures.items()},
            "waitsMs": {queue: list(waits) for queue, waits in self.waits.items()},
            "usedMb": {queue: list(used) for queue, used in self.used_mb.items()},
            "guaranteeMb": dict(self.guarantee_mb),
            "troubles": list(self.troubles),
        }


def played(study: Study, case: Case) -> Played:
    """One play. InvalidChangeError says what cannot be used."""
    variant = study.variants[case.variant]
    load = study.load(variant, case.seed)
    if not load.count:
        raise InvalidChangeError(f"{variant.name}: with the seed {case.seed} the load has no job")
    with variant.provider(load) as provider, _naming(variant):
        result = Play(provider, load, replace(variant.site, seed=case.seed)).run()
    return _summed(case, result, study.step_ms)


def check(study: Study) -> None:
    """Builds the ResourceManager of each variant, without playing: InvalidChangeError where one cannot be."""
    for variant in study.variants:
        load = study.load(variant, study.seeds[0])
        with variant.provider(load) as provider, _naming(variant):
            check_labels(variant, provider)
            Play(provider, load, variant.site)


class _naming:  # noqa: N801 - used like a function
    """Names the variant in what is wrong with it."""

    def __init__(self, variant: Variant) -> None:
        self._variant = variant

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, InvalidTraceError | YarnError) and not isinstance(error, ConfigurationError):
            raise InvalidChangeError(f"{self._variant.name}: {error}") from error


_MOST_TROUBLES = 5


def _summed(case: Case, result: Result, step_ms: int) -> Played:
    waits: dict[str, list[int]] = {}
    for job in result.jobs:
        if job.wait_ms is not None:
            waits.setdefault(job.queue, []).append(job.wait_ms)
    return Played(
        case=case,
        scheduler=result.scheduler,
        end_ms=result.end_ms,
        figures=figures_of(result),
        waits={queue: tuple(sorted(waits[queue])) for queue in sorted(waits)},
        used_mb=_over_time(result, step_ms),
        guarantee_mb={one.queue: one.guarantee_mb for one in sorted(result.queues, key=lambda q: q.queue)},
        troubles=tuple(_troubles(result)),
    )


def _over_time(result: Result, step_ms: int) -> dict[str, tuple[int, ...]]:
    """What each queue used at each moment: the last sample that is not later."""
    samples: dict[str, list[tuple[int, int]]] = {}
    for sample in result.samples:
        samples.setdefault(sample.queue, []).append((sample.time_ms, sample.used_mb))
    found: dict[str, tuple[int, ...]] = {}
    for queue in sorted(samples):
        values, place, used = [], 0, 0
        for moment in range(0, result.end_ms + 1, step_ms):
            while place < len(samples[queue]) and samples[queue][place][0] <= moment:
                used = samples[queue][place][1]
                place += 1
            values.append(used)
        found[queue] = tuple(values)
    return found


def _troubles(result: Result) -> Iterator[str]:
    yield from (f"node {one}" for one in result.absent_nodes[:_MOST_TROUBLES])
    bad = (f"{job.job}: {job.why}" for job in result.jobs if job.why)
    yield from islice(bad, _MOST_TROUBLES)
