"""What a run with a guide says to watch and to change, and the pictures that show it at a moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import quote

from yarnbox.cluster.viewer.containers import EPOCH_MS
from yarnbox.cluster.viewer.details import applications, plans, preemptions
from yarnbox.cluster.viewer.units import since
from yarnbox.rm.web.pages.blocks import chart, heading, line, paragraph, section, table
from yarnbox.rm.web.pages.facts import TO_APP, or_none
from yarnbox.rm.web.pages.terms import explained
from yarnbox.rm.web.queues.words import memory, percentage
from yarnbox.sim.recording.document import Recording

_LAST_BOOKED_MS = 5_000
_GIB_MB = 1024
Block = dict[str, Any]


def guide(recording: Recording, moment: int, *, demo: str, has_twin: bool) -> list[Block]:
    """Nothing where the run has none."""
    found = recording.data.get("guide")
    if found is None:
        return []
    shown = Pictures(recording, moment, found["shows"])
    pictures = [one for name in found["shows"] for one in shown.named(name)]
    return [section(list(_texts(found["watch"], found["change"], demo, has_twin)), "card guide"), *pictures]


def _texts(watch: str, change: str, demo: str, has_twin: bool) -> Iterator[Block]:
    yield heading("What to watch")
    yield paragraph(explained(watch))
    if has_twin:
        both: list[object] = ["There is another run of this scenario: choose it above, or "]
        yield paragraph([*both, {"link": "compare both", "to": "/cluster/compare"}, "."])
    yield heading("Change one thing")
    yield paragraph(explained(change))
    if demo:
        to = f"/cluster/simulation?file={quote(demo, safe='')}"
        yield paragraph({"link": f"Open {demo} to change and play it", "to": to, "kind": "button"})


class Pictures:
    """The pictures of a run at a moment, by the names that scenarios have for them."""

    def __init__(self, recording: Recording, moment: int, shows: Sequence[str]) -> None:
        self._recording, self._moment, self._shows = recording, moment, shows
        found = applications(recording, moment, EPOCH_MS)
        self._times, self._apps = found["times"], found["app"]
        self._now = {"time": self._times[moment], "kind": "now", "text": ""}

    def named(self, name: str) -> Iterator[Block]:
        """One of them; nothing where there is none of that name."""
        if name == "applications":
            yield self._application_table()
        elif name == "skipped-opportunities":
            yield from self._numbers("Skipped opportunities", "skippedOverTime", "skipped", str, "count")
        elif name == "dominant-shares":
            yield from self._numbers("Dominant shares", "shareOverTime", "share", percentage, "percent")
        elif name == "preemptions":
            yield self._preemptions()
        elif name == "plan":
            for one in plans(self._recording, self._moment, EPOCH_MS)["plan"]:
                yield from self._plan(one)

    def _numbers(
        self, what: str, values: str, present: str, said: Callable[[Any], str], unit: str
    ) -> Iterator[Block]:
        drawn = [(hue, one) for hue, one in enumerate(self._apps) if any(one[values])]
        words: list[object] = []
        for _, one in drawn:
            if one["isThere"]:
                of_what = _of_what(one) if present == "share" else ""
                words.append({"together": [f"{one['name']} ", {"word": said(one[present])}, of_what]})
        yield heading(explained(what))
        yield {**paragraph(words, "legend counts"), "label": f"{what} at this moment"}
        series = [line(one["name"], one[values], hue=hue) for hue, one in drawn]
        yield chart(what, self._times, series, marks=[self._now], unit=unit)

    def _application_table(self) -> Block:
        columns = [one for one in _COLUMNS if not one[2] or one[2] in self._shows]
        rows = [[cell(one) for _, cell, _ in columns] for one in self._apps if one["isThere"]]
        none = "No application has been submitted yet."
        return table("Applications at this moment", [name for name, _, _ in columns], rows, none)

    def _preemptions(self) -> Block:
        found = preemptions(self._recording, self._moment, EPOCH_MS)["preemption"]
        rows = [
            [
                {"word": f"{one['name']} {_short(one['container'])}", "title": one["container"]},
                one["queue"],
                one["node"].rpartition(":")[0] or one["node"],
                _at(one["marked"]),
                or_none(one["for"]),
                _end(one["killed"], one["unmarked"]),
                f"{one['heir']}, {_at(one['got'])}" if one["heir"] else "",
            ]
            for one in found
        ]
        columns = ["Container", "Queue", "Node", "Marked", "For", "Killed", "Resources went to"]
        none = "Nothing has been marked for preemption yet."
        return table("Preemption until this moment", columns, rows, none)

    def _plan(self, plan: Block) -> Iterator[Block]:
        queue, times, bookings = plan["queue"], plan["times"], plan["booking"]
        # The last amount holds to the end: a moment more, at which nothing is reserved, shows that.
        more = [times[-1] + _LAST_BOOKED_MS] if len(times) > 1 else []
        series = [
            line(
                f"{one['name']} ({one['user']})",
                [*(mb / _GIB_MB for mb in one["memory"]), *(0 for _ in more)],
            )
            for one in bookings
        ]
        nothing, capacity = "There are no reservations yet.", plan["capacity"]
        yield heading(f"Plan of {queue}, over time")
        about = explained("Memory reserved in this plan queue; the line is its capacity,")
        yield paragraph([*about, f" {memory(capacity)}."], "legend")
        if bookings:
            drawn = chart(f"Plan of {queue}", [*times, *more], series, [self._now], "GiB", isStacked=True)
            yield {**drawn, "ceiling": capacity / _GIB_MB}
        else:
            yield paragraph(nothing, "empty")
        rows = [
            [
                one["name"],
                one["user"],
                f"{_at(one['arrival'])} to {_at(one['deadline'])}",
                _booked(one["memory"], times),
            ]
            for one in bookings
        ]
        yield table(f"Reservations of {queue}", ["Reservation", "User", "Window", "Runs"], rows, nothing)


def _waits(one: Block) -> object:
    return {"lines": [explained(why) for why in one["waits"]]}


def _of_what(one: Block) -> str:
    return f" of {one['dominant']}" if one["dominant"] else ""


_COLUMNS: tuple[tuple[str, Callable[[Block], object], str], ...] = (
    ("Application", lambda one: {"link": one["name"], "to": TO_APP.format(one["id"])}, ""),
    ("Queue", lambda one: one["queue"], ""),
    ("State", lambda one: one["state"], ""),
    ("Containers", lambda one: one["containers"], ""),
    ("Pending", lambda one: one["pending"], ""),
    ("Reserved", lambda one: one["reserved"], ""),
    ("Skipped opportunities", lambda one: one["skipped"], "skipped-opportunities"),
    ("Node-local", lambda one: one["local"], "skipped-opportunities"),
    ("Rack-local", lambda one: one["rack"], "skipped-opportunities"),
    ("Off-switch", lambda one: one["off"], "skipped-opportunities"),
    ("Dominant share", lambda one: percentage(one["share"]) + _of_what(one), "dominant-shares"),
    ("Marked", lambda one: one["marked"], "preemptions"),
    ("Waits because", _waits, ""),
)
"""Name, cell, and the picture to which a column belongs."""


def _short(container: str) -> str:
    words = container.removeprefix("container_").split("_")
    return "_".join(words[1:] if words[0].startswith("e") else words)


def _at(ms: int) -> str:
    return since(ms - EPOCH_MS) if ms else ""


def _end(killed_ms: int, unmarked_ms: int) -> str:
    if killed_ms:
        return _at(killed_ms)
    return f"no more since {_at(unmarked_ms)}" if unmarked_ms else "waits"


def _booked(amounts: Sequence[int], times: Sequence[int]) -> str:
    return "; ".join(
        f"{_at(begin)} to {_at(end)}: {memory(amount)}"
        for amount, begin, end in zip(amounts, times, times[1:], strict=False)
        if amount
    )
