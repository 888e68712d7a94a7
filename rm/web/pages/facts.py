"""A figure by its name, as pages show it.

The value is a number, words, an amount as REST has it, or several of these. A mapping with one of these keys
is shown as a browser can: `moment`, `exact` and `clock` (a time of day), `duration` (ms), `share` (a bar, in
per cent, beside what is `said`), `state`, `text` (of many lines), `link` (to what is at `to`), `word` (of a
`kind` of the style sheet, with a `title`), `sign` (with the `word` that it stands for), `small`, `code`,
`swatch` (in a `hue`), `term` (which `means` something), `lines` (one below the other), `together` (which no
line break parts).
"""

from __future__ import annotations

import re
from urllib.parse import quote

from yarnbox.rm.web.values import Answer

TO_APP, TO_NODE, TO_QUEUE = "/cluster/app/{}", "/cluster/node/{}", "/cluster/scheduler?queue={}"
"""The page of what has that name."""


def fact(name: str, value: object, to: str = "") -> Answer:
    """`to` is where it leads."""
    return {"name": name, "value": value, "to": to}


def or_none(value: object) -> object:
    """What Hadoop's pages say where there is nothing."""
    return "N/A" if value in (None, "", -1) else value


def queue_page(path: str) -> str:
    """The page of a queue."""
    return TO_QUEUE.format(quote(path, safe=""))


_PAGES = (
    (re.compile(r"application_"), TO_APP),
    (re.compile(r"appattempt_"), "/cluster/appattempt/{}"),
    (re.compile(r"container_"), "/cluster/container/{}"),
    (re.compile(r"root(\.|$)"), TO_QUEUE),
    (re.compile(r"[\w.-]+:\d+$"), TO_NODE),
)
_NAMED = re.compile(r".*\(([^()]+)\)$")


def page_of(name: str) -> str:
    """The page of what has that name, by how it looks; "" where there is none. A recording writes "its name
    (its id)".
    """
    named = _NAMED.match(name)
    found = named[1] if named else name
    return next((to.format(quote(found, safe=":")) for looks, to in _PAGES if looks.match(found)), "")
