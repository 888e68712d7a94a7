"""`compare`: a load under a base and under changes of it, as a function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from yarnbox.sim.load.formats import Load
from yarnbox.sim.load.jobs import Job
from yarnbox.sim.reports.play import default_site, load_from
from yarnbox.sim.whatif.comparison import CONFIDENCE, Comparison
from yarnbox.sim.whatif.engines.pool import Engine, LocalPool
from yarnbox.sim.whatif.study import Played, Study, check
from yarnbox.sim.whatif.variants import Change, InvalidChangeError, Variant, base_of, changed
from yarnbox.sim.workload.site import Site

SEEDS = 10
SPREAD = 0.1
"""Standard deviation over mean of tasks' durations: what the same job differs by from day to day."""


def compare(
    base: str | Path | None,
    changes: Iterable[Change | str | Path],
    load: Load | str | Path | Sequence[str | Path] | Iterable[Job],
    *,
    seeds: int | Sequence[int] = SEEDS,
    site: Site | None = None,
    definitions: Mapping[str, str | type] | None = None,
    confidence: float = CONFIDENCE,
    workers: int | None = None,
    engine: Engine | None = None,
    draw: Callable[[int], Load] | None = None,
    done: Callable[[Played], None] = lambda played: None,
) -> Comparison:
    """Plays the load under the base and under each change, each with the same seeds.

    `base` is a configuration directory, or None for queues of equal shares; `definitions` lie above it. A
    change that is a path is a configuration directory, or an XML file that is laid over the base's. `seeds`
    counts from 1. Without a site the nodes are those of the load, else ten, and tasks' durations spread by
    SPREAD. With `draw` each seed plays the load that it answers, base and changes the same one. Plays run in
    as many processes as there are cores, in this one with `workers=1`, or on an engine.
    InvalidChangeError, InvalidTraceError and ConfigurationError say what cannot be used.
    """
    found = load_from(load)
    directory = None if base is None else Path(base)
    if site is None:
        site = default_site(found, directory, duration_spread=SPREAD)
    numbers = tuple(range(1, seeds + 1)) if isinstance(seeds, int) else tuple(seeds)
    drawn = {} if draw is None else {seed: tuple(draw(seed).jobs()) for seed in numbers}
    study = study_of(base_of(base, site, definitions or {}), changes, found, numbers, drawn)
    check(study)
    plays = (engine or LocalPool(workers)).run(study, study.cases, done)
    return Comparison(study, plays, confidence)


def study_of(
    base: Variant,
    changes: Iterable[Change | str | Path],
    load: Load,
    seeds: Sequence[int],
    drawn: Mapping[int, tuple[Job, ...]] | None = None,
) -> Study:
    """The study that these make; InvalidChangeError where they make none."""
    if not seeds or len(dict.fromkeys(seeds)) < len(seeds):
        raise InvalidChangeError("seeds: name at least one, and each only once")
    variants = [base]
    for one in changes:
        change = one if isinstance(one, Change) else Change(conf=one)
        variants.append(changed(base, change))
    if len(variants) == 1:
        raise InvalidChangeError("there is no change to compare the base with")
    names = [variant.name for variant in variants]
    for name in names:
        if names.count(name) > 1:
            raise InvalidChangeError(f"{name}: two changes are called so")
    return Study(
        jobs=tuple(load.jobs()), variants=tuple(variants), seeds=tuple(seeds), drawn=dict(drawn or {})
    )
