"""What stands around every page: the pages there are, the keys, who is looking."""

from __future__ import annotations

from collections.abc import Sequence

from yarnbox.rm.web.pages.facts import fact
from yarnbox.rm.web.values import Answer


def _page(to: str, name: str, key: str, *others: str, thing: str = "") -> Answer:
    """`key` opens it after `g`. The `others` are the first words of addresses that belong to it; pages of one
    `thing` are there only while the thing is.
    """
    return {"to": f"/cluster{to}", "name": name, "key": key, "has": [to.strip("/"), *others], "thing": thing}


_CLUSTER = (
    _page("", "Cluster", "c"),
    _page("/nodes", "Nodes", "n", "node", thing="Node"),
    _page("/apps", "Applications", "a", "app", thing="Application"),
    _page("/scheduler", "Scheduler", "s"),
    _page("/nodelabels", "Labels", "l"),
    _page("/events", "Events", "e", "errors-and-warnings"),
    _page("/conf", "Configuration", "k"),
    _page("/cluster", "About", "b"),
)
_RUN = (
    _page("/run", "Run", "r"),
    *_CLUSTER,
    _page("/compare", "Compare", "v"),
    _page("/simulation", "Simulation", "m"),
)
_STEPS = fact("← →", "one moment back, one moment on")


def cluster_shell(user: str, *, counts_vcores: bool) -> Answer:
    """`counts_vcores` says whether amounts have vcores."""
    return {
        **_shell(_CLUSTER, ()),
        "user": user,
        "countsVCores": counts_vcores,
        "missing": "It may belong to an earlier cluster.",
    }


def run_shell() -> Answer:
    """That of recordings, which nobody needs a name to look at."""
    return {
        **_shell(_RUN, (_STEPS,)),
        "user": "",
        "missing": "It does not exist at this moment of the run.",
        "times": "Times count from the beginning of the run.",
    }


def _shell(pages: Sequence[Answer], more: Sequence[Answer]) -> Answer:
    keys = [
        *(fact(f"g, then {one['key']}", one["name"]) for one in pages),
        fact("/", "filter"),
        fact("p", "pause or resume"),
        fact("↑ ↓", "rows of a table; also Page Up, Page Down, Home, End"),
        *more,
        fact("Enter", "open the row"),
        fact("t", "light or dark"),
        fact("?", "this help"),
        fact("Esc", "close a dialog, leave the filter"),
    ]
    return {"page": list(pages), "key": keys}
