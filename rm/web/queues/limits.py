"""The limits of users in a queue of the CapacityScheduler, as formulas that come to what REST says."""

from __future__ import annotations

from collections.abc import Iterable

from yarnbox.rm.web.queues.row import Row
from yarnbox.rm.web.queues.words import TIMES, factor, plural, size, total
from yarnbox.rm.web.values import Answer


def limits_of_users(row: Row, step_mb: int) -> list[Answer]:
    """The users, each with where its limit comes from; that is not known of another partition, nor without
    the step by which limits are rounded.
    """
    queue, capacity = row.queue, row.capacity
    users = queue["users"].get("user", [])
    how = _limit(queue, capacity, step_mb) if step_mb and capacity and users else ""
    return [
        {**one, "how": how and _of_user(one, how), "amLimit": queue["userAMResourceLimit"]} for one in users
    ]


def _of_user(user: Answer, how: str) -> str:
    weight = user["userWeight"]
    weighed = "" if weight == 1 else f", {TIMES} {factor(weight)}"
    return f"user limit {size(user['userResourceLimit']['memory'])} = {how}{weighed}"


def _used(users: Iterable[Answer]) -> int:
    return sum(one["resourcesUsed"]["memory"] for one in users)


def _limit(queue: Answer, capacity: Answer, step_mb: int) -> str:
    """The larger of two parts, below so many times the guarantee. One part is shared by weights: what active
    users have, and a step more; the other is a percentage of the guarantee, or of what the queue uses beyond
    it, and a step more.
    """
    users = queue["users"]["user"]
    active = [one for one in users if one["isActive"]]
    used = -(-_used(users) // step_mb) * step_mb
    weight = sum(one["userWeight"] for one in active)
    effective = capacity["effectiveMinResource"]["memory"]
    guaranteed = max(effective, step_mb)
    base = total(used, step_mb) if used >= guaranteed else size(guaranteed)
    larger = f"{base} {TIMES} {factor(queue['userLimit'])}%"
    if weight:
        sharers = plural(len(active), "user") if weight == len(active) else f"weights of {factor(weight)}"
        larger = f"max({total(_used(active), step_mb)} / {sharers}, {larger})"
    many = queue["userLimitFactor"]
    is_free = many < 0 or not effective
    most = size(capacity["effectiveMaxResource"]["memory"])
    most = most if is_free else f"{size(guaranteed)} {TIMES} {factor(many)}"
    return f"min({larger}, {most}), rounded up to the minimum allocation"
