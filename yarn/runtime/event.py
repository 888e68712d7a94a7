"""An event: something that happened, sent to whom its class's family says."""

from __future__ import annotations

import re
from typing import ClassVar

from yarnbox.yarn.frozen import Frozen

_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class Event(Frozen, frozen=True, kw_only=True):
    """Something that happened. `family` is the class whose handler gets it.

    Its name is the entity and Hadoop's constant: SchedulerNodeUpdate is SchedulerEventType.NODE_UPDATE. A
    class of events that Hadoop calls otherwise says so in `constant`; "" means that Hadoop has no such event.
    """

    family: ClassVar[type[Event]]
    constant: ClassVar[str] = ""

    @property
    def subject(self) -> object:
        """The id of whom it concerns, for the event log."""
        return None


def hadoop_constant(kind: type[Event]) -> str:
    """Hadoop's name of such events, without its class; "" where it has none."""
    known = _CONSTANTS.get(kind)
    if known is None:
        entity = kind.family.__name__.removesuffix("Event")
        derived = _WORD.sub("_", kind.__name__.removeprefix(entity)).upper()
        known = _CONSTANTS[kind] = str(vars(kind).get("constant", derived))
    return known


_CONSTANTS: dict[type[Event], str] = {}
"""Those that were asked for: the event log asks for each line."""
