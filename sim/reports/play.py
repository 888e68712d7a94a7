"""A load on a configuration, as a function: the same core, nodes and AMs as `yarnbox sim run`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from yarnbox.rm.edge.security.groups import OVERRIDES_PROPERTY, parse_overrides
from yarnbox.rm.ports import ConfigurationProvider
from yarnbox.sim.load.formats import Load, read_load
from yarnbox.sim.load.jobs import InvalidTraceError, Job
from yarnbox.sim.load.runner import read_runner
from yarnbox.sim.recording.recorder import Title
from yarnbox.sim.reports.collector import Alone, Collector, TaskRow
from yarnbox.sim.reports.result import Result
from yarnbox.sim.workload.arrivals import Closed
from yarnbox.sim.workload.files import DirectoryFiles, equal_queues
from yarnbox.sim.workload.player import WorkloadPlayer
from yarnbox.sim.workload.site import Site
from yarnbox.sim.workload.slots import files_of
from yarnbox.sim.workload.watching import Watcher
from yarnbox.yarn.configuration import SITE_FILES
from yarnbox.yarn.resources.resource_types import RESOURCE_TYPES_FILE
from yarnbox.yarn.runtime.interpreter import rare_garbage_collection

FILES = (*SITE_FILES, RESOURCE_TYPES_FILE)


class Play:
    """One play, its results and, where it has a title, its recording."""

    def __init__(
        self,
        files: ConfigurationProvider,
        load: Load,
        site: Site,
        *,
        title: Title | None = None,
        watchers: Sequence[Watcher] = (),
        on_task: TaskRow | None = None,
        samples: bool = True,
    ) -> None:
        """Without samples the results have no queues over time."""
        self._load, self._site = load, site
        files = files_of(files, site)
        groups: Mapping[str, tuple[str, ...]] = parse_overrides(
            files.load(*FILES).value(OVERRIDES_PROPERTY) or ""
        )
        self.player = WorkloadPlayer(
            load,
            site,
            files,
            FILES,
            title,
            groups=groups,
            arrivals=Closed(load.jobs(), Alone(site).time_ms) if site.feedback else None,
        )
        self.collector = Collector(site, self.player.rm, on_task, samples=samples)
        for watcher in (self.collector, *watchers):
            self.player.watch(watcher)

    def watch(self, watcher: Watcher) -> None:
        """One more who hears of everything."""
        self.player.watch(watcher)

    def run(self) -> Result:
        """From the first job to the end of the last one."""
        with rare_garbage_collection():
            outcome = self.player.play()
        end_ms = self.player.rm.clock.now_ms()
        collector = self.collector
        return Result(
            end_ms=outcome.end_ms,
            seed=self._site.seed,
            scheduler=self.player.rm.context.scheduler.name,
            jobs=collector.jobs,
            queues=collector.queues(end_ms),
            partitions=collector.partitions(end_ms),
            nodes=collector.nodes(),
            samples=collector.samples(),
            fairness=collector.fairness(),
            dropped=self._load.dropped,
            stuck=outcome.stuck,
            absent_nodes=outcome.absent_nodes,
        )


def play(
    conf: str | Path | ConfigurationProvider | None,
    load: Load | str | Path | Sequence[str | Path] | Iterable[Job],
    seed: int = 0,
    *,
    site: Site | None = None,
    watchers: Sequence[Watcher] = (),
) -> Result:
    """Plays a load until all of its jobs have ended.

    `conf` is a directory of Hadoop's files, or None for queues of equal shares as the load names them. `load`
    is a Load, a file, several, or jobs. Without a site the nodes are those that the load brings along, else
    ten. ConfigurationError and InvalidTraceError say what cannot be used.
    """
    found = load_from(load)
    directory = Path(conf) if isinstance(conf, str | Path) else None
    if directory is not None and not directory.is_dir():
        raise InvalidTraceError(f"{directory}: is not a directory")
    if site is None:
        site = default_site(found, directory, seed=seed)
    files: ConfigurationProvider
    if directory is not None:
        files = DirectoryFiles(directory, {})
    elif conf is None:
        files = equal_queues("capacity", found.queues, {}, site.known().exclusive)
    else:
        assert not isinstance(conf, str | Path)
        files = conf
    return Play(files, found, site, watchers=watchers).run()


def default_site(load: Load, directory: Path | None, *, seed: int = 0, duration_spread: float = 0.0) -> Site:
    """The nodes that the load brings along, else ten, with the sizes and intervals of sls-runner.xml."""
    runner = read_runner(directory)
    return Site(
        nodes=load.nodes if load.nodes.nodes else 10,
        node_resource=runner.defaults.node,
        nm_interval_ms=runner.nm_interval_ms,
        am_interval_ms=runner.am_interval_ms,
        seed=seed,
        duration_spread=duration_spread,
    )


def load_from(load: Load | str | Path | Sequence[str | Path] | Iterable[Job]) -> Load:
    """A load as it is given: read, or made of jobs."""
    if isinstance(load, Load):
        return load
    if isinstance(load, str | Path):
        return read_load(load)
    found = list(load)
    paths = [one for one in found if isinstance(one, str | Path)]
    return read_load(paths) if paths else Load.of(one for one in found if isinstance(one, Job))
