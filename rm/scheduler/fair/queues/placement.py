"""Placement: which queue a submission goes to, by rules tried in order.

The rules come from the allocation file or, without any there, from two properties. They ask of the queues
only whether one is declared and whether one is a leaf. Hadoop: QueuePlacementPolicy and the
FSPlacementRule classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from yarnbox.rm.scheduler.fair.allocation_file.document import Element
from yarnbox.yarn.configuration import ConfigurationError
from yarnbox.yarn.errors import YarnError

ROOT = "root"
DEFAULT = "default"
_DOT = "_dot_"
_NAMES = (
    "user",
    "primaryGroup",
    "secondaryGroupExistingQueue",
    "specified",
    "nestedUserQueue",
    "default",
    "reject",
)
_WITHOUT_INNER = ("specified", "default", "reject")
_NEVER_INNER = ("reject", "nestedUserQueue")


class Queues(Protocol):
    """What the rules have to know of the queues."""

    def is_declared(self, path: str) -> bool:
        """Whether the queue exists and is not ad hoc."""
        ...

    def is_leaf(self, path: str) -> bool:
        """Whether there is a leaf queue of that name."""
        ...


@dataclass(frozen=True, slots=True)
class Submission:
    """What is known of an application before it has a queue."""

    queue: str
    user: str
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; `inner` chooses the queue below which this one works."""

    name: str
    create: bool = True
    queue: str = f"{ROOT}.{DEFAULT}"
    """Of the rule `default`."""
    inner: Rule | None = None

    @property
    def is_terminal(self) -> bool:
        """Whether no application gets past it."""
        if self.name == "reject":
            own = True
        elif self.name in ("specified", "secondaryGroupExistingQueue"):
            own = False
        else:
            own = self.create
        return own and (self.inner is None or self.inner.is_terminal)

    def covers(self, later: Rule) -> bool:
        """Whether the later rule has no answer where this one has none."""
        if self.name == "default" and self.queue != later.queue:
            return False
        is_alike = _kind(self.name) == _kind(later.name) and self.inner == later.inner
        return is_alike and (self.create or not later.create)

    def place(self, submission: Submission, queues: Queues) -> str | None:
        """The full queue name; None lets the next rule try."""
        if self.name == "reject":
            return None
        if self.name == "specified":
            return self._specified(submission, queues)
        if self.name == "default":
            return self._allowed(self.queue, queues)
        if self.name == "primaryGroup" and not submission.groups:
            raise YarnError(f"No groups returned for user {submission.user}")
        above = ROOT
        if self.inner is not None:
            found = self.inner.place(submission, queues)
            if found is None or queues.is_leaf(found):
                return None
            above = found
        if self.name == "secondaryGroupExistingQueue":
            paths = (f"{above}.{clean_name(group)}" for group in submission.groups)
            return next((path for path in paths if queues.is_declared(path)), None)
        name = submission.groups[0] if self.name == "primaryGroup" else submission.user
        return self._allowed(f"{above}.{clean_name(name)}", queues)

    def _specified(self, submission: Submission, queues: Queues) -> str | None:
        asked = submission.queue
        if not is_valid_name(asked):
            raise YarnError(
                f"Application submitted by user {submission.user} with illegal queue name '{asked}'."
            )
        return None if asked == DEFAULT else self._allowed(with_root(asked), queues)

    def _allowed(self, path: str, queues: Queues) -> str | None:
        return path if self.create or queues.is_declared(path) else None


def place(rules: Sequence[Rule], submission: Submission, queues: Queues) -> str | None:
    """The queue that the first rule with an answer names; None when there is none."""
    for rule in rules:
        found = rule.place(submission, queues)
        if found is not None:
            return found
    return None


def with_root(name: str) -> str:
    """The name from root."""
    return name if name == ROOT or name.startswith(ROOT + ".") else f"{ROOT}.{name}"


