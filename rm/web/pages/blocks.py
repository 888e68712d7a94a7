"""What a page consists of, part by part, as pages draw them one below the other (blocks.js).

A text, the cell of a table and the value of a fact are said in the same way: see `facts`. A part that has
`source` shows what is read from there, an address below /ws/v1/cluster.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from yarnbox.rm.web.grids import Arrangement
from yarnbox.rm.web.pages.facts import TO_APP, TO_NODE
from yarnbox.rm.web.pages.terms import meaning, term
from yarnbox.rm.web.values import Answer

_AMOUNTS = ("number", "count", "gib", "gibPart", "amount", "part", "percent", "share")
_TIMES = ("moment", "logged", "duration")
"""Kinds of columns that are sorted and compared as numbers, together with these."""
_ON, _OFF = "\N{BALLOT BOX WITH CHECK}", "\N{BALLOT BOX}"
Values = Sequence[float | None]
"""One for each moment; None where nothing is known."""


def heading(text: object, level: int = 2) -> Answer:
    """The title of a page has the level 1."""
    return {"heading": text, "level": level}


def paragraph(said: object, kind: str = "") -> Answer:
    """`kind` is a class of the style sheet, such as `legend`."""
    return {"paragraph": said, "kind": kind}


def alert(said: object, kind: str = "") -> Answer:
    """What is to be noticed at once, by whoever hears the page, too."""
    return {"alert": said, "kind": kind}


def items(found: Sequence[object], kind: str = "") -> Answer:
    """A list. An entry may be an `item` with a `kind` of the style sheet."""
    return {"items": list(found), "kind": kind}


def listing(label: str, lines: Sequence[object]) -> Answer:
    """A text line by line, which are entries of a list; one of them may be that which `isNow`."""
    return {"listing": list(lines), "label": label}


def facts(found: Sequence[Answer]) -> Answer:
    """Figures by their names; those that are explained have what they mean, too."""
    return {"facts": [{**one, "means": meaning(one["name"])} for one in found]}


def text(said: str, label: str = "Diagnostics") -> Answer:
    """Many lines, as they are."""
    return {"text": said, "label": label}


def section(parts: Sequence[Answer], kind: str = "", label: str = "") -> Answer:
    """Parts that belong together; `kind` is a class of the style sheet, such as `card`."""
    return {"section": list(parts), "kind": kind, "label": label}


def folded(summary: str, parts: Sequence[Answer], kind: str = "") -> Answer:
    """What is shown on request."""
    return {"folded": list(parts), "summary": summary, "kind": kind}


def table(name: str, columns: Sequence[object], rows: Sequence[Sequence[object]], none: str = "") -> Answer:
    """A few rows; `none` is what is said where there are none."""
    return {
        "table": [list(row) for row in rows],
        "name": name,
        "columns": [term(one) for one in columns],
        "none": none,
    }


def line(name: str, values: Values, **how: object) -> Answer:
    """A series of a chart. `hue` is the number of its colour, its place among the series otherwise; `dashed`
    is "dashed" or "dotted".
    """
    return {"name": name, "values": list(values), **how}


_UNITS = {
    "percent": {"digits": 1, "suffix": " %", "top": 100},
    "count": {"digits": 0, "suffix": "", "top": 4},
    "GiB": {"digits": 1, "suffix": " GiB", "top": 0},
    "index": {"digits": 3, "suffix": "", "top": 4},
}
"""How values are said, and what the axis reaches at least: one of few counts would have steps of a half."""


def chart(
    what: str,
    times: Sequence[int],
    series: Sequence[Answer],
    marks: Sequence[Answer] = (),
    unit: str = "percent",
    **how: object,
) -> Answer:
    """Series over moments. `marks` are moments with a kind and a text, of which `now` is the present one of a
    run; `ceiling` is a line that series which are stacked (`isStacked`) should stay below. `present` is the
    place of the values that are said while nobody points at others.
    """
    now = next((one["time"] for one in marks if one["kind"] == "now"), None)
    known = [
        at
        for at, time in enumerate(times)
        if (now is None or time <= now) and any(one["values"][at] is not None for one in series)
    ]
    return {
        "chart": what,
        "times": list(times),
        "series": list(series),
        "marks": list(marks),
        **_UNITS[unit],
        "present": known[-1] if known else None,
        **how,
    }


def figures(found: Sequence[Answer]) -> Answer:
    """Few large numbers: each with `value`, `text`, where it leads (`to`) and whether that `isTrouble`."""
    return items(
        [
            {
                "item": {"link": [{"word": one["value"]}, f" {one['text']}"], "to": one["to"]},
                "kind": "trouble" if one["isTrouble"] else "",
            }
            for one in found
        ],
        "figures",
    )


def mark(kind: str, left: float, width: float | None = None) -> Answer:
    """A part of a bar, or a place in it, in per cent; `kind` is a class of the style sheet."""
    places = (None if one is None else min(100.0, max(0.0, one)) for one in (left, width))
    return {"kind": kind, **dict(zip(("left", "width"), places, strict=True))}


def bars(parameter: str, rows: Iterable[Answer]) -> Answer:
    """A tree of bars of which one can be opened: its `key` goes into the address as the parameter. A row also
    has its `name`, `depth`, whether it `isOpen`, the `mark`s in its bar and what is `said` beside it.
    """
    return {"bars": list(rows), "into": parameter}


def lifeline(steps: Sequence[Answer]) -> Answer:
    """Steps on a line: each with its name (`step`), its `time`, how wide it is (`weight`) and what is `said`
    below it.
    """
    return {"lifeline": list(steps)}


def actions(offered: Sequence[Answer]) -> Answer:
    """Buttons, as the module of that name says them, and the `reasons` why some cannot be pressed: one, where
    it is the same for all.
    """
    first = offered[0]["refusal"] if offered else ""
    each = [f"{one['name']}: {one['refusal']}" for one in offered if one["refusal"]]
    is_same = all(one["refusal"] == first for one in offered)
    return {"actions": list(offered), "reasons": [first] if first and is_same else each}


def included(source: str) -> Answer:
    """The parts that another address answers with."""
    return {"included": "", "source": source}


def stream(name: str, asked: str, leads: str, **how: object) -> Answer:
    """Containers over time. `asked` is the query of /ui/containers; a container leads to the page of its
    `node` or its `app`; `lanes` and `colour` are what is chosen at first.
    """
    to, what = _LEADS[leads]
    return {"stream": name, "source": f"/ui/containers?{asked}", "to": to, "what": what, **how}


_LEADS = {
    "app": (TO_APP.format("{app}"), "the page of its application"),
    "node": (TO_NODE.format("{node}"), "the page of its node"),
}
"""Addresses with fields of a container in braces, and what is there."""


def form(key: str, fields: Sequence[Answer], call: str, verb: str) -> Answer:
    """A form that is posted to `call`; the answer says where it leads (`to`), or which `problems` there are.
    What is written stays with the `key`. A `field` is a `text` (of a `type`, from `min` to `max`), a
    `choice`, the `lines` of a text, `hidden`, or an `upload` that fills those called `name` and `text`.
    """
    return {"form": list(fields), "key": key, "calls": [["POST", call]], "verb": verb}


def tail(name: str, text: str) -> Answer:
    """The end of a text that grows, which stays in sight."""
    return {"tail": text, "name": name}


def run_stream(name: str, run: str, times: tuple[int, int], colour: str, at: int = 0) -> Answer:
    """The containers of a whole run. Of the moments of it, `times` are the one that counts as the beginning
    and the last one, `at` is the one that is shown.
    """
    begin, end = times
    asked = f"run={run}&at={end}&origin={begin}"
    to, what = _LEADS["app"]
    how = {"to": f"{to}?run={run}&at={{moment}}", "what": f"{what} when the container began"}
    return stream(name, asked, "app", **how, colour=colour, at=at)


def choose(
    name: str, parameter: str, choices: Sequence[tuple[str, str]], present: str, kind: str = ""
) -> Answer:
    """A list of values with their texts; the one that is chosen goes into the address as the parameter."""
    found = [list(one) for one in choices]
    return {"choose": found, "name": name, "into": parameter, "present": present, "kind": kind}


def column(key: str, name: str, kind: str = "plain", read: str = "", **how: object) -> Answer:
    """A column of a grid. `key` names it in addresses and filters, `read` is the field of a row, the key
    otherwise; `kind` is one of dom.js, as of the values of facts; `note` is a field that is said, small,
    behind it. A `link` leads `to` an address with fields of the row in braces, where {} is the column's own.
    `isCard` shows it on a phone, `isOff` on request alone, `isFixed` keeps the list from being sorted by it.
    """
    field = read or key
    if isinstance(to := how.get("to"), str):
        how["to"] = to.replace("{}", f"{{{field}}}")
    return {
        "key": key,
        "name": name,
        "kind": kind,
        "read": field,
        "isNumber": kind in (*_AMOUNTS, *_TIMES),
        **how,
    }


def grid(arranged: Arrangement, name: str, rows: Sequence[Answer] | str, **how: object) -> Answer:
    """A list whose columns can be chosen and sorted. `rows` may be the name that they have in the answer
    beside the page, where they are seen and sorted already. `of` is the field that tells them apart, `calls`
    say where else they can be had, `none` what is said where there are none.
    """
    found: Sequence[Answer] | str = rows
    if not isinstance(rows, str):
        for row in rows:
            arranged.take(row)
        found = arranged.taken()
    return {
        "grid": found,
        "id": arranged.key,
        "name": name,
        "columns": arranged.shown(),
        "sortBy": arranged.sort_by,
        "chooseBy": arranged.choose_by,
        "chosen": ",".join(arranged.chosen),
        "chooser": [_chooser(arranged)],
        **how,
    }


def _chooser(arranged: Arrangement) -> Answer:
    """Every column, the shown ones first: it is shown or no longer, or changes places with its neighbour."""
    keys, names = arranged.chosen or arranged.usual, arranged.names

    def choosing(word: str, label: str, chosen: Sequence[str], **how: object) -> Answer:
        return {"link": word, "label": label, "ask": [arranged.choose_by, ",".join(chosen)], **how}

    def moving(at: int, to: int, word: str, where: str) -> list[object]:
        if not 0 <= to < len(keys):
            return []
        moved = [*keys]
        moved[at], moved[to] = keys[to], keys[at]
        return [" ", choosing(word, f"{names[keys[at]]} to the {where}", moved)]

    found: list[object] = []
    for at, key in enumerate(keys):
        name = names[key]
        others = [one for one in keys if one != key]
        flip = choosing(f"{_ON} {name}", f"{_ON} {name}: hide", others) if others else f"{_ON} {name}"
        entry = [flip, *moving(at, at - 1, "\N{UPWARDS ARROW}", "left")]
        found.append([*entry, *moving(at, at + 1, "\N{DOWNWARDS ARROW}", "right")])
    for key, name in names.items():
        if key not in keys:
            found.append([choosing(f"{_OFF} {name}", f"{_OFF} {name}: show", [*keys, key])])
    usual = {"link": "Reset columns", "ask": [arranged.choose_by, "usual"]}
    return folded("Columns", [items(found), paragraph([usual])], "columns")


def search(hint: str) -> Answer:
    """The filter of the page, and what can be typed into it."""
    return {"filter": hint}


def facet(key: str, name: str, counts: Mapping[str, int], present: str) -> Answer:
    """Values of a field, of which one can be chosen, the most frequent first, and how often each occurs. Of
    the value "" one cannot ask.
    """
    known = {**({present: 0} if present else {}), **{one: count for one, count in counts.items() if one}}
    ordered = sorted(known.items(), key=lambda one: (one[0] in counts, -one[1], one[0]))
    values = [(value, f"{value} ({count})") for value, count in ordered]
    return choose(name, key, [("", "all"), *values], present, "facet")


def choice(key: str, name: str, values: Mapping[str, str], usual: str, present: str) -> Answer:
    """A few values, by what they are called; the one that is chosen goes into the address as the parameter,
    unless it is the usual one.
    """
    found = [
        {
            "link": called,
            "ask": [key, "" if value == usual else value],
            "isHere": value == (present or usual),
        }
        for value, called in values.items()
    ]
    return {**chips(name, found), "what": name}


def chips(name: str, found: Sequence[Answer]) -> Answer:
    """Links to lists beside this one, which is one of them (`isHere`)."""
    return {"chips": list(found), "name": name}


def pages(asked: Mapping[str, str], size: int, count: int, parameter: str = "from") -> list[Answer]:
    """Which of so many rows are shown, and the way to the others, by a parameter of the address."""
    first = number(asked, parameter)
    if not count:
        return []
    found: list[object] = [f"{first + 1} to {min(first + size, count)} of {count} "]
    if first:
        found += [{"link": "previous page", "ask": [parameter, str(max(0, first - size))]}, " "]
    if first + size < count:
        found.append({"link": "next page", "ask": [parameter, str(first + size)]})
    return [paragraph(found, "pages")]


def number(asked: Mapping[str, str], name: str) -> int:
    """A parameter that is a number, or 0."""
    text = asked.get(name, "")
    return int(text) if text.isascii() and text.isdigit() else 0
