"""The lists: of each its columns, by the names of Hadoop's pages, and what its page says beside it.

Filters and orders name columns by their keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar
from urllib.parse import urlencode

from yarnbox.rm.web.filters import Facets, Listed, parse
from yarnbox.rm.web.grids import Arrangement, wants_file
from yarnbox.rm.web.pages.blocks import (
    chips,
    choice,
    column,
    facet,
    grid,
    heading,
    included,
    number,
    pages,
    paragraph,
    search,
    section,
    text,
)
from yarnbox.rm.web.pages.facts import TO_APP, TO_NODE, TO_QUEUE, page_of
from yarnbox.rm.web.pages.heat import GROUPS, MEASURES, HeatMap
from yarnbox.rm.web.values import Answer
from yarnbox.yarn.enums import YarnApplicationState
from yarnbox.yarn.records.node import SHOWN_DEFAULT_PARTITION

Asked = Mapping[str, str]
"""The parameters of the page's address."""
Kept = TypeVar("Kept")

APPLICATIONS = (
    column("id", "ID", "link", isCard=True, width=270, to=TO_APP),
    column("user", "User"),
    column("name", "Name", isCard=True),
    column("queue", "Queue", "link", to=TO_QUEUE),
    column("state", "State", "state", isCard=True),
    column("final", "FinalStatus", "state", "finalStatus", isCard=True),
    column("progress", "Progress", "share", width=200),
    column("type", "Application Type", read="applicationType"),
    column("tag", "Application Tags", read="applicationTags", isOff=True),
    column("priority", "Application Priority", "count"),
    column("started", "StartTime", "moment", "startedTime"),
    column("launched", "LaunchTime", "moment", "launchTime", isOff=True),
    column("finished", "FinishTime", "moment", "finishedTime"),
    column("containers", "Running Containers", "count", "runningContainers"),
    column("pending", "Pending Containers", "count", "pendingContainers"),
    column("vcores", "Allocated CPU VCores", "count", "allocatedVCores"),
    column("mem", "Allocated Memory", "gib", "allocatedMB"),
    column("gpus", "Allocated GPUs", "count", "allocatedGPUs", isOff=True),
    column("reservedvcores", "Reserved CPU VCores", "count", "reservedVCores", isOff=True),
    column("reservedmem", "Reserved Memory", "gib", "reservedMB", isOff=True),
    column("reservedgpus", "Reserved GPUs", "count", "reservedGPUs", isOff=True),
    column("fairshare", "Fair Share", "gib", "fairShareMB", isOff=True),
    column("queueshare", "% of Queue", "percent", "queueUsagePercentage"),
    column("clustershare", "% of Cluster", "percent", "clusterUsagePercentage"),
    column("tracking", "Tracking UI", "link", to="{proxy}"),
    column("blacklisted", "Blacklisted Nodes", "count", "blacklistedNodes", isOff=True),
    column("elapsed", "Elapsed", "duration", "elapsedTime", isOff=True),
)
NODES = (
    column("label", "Node Labels", read="partition"),
    column("rack", "Rack"),
    column("state", "Node State", "state", isCard=True),
    column("id", "Node Address", "link", isCard=True, to=TO_NODE),
    column("http", "Node HTTP Address", "link", to="//{}/node"),
    column("health", "Last health-update", "moment"),
    column("report", "Health-report"),
    column("containers", "Containers", "number"),
    column("tag", "Allocation Tags", read="tags"),
    column("mem", "Mem Used", "gibPart", "usedMB", of="totalMB", isCard=True, width=220),
    column("memfree", "Mem Avail", "gib", "freeMB"),
    column("memtotal", "Mem Total", "gib", "totalMB", isOff=True),
    column("physmem", "Phys Mem Used %", "percent", "physicalMB"),
    column("vcores", "VCores Used", "part", "usedVCores", of="totalVCores", width=190),
    column("vcoresfree", "VCores Avail", "number", "freeVCores"),
    column("vcorestotal", "VCores Total", "number", "totalVCores", isOff=True),
    column("physvcores", "Phys VCores Used %", "percent", "physicalVCores"),
    column("host", "Host", isOff=True),
    column("reserved", "Reserved for", isOff=True),
    column("version", "Version"),
)