def is_valid_name(name: str) -> bool:
    """Whether it neither begins nor ends with a period or with white space."""
    return name == name.strip() and not name.startswith(".") and not name.endswith(".")


def clean_name(name: str) -> str:
    """A user or group as a queue name."""
    return name.strip().replace(".", _DOT)


def rules_of_properties(allow_undeclared: bool, user_as_default: bool) -> tuple[Rule, ...]:
    """The rules without a placement policy."""
    rules = [Rule("specified", allow_undeclared)]
    if user_as_default:
        rules.append(Rule("user", allow_undeclared))
    if not user_as_default or not allow_undeclared:
        rules.append(Rule("default"))
    return tuple(rules)


def read_rules(
    policy: Element, source: str, notices: list[str], *, skip_terminal_check: bool = False
) -> tuple[Rule, ...]:
    """The rules of a `<queuePlacementPolicy>`; none at all means that those in force stay."""
    if not policy.children and not policy.text:
        raise _fault(source, policy, "Empty configuration for QueuePlacementPolicy is not allowed")
    elements = [child for child in policy.children if child.name.lower() == "rule"]
    rules = [_read_rule(element, source, notices) for element in elements]
    for number, (rule, element) in enumerate(zip(rules[:-1], elements, strict=False), 1):
        if rule.is_terminal:
            unreachable = f"Rules after rule {number} in queue placement policy can never be reached"
            if not skip_terminal_check:
                remedy = f'put rule {number} last, or give it create="false"'
                raise _fault(source, element, f"{unreachable}: {remedy}")
            notices.append(f"{source}:{element.line}: {unreachable}")
    if rules and not rules[-1].is_terminal:
        raise _fault(source, elements[-1], "Could get past last queue placement rule without assigning")
    return tuple(rules)


def _read_rule(element: Element, source: str, notices: list[str]) -> Rule:
    name = _name_of(element, source)
    inner_elements = [child for child in element.children if child.name.lower() == "rule"]
    if len(inner_elements) > 1:
        notices.append(
            f"{source}:{element.line}: rule '{name}' has several parent rules, the last parent rule is used"
        )
    inner = None
    if inner_elements:
        inner_element = inner_elements[-1]
        inner = _simple_rule(inner_element, _name_of(inner_element, source), None, notices, source)
        if inner.name in _NEVER_INNER:
            raise _fault(
                source,
                inner_element,
                f"Rule '{inner.name}' is not allowed as a parent rule for any rule",
            )
        if name in _WITHOUT_INNER:
            raise _fault(source, element, f"Parent rule should not be configured for rule '{name}'.")
        if _kind(name) == _kind(inner.name):
            raise _fault(source, element, f"Parent rule may not be the same type as the child rule: {name}")
    if name == "nestedUserQueue" and inner is None:
        raise _fault(source, element, f"Rule '{name}' must have a parent rule set")
    return _simple_rule(element, name, inner, notices, source)


def _simple_rule(element: Element, name: str, inner: Rule | None, notices: list[str], source: str) -> Rule:
    written = element.attributes.get("create", "")
    create = not written or written.lower() == "true"
    queue = element.attributes.get("queue", "")
    if name == "default" and not is_valid_name(queue):
        notices.append(f"{source}:{element.line}: '{queue}' is not a queue name: {ROOT}.{DEFAULT} instead")
        queue = ""
    return Rule(name, create, with_root(queue or DEFAULT), inner)


def _name_of(element: Element, source: str) -> str:
    name = element.attributes.get("name", "")
    if not name:
        raise _fault(source, element, "No name provided for a rule element")
    if name not in _NAMES:
        raise _fault(source, element, f"No rule class found for {name}")
    return name


def _kind(name: str) -> str:
    """Two names may stand for one kind of rule."""
    return "user" if name == "nestedUserQueue" else name


def _fault(source: str, element: Element, text: str) -> ConfigurationError:
    return ConfigurationError.of(f"{source}:{element.line}", text)
