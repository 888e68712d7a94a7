"""What a configuration means before any cluster runs: every derived quantity of every queue, and what looks
wrong.

The live tree itself is asked, with one node as large as the cluster, so that nothing is worked out here in
another way than later. Hadoop has nothing like it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from yarnbox.rm.container import SchedulerNode
from yarnbox.rm.scheduler.calculator import multiply
from yarnbox.rm.scheduler.capacity.config.properties import PREFIX
from yarnbox.rm.scheduler.capacity.config.property_names import of_no_queue
from yarnbox.rm.scheduler.capacity.config.rules import Policy
from yarnbox.rm.scheduler.capacity.config.settings import ROOT, CapacityMode, ParentOrder
from yarnbox.rm.scheduler.capacity.diagnostics.unreachable_rules import unreachable
from yarnbox.rm.scheduler.capacity.lifecycle.dynamic_queues import QueueTreeLookup
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.capacity.queues.limits import UserLimitInputs, am_limit, user_limit
from yarnbox.rm.scheduler.capacity.queues.queue import CapacityQueue
from yarnbox.rm.scheduler.capacity.queues.tree import QueueTree
from yarnbox.rm.scheduler.capacity.scheduler import CapacityScheduler
from yarnbox.rm.scheduler.context import SchedulerContext
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.resources.resource import NONE, Resource, componentwise_max
from yarnbox.yarn.text.words import shortened

ACTIVE_USERS = (1, 2, 5, 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafNumbers:
    """What only a leaf has."""

    maximum_applications: int
    maximum_applications_per_user: int
    am_limit: Resource
    user_limits: tuple[Resource, ...]
    """Of each of so many active users, when they share all that is guaranteed: as ACTIVE_USERS counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueNumbers:
    """One queue in one partition."""

    path: str
    partition: str
    configured: str
    capacity: float
    absolute: float
    maximum: float
    absolute_maximum: float
    effective_minimum: Resource
    effective_maximum: Resource
    leaf: LeafNumbers | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is allowed but probably a mistake."""

    property: str
    text: str

    def __str__(self) -> str:
        return f"{self.property}: {self.text}"


class ConfigurationCheck:
    """Derives the figures from the queue tree of a scheduler without a cluster."""

    def __init__(self, context: QueueContext, tree: QueueTree) -> None:
        self._context = context
        self._tree = tree

    @classmethod
    def of(cls, context: SchedulerContext) -> ConfigurationCheck:
        """The check of the context's files. ConfigurationError where no scheduler starts with them."""
        scheduler = CapacityScheduler(context)
        return cls(scheduler.queue_context, scheduler.tree)

    def partitions(self) -> list[str]:
        """The partitions that queues name, without the default one."""
        named = (label for queue in self._tree.all_queues() for label in queue.settings.partitions)
        return [label for label in dict.fromkeys(named) if label != DEFAULT_PARTITION]

    def assume(self, sizes: Mapping[str, Resource]) -> None:
        """Gives the scheduler a cluster with partitions of these sizes, one node each."""
        for partition, size in sizes.items():
            node_id = NodeId(host=f"cluster-{partition}", port=0)
            self._context.tracker.add(SchedulerNode(node_id, "/default-rack", size, partition))
        self._tree.derive_shares()

    def numbers(self) -> list[QueueNumbers]:
        """Every queue, a parent before its children, the default partition first."""
        return [
            _numbers_of(queue, label)
            for queue in self._tree.all_queues()
            for label in dict.fromkeys(("", *queue.settings.partitions))
        ]

    def findings(self) -> list[Finding]:
        """Everything suspicious, queue by queue, each with the property to change."""
        found = []
        for notice in self._context.settings.notices:
            name, _, text = notice.partition(": ")[2].partition(" ")
            found.append(Finding(name, f"it {text}"))
        for queue in self._tree.all_queues():
            found.extend(self._of_queue(queue))
            if isinstance(queue, LeafQueue):
                found.extend(_of_leaf(queue))
        found.extend(self._of_nowhere())
        found.extend(self._of_rules())
        return found

    def _of_queue(self, queue: CapacityQueue) -> Iterator[Finding]:
        settings, prefix = queue.settings, f"{PREFIX}{queue.path}."
        parent = queue.parent
        share = queue.share(DEFAULT_PARTITION)
        if settings.state == "STOPPED":
            yield Finding(prefix + "state", "the queue takes no application; if it is RUNNING, it does")
        if (
            parent is not None
            and settings.priority
            and parent.settings.parent_order is ParentOrder.UTILIZATION
        ):
            name = f"{PREFIX}{parent.path}.ordering-policy"
            yield Finding(
                name,
                f"{queue.path} has priority {settings.priority}, which "
                "`utilization` ignores; `priority-utilization` heeds it",
            )
        if share.capacity_value.mode is CapacityMode.PERCENT and share.capacity > share.maximum:
            yield Finding(
                prefix + "maximum-capacity",
                f"it is below the capacity: {share.maximum:.2%} of the parent's maximum, guaranteed "
                f"{share.capacity:.2%}; it should be at least that",
            )
        if self._context.rm.settings.addresses.acl_enabled and parent is not None:
            root = self._tree.root.settings
            for acl, above, key in (
                (settings.submit_acl, root.submit_acl, "acl_submit_applications"),
                (settings.administer_acl, root.administer_acl, "acl_administer_queue"),
            ):
                own = self._context.settings.properties.untrimmed(prefix + key)
                if own is not None and not acl.everybody and above.everybody:
                    yield Finding(
                        f"{PREFIX}root.{key}",
                        f"root allows everybody, so the ACL of {queue.path} has no effect; "
                        "with a single blank it allows nobody",
                    )

    def _of_nowhere(self) -> Iterator[Finding]:
        """Properties of queues that are not in the tree."""
        properties = self._context.settings.properties
        told: dict[str, Finding] = {}
        for name, queue, hint in of_no_queue(properties, properties.names(PREFIX)):
            finding = Finding(name, f"it has no effect: no parent lists a queue {queue}{hint}")
            told.setdefault(queue, finding)
        yield from told.values()

    def _of_rules(self) -> Iterator[Finding]:
        """Mapping rules that no submission gets to."""
        rules = self._context.settings.mappings.rules
        for place, catcher in unreachable(rules, QueueTreeLookup(self._tree)):
            rule, earlier = rules[place], rules[catcher]
            where = "" if earlier.listed_in == rule.listed_in else f" of {earlier.listed_in}"
            what = "rejects" if earlier.policy is Policy.REJECT else "takes"
            yield Finding(
                rule.listed_in,
                f"rule {rule.number} ({shortened(rule.text)}) never matches: rule {earlier.number}{where} "
                f"({shortened(earlier.text)}) {what} all that it would match; put it before that one, or "
                "delete it",
            )
        if rules and rules[0].matches_everybody and rules[0].policy is Policy.REJECT:
            text = "the first rule rejects everybody: no application is accepted"
            yield Finding(rules[0].listed_in, text)


