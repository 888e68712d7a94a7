"""What stands around every page: the pages there are, the keys, who is looking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from yarnbox.rm.web.pages.blocks import alert, heading
from yarnbox.rm.web.pages.facts import fact
from yarnbox.rm.web.values import Answer


def _page(
    to: str, name: str, key: str, read: str, others: Mapping[str, str] | None = None, **how: object
) -> Answer:
    """`key` opens it after `g`. `has` are the first words of all addresses that belong to it, and where the
    page is read then, with the second word for `*`; pages of one `thing` are there only while the thing is,
    and those that are `isTimeless` are not about a moment of a run.
    """
    has = {to.strip("/"): read, **(others or {})}
    return {"to": f"/cluster{to}", "name": name, "key": key, "has": has, **how}


_CLUSTER = (
    _page("", "Cluster", "c", "/ui/cluster"),
    _page("/nodes", "Nodes", "n", "/ui/nodes?states=*", {"node": "/ui/node/*"}, thing="Node"),
    _page("/apps", "Applications", "a", "/ui/apps?states=*", {"app": "/ui/app/*"}, thing="Application"),
    _page("/scheduler", "Scheduler", "s", "/ui/queues"),
    _page("/nodelabels", "Labels", "l", "/ui/labels"),
    _page("/events", "Events", "e", "/ui/events", {"errors-and-warnings": "/ui/errors-and-warnings"}),
    _page("/conf", "Configuration", "k", "/ui/conf"),
    _page("/cluster", "About", "b", "/ui/about"),
)
_RUN = (
    _page("/run", "Run", "r", "/ui/recording/page"),
    *_CLUSTER,
    _page("/compare", "Compare", "v", "/ui/comparison", isTimeless=True),
    _page("/simulation", "Simulation", "m", "/ui/simulations", isTimeless=True),
)
_STEPS = fact("← →", "one moment back, one moment on")


def cluster_shell(user: str) -> Answer:
    """The browser knows the `{zone}` of the times."""
    who = f" Logged in as: {user}." if user else ""
    shown = _shell(_CLUSTER, (), f"Times are in {{zone}}.{who}", "It may belong to an earlier cluster.")
    return {**shown, "user": user}


def run_shell() -> Answer:
    """That of recordings, which nobody needs a name to look at."""
    times = "Times count from the beginning of the run."
    return _shell(_RUN, (_STEPS,), times, "It does not exist at this moment of the run.")


def _shell(pages: Sequence[Answer], more: Sequence[Answer], foot: str, missing: str) -> Answer:
    """`missing` is said where the thing of a page is not there."""
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
    shown = [{**one, "missing": _missing(one, missing)} if "thing" in one else one for one in pages]
    return {"page": shown, "key": keys, "foot": f"{foot} Press ? for the keys."}


def _missing(page: Answer, why: str) -> list[Answer]:
    whole = {"link": page["name"], "to": page["to"]}
    return [heading(f"{page['thing']} not found", 1), alert([f"{why} ", whole])]
