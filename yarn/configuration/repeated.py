"""Properties that one file sets more than once: on which lines they stand, and which value counts.

Hadoop takes the last value of a file without a word, unless an earlier property of the name is final. A file
that includes another and sets a property of it anew is not meant here: that is what includes are for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from yarnbox.yarn.configuration.deprecated import current_names
from yarnbox.yarn.configuration.document import Entry, Origin
from yarnbox.yarn.configuration.properties import Configuration, Property
from yarnbox.yarn.text.words import listed, on_lines, shortened


@dataclass(frozen=True, slots=True)
class Repeated:
    """One property of one file."""

    name: str
    """Of today, where a line has a deprecated one."""
    origin: Origin
    """The last line that sets it."""
    text: str
    places: tuple[Origin, ...]
    """All lines that set it."""

    def __str__(self) -> str:
        return f"{self.origin}: {self.name} {self.text}"


def repeated(configuration: Configuration) -> Iterator[Repeated]:
    """Everything that a file of the configuration sets more than once, in the order of the files."""
    for document in configuration.resources:
        written: dict[tuple[str, str], list[Entry]] = {}
        for entry in document.entries:
            for name in current_names(entry.name):
                written.setdefault((entry.origin.source, name), []).append(entry)
        for (_, name), entries in written.items():
            if len(entries) > 1:
                text = _sentence(entries, configuration.property(name))
                places = tuple(entry.origin for entry in entries)
                yield Repeated(name, places[-1], text, places)


def _sentence(entries: Sequence[Entry], counts: Property | None) -> str:
    where = f"is written {on_lines([entry.origin.line for entry in entries])}"
    names = list(dict.fromkeys(entry.name for entry in entries))
    if len(names) > 1:
        where += f", as {listed(names)}"
    own = [entry for entry in entries if counts is not None and _is(entry, counts)]
    values = {entry.value for entry in entries}
    if counts is None:
        return f"{where}, never with a value: it is not set"
    value = f"'{shortened(counts.raw)}'"
    if not own:
        return f"{where}: none of them counts, but {value} of {counts.origin}"
    if len(values) == 1:
        return f"{where}, each time as {value}: write it once"
    counting = f"{where}: {value} of line {counts.origin.line} counts"
    given = [entry for entry in entries if entry.value is not None]
    if given[-1] is own[-1]:
        last = "the last" if given[-1] is entries[-1] else "the last that has a value"
        return f"{counting}, {last}: write it once"
    final = next(entry for entry in entries if entry.final)
    reason = "because it is final" if final is own[-1] else f"because line {final.origin.line} is final"
    return f"{counting}, {reason}: write it once"


def _is(entry: Entry, counts: Property) -> bool:
    """Two properties may stand on one line."""
    return (entry.origin, entry.value) == (counts.origin, counts.raw)