def _numbers_of(queue: CapacityQueue, label: str) -> QueueNumbers:
    share = queue.share(label)
    return QueueNumbers(
        path=queue.path,
        partition=label,
        configured="100%" if queue.path == ROOT else str(share.capacity_value),
        capacity=share.capacity,
        absolute=share.absolute,
        maximum=share.maximum,
        absolute_maximum=share.absolute_maximum,
        effective_minimum=share.effective_minimum,
        effective_maximum=share.effective_maximum,
        leaf=_leaf_numbers(queue, label) if isinstance(queue, LeafQueue) else None,
    )


def _leaf_numbers(leaf: LeafQueue, label: str) -> LeafNumbers:
    share, context = leaf.share(label), leaf.context
    limit = leaf.current_limit if label == DEFAULT_PARTITION else NONE
    return LeafNumbers(
        maximum_applications=leaf.applications_limit.most,
        maximum_applications_per_user=leaf.maximum_applications_per_user,
        am_limit=am_limit(
            share.effective_minimum, limit, leaf.am_percent(label), context.minimum, context.calculator
        ),
        user_limits=tuple(_user_limit(leaf, label, users) for users in ACTIVE_USERS),
    )


def _user_limit(leaf: LeafQueue, label: str, users: int) -> Resource:
    """The limit of each of so many users of weight 1 who have used up the guarantee between them."""
    share, context = leaf.share(label), leaf.context
    inputs = UserLimitInputs(
        total=context.partition_total(label),
        effective_minimum=share.effective_minimum,
        down_maximum=share.down_maximum,
        minimum=context.minimum,
        consumed_ratio=0.0,
        used_by_active=componentwise_max(share.effective_minimum - context.minimum, NONE),
        active_weight=float(users),
        all_weight=float(users),
        percent=leaf.settings.user_limit_percent,
        factor=leaf.settings.user_limit_factor,
    )
    return user_limit(inputs, context.calculator)


