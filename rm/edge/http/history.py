"""The past and the long lists for the pages: samples at a fixed interval, ended containers, pages of
applications, nodes in few words. Ours alone, below /ws/v1/cluster/ui.

A sample is taken between turns; where the queues are many, samples are rarer, so that they never take more
than a hundredth of the loop.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from heapq import nsmallest
from operator import attrgetter
from typing import Any, Literal
from urllib.parse import quote

from aiohttp import web

from yarnbox.rm.app import RMApp
from yarnbox.rm.asks import Locality
from yarnbox.rm.container import RMContainer, RMContainerState
from yarnbox.rm.edge.http.calls import Call, Listing, Reply
from yarnbox.rm.edge.http.page_answers import reader_of
from yarnbox.rm.edge.http.rest.activities import why_of
from yarnbox.rm.edge.http.rest.listings import application_states
from yarnbox.rm.edge.http.server import WebServer
from yarnbox.rm.node import RMNode
from yarnbox.rm.web import apps, finding
from yarnbox.rm.web.grids import wants_file
from yarnbox.rm.web.pages.actions import application_actions, node_actions
from yarnbox.rm.web.pages.application import Known, application_page, is_over, log_choice
from yarnbox.rm.web.pages.charts import cluster_charts, queue_charts
from yarnbox.rm.web.pages.lists import A_PAGE, ApplicationsPage, ContainersPage, NodesPage
from yarnbox.rm.web.pages.node import Use, node_page
from yarnbox.rm.web.pages.taskstream import LanesTable, kind_of, traits
from yarnbox.rm.web.past import (
    ContainerRow,
    EndedContainers,
    History,
    LifeEvents,
    LivingContainers,
    container_row,
    queues,
)
from yarnbox.rm.web.queues.words import in_units
from yarnbox.rm.web.refusals import bad_request, forbidden, not_found
from yarnbox.rm.web.rows import node_row
from yarnbox.rm.web.values import Answer
from yarnbox.yarn.connection.address_book import AddressBook
from yarnbox.yarn.errors import NotReadyError
from yarnbox.yarn.ids import ApplicationId, NodeId
from yarnbox.yarn.log import Log

log = Log("rm")

_SHARE_OF_LOOP = 100
_MOST_CONTAINERS = 50_000
_MOST_LOGS = 200
_NO_NODES = ["No nodes have registered. Start a node: ", {"code": "yarnbox add-node"}]
_WITHOUT = ("resourcerequests", "resourceinfo", "timeouts")


class Past:
    """The past figures of one RM, and the requests for them."""

    def __init__(self, server: WebServer, addresses: AddressBook) -> None:
        self._server = server
        self._context = context = server.core.context
        self._addresses = addresses
        settings = context.settings.web
        self._interval_s = settings.history_interval_ms / 1000
        self.history = History(settings.history_samples)
        self.ended = EndedContainers(settings.history_containers)
        self.living = LivingContainers()
        self.lives = LifeEvents()
        context.container_watchers.append(self.ended.note)
        context.container_watchers.append(self.living.forget)
        context.container_watchers.append(lambda one: self.history.record_ended(context.now_ms, one))
        context.dispatcher.watchers.append(lambda event: self.history.watch(context.now_ms, event))
        context.mark_watchers.append(lambda kind, text: self.history.mark(context.now_ms, kind, text))
        context.dispatcher.watchers.append(lambda event: self.lives.watch(context.now_ms, event))
        for path, handler in (
            ("/ui/apps", self.list_apps),
            ("/ui/nodes", self.list_nodes),
            ("/ui/heat", self.heat),
            ("/ui/node/{nodeid}", self.node),
            ("/ui/containers", self.list_containers),
            ("/ui/containers/list", self.sorted_containers),
            ("/ui/containers/table", self.counted_containers),
            ("/ui/app/{appid}", self.application),
            ("/ui/history/queues", self.queues),
            ("/ui/history/cluster", self.cluster),
            ("/ui/charts/queues", self.queue_charts),
            ("/ui/charts/cluster", self.cluster_charts),
        ):
            server.serve("GET", path, handler)
        server.app.cleanup_ctx.append(self._sampling)

    async def _sampling(self, app: web.Application) -> Any:
        task = asyncio.create_task(self._sample_on())
        task.add_done_callback(_ended)
        yield
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    async def _sample_on(self) -> None:
        while True:
            try:
                took_s = await self._server.turn(self.sample)
            except NotReadyError:
                return
            await asyncio.sleep(max(self._interval_s, _SHARE_OF_LOOP * took_s))

    def sample(self) -> float:
        """Takes a sample now, within a turn; the seconds of processor time that it took: other processes of
        the machine must not put the next ones off.
        """
        begun = time.thread_time()
        self.history.sample(self._context)
        return time.thread_time() - begun

    def _reach(self, http_address: str) -> str:
        """Where a browser on this machine finds a node's pages; "" when it has none, as a virtual one."""
        found = self._addresses.resolve(http_address)
        return "" if found.endswith(":0") else found

    # Lists

    def list_apps(self, call: Call) -> Listing:
        """GET /ui/apps?q=&states=&user=&queue=&type=&sort=&from=&limit=: a page, how many there are, and of
        which kinds.
        """
        context, user, access = call.context, call.caller.user, call.access
        hides = context.settings.web.filter_by_user

        def rows() -> Any:
            for app in context.apps.values():
                may_view = access.may_view(user, app)
                if may_view or not hides:
                    yield finding.row(context, app, may_view=may_view)

        chosen = {name: call.words_of(name) for name in ("user", "queue", "type")}
        first, limit = _number(call, "from", 0), _number(call, "limit", A_PAGE)
        if wants_file(call.query):
            first, limit = 0, len(context.apps)
        page = ApplicationsPage(call.asked)
        found = finding.find(
            rows(),
            finding.parse(call.parameter("q") or ""),
            {"state": [state.name for state in application_states(call)], **chosen},
            page.order,
            first,
            limit,
        )
        counts = {"total": found.total, "matching": found.matching, "facets": found.facets}
        return Listing(
            outer="found",
            inner="app",
            sources=found.rows,
            show=lambda row: page.take(self._app(call, row)),
            head=counts,
            tail=lambda: {"block": page.blocks(counts)},
        )

    def _app(self, call: Call, row: finding.Row[RMApp]) -> Answer:
        app, context = row.app, call.context
        may_view = call.access.may_view(call.caller.user, app)
        shown = apps.application(context, call.shapes, app, may_view=may_view, without=_WITHOUT)
        for name in ("resourceSecondsMap", "preemptedResourceSecondsMap", "resourceInfo"):
            shown.pop(name, None)
        attempt = app.current
        booked = context.scheduler.attempt(attempt.attempt_id) if attempt is not None else None
        if may_view and booked is not None and not booked.is_stopped:
            shown["pendingContainers"] = int(row.number("pending"))
            shown["blacklistedNodes"] = int(row.number("blacklisted"))
            if context.scheduler.views.application_view(booked).fair_share is not None:
                shown["fairShareMB"] = int(row.number("fairshare"))
            if any(one.name == finding.GPU for one in context.resource_types):
                shown["allocatedGPUs"] = int(row.number("gpus"))
                shown["reservedGPUs"] = int(row.number("reservedgpus"))
        return shown

    def list_nodes(self, call: Call) -> Listing:
        """GET /ui/nodes?q=&states=&rack=&label=&state=&by=&measure=: nodes in few words, and their page."""
        page = NodesPage(call.asked)

        def rows() -> Iterator[Answer | None]:
            yield from self._each_node(call, page)
            yield from page.rows()

        return Listing(
            outer="nodes",
            inner="node",
            sources=rows(),
            tail=lambda: {"block": page.blocks(_NO_NODES)},
        )

    def heat(self, call: Call) -> Listing:
        """GET /ui/heat: all nodes as squares."""
        page = NodesPage({})
        return Listing(
            outer="nodes",
            inner="node",
            sources=self._each_node(call, page),
            tail=lambda: {"block": page.heat()},
        )

    def _each_node(self, call: Call, page: NodesPage) -> Iterator[None]:
        """Has the page take all nodes, one for each step; which rows are shown it knows afterwards."""
        context = call.context
        for node in sorted([*context.nodes.values(), *context.inactive_nodes.values()], key=_natural):
            page.take(self._node_row(call, node))
            yield None

    def node(self, call: Call) -> Reply:
        """GET /ui/node/{nodeid}?colour=: what the page of a node says."""
        found = call.context.find_node(call.node_id())
        if found is None:
            raise not_found(f"nodeId, {call.words['nodeid']}, is not found")
        row = self._node_row(call, found)
        used = self._used_on(call, found.node_id, "app" if call.parameter("colour") == "app" else "queue")
        page = node_page(row, node_actions(reader_of(call), row), used, self._context.now_ms, call.asked)
        return Reply(root="node", value={"block": page})

    def _used_on(self, call: Call, node_id: NodeId, group: Literal["app", "queue"]) -> list[Use]:
        """The memory of the containers that the caller may see there, by application or queue."""
        node = str(node_id)
        ended = self.ended.of(lambda row: row.node == node, _MOST_CONTAINERS)
        living = (
            container_row(one)
            for one in self._context.scheduler.views.containers_on(node_id)
            if one.state is not RMContainerState.RESERVED
        )
        may_view = cache(lambda app: self._may_view(call, ApplicationId.parse(app)))
        return [
            Use(getattr(row, group), row.memory_mb, row.started, row.finished)
            for row in (*ended, *living)
            if may_view(row.app)
        ]

    def _node_row(self, call: Call, node: RMNode) -> Answer:
        is_active = node.node_id in call.context.nodes
        shown = node_row(call.context, node, self._reach(node.http_address) if is_active else "")
        return {**shown, "isDrained": True} if call.core.nodes_list.is_drained(node.host) else shown

    def list_containers(self, call: Call) -> Listing:
        """GET /ui/containers?app= or ?node= or ?queue=: those that live and, as far as they are remembered,
        those that ended, oldest first.

        `since` leaves out those that ended before that moment, `changes` those that have not changed since,
        too. Of what is left the newest `limit` are shown, or with `from` so many from that place on.
        """
        limit = max(1, min(_MOST_CONTAINERS, _number(call, "limit", _MOST_CONTAINERS)))
        since_ms = _number(call, "since", 0, digits=15)
        changes_ms = _number(call, "changes", 0, digits=15)
        now_ms = self._context.now_ms
        every, ended = self._containers(call, max(since_ms, changes_ms))
        may_view = cache(lambda app: self._may_view(call, app))
        living = [one for one in every if may_view(one.application_id)]
        if changes_ms:
            shown_living = self.living.changed(living, now_ms, changes_ms)
        else:
            self.living.look(every, now_ms)
            shown_living = living
        known = [*ended, *shown_living][-_MOST_CONTAINERS:]
        begin = _number(call, "from", max(0, len(known) - limit))
        is_cut = len(ended) + len(living) > _MOST_CONTAINERS or (not call.parameter("from") and begin > 0)

        may_view_ended = cache(lambda app: may_view(ApplicationId.parse(app)))
        row_of = self._container_rows()

        def show(one: ContainerRow | RMContainer) -> Answer | None:
            is_seen = not isinstance(one, ContainerRow) or may_view_ended(one.app)
            return row_of(one) if is_seen else None

        head = {
            "now": now_ms,
            "isCut": is_cut,
            "living": len(living),
            "known": len(known),
            "traits": traits(counts_vcores=self._context.scheduler.counts_vcores),
        }
        shown = known[begin : begin + limit]
        return Listing(outer="containers", inner="container", sources=shown, show=show, head=head)

    def _container_rows(self) -> Callable[[ContainerRow | RMContainer], Answer]:
        """How containers are shown within one answer."""
        now_ms, reach = self._context.now_ms, cache(self._reach_of)
        counts_vcores = self._context.scheduler.counts_vcores

        def row_of(one: ContainerRow | RMContainer) -> Answer:
            row = one if isinstance(one, ContainerRow) else container_row(one)
            logs = self._logs(row, reach(row.node, row.http))
            kind = kind_of(row.state, row.exit_status, row.diagnostics)
            said = in_units(row.diagnostics, counts_vcores=counts_vcores)
            return {**row.answer(now_ms), "diagnostics": said, "logs": logs, "kind": kind}

        return row_of

    def sorted_containers(self, call: Call) -> Listing:
        """GET /ui/containers/list?app= or ?node= or ?queue=: a page of all of them, sorted, and its list."""
        page, row_of, known = ContainersPage(call.asked), self._container_rows(), self._known(call)

        def rows() -> Iterator[Answer | None]:
            if page.rows.sorted_by == "started":  # the usual one: it needs no rows of all
                known.sort(key=_started_ms, reverse=page.rows.is_down)
            else:
                for one in known:
                    page.rows.take(row_of(one), one)
                    yield None
            for one in page.cut(page.rows.taken() or known):
                row = row_of(one)
                page.rows.see(row)
                yield row

        return Listing(
            outer="containers",
            inner="container",
            sources=rows(),
            tail=lambda: {"block": page.blocks()},
        )

    def counted_containers(self, call: Call) -> Listing:
        """GET /ui/containers/table?app= or ?node= or ?queue=, &lanes=&colour=&name=: how many there are by
        lanes and looks of the task stream.
        """
        counted, row_of = LanesTable(call.asked, {}), self._container_rows()

        def take(one: ContainerRow | RMContainer) -> None:
            counted.take(row_of(one))

        return Listing(
            outer="containers",
            inner="container",
            sources=self._known(call),
            show=take,
            tail=lambda: {"block": counted.blocks()},
        )

    def _known(self, call: Call) -> list[ContainerRow | RMContainer]:
        """The containers asked for that the caller may see: those that ended, and those that live."""
        living, ended = self._containers(call, 0)
        may_view = cache(lambda app: self._may_view(call, app))
        may_view_ended = cache(lambda app: may_view(ApplicationId.parse(app)))
        known: list[ContainerRow | RMContainer] = [one for one in ended if may_view_ended(one.app)]
        return [*known, *(one for one in living if may_view(one.application_id))]

    @staticmethod
    def _logs(one: ContainerRow, reach: str) -> str:
        """Where a browser finds a container's logs; "" when it does not."""
        return f"//{reach}/node/containerlogs/{one.id}/{quote(one.user, safe='')}" if reach else ""

    def _containers(self, call: Call, since_ms: int) -> tuple[Sequence[RMContainer], list[ContainerRow]]:
        """Those asked for that live, and that ended at that moment or later."""
        views, most = self._context.scheduler.views, _MOST_CONTAINERS + 1
        if call.parameter("app"):
            application_id = self._application_id(call)
            app = str(application_id)
            return views.containers_of(application_id), self.ended.of(
                lambda row: row.app == app, most, since_ms
            )
        if path := call.parameter("queue"):
            is_within = cache(lambda queue: views.is_within(queue, path))
            return views.containers_in(path), self.ended.of(lambda row: is_within(row.queue), most, since_ms)
        node_id = self._node_id(call)
        node = str(node_id)
        return views.containers_on(node_id), self.ended.of(lambda row: row.node == node, most, since_ms)

    def application(self, call: Call) -> Reply:
        """GET /ui/app/{appid}: what the page of an application says."""
        app = call.app()
        if not call.access.may_view(call.caller.user, app):
            raise forbidden(f"{call.caller.user} may not look at {app.application_id}")
        shown = apps.application(call.context, call.shapes, app, may_view=True, without=("resourceinfo",))
        tried = [apps.attempt_in_list(call.context, one, may_view=True) for one in app.attempts.values()]
        living, ended = self._of_application(app.application_id)
        near = Counter(map(attrgetter("locality", "requested"), ended))
        near.update((_name_of(one.locality), _name_of(one.requested)) for one in living)
        ends = is_over(shown)
        known = Known(
            now_ms=self._context.now_ms,
            steps=self.lives.of(app),
            attempts=tried,
            containers=len(ended) + len(living),
            localities={places: count for places, count in near.items() if all(places)},
            why={} if ends else why_of(call, app.application_id),
            actions=[] if ends else self._actions(call, app, shown),
            logs=_logs(living, ended),
            followed=call.parameter("log") or "",
            asked=call.asked,
        )
        return Reply(root="app", value={"block": application_page(shown, known)})

    def _of_application(
        self, application_id: ApplicationId
    ) -> tuple[Sequence[RMContainer], list[ContainerRow]]:
        """Its containers that live, and those that ended and are remembered."""
        app = str(application_id)
        ended = self.ended.of(lambda row: row.app == app, _MOST_CONTAINERS)
        return self._context.scheduler.views.containers_of(application_id), ended

    def _actions(self, call: Call, app: RMApp, shown: Answer) -> list[Answer]:
        context, may_modify = call.context, call.access.may_modify(call.caller.user, app)
        return application_actions(
            reader_of(call),
            shown,
            may_modify=may_modify,
            scheduler=context.scheduler.name,
            queues=[view.path for view in queues(context) if view.is_leaf] if may_modify else (),
            most_priority=context.settings.max_application_priority,
        )

    def _may_view(self, call: Call, application_id: ApplicationId) -> bool:
        app = call.context.apps.get(application_id)
        return app is None or call.access.may_view(call.caller.user, app)

    def _reach_of(self, node: str, http_address: str) -> str:
        """Where a browser finds the pages of a node; "" when it is not there."""
        return self._reach(http_address) if NodeId.parse(node) in self._context.nodes else ""

    def _application_id(self, call: Call) -> ApplicationId:
        try:
            application_id = ApplicationId.parse(call.parameter("app") or "")
        except ValueError as error:
            raise bad_request(str(error)) from None
        app = call.context.apps.get(application_id)
        if app is not None and not call.access.may_view(call.caller.user, app):
            raise forbidden(f"{call.caller.user} may not look at {application_id}")
        return application_id

    def _node_id(self, call: Call) -> NodeId:
        try:
            return NodeId.parse(call.parameter("node") or "")
        except ValueError as error:
            raise bad_request(f"app, node or queue must be given: {error}") from None

    # Series

    def queues(self, call: Call) -> Reply:
        """GET /ui/history/queues?parent=&partition=&minutes=&points=: the shares of a queue's children."""
        return Reply(root="history", value=self._queue_history(call))

    def _queue_history(self, call: Call) -> Answer:
        parent, partition = call.parameter("parent") or "root", call.parameter("partition") or ""
        shown, from_ms = self._window(call)
        # The FifoScheduler has one queue, which its lists and users know as `default`.
        root = call.context.scheduler.views.root_queue
        paths = self.history.paths("root" if parent == root else parent)
        found = self.history.queue_series(partition, paths, shown)
        return {
            **self._times(shown),
            "partition": partition,
            "queue": [{**one, "path": root} if one["path"] == "root" else one for one in found],
            "mark": [
                {"time": mark.time_ms, "kind": mark.kind, "text": mark.text}
                for mark in self.history.marks
                if mark.time_ms >= from_ms
            ],
        }

    def cluster(self, call: Call) -> Reply:
        """GET /ui/history/cluster?minutes=&points=: the figures of the cluster."""
        return Reply(root="history", value=self._cluster_history(call))

    def _cluster_history(self, call: Call) -> Answer:
        shown, _ = self._window(call)
        return {**self._times(shown), **self.history.cluster_series(shown)}

    def queue_charts(self, call: Call) -> Reply:
        """GET /ui/charts/queues, with the parameters of /ui/history/queues: the same as charts."""
        found = queue_charts(self._queue_history(call), self._context.scheduler.name)
        return Reply(root="charts", value={"block": found})

    def cluster_charts(self, call: Call) -> Reply:
        """GET /ui/charts/cluster?minutes=&points=: use by queue, containers and applications."""
        is_labelled = any(self._context.labels.partition_of(one) for one in self._context.nodes)
        past, queues = self._cluster_history(call), self._queue_history(call)
        found = cluster_charts(past, queues, is_labelled=is_labelled, is_run=False)
        return Reply(root="charts", value={"block": found})

    def _window(self, call: Call) -> tuple[list[tuple[int, int]], int]:
        from_ms = self._context.now_ms - 60_000 * _number(call, "minutes", 60)
        return self.history.since(from_ms, min(2_000, _number(call, "points", 240))), from_ms

    def _times(self, shown: list[tuple[int, int]]) -> Answer:
        return {
            "now": self._context.now_ms,
            "intervalMs": int(self._interval_s * 1000),
            "times": [moment for _, moment in shown],
        }


