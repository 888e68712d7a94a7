"""Configuration: the properties of a process, each with the place it comes from.

Owns the order of resources, final properties, the `-D` overlay above them and the built-in defaults below.
Does not know what any property means: settings.py reads the properties of a process into typed, checked
settings, once, at the edge. Hadoop: Configuration and YarnConfiguration; environment and system
properties are handed in, never looked up.

A Configuration is a value: adding a resource or an overlay gives a new one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TypeVar

from yarnbox.yarn.configuration import values
from yarnbox.yarn.configuration.deprecated import DEPRECATED, current_names
from yarnbox.yarn.configuration.document import Document, Entry, Notice, Origin, read_file, read_text, write
from yarnbox.yarn.configuration.fault import ConfigurationError

T = TypeVar("T")
E = TypeVar("E", bound=Enum)

SITE_FILES = ("core-site.xml", "yarn-site.xml", "mapred-site.xml")

COMMAND_LINE = "-D"
BUILT_IN = "default"

BUILT_IN_DEFAULTS: Mapping[str, str] = {
    "hadoop.tmp.dir": "/tmp/hadoop-${user.name}",
    "yarn.log.dir": "${hadoop.tmp.dir}/logs",
    # Hadoop says 0.0.0.0; here nothing listens beyond this machine unless somebody asks for it.
    "yarn.resourcemanager.hostname": "127.0.0.1",
    "yarn.nodemanager.hostname": "127.0.0.1",
}
"""What the default files say about names that other values refer to; settings bring their own."""


@dataclass(frozen=True, slots=True)
class Property:
    """A property as it stands: its unexpanded value, where it was written, and whether it was final there."""

    name: str
    raw: str
    origin: Origin
    final: bool = False


class Configuration:
    """Properties from resources in order: a later one overrides an earlier, unless that was final."""

    __slots__ = (
        "_defaults",
        "_environment",
        "_names",
        "_overlay",
        "_properties",
        "_resources",
        "_system",
        "notices",
    )

    def __init__(
        self,
        resources: Iterable[Document] = (),
        *,
        overlay: Mapping[str, Property] | None = None,
        defaults: Mapping[str, str] = BUILT_IN_DEFAULTS,
        environment: Mapping[str, str] | None = None,
        system_properties: Mapping[str, str] | None = None,
    ) -> None:
        self._resources = tuple(resources)
        self._overlay = dict(overlay or {})
        self._defaults = dict(defaults)
        self._environment = dict(environment or {})
        self._system = dict(system_properties or {})
        self._properties, self.notices = _combine(self._defaults, self._resources, self._overlay)
        self._names = sorted(self._properties)

    # Making one

    @classmethod
    def parse(
        cls,
        text: str | bytes,
        source: str = "text",
        *,
        environment: Mapping[str, str] | None = None,
        system_properties: Mapping[str, str] | None = None,
    ) -> Configuration:
        """The configuration of one document given as text; `source` names it in messages."""
        document = read_text(text, source)
        return cls([document], environment=environment, system_properties=system_properties)

    @classmethod
    def load(
        cls,
        directory: str | Path,
        names: Iterable[str] = SITE_FILES,
        *,
        environment: Mapping[str, str] | None = None,
        system_properties: Mapping[str, str] | None = None,
    ) -> Configuration:
        """The files `names` of a configuration directory, in that order; missing ones are left out."""
        root = Path(directory)
        if not root.is_dir():
            raise ConfigurationError.of(root, "is not a directory, so it holds no configuration")
        empty = cls(environment=environment, system_properties=system_properties)
        return empty.with_files(root, names)

    @classmethod
    def of(cls, properties: Mapping[str, str], source: str = "given") -> Configuration:
        """The configuration of a plain mapping, for programs and tests."""
        return cls().overlaid(properties, source)

    def with_files(self, directory: str | Path, names: Iterable[str]) -> Configuration:
        """This configuration and those of the named files that exist (`capacity-scheduler.xml`)."""
        root = Path(directory)
        added = [read_file(root, name) for name in names if (root / name).exists()]
        return self._copy(resources=(*self._resources, *added))

    def overlaid(self, properties: Mapping[str, str], source: str = COMMAND_LINE) -> Configuration:
        """This configuration with `properties` above all resources and final properties, as `-D` is."""
        overlay = dict(self._overlay)
        for given, value in properties.items():
            name = given.strip()
            if not name:
                raise ConfigurationError.of(source, "a property with a name", name=given, value=value)
            for current in current_names(name):
                overlay[current] = Property(current, value, Origin(source))
        return self._copy(overlay=overlay)

    def overlaid_by_arguments(self, arguments: Iterable[str]) -> Configuration:
        """This configuration with command line arguments `name=value` above it."""
        overlay: dict[str, str] = {}
        for argument in arguments:
            name, equals, value = argument.partition("=")
            if not equals or not name.strip():
                raise ConfigurationError.of(COMMAND_LINE, f"`{argument}` is not of the form name=value")
            overlay[name.strip()] = value
        return self.overlaid(overlay)

    def with_defaults(self, defaults: Mapping[str, str]) -> Configuration:
        """This configuration with further built-in defaults; names that have one keep theirs."""
        return self._copy(defaults={**defaults, **self._defaults})

    def without(self, names: Collection[str]) -> Configuration:
        """This configuration where no file sets these properties."""
        resources = [
            replace(
                document,
                entries=tuple(one for one in document.entries if current_names(one.name)[0] not in names),
            )
            for document in self._resources
        ]
        return self._copy(resources=resources)

    def _copy(
        self,
        *,
        resources: Iterable[Document] | None = None,
        overlay: Mapping[str, Property] | None = None,
        defaults: Mapping[str, str] | None = None,
    ) -> Configuration:
        return Configuration(
            self._resources if resources is None else resources,
            overlay=self._overlay if overlay is None else overlay,
            defaults=self._defaults if defaults is None else defaults,
            environment=self._environment,
            system_properties=self._system,
        )

    # Looking at it

    def __iter__(self) -> Iterator[Property]:
        """All properties in the order of their names."""
        return iter([self._properties[name] for name in self._names])

    def __len__(self) -> int:
        return len(self._properties)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and current_names(name)[0] in self._properties

    @property
    def sources(self) -> tuple[str, ...]:
        """The resources that were read, in their order."""
        return tuple(document.source for document in self._resources)

    @property
    def resources(self) -> tuple[Document, ...]:
        """The resources themselves."""
        return self._resources

    def names(self, prefix: str = "") -> list[str]:
        """The names that begin with `prefix`, sorted."""
        # Asked once for each queue of a tree, so it must not walk through all the others' properties.
        first = bisect_left(self._names, prefix)
        end = bisect_left(self._names, True, lo=first, key=lambda name: not name.startswith(prefix))
        return self._names[first:end]

    def property(self, name: str) -> Property | None:
        """The property of that name (or of its successor, when the name is a deprecated one)."""
        return self._properties.get(current_names(name)[0])

    def origin(self, name: str) -> Origin:
        """Where the value of `name` was written; `default` when nowhere."""
        found = self.property(name)
        return Origin(BUILT_IN) if found is None else found.origin

    def raw(self, name: str) -> str | None:
        """The value as it was written, variables and blanks included."""
        found = self.property(name)
        return None if found is None else found.raw

    def untrimmed(self, name: str) -> str | None:
        """The value with its variables expanded, blanks kept (Configuration.get)."""
        found = self.property(name)
        if found is None:
            return None
        try:
            return self.expand(found.raw)
        except TooManySubstitutionsError as error:
            raise ConfigurationError.of(found.origin, str(error), name=name, value=found.raw) from None

    def value(self, name: str) -> str | None:
        """The value with its variables expanded, without the blanks around it (Configuration.getTrimmed)."""
        text = self.untrimmed(name)
        return None if text is None else text.strip()

    def expand(self, text: str) -> str:
        """`text` with its `${...}` replaced by what they mean here."""
        return expand(text, lambda name: self._system.get(name, self.raw(name)), self._environment)

    def to_xml(self, comment: str | None = None, *, defaults: bool = False) -> str:
        """A resource file that gives these raw values when it is read; built-in defaults only on request."""
        kept = (p for p in self if defaults or p.origin.source != BUILT_IN)
        return write(((p.name, p.raw, p.final) for p in kept), comment)

    # Reading values: a missing property gives the default, a wrong one a ConfigurationError

    def read(self, name: str, parse: Callable[[str], T], default: T) -> T:
        """The value of `name` as `parse` understands it; its ValueError tells what is allowed."""
        text = self.untrimmed(name)
        if text is None:
            return default
        try:
            return parse(text)
        except ValueError as error:
            raise ConfigurationError.of(self.origin(name), str(error), name=name, value=text) from None

    def integer(self, name: str, default: int) -> int:
        """Configuration.getInt."""
        return self.read(name, values.integer, default)

    def long(self, name: str, default: int) -> int:
        """Configuration.getLong."""
        return self.read(name, values.long, default)

    def number(self, name: str, default: float) -> float:
        """Configuration.getFloat and getDouble."""
        return self.read(name, values.number, default)

    def boolean(self, name: str, default: bool) -> bool:
        """Configuration.getBoolean, but an empty value alone gives the default: any other word is a fault."""
        return default if self.value(name) == "" else self.read(name, values.boolean, default)

    def strings(self, name: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Configuration.getTrimmedStrings."""
        return self.read(name, values.strings, default)

    def duration(self, name: str, default: int, unit: str = "ms", default_unit: str | None = None) -> int:
        """Configuration.getTimeDuration: in `unit`; a plain number is of `default_unit`, or of `unit`."""
        return self.read(name, lambda text: values.duration(text, unit, default_unit), default)

    def size_bytes(self, name: str, default: int, default_unit: str = "b") -> int:
        """Configuration.getLongBytes and getStorageSize, in bytes."""
        return self.read(name, lambda text: values.size_bytes(text, default_unit), default)

    def percent(self, name: str, default: float) -> float:
        """A percentage from 0 to 100, with or without the sign."""
        return self.read(name, values.percent, default)

    def enumerated(self, name: str, default: E) -> E:
        """Configuration.getEnum, in any case."""
        return self.read(name, lambda text: values.enumerated(text, type(default)), default)

    def class_name(self, name: str, default: str, aliases: Mapping[str, str] | None = None) -> str:
        """The name given to Configuration.getClass; `aliases` are short names for well-known classes."""
        return self.read(name, lambda text: values.class_name(text, aliases), default)


