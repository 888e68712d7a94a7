"""From placement rules to the mapping rules of the CapacityScheduler, in JSON. Pure.

Hadoop: QueuePlacementConverter.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from yarnbox.cluster.conversion.outcome import (
    CREATE_DIFFERS,
    PARENT_DYNAMIC_CREATE,
    QUEUE_DYNAMIC_CREATE,
    STATIC_DYNAMIC_CONFLICT,
    Conversion,
)
from yarnbox.rm.scheduler.fair.queues.placement import DEFAULT, ROOT, Rule

_CAPACITY = "yarn.scheduler.capacity."
_POLICIES = {
    "specified": "specified",
    "user": "user",
    "nestedUserQueue": "user",
    "primaryGroup": "primaryGroup",
    "secondaryGroupExistingQueue": "secondaryGroup",
    "reject": "reject",
}
_BELOW_ROOT = ("user", "primaryGroup", "primaryGroupUser", "secondaryGroup", "secondaryGroupUser")


class PlacementConverter:
    """Converts the rules of one file; `has_children` says whether a path has declared queues below it."""

    def __init__(self, result: Conversion, has_children: Callable[[str], bool]) -> None:
        self._result = result
        self._has_children = has_children
        self._percentages = result.options.percentages

    def convert(self, rules: tuple[Rule, ...]) -> None:
        """The placement rules as one JSON document among the properties, or in a file of its own."""
        result = self._result
        result.rules = list(self._rules(rules))
        out = result.capacity
        out[_CAPACITY + "mapping-rule-format"] = "json"
        if result.options.placement_file is not None:
            out[_CAPACITY + "mapping-rule-json-file"] = result.options.placement_file
        else:
            out[_CAPACITY + "mapping-rule-json"] = rules_text(result)
        out[_CAPACITY + "queue-mappings-override.enable"] = "true"

    def _rules(self, rules: tuple[Rule, ...]) -> Iterator[dict[str, object]]:
        for rule in rules:
            if rule.name in ("user", "nestedUserQueue") and rule.inner is not None:
                nested = self._nested(rule, rule.inner)
                if nested is not None:
                    yield nested
                continue
            if rule.inner is not None:
                self._result.tell(f"Placement rule {rule.name}: its inner rule {rule.inner.name} is left out")
            if rule.name != "default":
                yield self._rule(_POLICIES[rule.name], rule.create and rule.name != "reject")
            elif rule.queue == f"{ROOT}.{DEFAULT}":
                yield self._rule("defaultQueue", rule.create)
            else:
                yield {**self._rule("custom", rule.create), "customPlacement": rule.queue}

    def _nested(self, rule: Rule, inner: Rule) -> dict[str, object] | None:
        policy = {
            "primaryGroup": "primaryGroupUser",
            "secondaryGroupExistingQueue": "secondaryGroupUser",
            "default": "user",
        }.get(inner.name)
        if policy is None:
            self._result.tell(f"Placement rule {rule.name} in {inner.name} is not supported and left out")
            return None
        made = self._rule(policy, rule.create)
        path = inner.queue if inner.name == "default" else f"{ROOT}.<{inner.name}>"
        if inner.name == "default":
            made["parentQueue"] = inner.queue
        if not self._percentages:
            made["create"] = inner.create or rule.create
            if inner.create is not rule.create:
                self._result.tell(
                    f"Placement rules: {policy} has different create flags outside and inside; now it is "
                    "true in both",
                    CREATE_DIFFERS,
                )
            return made
        if inner.create:
            self._result.tell(
                f"Placement rules: create=true for the parent path {path} is not supported, it must exist",
                PARENT_DYNAMIC_CREATE,
            )
        if rule.create and policy == "user":
            self._result.tell(_must_be_managed(path), QUEUE_DYNAMIC_CREATE)
            if self._has_children(path):
                self._result.tell(
                    f"Placement rules: rule maps to path {path}, which has declared queues: to be corrected",
                    STATIC_DYNAMIC_CONFLICT,
                )
        return made

    def _rule(self, policy: str, create: bool) -> dict[str, object]:
        made: dict[str, object] = {
            "type": "user",
            "matches": "*",
            "policy": policy,
            "fallbackResult": "skip",
            "create": create,
        }
        if not self._percentages and policy in _BELOW_ROOT:
            made["parentQueue"] = ROOT
        if self._percentages and create and policy.startswith(("primaryGroup", "secondaryGroup")):
            group = "primaryGroup" if policy.startswith("primary") else "secondaryGroup"
            self._result.tell(_must_be_managed(f"{ROOT}.<{group}>"), QUEUE_DYNAMIC_CREATE)
        return made


def _must_be_managed(path: str) -> str:
    return (
        f"Placement rules: create=true for path {path}: it must be a managed queue with "
        "auto-create-child-queues, and no other queue may be declared below it"
    )


def rules_text(result: Conversion) -> str:
    """The mapping rules as JSON."""
    return json.dumps({"rules": result.rules}, indent=2)
