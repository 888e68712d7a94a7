"""Properties of a site file that nothing reads and whose names are nearly those of others.

A site file is Hadoop's, so it has many properties that this project does not read. Only probable typing
errors are reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from yarnbox.am.connection import ConnectionSettings
from yarnbox.am.mapreduce.settings import JobSettings
from yarnbox.client.settings import ClientSettings
from yarnbox.nm.settings import NMSettings
from yarnbox.rm.scheduler.capacity.preemption.settings import PreemptionSettings
from yarnbox.rm.scheduler.fair.published import PublishedSettings
from yarnbox.rm.scheduler.fair.settings import FairSettings
from yarnbox.rm.settings import RMSettings
from yarnbox.yarn.configuration import BUILT_IN, Configuration
from yarnbox.yarn.settings import declarations
from yarnbox.yarn.text.words import misspelt

_PROCESSES = (
    RMSettings,
    FairSettings,
    PublishedSettings,
    PreemptionSettings,
    NMSettings,
    JobSettings,
    ConnectionSettings,
    ClientSettings,
)


def misspelt_properties(site: Configuration) -> Iterator[tuple[str, str]]:
    """Name and sentence of each."""
    known = {one.name for kind in _PROCESSES for one in declarations(kind)}
    given = (one.name for one in site if one.origin.source != BUILT_IN)
    for name, meant in misspelt(given, known):
        yield name, f"nothing reads it (did you mean {meant}?)"