def _combine(
    defaults: Mapping[str, str], resources: Iterable[Document], overlay: Mapping[str, Property]
) -> tuple[dict[str, Property], tuple[Notice, ...]]:
    """The properties that count, and what there is to say about the others."""
    built_in = Origin(BUILT_IN)
    properties = {name: Property(name, raw, built_in) for name, raw in defaults.items()}
    notices: list[Notice] = []
    final: dict[str, Origin] = {}
    for document in resources:
        notices.extend(document.notices)
        for entry in document.entries:
            _apply(entry, properties, final, notices)
    properties.update(overlay)
    return properties, tuple(notices)


def _apply(
    entry: Entry, properties: dict[str, Property], final: dict[str, Origin], notices: list[Notice]
) -> None:
    """One entry of a resource. One without a value sets nothing, but may still make the property final."""
    if entry.name in DEPRECATED:
        notices.append(
            Notice(entry.origin, f"{entry.name} is deprecated: use {', '.join(DEPRECATED[entry.name])}")
        )
    for name in current_names(entry.name):
        locked = final.get(name)
        if locked is None and entry.value is not None:
            properties[name] = Property(name, entry.value, entry.origin, entry.final)
        elif locked is not None and entry.value != getattr(properties.get(name), "raw", None):
            notices.append(
                Notice(entry.origin, f"an attempt to override final parameter {name} of {locked} is ignored")
            )
        if entry.final:
            final.setdefault(name, entry.origin)


