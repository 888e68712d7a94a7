"""The allocation file as a frozen tree: what it says of queues and users, defaults and checks included.

Reading has two halves, because the placement policy of a file is put in force between them, as in Hadoop: a
malformed default is found only after that. What the file does not say is None here, so that inheritance can
be worked out by the queues. Hadoop: AllocationFileParser, AllocationFileQueueParser and
AllocationConfiguration.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final, TypeVar

from yarnbox.rm.scheduler.fair.allocation_file.amounts import Amount, parse_amount, unbounded
from yarnbox.rm.scheduler.fair.allocation_file.document import Element, read_document, write_document
from yarnbox.rm.scheduler.fair.allocation_file.grammar import (
    QUEUES,
    bad_element,
    without_effect,
    written_twice,
)
from yarnbox.rm.scheduler.fair.queues.placement import ROOT
from yarnbox.rm.scheduler.fair.queues.policies import FairPolicy, Policy, policy_class
from yarnbox.yarn.configuration import ConfigurationError, Fault, values
from yarnbox.yarn.enums import QueueACL
from yarnbox.yarn.resources.resource import NONE, Resource
from yarnbox.yarn.resources.units import MAXIMUM
from yarnbox.yarn.security.acl import EVERYBODY, NOBODY, AccessControlList

T = TypeVar("T")

UNLIMITED_APPS: Final = 2**31 - 1
NEVER: Final = MAXIMUM
"""A timeout in milliseconds that never runs out."""
DEFAULT_AM_SHARE: Final = 0.5
DEFAULT_THRESHOLD: Final = 0.5
_FORBIDDEN_IN_PARENTS = {"reservation": "is_plan", "maxAMShare": "max_am_share"}
_WHOLE = re.compile(r"[+-]?[0-9]+", re.ASCII)
_DEFAULT_POLICY = ("defaultQueueSchedulingPolicy", "defaultQueueSchedulingMode")
_TEXTS = (
    "queueMaxResourcesDefault",
    "userMaxAppsDefault",
    "defaultFairSharePreemptionTimeout",
    "fairSharePreemptionTimeout",
    "defaultMinSharePreemptionTimeout",
    "queueMaxAppsDefault",
    "defaultFairSharePreemptionThreshold",
    "queueMaxAMShareDefault",
    "reservation-planner",
    "reservation-agent",
    "reservation-policy",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueAllocation:
    """What the file says of one queue; None where it says nothing and something else decides."""

    min_resources: Resource = NONE
    max_resources: Amount | None = None
    max_child_resources: Amount | None = None
    max_container_allocation: Resource | None = None
    max_running_apps: int | None = None
    max_am_share: float | None = None
    weight: float = 1.0
    policy: Policy | None = None
    acls: Mapping[QueueACL, AccessControlList] = field(default_factory=dict)
    reservation_acls: Mapping[str, AccessControlList] = field(default_factory=dict)
    """By Hadoop's constant, as in SUBMIT_RESERVATIONS."""
    min_share_timeout_ms: int | None = None
    fair_share_timeout_ms: int | None = None
    fair_share_threshold: float | None = None
    is_preemptable: bool = True
    is_plan: bool = False


_UNDECLARED = QueueAllocation()


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocations:
    """The whole file; or, as it is by default, what holds without one."""

    queues: Mapping[str, QueueAllocation] = field(default_factory=dict)
    ranks: Mapping[str, int] = field(default_factory=dict)
    """The place of each declared queue in the file."""
    leaves: tuple[str, ...] = ()
    """Declared leaf queues by full path, in the order of the file."""
    parents: tuple[str, ...] = ()
    user_max_apps: Mapping[str, int] = field(default_factory=dict)
    user_max_apps_default: int = UNLIMITED_APPS
    queue_max_apps_default: int = UNLIMITED_APPS
    queue_max_resources_default: Amount
    queue_max_am_share_default: float = DEFAULT_AM_SHARE
    default_policy: Policy
    unbounded: Resource
    """The largest amount of every type that the cluster knows."""
    root_min_share_timeout_ms: int = -1
    root_fair_share_timeout_ms: int = -1
    root_fair_share_threshold: float = -1.0
    """Without a file no application is ever short of its fair share."""
    reservation_classes: Mapping[str, str] = field(default_factory=dict)
    """By the element's name: reservation-planner, reservation-agent, reservation-policy."""
    notices: tuple[str, ...] = ()

    @classmethod
    def without_file(cls, types: tuple[str, ...]) -> Allocations:
        """No declared queue, nothing limited."""
        most = unbounded(types)
        return cls(queue_max_resources_default=Amount(most), default_policy=FairPolicy(types), unbounded=most)

    def queue(self, path: str) -> QueueAllocation:
        """What is said of that queue; defaults if it is not declared."""
        return self.queues.get(path, _UNDECLARED)

    def is_declared(self, path: str) -> bool:
        """Whether the file declares it, as a leaf or as a parent."""
        return path in self.queues

    def policy_of(self, path: str) -> Policy:
        """Its policy."""
        return self.queue(path).policy or self.default_policy

    def max_apps_of_user(self, user: str) -> int:
        """How many applications of that user may run."""
        return self.user_max_apps.get(user, self.user_max_apps_default)

    def acl(self, path: str, acl: QueueACL) -> AccessControlList | None:
        """The list of that queue itself; None when it has none."""
        declared = self.queues.get(path)
        if declared is not None:
            return declared.acls.get(acl, EVERYBODY if path == ROOT else NOBODY)
        return EVERYBODY if path == ROOT else None