def _of_leaf(leaf: LeafQueue) -> Iterator[Finding]:
    prefix, context = f"{PREFIX}{leaf.path}.", leaf.context
    share, minimum = leaf.share(DEFAULT_PARTITION), context.minimum
    calculator, settings = context.calculator, leaf.settings
    if not calculator.is_any_positive(share.effective_minimum):
        yield Finding(
            prefix + "capacity",
            "nothing is guaranteed: it runs in what others leave; more than 0 guarantees something",
        )
    elif not calculator.fits_in(minimum, share.effective_minimum):
        yield Finding(
            prefix + "capacity",
            f"the guarantee {share.effective_minimum} is smaller than one container of {minimum}; it should "
            "be at least that",
        )
    if not calculator.fits_in(minimum, share.effective_maximum):
        yield Finding(
            prefix + "maximum-capacity",
            f"not one container of {minimum} fits below the maximum {share.effective_maximum}; it should "
            "be at least that",
        )
    elif not calculator.fits_in(settings.maximum_allocation, share.effective_maximum):
        yield Finding(
            prefix + "maximum-allocation",
            f"a request of {settings.maximum_allocation} is accepted and never fits below the maximum "
            f"{share.effective_maximum}; it should be at most that",
        )
    limit = am_limit(share.effective_minimum, leaf.current_limit, leaf.am_percent(""), minimum, calculator)
    if not calculator.fits_in(minimum, limit):
        yield Finding(
            prefix + "maximum-am-resource-percent",
            f"the AM limit {limit} is below one AM of {minimum}: one application runs at a time; "
            "with a larger percentage more do",
        )
    if leaf.applications_limit.most < 1:
        yield Finding(prefix + "maximum-applications", "no application is accepted; it should be at least 1")
    elif leaf.maximum_applications_per_user < 1:
        yield Finding(
            prefix + "minimum-user-limit-percent",
            "no user may submit an application; with a larger percentage users may",
        )
    factor = settings.user_limit_factor
    most = _user_limit(leaf, "", 1)
    if factor != -1 and calculator.is_any_positive(share.effective_minimum):
        cap = multiply(share.floor, factor)
        if calculator.compare(context.cluster, share.effective_maximum, cap) < 0:
            yield Finding(
                prefix + "user-limit-factor",
                f"a user's limit of {cap} can never be reached: the queue ends at {share.effective_maximum}; "
                "a smaller factor has an effect",
            )
        elif factor == 1 and calculator.compare(context.cluster, share.floor, share.down_maximum) < 0:
            yield Finding(
                prefix + "user-limit-factor",
                f"one user alone stops at {most}, though the queue could grow to {share.down_maximum}; a "
                "larger factor allows more, -1 all",
            )