MAXIMUM_SUBSTITUTIONS = 20

_VARIABLE = re.compile(r"\$\{([^}$ ]+)\}")
_ENV_DEFAULT = re.compile(r":-|-")


class TooManySubstitutionsError(ValueError):
    """More than MAXIMUM_SUBSTITUTIONS replacements: a loop through properties, or a value too clever."""


def expand(text: str, lookup: Callable[[str], str | None], environment: Mapping[str, str]) -> str:
    """`text` with its variables replaced, as Hadoop's Configuration.substituteVars does it; `lookup` gives
    the raw value of a property or system property.

    The leftmost innermost `${name}` is replaced, again and again, at most twenty times: `env.NAME` from the
    environment, any other name by `lookup`. A name that nobody knows stays as it is written. A value that
    contains the very variable it stands for is left unexpanded.
    """
    result = text
    for _ in range(MAXIMUM_SUBSTITUTIONS):
        match = _VARIABLE.search(result)
        if match is None:
            return result
        name = match.group(1)
        value = (
            _from_environment(name[4:], environment) if name.startswith("env.") and len(name) > 4 else None
        )
        if value is None:
            value = lookup(name)
        if value is None:
            return result
        if match.group(0) in value:
            return text
        result = result[: match.start()] + value + result[match.end() :]
    raise TooManySubstitutionsError(
        f"a value whose variables are replaced in {MAXIMUM_SUBSTITUTIONS} steps: "
        "do properties refer to each other in a circle?"
    )


def _from_environment(expression: str, environment: Mapping[str, str]) -> str | None:
    """`NAME`, `NAME-default` (when unset) or `NAME:-default` (when unset or empty)."""
    match = _ENV_DEFAULT.search(expression)
    if match is None:
        return environment.get(expression)
    value = environment.get(expression[: match.start()])
    default = expression[match.end() :]
    if match.group() == ":-":
        return value or default
    return default if value is None else value
