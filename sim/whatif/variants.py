"""What is compared: the base and each change of it, as values that a worker on another machine can play.

A variant holds the files of its configuration directory by content, the properties that lie above them, and
its cluster. Only `read_directory` and `changed` read files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import ParseError, fromstring

from yarnbox.rm.core import scheduler_class
from yarnbox.rm.ports import ConfigurationProvider
from yarnbox.rm.scheduler.capacity.config.properties import PREFIX, Properties
from yarnbox.rm.scheduler.capacity.config.property_names import is_known, of_no_queue
from yarnbox.rm.scheduler.capacity.config.property_names import without_effect as unread
from yarnbox.rm.scheduler.capacity.preemption.settings import PreemptionSettings
from yarnbox.rm.scheduler.fair.published import PublishedSettings
from yarnbox.rm.scheduler.fair.settings import FairSettings
from yarnbox.rm.settings import RMSettings
from yarnbox.sim.load.formats import Load
from yarnbox.sim.load.jobs import InvalidTraceError, Nodes, NodeSpec
from yarnbox.sim.load.sls import MOST_NODES
from yarnbox.sim.workload.files import CLASS, LABELS_ENABLED, DirectoryFiles, equal_queues
from yarnbox.sim.workload.site import Site
from yarnbox.yarn.configuration import Configuration, ConfigurationError
from yarnbox.yarn.settings import declarations, read
from yarnbox.yarn.text.words import did_you_mean, misspelt

BASE = "base"
_READ = (RMSettings, FairSettings, PublishedSettings, PreemptionSettings)
ALLOCATION_FILE = "yarn.scheduler.fair.allocation.file"
USUAL_ALLOCATIONS = "fair-scheduler.xml"
_FAIR = "yarn.scheduler.fair."
MOST_BYTES = 16 * 1024 * 1024
SCHEDULERS = ("fifo", "capacity", "fair")
_FAMILIES = ("yarn", "yarnbox", "hadoop", "mapreduce", "mapred", "dfs", "fs", "ha", "io", "ipc", "net")
"""First words of the names of properties."""
_NODES = re.compile(r"([+-])(\d{1,18})(?::([A-Za-z0-9_-]+))?")


class InvalidChangeError(Exception):
    """A change that cannot be played; the message names it and says what is allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change of the base, as a user says it; what is left out stays as it is in the base."""

    name: str = ""
    """How the results call it; else made of what it changes."""
    conf: str | Path | None = None
    """A configuration directory instead of the base's, or one XML file that is laid over the base's."""
    definitions: Mapping[str, str | type] = field(default_factory=dict)
    """Properties above all files. A class stands for its dotted path."""
    nodes: Sequence[str] = ()
    """`+20`, `+20:gpu` or `-5:gpu`: so many nodes more or less, with that label."""
    scheduler: str | type | None = None
    """fifo, capacity or fair, or a class of one's own."""
    load_factor: float = 1.0
    """So many times as many jobs in the same time."""

    @property
    def title(self) -> str:
        """Its name, or what it changes."""
        if self.name:
            return self.name
        parts = [] if self.conf is None else [str(self.conf)]
        parts += [f"{name}={text_of(value)}" for name, value in self.definitions.items()]
        parts += [f"nodes {one}" for one in self.nodes]
        parts += [] if self.scheduler is None else [f"scheduler {text_of(self.scheduler)}"]
        parts += [] if self.load_factor == 1 else [f"load x {self.load_factor:g}"]
        return ", ".join(parts) or "no change"


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """What is played: a configuration, a cluster, and how much of the load."""

    name: str
    source: str
    """The directory, for messages."""
    files: Mapping[str, bytes] | None
    """By path within the directory; None: queues of equal shares, as the load names them."""
    definitions: Mapping[str, str]
    site: Site
    load_factor: float = 1.0

    @contextmanager
    def provider(self, load: Load) -> Iterator[ConfigurationProvider]:
        """The configuration, in a directory of its own for as long as it is used. ConfigurationError names
        the files of the source.
        """
        if self.files is None:
            definitions = dict(self.definitions)
            scheduler = definitions.pop(CLASS, "capacity")
            known = scheduler if scheduler in SCHEDULERS else "capacity"
            files = equal_queues(known, load.queues, {}, self.site.known().exclusive)
            files.conf[CLASS] = scheduler
            yield _Overlaid(files, definitions)
            return
        with TemporaryDirectory(prefix="yarnbox-whatif-") as place:
            for name, content in self.files.items():
                path = Path(place, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            try:
                yield DirectoryFiles(Path(place), self.definitions)
            except ConfigurationError as error:
                raise InvalidChangeError(f"{self.name}: " + str(error).replace(place, self.source)) from error


class _Overlaid:
    """Properties above other files."""

    def __init__(self, files: ConfigurationProvider, conf: Mapping[str, str]) -> None:
        self._files, self._conf = files, conf

    def load(self, *file_names: str) -> Configuration:
        return self._files.load(*file_names).overlaid(self._conf, "the command line")

    def read_text(self, file_name: str) -> str | None:
        return self._files.read_text(file_name)

    def modified_ms(self, file_name: str) -> int | None:
        return self._files.modified_ms(file_name)


def base_of(conf: str | Path | None, site: Site, definitions: Mapping[str, str | type]) -> Variant:
    """The variant that all others are compared with."""
    above = {name: text_of(value) for name, value in definitions.items()}
    files = None if conf is None else read_directory(Path(conf))
    source = "queues of equal shares" if conf is None else str(conf)
    return Variant(name=BASE, source=source, files=files, definitions=above, site=site)


def changed(base: Variant, change: Change) -> Variant:
    """The base with the change."""
    if not 0 < change.load_factor <= 100:
        raise InvalidChangeError(f"load factor {change.load_factor:g}: is a number above 0, at most 100")
    variant = replace(base, name=change.title, load_factor=base.load_factor * change.load_factor)
    if change.conf is not None:
        variant = _with_conf(variant, Path(change.conf))
    definitions = {name: text_of(value) for name, value in change.definitions.items()}
    if change.scheduler is not None:
        definitions[CLASS] = text_of(change.scheduler)
    variant = replace(variant, definitions={**variant.definitions, **definitions})
    for text in change.nodes:
        variant = replace(variant, site=with_nodes(variant.site, text))
    return variant


def check_directory(directory: Path) -> None:
    """InvalidChangeError where it holds no file of a configuration, as one directory too high does."""
    if not directory.is_dir():
        raise InvalidChangeError(f"{directory}: is not a directory")
    if not any(one.suffix == ".xml" for one in directory.iterdir()):
        raise InvalidChangeError(
            f"{directory}: is not a configuration directory: neither capacity-scheduler.xml nor any other"
            " XML file is in it"
        )


def read_directory(directory: Path) -> dict[str, bytes]:
    """The content of all files below a configuration directory."""
    if not directory.is_dir():
        raise InvalidChangeError(f"{directory}: is not a directory")
    found: dict[str, bytes] = {}
    size = 0
    for path in sorted(directory.rglob("*")):
        relative = path.relative_to(directory)
        if not path.is_file() or any(part.startswith(".") for part in relative.parts):
            continue
        size += path.stat().st_size
        if size > MOST_BYTES:
            raise InvalidChangeError(
                f"{directory}: holds more than {MOST_BYTES // 1024**2} MiB: is it a configuration directory?"
            )
        found[str(relative)] = path.read_bytes()
    return found


def _with_conf(variant: Variant, path: Path) -> Variant:
    if path.is_dir():
        check_directory(path)
        return replace(variant, files=read_directory(path), source=str(path), definitions={})
    if not path.is_file():
        raise InvalidChangeError(f"{path}: there is no such file or directory")
    try:
        root = fromstring(path.read_bytes())
    except (ParseError, DefusedXmlException) as error:
        raise InvalidChangeError(f"{path}: not well-formed XML: {error}") from None
    if root.tag == "allocations":
        return _with_allocations(variant, path)
    if root.tag != "configuration":
        raise InvalidChangeError(f"{path}: begins with <{root.tag}>, not <configuration> or <allocations>")
    try:
        read = Configuration.of({}).with_files(path.parent, (path.name,))
    except ConfigurationError as error:
        raise InvalidChangeError(str(error)) from None
    found = {name: read.raw(name) or "" for name in read.names("")}
    return replace(variant, definitions={**variant.definitions, **found})


def _with_allocations(variant: Variant, path: Path) -> Variant:
    if variant.files is None:
        raise InvalidChangeError(f"{path}: an allocation file needs a base that is a configuration directory")
    name = variant.definitions.get(ALLOCATION_FILE)
    if name is None and "yarn-site.xml" in variant.files:
        with variant.provider(Load.of(())) as provider:
            name = provider.load("yarn-site.xml").value(ALLOCATION_FILE)
    name = name or USUAL_ALLOCATIONS
    if Path(name).is_absolute():
        raise InvalidChangeError(f"{path}: the base's {ALLOCATION_FILE} is {name}, outside of its directory")
    return replace(variant, files={**variant.files, name: path.read_bytes()})


def text_of(value: str | type) -> str:
    """A property's value; of a class its dotted path."""
    return value if isinstance(value, str) else f"{value.__module__}.{value.__qualname__}"


# ---- nodes


def with_nodes(site: Site, text: str) -> Site:
    """The cluster with so many nodes more, or less. New ones are as large as the first of their label, else
    as the first node, in the racks in turn; the last ones go first.
    """
    match = _NODES.fullmatch(text)
    if match is None or not int(match[2]):
        raise InvalidChangeError(f"nodes {text}: is not of the form +N, -N, +N:LABEL or -N:LABEL")
    count, label = int(match[2]), match[3] or ""
    known = site.known()
    alike = [node for node in known.nodes if (node.labels[:1] or ("",))[0] == label]
    if match[1] == "-":
        if count > len(alike) or count == len(known.nodes):
            of_label = f" with the label {label}" if label else " without a label" if known.exclusive else ""
            raise InvalidChangeError(
                f"nodes {text}: there are {len(alike)} nodes{of_label}, and one node has to stay"
            )
        gone = dict.fromkeys(node.host for node in alike[-count:])
        left = tuple(node for node in known.nodes if node.host not in gone)
        return replace(site, nodes=replace(known, nodes=left))
    if len(known.nodes) + count > MOST_NODES:
        raise InvalidChangeError(f"nodes {text}: more than {MOST_NODES} nodes in all")
    pattern = (alike or known.nodes)[0]
    racks = list(dict.fromkeys(node.rack for node in known.nodes))
    hosts = dict.fromkeys(node.host for node in known.nodes)
    new: list[NodeSpec] = []
    number = 0
    while len(new) < count:
        number += 1
        host = f"new{number}-{label}" if label else f"new{number}"
        if host not in hosts:
            labels = (label,) if label else ()
            new.append(replace(pattern, host=host, rack=racks[len(new) % len(racks)], labels=labels))
    exclusive = {**known.exclusive, **({label: True} if label and label not in known.exclusive else {})}
    return replace(site, nodes=Nodes(nodes=(*known.nodes, *new), exclusive=exclusive))


def without_effect(variant: Variant, base: Variant) -> Iterator[str]:
    """A sentence for each property of the change that no simulated ResourceManager reads, that is of no queue
    that is there, or of another scheduler; and for an allocation file that nobody reads. Names that begin as
    Hadoop's do may be those of properties that other programs read; only misspelt ones are told of them.
    """
    given = {name: None for name, value in variant.definitions.items() if base.definitions.get(name) != value}
    for name in given:
        if name.startswith(PREFIX) and not is_known(name):
            yield f"{name}{unread(name)}"
    yield from _of_no_queue(variant, given)
    yield from _of_another_scheduler(variant, base, given)
    known = {one.name for kind in _READ for one in declarations(kind)}
    for name, meant in misspelt(given, known):
        yield f"{name} is no property, and has no effect (did you mean {meant}?)"
    for name in given:
        if name.partition(".")[0] not in _FAMILIES:
            why = "is no property of Hadoop's, and has no effect, unless a class of yours reads it"
            yield f"{name} {why}{did_you_mean(name, known)}"


def _of_no_queue(variant: Variant, given: Iterable[str]) -> Iterator[str]:
    if variant.files is None:
        return
    with variant.provider(Load.of(())) as provider:
        properties = Properties(provider.load("capacity-scheduler.xml"), provider.load("yarn-site.xml"))
    for name, queue, hint in of_no_queue(properties, given):
        yield f"{name} has no effect: there is no queue {queue}{hint}"


def _of_another_scheduler(variant: Variant, base: Variant, given: Iterable[str]) -> Iterator[str]:
    with variant.provider(Load.of(())) as provider:
        site = provider.load("yarn-site.xml")
        scheduler = scheduler_class(read(RMSettings, site).scheduler_class)
    others = tuple(one for one in (PREFIX, _FAIR) if one != scheduler.own_properties)
    for name in given:
        if name.startswith(others):
            yield f"{name} has no effect under the {scheduler.name}"
    if variant.source == base.source and _FAIR in others:
        file = site.value(ALLOCATION_FILE) or USUAL_ALLOCATIONS
        if (variant.files or {}).get(file) != (base.files or {}).get(file):
            yield f"the allocation file has no effect under the {scheduler.name}"


def check_labels(variant: Variant, provider: ConfigurationProvider) -> None:
    """Refuses nodes with labels where the configuration knows none."""
    if variant.site.known().exclusive and not provider.load("yarn-site.xml").boolean(LABELS_ENABLED, False):
        names = ", ".join(variant.site.known().exclusive)
        raise InvalidTraceError(f"nodes carry labels ({names}), and {LABELS_ENABLED} is false")
