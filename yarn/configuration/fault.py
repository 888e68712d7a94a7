"""What is wrong with a configuration, told so that a person can repair it without reading code.

A reader collects its faults and raises them together: whoever starts a ResourceManager with three mistakes in
yarn-site.xml learns of three. Stands where Hadoop throws YarnRuntimeException, NumberFormatException or
IllegalArgumentException out of its Configuration getters.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from yarnbox.yarn.errors import Status, YarnError


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: where it stands, of which property, the value, and what is allowed."""

    source: str
    """File and line (`conf/yarn-site.xml:12`), `-D`, `default`, or the name a document was parsed under."""

    property: str | None
    """The property's name; None when the document itself cannot be read."""

    value: str | None
    """The value found, after expansion; None when there is none."""

    allowed: str
    """What is allowed, as a phrase: `an integer of at least 1`; for a document, what is wrong with it."""

    reason: str | None = None
    """What is wrong, said whole; in place of `allowed` where the value is right by itself, or where Hadoop's
    own words are known to operators.
    """

    def __str__(self) -> str:
        if self.reason is not None:
            value = "" if self.value is None else f" = {self.value!r}"
            return f"{self.source}: {self.property or ''}{value}: {self.reason}"
        if self.property is None:
            return f"{self.source}: {self.allowed}"
        if self.value is None:
            return f"{self.source}: {self.property} is not set: must be {self.allowed}"
        return f"{self.source}: {self.property} = {self.value!r}: must be {self.allowed}"


class ConfigurationError(YarnError):
    """The configuration cannot be used. Carries every fault that was found, in the order of declarations."""

    status: ClassVar[Status] = Status.INVALID_ARGUMENT

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        lines = [str(fault) for fault in self.faults]
        super().__init__(lines[0] if len(lines) == 1 else "\n".join([f"{len(lines)} faults:", *lines]))

    @classmethod
    def of(
        cls, source: object, allowed: str, *, name: str | None = None, value: str | None = None
    ) -> ConfigurationError:
        """The error of a single fault."""
        return cls([Fault(str(source), name, value, allowed)])