EVENTS = (
    column("time", "Time", "logged", isCard=True, width=150),
    column("type", "Type", "trouble", isCard=True, width=250),
    column("about", "About", isOff=True),
    column("subject", "Subject", "link", to="{to}", isCard=True, width=320, isLine=True),
    column("details", "Details", isCard=True, width=420, takesRest=True, isLine=True),
)
PROPERTIES = (
    column("name", "Property", isCard=True, width=400, isLine=True),
    column("value", "Value", note="unit", isCard=True, width=220, isLine=True),
    column("source", "From", note="default", isCard=True),
    column("meaning", "Meaning", isCard=True, width=420, takesRest=True, isLine=True),
)
CONTAINERS = (
    column("id", "Container ID", isCard=True),
    column("app", "Application", "link", isOff=True, to=TO_APP),
    column("node", "Node", "link", isCard=True, to=TO_NODE),
    column("queue", "Queue", isOff=True),
    column("user", "User", isOff=True),
    column("partition", "Partition", isOff=True),
    column("priority", "Priority", "number"),
    column("mem", "Memory", "gib", "memoryMB"),
    column("vcores", "VCores", "number"),
    column("state", "Container State", "containerState", isCard=True),
    column("exit", "Exit Status", "number", "exitStatus", isCard=True),
    column("locality", "Locality"),
    column("started", "Started", "moment"),
    column("finished", "Finished", "moment", isOff=True),
    column("elapsed", "Elapsed", "duration"),
    column("logs", "Logs", "link", to="{logs}", word="Logs", isFixed=True),
    column("diagnostics", "Diagnostics", "long", width=320),
)
_OF_NODE: dict[str, Answer] = {
    "id": {"kind": "link", "to": "/cluster/container/{id}"},
    "node": {"isCard": False, "isOff": True},
    "queue": {"isCard": True, "isOff": False},
    "user": {"isOff": False},
}
"""What the list of a node's containers has otherwise than that of an application."""


class Selection:
    """The rows of a list that its filter lets through, and the chosen values of facets, which it counts."""

    def __init__(self, columns: Sequence[Answer], asked: Asked, facets: Mapping[str, str]) -> None:
        """`facets` are the fields of which values can be chosen, by their names."""
        self._texts = {one["key"]: one["read"] for one in columns if not one["isNumber"]}
        self._numbers = {one["key"]: one["read"] for one in columns if one["isNumber"]}
        self._query = parse(asked["q"], self._texts, self._numbers) if asked.get("q") else None
        self._names, self._asked = facets, asked
        self._facets = Facets({key: [asked[key]] if asked.get(key) else [] for key in facets})
        self.count = 0

    def takes(self, row: Answer) -> bool:
        """Whether the row is shown."""
        if self._query is not None and not self._query.holds(Listed(row, self._texts, self._numbers)):
            return False
        is_taken = self._facets.passes({name: row[self._texts[name]] for name in self._names})
        self.count += is_taken
        return is_taken

    def choices(self, hint: str) -> Answer:
        """The filter and the facets."""
        return choices(hint, self._names, self._facets.counts(), self._asked)


def choices(
    hint: str, names: Mapping[str, str], counts: Mapping[str, Mapping[str, int]], asked: Asked
) -> Answer:
    """The filter, what can be typed into it, and the facets by their names."""
    facets = [facet(key, name, counts.get(key, {}), asked.get(key, "")) for key, name in names.items()]
    return section([search(hint), *facets], "choices")


def unfiltered(what: str, path: str) -> list[object]:
    """What is said where a filter lets nothing through."""
    return [f"No {what} match these filters. ", {"link": f"Show all {what}", "to": path}]


# Applications

_STATES = [one.name for one in YarnApplicationState]
_OF_APPLICATIONS = {"user": "User", "queue": "Queue", "type": "Type"}
_HADOOPS = {"states": "states", "user": "user", "queue": "queue", "type": "applicationTypes"}
NO_APPLICATIONS = "No applications yet. Submit one: yarnbox job pi 4 100000"
_NO_LIVING = {
    "apps": "No applications are running or waiting. Submit one: yarnbox job pi 4 100000",
    "queueapps": "No application is running or waiting in this queue.",
}
"""What is said where the short list of a page is empty."""
A_PAGE = 20
_HINT = "words, or state:RUNNING user:mei queue:root.etl mem>4096"


