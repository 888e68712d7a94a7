"""What the pages ask for beside Hadoop's REST: what the reader may do, the cluster and what waits there,
queues and who uses them, and the configuration.

Ours alone.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

from yarnbox.rm.edge.http.calls import Call, Reply, Route
from yarnbox.rm.reports import application_state
from yarnbox.rm.web import properties
from yarnbox.rm.web.cluster import cluster_info, kept_state, metrics, overview
from yarnbox.rm.web.nodes import partitions
from yarnbox.rm.web.pages.about import about_cluster
from yarnbox.rm.web.pages.actions import Reader, Siblings, queue_actions
from yarnbox.rm.web.pages.lists import labels_page
from yarnbox.rm.web.pages.overview import cluster_page
from yarnbox.rm.web.pages.queue import USUAL_MINUTES, Asked, scheduler_page
from yarnbox.rm.web.pages.shell import cluster_shell
from yarnbox.rm.web.properties import scheduler_file, site_properties
from yarnbox.rm.web.queues import scheduler, users
from yarnbox.rm.web.queues.tree import queues_page
from yarnbox.rm.web.queues.waiting import waiting
from yarnbox.rm.web.refusals import not_found
from yarnbox.rm.web.values import Answer
from yarnbox.yarn.ids import ApplicationId

_LONGEST_LOOK_S = 0.02
"""Of processor time: other processes of the machine must not shorten the list."""


def reader_of(call: Call) -> Reader:
    """Who looks at the page."""
    user, access = call.caller.user, call.access
    is_admin = not access.is_enabled or access.is_admin(user)
    return Reader(user, is_admin, call.context.settings.web.actions_enabled)


def shell_shown(call: Call) -> Reply:
    """GET /ui/shell: the pages, the keys, and who is looking."""
    return Reply(root="shell", shows_root=False, value=cluster_shell(call.caller.user))


def labels_shown(call: Call) -> Reply:
    """GET /ui/labels: the partitions, and what is in them."""
    page = labels_page(call.asked, partitions(call.context, call.shapes))
    return Reply(root="labels", value={"block": page})


def about_shown(call: Call) -> Reply:
    """GET /ui/about: what this ResourceManager is."""
    context = call.context
    shown = about_cluster(cluster_info(context), kept_state(context))
    return Reply(root="about", value={"block": shown})


def _queues_are_fixed(call: Call) -> str:
    """Why the queues cannot be changed over REST; empty when they can."""
    scheduler = call.context.scheduler
    if scheduler.configuration_store is None:
        return f"The {scheduler.name} has no configuration that can be changed over REST."
    if scheduler.configuration_store.view() is None:
        return "Queues are read from capacity-scheduler.xml: edit it and run: yarn rmadmin -refreshQueues"
    return ""


def _may_see(call: Call) -> Callable[[ApplicationId], bool]:
    """Where lists hide what belongs to others, so do sums."""
    context, access, user = call.context, call.access, call.caller.user

    def may_see(application_id: ApplicationId) -> bool:
        app = context.apps.get(application_id)
        return app is not None and (not context.settings.web.filter_by_user or access.may_view(user, app))

    return may_see


def queue_users(call: Call) -> Reply:
    """GET /ui/queue-users?queue=: what each user holds and asks for in the queue and below it."""
    path = call.parameter("queue") or "root"
    found = users.queue_users(call.context, call.shapes, path, _may_see(call))
    if found is None:
        raise not_found(f"queue {path} not found")
    return Reply(root="users", value={"queue": path, "user": found})


def _waiting(call: Call) -> Answer:
    ends = time.thread_time() + _LONGEST_LOOK_S
    return waiting(call.context, _may_see(call), lambda: time.thread_time() < ends)


def waiting_shown(call: Call) -> Reply:
    """GET /ui/waiting: what waits in the whole cluster, by queue and reason."""
    return Reply(root="waiting", value=_waiting(call))


def cluster_shown(call: Call) -> Reply:
    """GET /ui/cluster: what the page of the cluster says."""
    context, shapes, user = call.context, call.shapes, call.caller.user
    root, may_see = context.scheduler.views.root_queue, _may_see(call)

    def is_own(application_id: ApplicationId) -> bool:
        return may_see(application_id) and context.apps[application_id].user == user

    own = users.queue_users(context, shapes, root, is_own) or ()
    states = Counter(application_state(app).name for id_, app in context.apps.items() if may_see(id_))
    shown = cluster_page(
        metrics(context, shapes),
        overview(context, shapes),
        _waiting(call),
        states,
        own=next(iter(own), None),
        user=user,
        asked=call.asked,
    )
    return Reply(root="cluster", value={"block": shown})


def queues_shown(call: Call) -> Reply:
    """GET /ui/queues?queue=&partition=&minutes=: the page of the scheduler, and of the chosen queue."""
    context, shapes = call.context, call.shapes
    info = scheduler.page_info(context, shapes)
    asked = Asked(
        queue=_chosen_queue(call),
        partition=call.parameter("partition") or "",
        minutes=call.parameter("minutes") or USUAL_MINUTES,
        lists=call.asked,
    )
    shown = queues_page(info, asked.queue, asked.partition, context.scheduler.minimum_allocation.memory_mb)
    path, found = asked.queue or context.scheduler.views.root_queue, None
    if asked.queue or shown["scheduler"] == "FifoScheduler":
        found = users.queue_users(context, shapes, path, _may_see(call))
    waits = _waiting(call) if asked.queue else None
    page = scheduler_page(shown, asked, waits, found or (), _queue_actions(call, shown, asked.partition))
    return Reply(root="queues", value={"block": page})


def _chosen_queue(call: Call) -> str:
    """Hadoop's own addresses name the branches that are open: ?openQueues=Queue: root.a#Queue: root.a.b"""
    opened = (call.parameter("openQueues") or "").rpartition("#")[2]
    return call.parameter("queue") or opened.removeprefix("Queue:").strip()


def _queue_actions(call: Call, shown: Answer, partition: str) -> list[Answer]:
    queue = shown.get("chosen")
    if queue is None or call.context.scheduler.name != "CapacityScheduler":
        return []
    store = call.context.scheduler.configuration_store
    present = store.view() if store is not None else None
    siblings = Siblings(queue["sibling"], partition, present.properties if present is not None else {})
    return queue_actions(reader_of(call), queue["path"], queue["state"], _queues_are_fixed(call), siblings)


def configuration(call: Call) -> Reply:
    """GET /ui/conf?q=&which=: properties with value, the file and line that say so, unit and meaning, those
    of the scheduler's own file included, or its text, and their page; for administrators, as Hadoop's /conf.
    """
    call.check_admin()
    context = call.context
    site = site_properties(context.configuration)
    own = scheduler_file(context.scheduler.views.own_file(), site)
    return Reply(root="configuration", value=properties.configuration(call.asked, site, own))


ROUTES: tuple[Route, ...] = (
    ("GET", "/ui/shell", shell_shown),
    ("GET", "/ui/about", about_shown),
    ("GET", "/ui/labels", labels_shown),
    ("GET", "/ui/cluster", cluster_shown),
    ("GET", "/ui/waiting", waiting_shown),
    ("GET", "/ui/queue-users", queue_users),
    ("GET", "/ui/queues", queues_shown),
    ("GET", "/ui/conf", configuration),
)
