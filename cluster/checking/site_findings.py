"""What in the site files of a directory has no effect, or not the one that was meant.

Properties that a file sets several times; those of Kerberos; names that are nearly those of others. A site
file is Hadoop's, so it has many properties that this project does not read: of these only probable typing
errors are reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from yarnbox.am.connection import ConnectionSettings
from yarnbox.am.mapreduce.settings import JobSettings
from yarnbox.client.settings import ClientSettings
from yarnbox.nm.settings import NMSettings
from yarnbox.rm.scheduler.capacity.preemption.settings import PreemptionSettings
from yarnbox.rm.scheduler.fair.published import PublishedSettings
from yarnbox.rm.scheduler.fair.settings import FairSettings
from yarnbox.rm.settings import RMSettings
from yarnbox.yarn.configuration import BUILT_IN, Configuration
from yarnbox.yarn.configuration.repeated import repeated
from yarnbox.yarn.settings import declarations
from yarnbox.yarn.text.words import counted, misspelt, shortened

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


AUTHENTICATION = "hadoop.security.authentication"
_OF_KERBEROS = re.compile(r"principal|keytab|kerberos")


@dataclass(frozen=True, slots=True)
class Line:
    """A property, where it is set, and what is the matter with it."""

    place: str
    property: str
    said: str

    def __str__(self) -> str:
        return f"{self.place}: {self.said}"


def site_findings(site: Configuration) -> Iterator[Line]:
    """Everything, one line each."""
    twice = list(repeated(site))
    for one in twice:
        yield Line(str(one.origin), one.name, f"{one.name} {one.text}")
    told = {place for one in twice for place in one.places}
    for notice in site.notices:
        if notice.origin not in told:
            yield Line(str(notice.origin), "", notice.text)
    yield from _kerberos(site)
    yield from _misspelt(site)


def line_of(configuration: Configuration, name: str, text: str) -> Line | None:
    """What there is to say about the property where it is set; None where it is not set."""
    found = configuration.property(name)
    if found is None or found.origin.source == BUILT_IN:
        return None
    return Line(str(found.origin), name, f"{name} = '{shortened(found.raw)}': {text}")


def _given(site: Configuration) -> Iterator[str]:
    """The names of what the files set."""
    return (one.name for one in site if one.origin.source != BUILT_IN)


def _kerberos(site: Configuration) -> Iterator[Line]:
    """One line, whatever there is of it."""
    of_kerberos = [name for name in _given(site) if _OF_KERBEROS.search(name)]
    is_on = (site.value(AUTHENTICATION) or "").lower() == "kerberos"
    first = AUTHENTICATION if is_on else next(iter(of_kerberos), None)
    others = [name for name in of_kerberos if name != first]
    if first is None:
        return
    also = f", nor have {counted(len(others), 'further property')} of Kerberos" if others else ""
    some = f" ({', '.join(others[:2])}{', ...' if others[2:] else ''})" if others else ""
    text = (
        f"it has no effect{also}{some}: yarnbox has no Kerberos and believes the name that a caller gives, "
        "as with 'simple'; with yarnbox.tls.* or yarnbox.authentication.* callers prove who they are"
    )
    found = line_of(site, first, text)
    if found is not None:
        yield found


def _misspelt(site: Configuration) -> Iterator[Line]:
    known = {one.name for kind in _PROCESSES for one in declarations(kind)}
    for name, meant in misspelt(_given(site), known):
        found = line_of(site, name, f"nothing reads it (did you mean {meant}?)")
        if found is not None:
            yield found