class ApplicationsPage:
    """Takes the rows of the applications that are shown; the page is said afterwards."""

    def __init__(self, asked: Asked) -> None:
        """`list` names the list of another page, which is said alone."""
        self._asked, self._alone = asked, asked.get("list", "")
        key, is_main = self._alone or "apps", not self._alone
        self._list = Arrangement(key, APPLICATIONS, asked, is_main=is_main, order="-id")
        self.order = self._list.order

    def take(self, app: Answer) -> Answer:
        """The row of an application, as REST answers it, with what its columns read."""
        row = application_row(app)
        self._list.see(row)
        return row

    def blocks(self, found: Answer) -> list[Answer]:
        """`found` counts those that match the filter, all of them, and the values of facets."""
        asked, wanted = self._asked, self._asked.get("states", "")
        known = {key: asked[key] for key in ("q", *_HADOOPS) if asked.get(key)}
        hadoops = {_HADOOPS[key]: value for key, value in known.items() if key in _HADOOPS}
        call = _address("/ui/apps", {**known, "sort": self.order})
        calls = [_address("/apps", hadoops), call]
        if self._alone:
            return [self._grid(calls, _NO_LIVING.get(self._alone, NO_APPLICATIONS))]
        path = f"/cluster/apps{f'/{wanted}' if wanted else ''}"
        none = unfiltered("applications", path) if found["total"] else NO_APPLICATIONS
        return [
            heading(f"{wanted} Applications" if wanted else "All Applications", 1),
            _states(asked, found["facets"]["state"]),
            choices(_HINT, _OF_APPLICATIONS, found["facets"], asked),
            self._grid(calls, none),
            *pages(asked, A_PAGE, found["matching"]),
        ]

    def _grid(self, calls: Sequence[str], none: object) -> Answer:
        return grid(self._list, "Applications", "app", of="id", calls=calls, none=none)


def application_row(app: Answer) -> Answer:
    """An application as REST answers it, with what its columns read."""
    shown = app.get("trackingUI", "UNASSIGNED")
    if shown == "UNASSIGNED":
        return {**app, "tracking": "Unassigned", "proxy": ""}
    return {**app, "tracking": shown, "proxy": f"/proxy/{app['id']}/"}


def applications(key: str, states: Sequence[str], asked: Asked, queue: str = "") -> Answer:
    """A short list of applications in these states; `key` is one of those whose emptiness is explained."""
    own = {name: asked[name] for name in (f"{key}.sort", f"{key}.columns") if asked.get(name)}
    of_queue = {"queue": queue} if queue else {}
    query = {"states": ",".join(states), **of_queue, "limit": str(A_PAGE), "list": key, **own}
    return included(_address("/ui/apps", query))


def _address(path: str, asked: Mapping[str, str]) -> str:
    return f"{path}?{urlencode(asked, safe=',')}" if asked else path


def _states(asked: Asked, counts: Mapping[str, int]) -> Answer:
    wanted = asked.get("states", "")
    others = {key: value for key, value in asked.items() if key not in ("states", "from")}
    every = {"": sum(counts.values()), **{name: counts.get(name, 0) for name in _STATES}}
    return chips(
        "States",
        [
            {
                "link": f"{name or 'All'} {count or ''}".rstrip(),
                "to": _address(f"/cluster/apps/{name}".rstrip("/"), others),
                "isHere": name == wanted,
            }
            for name, count in every.items()
        ],
    )


# Nodes


