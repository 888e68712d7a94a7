"""The input of one pass of the policy: the queue tree per partition, applications, containers, nodes.

Made anew for each pass, by the scheduler or from a table; the working figures (ideal, to give, to obtain) are
written here, too, since the selectors hand them on to one another. Containers and nodes are used as they are,
and only read. Hadoop: TempQueuePerPartition, TempAppPerPartition and TempUserPerPartition.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TypeVar

from yarnbox.rm.container import RMContainer, SchedulerNode
from yarnbox.rm.scheduler.capacity.preemption.arithmetic import Arithmetic
from yarnbox.yarn.ids import ApplicationAttemptId, ContainerId
from yarnbox.yarn.resources.resource import NONE, Resource

T = TypeVar("T")
Steps = Generator[None, None, T]
"""Work that may pause at every yield: a pass over a large cluster is not done in one go, and the scheduler
answers in between. What it looks at may have changed by then, as it may in Hadoop, whose pass has a thread of
its own: the amounts stay those of the snapshot, containers and nodes are as they are.
"""


def whole(steps: Steps[T]) -> T:
    """Runs all steps at once; returns their result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            outcome: T = end.value
            return outcome


class Share:
    """One queue in one partition: its figures, and those that this pass computes."""

    __slots__ = (
        "absolute",
        "guaranteed",
        "ideal",
        "killable",
        "maximum",
        "pending",
        "pending_deducted",
        "preemptable",
        "reserved",
        "to_obtain",
        "to_preempt",
        "total",
        "untouchable",
        "used",
        "weights",
    )

    def __init__(
        self,
        *,
        total: Resource = NONE,
        absolute: float = 0.0,
        guaranteed: Resource = NONE,
        maximum: Resource = NONE,
        used: Resource = NONE,
        reserved: Resource = NONE,
        pending: Resource = NONE,
        pending_deducted: Resource = NONE,
        killable: Resource = NONE,
    ) -> None:
        self.total = total
        self.absolute = absolute
        """The guarantee as a fraction of the partition, not rounded to whole amounts."""
        self.guaranteed = guaranteed
        self.maximum = maximum
        self.used = used
        self.reserved = reserved
        self.pending = pending
        self.pending_deducted = pending_deducted
        """Pending, without what is reserved already."""
        self.killable = killable
        self.ideal = NONE
        self.untouchable = NONE
        self.preemptable = NONE
        self.to_preempt = NONE
        self.to_obtain = NONE
        self.weights: dict[str, float] = {}


class AppView:
    """An application of a leaf."""

    __slots__ = (
        "am",
        "attempt_id",
        "charged_am",
        "live",
        "order",
        "pending",
        "priority",
        "queue",
        "reservations",
        "used",
        "user",
    )

    def __init__(
        self,
        attempt_id: ApplicationAttemptId,
        queue: QueueView,
        user: str,
        priority: int,
        *,
        live: Mapping[ContainerId, RMContainer],
        reservations: Sequence[RMContainer],
        used: Mapping[str, Resource],
        pending: Mapping[str, Resource],
        am: Mapping[str, Resource],
        charged_am: Mapping[str, Resource] | None = None,
        order: int = 0,
    ) -> None:
        self.attempt_id = attempt_id
        self.queue = queue
        self.user = user
        self.priority = priority
        self.live = live
        self.reservations = reservations
        """In the order of Hadoop's maps: see
        tests/scenarios/preemption/reservations-are-dropped-in-hash-order.yaml.
        """
        self.used = used
        """By its containers, without reservations; by partition."""
        self.pending = pending
        self.am = am
        """What its AM uses, by partition; nothing while it waits for its container."""
        self.charged_am = am if charged_am is None else charged_am
        """What its user and its queue are charged for the AM, waiting or not."""
        self.order = order
        """Its place in the queue's scheduling order; a waiting one stands before the active ones."""


