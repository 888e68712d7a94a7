"""A configuration directory, or one of its files, as a scenario plays it; read when the scenario is read.

Everything that decides is taken as it is written: properties, queues, ACLs, mapping rules, groups. What
belongs to processes (stores, high availability, lists of hosts, the groups of a real machine) is left out,
so that the same directory gives the same result on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from yarnbox.rm.edge.security.groups import OVERRIDES_PROPERTY, parse_overrides
from yarnbox.rm.scheduler.fair.allocation_file.loader import local_path
from yarnbox.sim.resourcemanager import ADMINISTRATOR
from yarnbox.sim.scenario.playing.files import CAPACITY_SCHEDULER, EXCLUDE_PATH, FAIR_SCHEDULER
from yarnbox.yarn.configuration import BUILT_IN, SITE_FILES, Configuration, ConfigurationError
from yarnbox.yarn.resources.resource_types import RESOURCE_TYPES_FILE

ALLOCATION_FILE = "yarn.scheduler.fair.allocation.file"
ADMIN_ACL = "yarn.admin.acl"
LARGEST_FILE_BYTES = 4 << 20

_RM = "yarn.resourcemanager."
OF_PROCESSES = (
    _RM + "nodes.include-path",
    EXCLUDE_PATH,
    _RM + "store.class",
    _RM + "recovery.enabled",
    "yarn.scheduler.configuration.store.class",
    "yarn.node-labels.fs-store.impl.class",
    "yarn.node-attribute.fs-store.impl.class",
)
"""Properties of a directory that are left out: hosts and stores of the cluster that it was written for."""
OF_PROCESSES_PREFIXES = (_RM + "ha.", "hadoop.security.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductionFiles:
    """What a directory says."""

    conf: Mapping[str, str]
    capacity: Mapping[str, str] | None
    """None where there is no capacity-scheduler.xml."""
    fair: str | None
    """The allocation file; None where there is none."""
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Those that hadoop.user.group.static.mapping.overrides names: another machine's are not to be known."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The other text files by name: profiles, mapping rules."""

    def below(self, other: ProductionFiles) -> ProductionFiles:
        """Both; where they differ the other one holds."""
        return ProductionFiles(
            conf={**self.conf, **other.conf},
            capacity=self.capacity if other.capacity is None else other.capacity,
            fair=self.fair if other.fair is None else other.fair,
            groups={**self.groups, **other.groups},
            texts={**self.texts, **other.texts},
        )

    def of_scheduler(self, scheduler: str) -> ProductionFiles:
        """Without the files of other schedulers, which a directory may have as well."""
        if scheduler not in ("fifo", "capacity", "fair"):
            return self
        return replace(
            self,
            capacity=self.capacity if scheduler == "capacity" else None,
            fair=self.fair if scheduler == "fair" else None,
        )


def read_directory(directory: Path) -> ProductionFiles:
    """The directory; ConfigurationError with file and reason."""
    site = Configuration.load(directory, (*SITE_FILES, RESOURCE_TYPES_FILE))
    conf = {
        name: text
        for name, text in _written(site).items()
        if name not in (*OF_PROCESSES, ALLOCATION_FILE) and not name.startswith(OF_PROCESSES_PREFIXES)
    }
    if ADMIN_ACL in conf:
        conf[ADMIN_ACL] = _with_administrator(conf[ADMIN_ACL])
    fair = directory / local_path(site.value(ALLOCATION_FILE) or FAIR_SCHEDULER)
    is_fair_named = site.value(ALLOCATION_FILE) is not None
    capacity = directory / CAPACITY_SCHEDULER
    return ProductionFiles(
        conf=conf,
        capacity=read_capacity_file(capacity) if capacity.exists() else None,
        fair=read_text(fair) if is_fair_named or fair.exists() else None,
        groups=parse_overrides(site.value(OVERRIDES_PROPERTY) or ""),
        texts=_other_texts(directory, fair.name),
    )


def read_capacity_file(path: Path) -> Mapping[str, str]:
    """The properties of a capacity-scheduler.xml; ConfigurationError with file and reason."""
    if not path.is_file():
        raise ConfigurationError.of(path, "cannot be read: there is no such file")
    return _written(Configuration.load(path.parent, [path.name]))


def read_text(path: Path) -> str:
    """The text of a file; ConfigurationError when there is none."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigurationError.of(path, "cannot be read: there is no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError.of(path, f"cannot be read: {error}") from None


def _written(configuration: Configuration) -> dict[str, str]:
    """What the files say, white space and variables as they are written: it matters in lists of users."""
    return {one.name: one.raw for one in configuration if one.origin.source != BUILT_IN}


def _with_administrator(acl: str) -> str:
    """The list with the user who carries out a scenario's steps, as Hadoop adds the RM's own user."""
    if acl.strip() == "*":
        return acl
    return f"{ADMINISTRATOR}{acl}" if acl[0].isspace() else f"{ADMINISTRATOR},{acl}"


def _other_texts(directory: Path, fair: str) -> dict[str, str]:
    ours = (*SITE_FILES, RESOURCE_TYPES_FILE, CAPACITY_SCHEDULER, fair)
    texts = {}
    for path in sorted(directory.iterdir()):
        if path.name in ours or not path.is_file() or path.stat().st_size > LARGEST_FILE_BYTES:
            continue
        try:
            texts[path.name] = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError):
            continue  # a keystore, say: nothing that a scheduler reads
    return texts