class AllocationDraft:
    """A file whose queues are read, whose defaults are not yet; ConfigurationError tells every fault."""

    def __init__(
        self, text: str, source: str, types: tuple[str, ...], faults: list[Fault] | None = None
    ) -> None:
        """Where a list is given for the faults, what is faulty is put there and left out of the file."""
        self._source = source
        self._keeps_faults = faults is not None
        self._faults: list[Fault] = [] if faults is None else faults
        self._left_out: list[tuple[Element, Element]] = []
        self._types = types
        self._texts: dict[str, Element] = {}
        self._queues: dict[str, dict[str, Any]] = {}
        self._leaves: dict[str, None] = {}
        self._parents: dict[str, None] = {}
        self._user_max_apps: dict[str, int] = {}
        self._policies: dict[type[Policy], Policy] = {}
        self._default_policy: Policy | None = None
        self.notices: list[str] = []
        self.placement_policy: Element | None = None
        """The element with the placement rules."""
        self._top = top = read_document(text, source)
        if top.name != "allocations":
            raise self._fault(top, "Bad fair scheduler config file: top-level element not <allocations>")
        queues = self._read_top(top)
        for element in queues:
            with self._leaving_out(top, element):
                self._read_top_queue(element, len(queues))
        for element, text in chain(without_effect(top), written_twice(top)):
            self._notice(element, text)
        self._refuse()

    def leave_out_placement_policy(self, policy: Element, error: ConfigurationError) -> None:
        """Notes that the placement rules are faulty."""
        self._leave_out(self._top, policy, error)
        self._refuse()

    def sound_part(self) -> str:
        """The file without what is faulty, as text; once the defaults are read."""
        for parent, element in self._left_out:
            parent.children = [child for child in parent.children if child is not element]
        return write_document(self._top)

    def _refuse(self) -> None:
        if self._faults and not self._keeps_faults:
            raise ConfigurationError(self._faults)

    @contextmanager
    def _leaving_out(self, parent: Element, element: Element) -> Iterator[None]:
        try:
            yield
        except ConfigurationError as error:
            self._leave_out(parent, element, error)

    def _leave_out(self, parent: Element, element: Element, error: ConfigurationError) -> None:
        self._faults.extend(error.faults)
        self._left_out.append((parent, element))

    def finish(self) -> Allocations:
        """The tree: the defaults are read now. ConfigurationError when one of them is faulty."""
        found = self._finished()
        self._refuse()
        return found

    def _finished(self) -> Allocations:
        texts = self._texts
        fair_timeout = "defaultFairSharePreemptionTimeout"
        if fair_timeout not in texts:
            fair_timeout = "fairSharePreemptionTimeout"
        most = unbounded(self._types)
        root = self._queues.get(ROOT, {})
        # What root says itself hides these, faults included.
        threshold, min_timeout_ms, fair_timeout_ms = DEFAULT_THRESHOLD, NEVER, NEVER
        if "min_share_timeout_ms" not in root:
            min_timeout_ms = self._text("defaultMinSharePreemptionTimeout", _seconds, NEVER)
        if "fair_share_timeout_ms" not in root:
            fair_timeout_ms = self._text(fair_timeout, _seconds, NEVER)
        if "fair_share_threshold" not in root:
            threshold = self._text("defaultFairSharePreemptionThreshold", _between_0_and_1, DEFAULT_THRESHOLD)
        max_default = self._text("queueMaxResourcesDefault", self._amount, Amount(most))
        return Allocations(
            queues={path: QueueAllocation(**said) for path, said in self._queues.items()},
            ranks={path: place for place, path in enumerate(self._queues)},
            leaves=tuple(self._leaves),
            parents=tuple(self._parents),
            user_max_apps=self._user_max_apps,
            user_max_apps_default=self._text("userMaxAppsDefault", _integer, UNLIMITED_APPS),
            queue_max_apps_default=self._text("queueMaxAppsDefault", _integer, UNLIMITED_APPS),
            # Percentages are kept; the others are bounded by what the types can hold.
            queue_max_resources_default=max_default,
            queue_max_am_share_default=self._text("queueMaxAMShareDefault", _at_most_1, DEFAULT_AM_SHARE),
            default_policy=self._default_policy or self._policy_of(FairPolicy),
            unbounded=most,
            root_min_share_timeout_ms=min_timeout_ms,
            root_fair_share_timeout_ms=fair_timeout_ms,
            root_fair_share_threshold=threshold,
            reservation_classes={
                name: element.text.strip() for name, element in texts.items() if "-" in name
            },
            notices=tuple(self.notices),
        )

    # Top-level elements

    def _read_top(self, top: Element) -> list[Element]:
        """Reads what is not a queue; the queues are returned."""
        queues = []
        for element in top.children:
            if element.name in QUEUES:
                queues.append(element)
            else:
                with self._leaving_out(top, element):
                    self._read_top_element(element)
        return queues

    def _read_top_element(self, element: Element) -> None:
        if element.name == "queuePlacementPolicy":
            self.placement_policy = element
        elif element.name in _DEFAULT_POLICY:
            self._default_policy = self._read_default_policy(element)
        elif element.name == "user":
            for child in element.children:
                if child.name == "maxRunningApps":
                    name = element.attributes.get("name", "")
                    self._user_max_apps[name] = self._read(child, _integer)
        elif element.name in _TEXTS:
            self._required(element)
            self._texts[element.name] = element
        else:
            self._notice(element, bad_element(element))

    def _read_default_policy(self, element: Element) -> Policy:
        if self._required(element).strip().lower() == "fifo":
            raise self._fault(
                element,
                "Bad fair scheduler config file: defaultQueueSchedulingPolicy or "
                "defaultQueueSchedulingMode can't be FIFO.",
            )
        return self._read(element, self._policy)

    # Queues

    def _read_top_queue(self, element: Element, count: int) -> None:
        if element.attributes.get("name", "").lower() != ROOT:
            self._read_queue(ROOT, element)
            return
        if count > 1:
            raise self._fault(
                element, "If configuring root queue, no other queues can be placed alongside it."
            )
        self._read_queue(None, element)

    def _read_queue(self, above: str | None, element: Element) -> None:
        name = element.attributes.get("name", "").strip()
        if "." in name:
            raise self._fault(
                element,
                f"Bad fair scheduler config file: queue name ({name}) shouldn't contain period.",
            )
        if not name:
            raise self._fault(
                element,
                "Bad fair scheduler config file: queue name shouldn't be empty or consist only of "
                "whitespace.",
            )
        path = ROOT if above is None else f"{above}.{name}"
        said = self._queues.setdefault(path, {})
        children = []
        for child in element.children:
            with self._leaving_out(element, child):
                if child.name in QUEUES:
                    children.append(child)
                    self._read_queue(path, child)
                else:
                    self._read_element(said, child)
        self._record_kind(path, element, children)
        self._warn_of_limits(path, element, said)

    def _read_element(self, said: dict[str, Any], element: Element) -> None:
        """Notes what one element says; one that nobody knows says nothing."""
        if element.name == "reservation":
            said["is_plan"] = True
        elif element.name in _ACLS:
            acls = said.setdefault("acls", {})
            acls[_ACLS[element.name]] = AccessControlList.parse(self._required(element))
        elif element.name in _RESERVATION_ACLS:
            acls = said.setdefault("reservation_acls", {})
            acls[_RESERVATION_ACLS[element.name]] = AccessControlList.parse(self._required(element))
        elif element.name in _SIMPLE:
            key, parse = _SIMPLE[element.name]
            said[key] = self._read(element, parse)
        elif element.name in ("schedulingPolicy", "schedulingMode"):
            said["policy"] = self._read(element, self._policy)
        elif element.name in ("maxResources", "maxChildResources"):
            key = "max_resources" if element.name == "maxResources" else "max_child_resources"
            said[key] = self._read(element, self._amount)
        elif element.name == "minResources":
            amount = self._read(element, lambda text: parse_amount(text, self._types, 0))
            self._record_percentages(element, amount)
            said["min_resources"] = NONE if amount.is_relative else amount.absolute
        elif element.name == "maxContainerAllocation":
            amount = self._read(element, self._amount)
            self._record_percentages(element, amount)
            said["max_container_allocation"] = None if amount.is_relative else amount.absolute

    def _record_percentages(self, element: Element, amount: Amount) -> None:
        """Hadoop takes and ignores them here, and says nothing."""
        if amount.is_relative:
            self._notice(element, f"{element.name} has no effect: it takes no percentages")

    def _record_kind(self, path: str, element: Element, children: list[Element]) -> None:
        """Leaf or parent; what a parent must not contain."""
        inner = [child.name for child in element.children]
        is_plan = "reservation" in inner
        if not children and element.attributes.get("type") != "parent":
            (self._parents if is_plan else self._leaves)[path] = None
            return
        for child in element.children:
            if child.name in _FORBIDDEN_IN_PARENTS:
                self._queues[path].pop(_FORBIDDEN_IN_PARENTS[child.name], None)
                fault = self._fault(
                    element,
                    f"The configuration settings for {path} are invalid. A queue element that contains child "
                    "queue elements or that has the type='parent' attribute cannot also include a "
                    f"{child.name} element.",
                )
                self._leave_out(element, child, fault)
        self._parents[path] = None

    def _warn_of_limits(self, path: str, element: Element, said: dict[str, Any]) -> None:
        most: Amount | None = said.get("max_resources")
        least: Resource = said.get("min_resources", NONE)
        if most is not None and not most.is_relative and not least.fits_in(most.absolute):
            self._notice(
                element,
                f"Queue {path} has max resources {most.absolute} less than min resources {least}",
            )

    # Values

    def _amount(self, text: str) -> Amount:
        return parse_amount(text, self._types)

    def _policy(self, text: str) -> Policy:
        return self._policy_of(policy_class(text))

    def _policy_of(self, kind: type[Policy]) -> Policy:
        if kind not in self._policies:
            self._policies[kind] = kind(self._types)
        return self._policies[kind]

    def _text(self, name: str, parse: Callable[[str], T], default: T) -> T:
        element = self._texts.get(name)
        if element is not None:
            with self._leaving_out(self._top, element):
                return self._read(element, parse)
        return default

    def _read(self, element: Element, parse: Callable[[str], T]) -> T:
        text = self._required(element).strip()
        try:
            return parse(text)
        except ValueError as error:
            raise self._fault(element, f"<{element.name}>{text}</{element.name}>: {error}") from None

    def _required(self, element: Element) -> str:
        if not element.text:
            raise self._fault(element, f"<{element.name}> must not be empty")
        return element.text

    def _notice(self, element: Element, text: str) -> None:
        self.notices.append(f"{self._source}:{element.line}: {text}")

    def _fault(self, element: Element, text: str) -> ConfigurationError:
        return ConfigurationError.of(f"{self._source}:{element.line}", text)


