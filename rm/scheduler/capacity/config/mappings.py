"""Queue mappings read: the legacy list, the list by application name, and the JSON form.

Hadoop: MappingRuleCreator, QueuePlacementConverter and the mapping getters of
CapacitySchedulerConfiguration.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from yarnbox.rm.scheduler.capacity.config.properties import Properties
from yarnbox.rm.scheduler.capacity.config.rules import (
    TARGETS,
    WITH_PARENT,
    Fallback,
    MappingRule,
    Mappings,
    Match,
    Policy,
)

PREFIX = "yarn.scheduler.capacity."
QUEUE_MAPPINGS = PREFIX + "queue-mappings"
FORMAT = PREFIX + "mapping-rule-format"
JSON_TEXT = PREFIX + "mapping-rule-json"
JSON_FILE = PREFIX + "mapping-rule-json-file"
PLACEMENT_RULES = "yarn.scheduler.queue-placement-rules"
APP_NAME_MAPPINGS = PLACEMENT_RULES + ".app-name"
_ENGINES = ("user-group", "app-name")


def read_mappings(p: Properties, read_text: Callable[[str], str | None]) -> Mappings:
    """All placement rules; faults join those of the properties."""
    engines = p.strings(PLACEMENT_RULES) or ("user-group",)
    if len(dict.fromkeys(engines)) != len(engines):
        p.fault(PLACEMENT_RULES, f"the list {', '.join(engines)} contains duplicate rule strings")
    for engine in engines:
        if engine not in _ENGINES:
            p.fault(
                PLACEMENT_RULES, f"{engine} is not a placement rule: must be one of {', '.join(_ENGINES)}"
            )
    form = p.text(FORMAT) or "legacy"
    rules: list[MappingRule] = []
    if form == "legacy":
        rules = [*_legacy(p), *_application_names(p)]
    elif form == "json":
        rules = _json(p, read_text)
    else:
        p.fault(FORMAT, f"Illegal queue mapping format '{form}' please use 'legacy' or 'json'")
    return Mappings(rules=tuple(rules))


def _legacy(p: Properties) -> Iterable[MappingRule]:
    for number, entry in enumerate(p.strings(QUEUE_MAPPINGS), 1):
        parts = [part.strip() for part in entry.split(":")]
        if len(parts) != 3 or not all(parts):
            p.fault(QUEUE_MAPPINGS, f"Illegal queue mapping {entry}: must be u:USER:QUEUE or g:GROUP:QUEUE")
            continue
        kind, source, target = parts
        if kind not in ("u", "g"):
            p.fault(
                QUEUE_MAPPINGS, f"unknown mapping prefix {kind} of the queue mapping {entry}: must be u or g"
            )
            continue
        match = Match.USER if kind == "u" else Match.GROUP
        value = "*" if match is Match.USER and source == "%user" else source
        yield _custom(match, value, target, entry, QUEUE_MAPPINGS, number)


def _application_names(p: Properties) -> Iterable[MappingRule]:
    for number, entry in enumerate(p.strings(APP_NAME_MAPPINGS), 1):
        parts = [part.strip() for part in entry.split(":")]
        if len(parts) != 2 or not all(parts):
            p.fault(APP_NAME_MAPPINGS, f"Illegal queue mapping {entry}: must be APPLICATION:QUEUE")
            continue
        yield _custom(Match.APPLICATION, parts[0], parts[1], entry, APP_NAME_MAPPINGS, number)


def _custom(match: Match, value: str, target: str, text: str, name: str, number: int) -> MappingRule:
    return MappingRule(
        match=match,
        value=value,
        policy=Policy.CUSTOM,
        target=target,
        fallback=Fallback.PLACE_DEFAULT,
        text=text,
        listed_in=name,
        number=number,
    )


def _json(p: Properties, read_text: Callable[[str], str | None]) -> list[MappingRule]:
    name, text = JSON_TEXT, p.text(JSON_TEXT)
    if not text:
        name, file = JSON_FILE, p.text(JSON_FILE)
        text = read_text(file) if file else None
        if file and text is None:
            p.fault(JSON_FILE, f"no file {file} can be read")
    if not text:
        return []
    try:
        document = json.loads(text)
        entries = document["rules"]
    except (ValueError, KeyError, TypeError) as error:
        p.fault(name, f"not a JSON object with a list of rules: {error}")
        return []
    rules = []
    for number, entry in enumerate(entries, 1):
        try:
            rules.append(_rule_of(entry, name, number))
        except ValueError as error:
            p.fault(name, f"{error} (rule {json.dumps(entry)})")
    return rules


def _rule_of(entry: Mapping[str, Any], name: str, number: int) -> MappingRule:
    match = _word(entry, "type", Match, None)
    policy = _word(entry, "policy", Policy, None)
    value = entry.get("matches")
    if not value:
        raise ValueError("Match string is undefined: `matches` is mandatory")
    if match is Match.GROUP and value == "*":
        raise ValueError("Cannot match '*' for groups")
    target = TARGETS.get(policy, "")
    parent = entry.get("parentQueue")
    if parent and policy in WITH_PARENT:
        target = f"{parent}.{target}"
    if policy is Policy.CUSTOM:
        target = entry.get("customPlacement") or ""
        if not target:
            raise ValueError("customPlacement is mandatory for the policy custom")
    if policy is Policy.SET_DEFAULT_QUEUE:
        target = entry.get("value") or ""
        if not target:
            raise ValueError("value is mandatory for the policy setDefaultQueue")
    return MappingRule(
        match=match,
        value=str(value),
        policy=policy,
        target=target,
        may_create=bool(entry.get("create", True)),
        fallback=_word(entry, "fallbackResult", Fallback, Fallback.SKIP),
        text=json.dumps(entry),
        listed_in=name,
        number=number,
    )


def _word(entry: Mapping[str, object], key: str, kind: Any, default: object) -> Any:
    given = entry.get(key)
    if given is None:
        if default is None:
            raise ValueError(f"Rule {key} is undefined: `{key}` is mandatory")
        return default
    for member in kind:
        if member.value == given:
            return member
    raise ValueError(f"Unknown {key} '{given}': must be one of {', '.join(member.value for member in kind)}")
