"""The properties of capacity-scheduler.xml by name: found quickly, read by type, faults collected.

A live configuration has thousands of them and a queue of a template reads them through an overlay, so there
is a sorted index here and nothing else. Knows the grammar of single values, not what they mean to a queue.
Hadoop: the getters of CapacitySchedulerConfiguration and ConfigurationProperties.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from typing import TypeVar

from yarnbox.rm.scheduler.calculator import float32
from yarnbox.yarn.configuration import Configuration, ConfigurationError, Fault, values

PREFIX = "yarn.scheduler.capacity."
MONITOR = "yarn.resourcemanager.scheduler.monitor."

T = TypeVar("T")


def _truth(text: str | None) -> bool | None:
    return {"true": True, "false": False}.get((text or "").lower())


def _refusal(error: ValueError) -> str:
    """It says what is allowed, or is a sentence of Hadoop's."""
    said = str(error)
    return said if said.startswith("Illegal ") else f"must be {said}"


class Properties:
    """capacity-scheduler.xml above yarn-site.xml: either may hold any of them, as in Hadoop."""

    def __init__(self, file: Configuration, site: Configuration | None = None) -> None:
        self.file = file
        self.site = site
        names = [*file.names("yarn."), *(site.names(PREFIX) if site is not None else ())]
        self._names = sorted(dict.fromkeys(names))
        self.faults: list[Fault] = []

    def merged(self) -> Configuration:
        """Both as one configuration, for settings that other readers read."""
        if self.site is None:
            return self.file
        return self.site.overlaid(
            {name: text for name in self.file.names("") if (text := self.file.value(name)) is not None}
        )

    def text(self, name: str) -> str | None:
        """The value without the blanks around it; None when it is nowhere."""
        found = self.file.value(name)
        return found if found is not None or self.site is None else self.site.value(name)

    def untrimmed(self, name: str) -> str | None:
        """The value as it is written: in an ACL a single blank has a meaning."""
        found = self.file.untrimmed(name)
        return found if found is not None or self.site is None else self.site.untrimmed(name)

    def names(self, prefix: str) -> list[str]:
        """All names that begin so, sorted."""
        start = bisect_left(self._names, prefix)
        end = bisect_left(self._names, prefix + "\U0010ffff", start)
        return self._names[start:end]

    def fault(self, name: str, reason: str) -> None:
        """Notes that the property's value cannot be used, in words that operators know."""
        origin = self.file if name in self.file or self.site is None else self.site
        self.faults.append(Fault(str(origin.origin(name)), name, self.text(name), reason, reason))

    def read(self, name: str, parse: Callable[[str], T], default: T, reason: str = "") -> T:
        """The value as `parse` understands it; a fault and the default where it does not."""
        text = self.text(name)
        if text is None or text == "":
            return default
        try:
            return parse(text)
        except ValueError as error:
            self.fault(name, reason or _refusal(error))
            return default

    def integer(self, name: str, default: int) -> int:
        """An integer."""
        return self.read(name, values.long, default)

    def number(self, name: str, default: float) -> float:
        """A number, as a 32-bit float."""
        return float32(self.read(name, values.number, default))

    def boolean(self, name: str, default: bool) -> bool:
        """`true` or `false` in any case; any other word counts as the default."""
        found = self.optional_boolean(name)
        return default if found is None else found

    def optional_boolean(self, name: str) -> bool | None:
        """The same; None where there is none of the two words."""
        return _truth(self.text(name))

    def strings(self, name: str) -> tuple[str, ...]:
        """The parts between commas, trimmed, empty ones left out."""
        return tuple(part for part in values.strings(self.text(name) or "") if part)

    def raise_faults(self) -> None:
        """ConfigurationError with all faults so far, if there are any."""
        if self.faults:
            faults, self.faults = self.faults, []
            raise ConfigurationError(faults)


class QueueProperties:
    """The properties of one queue: those of its own path, then those of a template."""

    def __init__(self, properties: Properties, path: str, template: Mapping[str, str] | None = None) -> None:
        self.properties = properties
        self.path = path
        self.prefix = f"{PREFIX}{path}."
        self.template = template or {}

    def text(self, key: str) -> str | None:
        """The value without blanks around it."""
        found = self.properties.text(self.prefix + key)
        if found is not None:
            return found
        of_template = self.template.get(key)
        return None if of_template is None else of_template.strip()

    def untrimmed(self, key: str) -> str | None:
        """The value as it is written."""
        found = self.properties.untrimmed(self.prefix + key)
        return self.template.get(key) if found is None else found

    def keys(self, prefix: str) -> list[str]:
        """All keys of this queue that begin so, without the prefix."""
        start = len(self.prefix) + len(prefix)
        own = [name[start:] for name in self.properties.names(self.prefix + prefix)]
        return own + [
            key[len(prefix) :]
            for key in self.template
            if key.startswith(prefix) and key[len(prefix) :] not in own
        ]

    def fault(self, key: str, reason: str) -> None:
        """Notes that a value cannot be used."""
        self.properties.fault(self.prefix + key, reason)

    def read(self, key: str, parse: Callable[[str], T], default: T, reason: str = "") -> T:
        """The value as `parse` understands it."""
        text = self.text(key)
        if text is None or text == "":
            return default
        try:
            return parse(text)
        except ValueError as error:
            self.fault(key, reason or _refusal(error))
            return default

    def integer(self, key: str, default: int) -> int:
        """An integer."""
        return self.read(key, values.long, default)

    def optional_integer(self, key: str) -> int | None:
        """An integer, or None when there is none."""
        return self.read(key, lambda text: values.long(text), None)

    def number(self, key: str, default: float) -> float:
        """A number, as a 32-bit float."""
        return float32(self.read(key, values.number, default))

    def boolean(self, key: str, default: bool) -> bool:
        """`true` or `false` in any case; any other word counts as the default."""
        found = _truth(self.text(key))
        return default if found is None else found

    def optional_boolean(self, key: str) -> bool | None:
        """`true` or `false`, or None."""
        return _truth(self.text(key))

    def strings(self, key: str) -> tuple[str, ...]:
        """The parts between commas, trimmed, empty ones left out."""
        return tuple(part for part in values.strings(self.text(key) or "") if part)