def read_allocations(text: str, source: str, types: tuple[str, ...]) -> Allocations:
    """Both halves of the reading at once, for those who do not place applications."""
    return AllocationDraft(text, source, types).finish()


def _integer(text: str) -> int:
    if _WHOLE.fullmatch(text) is None or not -UNLIMITED_APPS - 1 <= int(text) <= UNLIMITED_APPS:
        raise ValueError("must be an integer")
    return int(text)


def _seconds(text: str) -> int:
    """Whole seconds, in milliseconds."""
    if _WHOLE.fullmatch(text) is None or abs(int(text)) > MAXIMUM:
        raise ValueError("must be a whole number of seconds")
    return (int(text) * 1000 + MAXIMUM + 1) % (2 * (MAXIMUM + 1)) - MAXIMUM - 1  # a Java long runs over


def _number(text: str) -> float:
    try:
        return values.single(text)
    except ValueError as error:
        raise ValueError(f"must be {error}") from None


def _at_most_1(text: str) -> float:
    return min(_number(text), 1.0)


def _between_0_and_1(text: str) -> float:
    return max(min(_number(text), 1.0), 0.0)


def _is_true(text: str) -> bool:
    return text.lower() == "true"


_SIMPLE: Mapping[str, tuple[str, Callable[[str], object]]] = {
    "maxRunningApps": ("max_running_apps", _integer),
    "maxAMShare": ("max_am_share", _at_most_1),
    "weight": ("weight", _number),
    "minSharePreemptionTimeout": ("min_share_timeout_ms", _seconds),
    "fairSharePreemptionTimeout": ("fair_share_timeout_ms", _seconds),
    "fairSharePreemptionThreshold": ("fair_share_threshold", _between_0_and_1),
    "allowPreemptionFrom": ("is_preemptable", _is_true),
}
_ACLS: Mapping[str, QueueACL] = {
    "aclSubmitApps": QueueACL.SUBMIT_APPLICATIONS,
    "aclAdministerApps": QueueACL.ADMINISTER_QUEUE,
}
_RESERVATION_ACLS: Mapping[str, str] = {
    "aclAdministerReservations": "ADMINISTER_RESERVATIONS",
    "aclListReservations": "LIST_RESERVATIONS",
    "aclSubmitReservations": "SUBMIT_RESERVATIONS",
}