class NodesPage:
    """Takes the rows of all nodes in their order; the page is said afterwards."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._wanted = asked.get("states", "").lower()
        self._by, measure = asked.get("by", "rack"), asked.get("measure", "memory")
        self._rows = Selection(NODES, asked, {key: key.capitalize() for key in GROUPS})
        self._list = Arrangement("nodes", NODES, asked, is_main=True)
        self._heat = HeatMap(self._by, measure)
        self._has_any = False
        self._more: dict[str, None] = {}
        """Further types of resources."""

    def take(self, node: Answer) -> None:
        """A node, which may be shown."""
        self._has_any = True
        if self._wanted and node["state"].lower() != _STATE_OF.get(self._wanted, self._wanted):
            return
        row = _shown(node)
        if not self._rows.takes(row):
            return
        self._heat.add(row)
        for name in node.get("more", ()):
            if name not in self._more:
                self._more[name] = None
                for one in _columns_of(name):
                    self._list.add(one)
        self._list.take(row)

    def rows(self) -> list[Answer]:
        """The nodes that are shown, with what their columns read."""
        return self._list.taken()

    def heat(self) -> list[Answer]:
        """The squares alone."""
        return self._heat.blocks()

    def blocks(self, none: object) -> list[Answer]:
        """The page; `none` is what is said of a cluster without nodes."""
        wanted, count = self._asked.get("states", ""), self._rows.count
        measures = {key: name for key, (name, _) in MEASURES.items()}
        return [
            heading(f"Nodes: {wanted}" if wanted else "Nodes of the cluster", 1),
            self._rows.choices("words, or rack:/r1 state:LOST label:gpu mem>4096"),
            choice("by", "Group by", {key: key for key in GROUPS}, "rack", self._by),
            choice("measure", "Show", measures, "memory", self._asked.get("measure", "")),
            *([heading(f"By {self._by}"), *self._heat.blocks()] if count else ()),
            grid(
                self._list,
                f"Nodes: {count}",
                "node",
                of="id",
                calls=[f"/nodes?states={wanted.upper()}" if wanted else "/nodes", "/ui/nodes"],
                none=unfiltered("nodes", "/cluster/nodes") if self._has_any else none,
            ),
        ]


_STATE_OF = {"active": "running"}


def _columns_of(name: str) -> tuple[Answer, Answer]:
    used = column(f"{name}.used", f"{name} Used", "number")
    return used, column(f"{name}.free", f"{name} Avail", "number")


def _shown(node: Answer) -> Answer:
    row = {
        **node,
        "partition": node["label"] or SHOWN_DEFAULT_PARTITION,
        "freeMB": node["totalMB"] - node["usedMB"],
        "freeVCores": node["totalVCores"] - node["usedVCores"],
    }
    for name, (used, whole) in node.get("more", {}).items():
        row[f"{name}.used"], row[f"{name}.free"] = used, whole - used
    return row


# Events and properties

_EVENTS_OF_A_PAGE = 500


class EventsPage:
    """Takes the rows of all events, the newest first; the page is said afterwards."""

    def __init__(self, asked: Asked) -> None:
        self._selection = Selection(EVENTS, asked, {})
        self._list = Arrangement("events", EVENTS, asked, is_main=True)
        self._which = asked.get("which", "all")
        self._asked, self._first = asked, number(asked, "from")
        self._is_whole = wants_file(asked)
        self._has_any = False

    def take(self, event: Answer) -> None:
        """An event, which may be shown."""
        self._has_any = True
        if (self._which == "trouble" and not event.get("isTrouble")) or not self._selection.takes(event):
            return
        is_here = self._first < self._selection.count <= self._first + _EVENTS_OF_A_PAGE
        if self._is_whole or self._list.order or is_here:
            self._list.take(event)

    def rows(self) -> list[Answer]:
        """Those that the page shows, with where their subjects lead."""
        found = self._list.taken()
        if self._list.order and not self._is_whole:
            found = found[self._first : self._first + _EVENTS_OF_A_PAGE]
        return [{**one, "to": page_of(one["subject"])} for one in found]

    def blocks(self, left_out: int = 0) -> list[Answer]:
        """The page; `left_out` is how many later ones a recording has not kept."""
        count = self._selection.count
        which = {"all": "all events", "trouble": "failures, kills and losses"}
        found = [
            heading("Events", 1),
            self._selection.choices("words, or type:AppAccepted subject:application_1 about:Node"),
            choice("which", "Show", which, "all", self._which),
            grid(
                self._list,
                f"Events: {count}",
                "event",
                of="number",
                calls=["/ui/events"],
                none=unfiltered("events", "/cluster/events") if self._has_any else "No events yet.",
            ),
            *pages(self._asked, _EVENTS_OF_A_PAGE, count),
        ]
        if left_out:
            told = f"The recording kept the first events; {left_out} later ones are not in it."
            found.append(paragraph(told, "empty"))
        return found


def configuration_page(asked: Asked, properties: Sequence[Answer], file: Answer | None) -> Answer:
    """The properties that are meant, and the page, which ends with the allocation file where there is one."""
    which = {"set": "properties that are set", "all": "defaults as well"}
    wants_all = asked.get("which") == "all"
    found = Selection(PROPERTIES, asked, {})
    arranged = Arrangement("conf", PROPERTIES, asked, is_main=True)
    for row in properties:
        if (wants_all or not row["isDefault"]) and found.takes(row):
            arranged.take(row)
    rows = arranged.taken()
    blocks = [
        heading("Configuration", 1),
        found.choices("words of the property or its value, or source:yarn-site"),
        choice("which", "Show", which, "set", asked.get("which", "")),
        grid(
            arranged,
            f"Configuration: {len(rows)}",
            "property",
            of="key",
            calls=["/ui/conf"],
            none=unfiltered("properties", "/cluster/conf"),
        ),
    ]
    if file is not None:
        blocks += [heading(file["name"]), text(file["text"], file["name"])]
    return {"property": rows, "block": blocks}


# Labels

LABELS = (
    column("label", "Label Name", "link", to="/cluster/nodes?by=label&q=label%3A%22{}%22", isCard=True),
    column("type", "Label Type", isCard=True),
    column("nodes", "Num Of Active NMs", "number", isCard=True),
    column("memory", "Total Memory", "gib"),
    column("vcores", "Total VCores", "number"),
)
_NO_LABELS = 'No labels. Make one: yarn rmadmin -addToClusterNodeLabels "gpu(exclusive=false)"'


def labels_page(asked: Asked, found: Sequence[Answer]) -> list[Answer]:
    """`found` are the labels as REST answers them."""
    arranged = Arrangement("labels", LABELS, asked, is_main=True, order="label")
    how = {"of": "label", "calls": ["/get-rm-node-labels"], "none": _NO_LABELS}
    rows = [_of_label(one) for one in found]
    return [heading("Node Labels", 1), grid(arranged, "Node labels", rows, **how)]


def _of_label(one: Answer) -> Answer:
    there = one.get("partitionInfo", {}).get("resourceAvailable") or {}
    is_exclusive = str(one.get("exclusivity")).lower() == "true"
    return {
        "label": one.get("name") or SHOWN_DEFAULT_PARTITION,
        "type": "Exclusive Partition" if is_exclusive else "Non Exclusive Partition",
        "nodes": int(one.get("activeNMs", 0)),
        "memory": int(there.get("memory", 0)),
        "vcores": int(there.get("vCores", 0)),
    }


# Containers

_CONTAINERS_OF_A_PAGE = 500
NO_CONTAINERS = {
    "app": "No containers have been allocated to this application.",
    "node": "No containers have run here since the ResourceManager started.",
    "queue": "No containers are in this queue.",
}


class ContainersPage:
    """A page of the containers of an application, a node or a queue, which are known in an order of their
    own: they are sorted by what `rows` takes, and then cut.
    """

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._of = next((one for one in NO_CONTAINERS if asked.get(one)), "app")
        more = {} if self._of == "app" else _OF_NODE
        columns = [{**one, **more.get(one["key"], {})} for one in CONTAINERS]
        self.rows = Arrangement("containers", columns, asked, order="-started")
        self._first = number(asked, "containers.from")
        self._count = 0

    def cut(self, found: Sequence[Kept]) -> Sequence[Kept]:
        """Of all in their order those of the page, or of the file."""
        self._count = len(found)
        return found if wants_file(self._asked) else found[self._first : self._first + _CONTAINERS_OF_A_PAGE]

    def blocks(self) -> list[Answer]:
        """The list."""
        call = _address("/ui/containers", {self._of: self._asked.get(self._of, "")})
        none = NO_CONTAINERS[self._of]
        return [
            grid(self.rows, "Containers", "container", of="id", calls=[call], none=none),
            *pages(self._asked, _CONTAINERS_OF_A_PAGE, self._count, "containers.from"),
        ]


def containers(of: str, name: str, asked: Asked) -> Answer:
    """The containers of an application, a node or a queue: `of` says which; a page of them, sorted."""
    own = {key: value for key, value in asked.items() if key.startswith("containers.")}
    return included(_address("/ui/containers/list", {of: name, **own}))