class AppShare:
    """An application in one partition: the figures that the selection inside a queue computes."""

    __slots__ = ("actual", "am", "app", "give", "ideal", "other", "pending", "selected", "used")

    def __init__(self, app: AppView, partition: str) -> None:
        self.app = app
        self.used = app.used.get(partition, NONE)
        self.pending = app.pending.get(partition, NONE)
        self.am = app.am.get(partition, NONE)
        self.selected = NONE
        """What earlier selectors of the pass took from it."""
        self.ideal = NONE
        self.other = NONE
        """What it should get from others."""
        self.give = NONE
        """What it could give at most."""
        self.actual = NONE
        """What it will give."""


class QueueView:
    """A queue of the tree."""

    __slots__ = (
        "active_apps",
        "am_limit",
        "app_shares",
        "children",
        "is_disabled",
        "is_fair",
        "is_intra_disabled",
        "is_leaf",
        "parent",
        "path",
        "priority",
        "shares",
        "user_limit",
        "user_used",
        "waiting_apps",
    )

    def __init__(
        self,
        path: str,
        parent: QueueView | None,
        *,
        is_leaf: bool,
        priority: int = 0,
        is_disabled: bool = False,
        is_intra_disabled: bool = False,
        is_fair: bool = False,
        am_limit: Resource = NONE,
    ) -> None:
        self.path = path
        self.parent = parent
        self.is_leaf = is_leaf
        self.priority = priority
        self.is_disabled = is_disabled
        self.is_intra_disabled = is_intra_disabled
        self.is_fair = is_fair
        """Whether its applications are ordered fairly instead of first come first served."""
        self.am_limit = am_limit
        """The guarantee in the default partition times the AM share."""
        self.children: list[QueueView] = []
        self.shares: dict[str, Share] = {}
        self.active_apps: list[AppView] = []
        """In scheduling order."""
        self.waiting_apps: list[AppView] = []
        """Those that wait for activation: they have nothing to give, but may want something."""
        self.user_limit: Callable[[str, str], Resource] = lambda user, partition: NONE
        """(user, partition) to the limit over all users, AMs included."""
        self.user_used: Callable[[str, str], Resource] = lambda user, partition: NONE
        """(user, partition) to what the user has in the queue."""
        self.app_shares: dict[str, list[AppShare]] = {}
        """The applications that the selection inside the queue has looked at, by partition."""
        if parent is not None:
            parent.children.append(self)

    def __repr__(self) -> str:
        return f"QueueView({self.path})"

    def share(self, partition: str) -> Share:
        """The queue in that partition; nothing of anything where it is not."""
        found = self.shares.get(partition)
        if found is None:
            self.shares[partition] = found = Share()
        return found


class Snapshot:
    """The whole input of one pass."""

    __slots__ = (
        "apps",
        "arithmetic",
        "cluster",
        "killable",
        "minimum_allocation",
        "nodes",
        "now_ms",
        "partitions",
        "root",
    )

    def __init__(
        self,
        *,
        arithmetic: Arithmetic,
        cluster: Resource,
        partitions: Sequence[str],
        root: QueueView,
        nodes: Sequence[SchedulerNode],
        minimum_allocation: Resource,
        now_ms: int,
        killable: Mapping[ContainerId, RMContainer],
    ) -> None:
        self.arithmetic = arithmetic
        self.cluster = cluster
        self.partitions = partitions
        """`""` first, then the labels sorted."""
        self.root = root
        self.nodes = nodes
        """In the order of registration."""
        self.minimum_allocation = minimum_allocation
        self.now_ms = now_ms
        self.killable = killable
        """Lazy preemption: containers that may be killed when somebody needs their space."""
        self.apps: dict[ApplicationAttemptId, AppView] = {
            app.attempt_id: app for leaf in self.leaves() for app in (*leaf.active_apps, *leaf.waiting_apps)
        }

    def leaves(self) -> list[QueueView]:
        """The leaves, depth first, children in configured order."""
        found: list[QueueView] = []
        waiting = [self.root]
        while waiting:
            queue = waiting.pop()
            if queue.is_leaf:
                found.append(queue)
            waiting.extend(reversed(queue.children))
        return found

    def queue_of(self, container: RMContainer) -> QueueView | None:
        """The leaf whose application has the container; None when the application is gone."""
        app = self.apps.get(container.attempt_id)
        return app.queue if app is not None else None
