"""Which queue a submission goes to, by the mapping rules.

Pure: user, groups and names come in, a path goes out; the tree is asked only which queues there are and which
could be made. Hadoop: CSMappingPlacementRule, MappingRuleValidationContextImpl and VariableContext.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from yarnbox.rm.scheduler.capacity.config.rules import Fallback, MappingRule, Mappings, Match, Policy
from yarnbox.yarn.errors import YarnError

DEFAULT_QUEUE = "root.default"
UNNAMED = "default"
"""What a submission says that names no queue."""
VARIABLES = (
    "%user",
    "%primary_group",
    "%secondary_group",
    "%application",
    "%specified",
    "%default",
)


class QueueLookup(Protocol):
    """What placement asks of the tree."""

    def path_of(self, name: str) -> str | None:
        """The full path of a queue named by path or by an unambiguous short name."""
        ...

    def is_leaf(self, path: str) -> bool:
        """Whether the queue holds applications."""
        ...

    def can_create_below(self, path: str) -> bool:
        """Whether submissions may make queues below it."""
        ...

    def is_flexible(self, path: str) -> bool:
        """Whether even two levels may be made below it (auto-queue-creation-v2)."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What rules look at."""

    user: str
    groups: tuple[str, ...] = ()
    application: str = ""
    queue: str = UNNAMED


class RejectedError(YarnError):
    """A rule refuses the submission."""


def place(mappings: Mappings, submission: Submission, queues: QueueLookup) -> str | None:
    """The path of the first rule that places; None when none does. RejectedError when a rule says so."""
    default = DEFAULT_QUEUE
    for rule in mappings.rules:
        if not _matches(rule, submission, default):
            continue
        if rule.policy is Policy.REJECT:
            raise _rejection(rule, submission)
        if rule.policy is Policy.SET_DEFAULT_QUEUE:
            default = _replaced(rule.target, _variables(submission, default))
            continue
        may_create = rule.may_create and rule.policy is not Policy.DEFAULT_QUEUE
        target = resolve(_filled(rule.target, submission, default, queues), queues, may_create=may_create)
        if target is not None:
            return target
        if rule.policy is Policy.DEFAULT_QUEUE or rule.fallback is Fallback.REJECT:
            raise _rejection(rule, submission)
        if rule.fallback is Fallback.PLACE_DEFAULT:
            target = resolve(default, queues, may_create=False)
            if target is None:
                raise _rejection(rule, submission)
            return target
    return None


def _rejection(rule: MappingRule, submission: Submission) -> RejectedError:
    named = rule.text or f"{rule.match.value} {rule.value}: {rule.policy.value} {rule.target}".rstrip()
    return RejectedError(
        f"Application submission have been rejected by a mapping rule. Please see the logs for details: user "
        f"{submission.user}, application {submission.application}, queue {submission.queue}, rule {named}"
    )


def _matches(rule: MappingRule, submission: Submission, default: str) -> bool:
    if rule.match is Match.USER and rule.value == "*":
        return True
    value = _replaced(rule.value, _variables(submission, default))
    if rule.match is Match.USER:
        return value == submission.user
    if rule.match is Match.GROUP:
        return value in submission.groups
    return value == submission.application


def _variables(submission: Submission, default: str) -> dict[str, str]:
    return {
        "%user": _escaped(submission.user),
        "%primary_group": _escaped(submission.groups[0]) if submission.groups else "",
        "%application": submission.application,
        # `default` is what a submission without a queue says: nothing was specified then.
        "%specified": "" if submission.queue == UNNAMED else submission.queue,
        "%default": default,
    }


def _replaced(text: str, variables: Mapping[str, str]) -> str:
    """The text with its variables replaced wherever they stand, the longest names first."""
    for name in sorted(variables, key=len, reverse=True):
        text = text.replace(name, variables[name])
    return text


def _escaped(name: str) -> str:
    return name.replace(".", "_dot_")


def _filled(target: str, submission: Submission, default: str, queues: QueueLookup) -> str:
    """The path with its variables replaced, whole segments only; an unknown variable stays as it is."""
    known = _variables(submission, default)
    segments: list[str] = []
    for segment in target.split("."):
        if segment == "%secondary_group":
            segments.append(_secondary_group(submission, ".".join(segments), queues))
        else:
            segments.append(known.get(segment, segment))
    return ".".join(segments)


def _secondary_group(submission: Submission, prefix: str, queues: QueueLookup) -> str:
    """The first further group of the user for which there is a queue."""
    for group in submission.groups[1:]:
        name = _escaped(group)
        if queues.path_of(f"{prefix}.{name}" if prefix else name) is not None:
            return name
    return ""


def resolve(target: str, queues: QueueLookup, *, may_create: bool) -> str | None:
    """The full path of a valid target: a leaf, or a queue that may be made; None when it is not valid."""
    segments = target.split(".")
    if not all(segments):
        return None
    if len(segments) == 1:
        path = queues.path_of(target)
        return path if path is not None and queues.is_leaf(path) else None
    first = queues.path_of(segments[0])
    if first is None:
        return None
    path = ".".join([first, *segments[1:]])
    known = queues.path_of(path)
    if known is not None:
        return known if queues.is_leaf(known) else None
    if not may_create:
        return None
    parent, _, _ = path.rpartition(".")
    if queues.path_of(parent) is not None:
        return path if queues.can_create_below(parent) else None
    grandparent, _, _ = parent.rpartition(".")
    return path if grandparent and queues.path_of(grandparent) and queues.is_flexible(grandparent) else None


def check_rules(rules: Iterable[MappingRule], queues: QueueLookup) -> list[tuple[MappingRule, str]]:
    """The rules whose targets can never be valid, and why."""
    found = []
    for rule in rules:
        is_target = rule.target and rule.policy is not Policy.SET_DEFAULT_QUEUE
        complaint = _complaint(rule, queues) if is_target else None
        if complaint is not None:
            found.append((rule, complaint))
    return found


def _complaint(rule: MappingRule, queues: QueueLookup) -> str | None:
    segments = rule.target.split(".")
    if not all(segments):
        return f"the path '{rule.target}' has an empty part"
    static: list[str] = []
    for segment in segments:
        if segment in VARIABLES:
            break
        static.append(segment)
    # Whether this rule may create is not asked: the target may be there when it is needed.
    if len(static) == len(segments):
        if resolve(rule.target, queues, may_create=True) is None:
            return f"Target queue '{rule.target}' does not exist or is not a leaf, and it cannot be created"
        return None
    if not static:
        return None
    first = queues.path_of(static[0])
    prefix = ".".join([first or static[0], *static[1:]])
    path = queues.path_of(prefix)
    if path is not None:
        return f"Target queue path '{rule.target}': {path} is a leaf queue" if queues.is_leaf(path) else None
    above = queues.path_of(prefix.rpartition(".")[0]) if "." in prefix else None
    if above is not None and queues.can_create_below(above):
        return None
    return f"Target queue path '{rule.target}' does not exist: no queue {prefix}"
