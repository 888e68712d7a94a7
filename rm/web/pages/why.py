"""Why an application waits: the way from the root to the nodes, a line for each thing that was checked; and
which of its containers are marked for preemption.

All of it is read from what REST answers, so a recording shows the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from yarnbox.rm.web.pages.blocks import heading, items, paragraph, section
from yarnbox.rm.web.queues.words import plural
from yarnbox.rm.web.values import Answer

_HEADING = "Why it waits"
_MARKS = {True: ("✓", "holds"), False: ("✕", "fails")}
_COUNT = re.compile(r"(\d+) of ")


def why_page(why: Answer) -> list[Answer]:
    """`why` is what /ui/why answers, or what a recording has of it."""
    marks = why.get("preemption") or ()
    marked = [heading("Marked for preemption"), items([*map(_marked, marks)])]
    return [*_waits(why), *([section(marked, "card why")] if marks else ())]


def _waits(why: Answer) -> Iterator[Answer]:
    paths, reasons = why.get("path") or (), why.get("reasons") or ()
    if not paths and not reasons:
        if why.get("diagnostic"):
            yield heading(_HEADING)
            yield paragraph(why["diagnostic"], "empty")
        return
    if not paths and len(reasons) == 1:  # the state of the application says it already
        return
    is_said = any(not one["holds"] for path in paths for one in path["step"])
    more = [items(reasons)] if reasons and not is_said else []
    yield section([heading(_HEADING), *map(_way, paths), *more], "card why")


def _way(path: Answer) -> Answer:
    asked = _COUNT.sub(lambda found: f"{plural(int(found[1]), 'container')} of ", path["asked"], count=1)
    return section([heading(asked, 3), items([*map(_step, path["step"])], "path")])


def _step(one: Answer) -> Answer:
    sign, word = _MARKS[one["holds"]]
    said: list[object] = [{"sign": sign, "word": word}, " ", {"word": one["level"]}, f": {one['checked']}"]
    if one["numbers"]:
        said.append({"word": f" {one['numbers']}", "kind": "how"})
    if not one["holds"] and one["change"]:
        said.append({"word": f"To change this: {one['change']}", "kind": "change"})
    return {"item": said, "kind": word}


def _marked(one: Answer) -> list[object]:
    who = "the ApplicationMaster, " if one["isAM"] else ""
    whom = f" for {one['for']}" if one["for"] else ""
    due: list[object] = ["; it is killed at ", {"clock": one["killAt"]}, " or later"]
    return [
        f"{who}{one['container']} ({one['resource']} on {one['node']}){whom}",
        *(due if one["killAt"] > 0 else ()),
    ]
