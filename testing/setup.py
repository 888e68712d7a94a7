"""The configuration of clusters under test: the sample that comes with the package, and what the test says.

Properties of the CapacityScheduler go to capacity-scheduler.xml, all others to yarn-site.xml.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from yarnbox.cluster.arguments import SCHEDULERS
from yarnbox.cluster.site import SCHEDULER_PROPERTY, sample_configuration
from yarnbox.sim.scenario.playing.files import CAPACITY_SCHEDULER, FAIR_SCHEDULER, YARN_SITE, ScenarioFiles
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.configuration.document import write

_CAPACITY_PREFIX = "yarn.scheduler.capacity."
_VIRTUAL = {
    "yarn.resourcemanager.recovery.enabled": "true",
    "yarn.node-labels.enabled": "true",
}

Conf = Mapping[str, str] | Path | None
"""Properties, or a configuration directory."""


def check_cluster(*, nodes: object, conf: object, racks: object = 1, containers: object = repr) -> None:
    """ValueError where a test asks for a cluster that cannot be."""
    for name, value, least in (("nodes", nodes, 0), ("racks", racks, 1)):
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ValueError(f"{name}={value!r}: it has to be a whole number, at least {least}")
    if not callable(containers):
        raise ValueError(f"containers={containers!r}: it has to be a function, like runs(60)")
    if conf is not None and not isinstance(conf, Path | Mapping):
        raise ValueError(f"conf={conf!r}: it has to be properties or the Path of a configuration directory")
    for name, value in conf.items() if isinstance(conf, Mapping) else ():
        if not isinstance(name, str) or not isinstance(value, str):
            raise ValueError(f"conf: {name!r}: {value!r}: names and values of properties are texts")


def split(scheduler: str, conf: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """The properties of yarn-site.xml and those of capacity-scheduler.xml. ValueError: no such scheduler."""
    if scheduler not in SCHEDULERS:
        raise ValueError(f"there is no scheduler {scheduler!r}: it may be {', '.join(SCHEDULERS)}")
    capacity = {name: value for name, value in conf.items() if name.startswith(_CAPACITY_PREFIX)}
    others = {name: value for name, value in conf.items() if name not in capacity}
    return {SCHEDULER_PROPERTY: scheduler, **others}, capacity


def configuration_files(scheduler: str, conf: Conf) -> ScenarioFiles:
    """The files in memory, for virtual time. Intervals are Hadoop's defaults there: waiting costs nothing."""
    said = {} if isinstance(conf, Path) or conf is None else conf
    directory = conf if isinstance(conf, Path) else sample_configuration()
    site, capacity = split(scheduler, said)
    sample = Configuration.load(directory, [CAPACITY_SCHEDULER])
    own = Configuration.load(directory, [YARN_SITE]) if isinstance(conf, Path) else Configuration.of({})
    fair = directory / FAIR_SCHEDULER
    return ScenarioFiles(
        {**_VIRTUAL, **_properties(own), **site},
        {**_properties(sample), **capacity},
        fair.read_text(encoding="utf-8") if fair.exists() else None,
    )


def _properties(configuration: Configuration) -> dict[str, str]:
    return {one.name: one.raw for one in configuration}


def write_files(directory: Path, scheduler: str, conf: Mapping[str, str]) -> Path:
    """The files in a directory, for processes: the sample with the test's properties over it."""
    site, capacity = split(scheduler, conf)
    directory.mkdir(parents=True)
    for file in sample_configuration().iterdir():
        if file.is_file():
            (directory / file.name).write_bytes(file.read_bytes())
    for name, over in ((YARN_SITE, site), (CAPACITY_SCHEDULER, capacity)):
        properties = _properties(Configuration.load(directory, [name])) | over
        (directory / name).write_text(write((key, value, False) for key, value in properties.items()))
    return directory