def _ended(task: asyncio.Task[None]) -> None:
    error = None if task.cancelled() else task.exception()
    if error is not None:
        log.error("no more samples are taken for the pages", why=repr(error))


def _logs(living: Sequence[RMContainer], ended: Sequence[ContainerRow]) -> list[Answer]:
    """Of which containers logs can be read: those that live first, and of those the ApplicationMaster."""
    given = (one for one in living if one.state is not RMContainerState.RESERVED)
    now = nsmallest(_MOST_LOGS, given, key=lambda one: (not one.is_am, -one.creation_ms))
    gone = sorted(ended[-_MOST_LOGS:], key=lambda row: (not row.is_am, -row.started))
    rows = [*map(container_row, now), *gone][:_MOST_LOGS]
    return [log_choice(row.id, row.node, is_am=row.is_am, state=row.state) for row in rows]


def _name_of(locality: Locality | None) -> str:
    return locality.name if locality is not None else ""


def _natural(node: RMNode) -> tuple[str, int, str]:
    """nm2 comes before nm10."""
    name = node.host.rstrip("0123456789")
    number = node.host[len(name) :]
    return name, int(number) if number else -1, str(node.node_id)


def _started_ms(one: ContainerRow | RMContainer) -> int:
    return one.started if isinstance(one, ContainerRow) else one.creation_ms


def _number(call: Call, name: str, default: int, digits: int = 9) -> int:
    text = call.parameter(name)
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= digits):
        raise bad_request(f"{name} has to be a number, not {text}")
    return int(text)
