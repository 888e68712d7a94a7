"""Map and reduce slots as resource types, for work that predates YARN: a node has so many of each, a map
takes one of the first kind, a reduce one of the second, both beside their memory and vcores.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from yarnbox.rm.ports import ConfigurationProvider
from yarnbox.sim.load.formats import Load
from yarnbox.sim.load.jobs import MAPREDUCE, REDUCE, Job, Nodes
from yarnbox.sim.workload.site import Site
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.resources.resource_types import PREFIX as TYPES

MAP_SLOTS, REDUCE_SLOTS = "map-slots", "reduce-slots"
_CALCULATOR = "yarn.scheduler.capacity.resource-calculator"
_DOMINANT = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
_WHO = "the slots of the command line"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """What each node has."""

    maps: int
    reduces: int


class SlotFiles:
    """A configuration in which slots are resource types, and count beside memory."""

    def __init__(self, files: ConfigurationProvider) -> None:
        self._files = files

    def load(self, *file_names: str) -> Configuration:
        """The properties of these files, with the slots."""
        found = self._files.load(*file_names)
        types = [*found.strings(TYPES), MAP_SLOTS, REDUCE_SLOTS]
        slots = {TYPES: ",".join(dict.fromkeys(types)), _CALCULATOR: _DOMINANT}
        return found.overlaid(slots, _WHO)

    def read_text(self, file_name: str) -> str | None:
        return self._files.read_text(file_name)

    def modified_ms(self, file_name: str) -> int | None:
        return self._files.modified_ms(file_name)


def files_of(files: ConfigurationProvider, site: Site) -> ConfigurationProvider:
    """The configuration, with slots where a node of the cluster has some."""
    resources = [spec.resource for spec in site.specs() if spec.resource is not None]
    has_slots = any(one.value(MAP_SLOTS) or one.value(REDUCE_SLOTS) for one in resources)
    return SlotFiles(files) if has_slots else files


def nodes_with_slots(site: Site, slots: Slots) -> Site:
    """The cluster, each of whose nodes has so many slots."""
    known = site.known()
    nodes = tuple(
        replace(spec, resource=_with(spec.resource or site.node_resource, slots.maps, slots.reduces))
        for spec in known.nodes
    )
    return replace(site, nodes=Nodes(nodes=nodes, exclusive=known.exclusive))


def tasks_in_slots(load: Load) -> Load:
    """The load, each of whose maps and reduces takes a slot."""

    def jobs() -> Iterator[Job]:
        for job in load.jobs():
            yield _in_slots(job) if job.model == MAPREDUCE else job

    return replace(load, jobs=jobs)


def _in_slots(job: Job) -> Job:
    tasks = (
        replace(task, resource=_with(task.resource, task.stage != REDUCE, task.stage == REDUCE))
        for task in job.tasks
    )
    return replace(job, tasks=tuple(tasks))


def _with(resource: Resource, maps: int, reduces: int) -> Resource:
    return Resource.of({**resource.as_dict(), MAP_SLOTS: int(maps), REDUCE_SLOTS: int(reduces)})
