"""What may be done to an application, a node or a queue from its page: the question before it, the requests
that it takes, and why it may not be.

An action that may not be done is offered with its reason. A page asks the question, and then sends what is
answered as the field of the body that is named, with the rest of the body; where a field `changes` something,
only if it is another value than before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from yarnbox.rm.web.values import Answer

_STAYING = ("RUNNING", "DECOMMISSIONING")
_PATIENCE_S = 3600


@dataclass(frozen=True, slots=True)
class Reader:
    """Who looks at a page."""

    user: str
    is_admin: bool
    is_offered: bool
    """Whether anything may be changed from a page at all."""

    def refusal(self, *, is_allowed: bool, why: str) -> str:
        """Why something may not be done; empty where it may."""
        if not self.is_offered:
            return "yarn.resourcemanager.webapp.ui-actions.enabled is false."
        return "" if is_allowed else why

    @property
    def refusal_of_users(self) -> str:
        """The same for what administrators alone may do."""
        return self.refusal(is_allowed=self.is_admin, why=f"{self.user} is not an administrator.")


def application_actions(
    reader: Reader,
    app: Answer,
    *,
    may_modify: bool,
    scheduler: str,
    queues: Sequence[str],
    most_priority: int,
) -> list[Answer]:
    """`queues` are those that it could be moved to."""
    foreign = (
        f"The application belongs to {app['user']}. {reader.user} administers neither the cluster nor the "
        "queue (acl_administer_queue)."
    )
    refusal = reader.refusal(is_allowed=may_modify, why=foreign)
    fixed = f"The {scheduler} cannot move applications." if scheduler == "FifoScheduler" else ""
    path, named = f"/apps/{app['id']}", f"{app['name']} ({app['id']})"
    kill = _action("Kill Application", refusal, f"Kill {named}?", "Kill", isDangerous=True)
    move = _action("Move to another queue", refusal or fixed, f"Move {named}", "Move")
    change = _action("Change its priority", refusal, f"Priority of {named}", "Change")
    return [
        {
            **kill,
            "consequence": "All its containers are stopped. This cannot be undone.",
            "calls": [["PUT", f"{path}/state"]],
            "body": {"state": "KILLED"},
        },
        {
            **move,
            "consequence": "Its containers go on running.",
            "calls": [["PUT", f"{path}/queue"]],
            "field": {
                "name": "queue",
                "label": "Queue",
                "value": app["queue"],
                "choices": list(queues),
                "changes": True,
            },
        },
        {
            **change,
            "consequence": f"From 0 to {most_priority}; higher goes first.",
            "calls": [["PUT", f"{path}/priority"]],
            "field": {"name": "priority", "label": "Priority", "value": app["priority"], "changes": True},
        },
    ]


def node_actions(reader: Reader, row: Answer) -> list[Answer]:
    """`row` is what lists say of the node."""
    node, refusal = row["id"], reader.refusal_of_users
    path = f"/ui/nodes/{quote(node, safe=':')}"
    if row.get("isDrained"):
        return [
            {
                **_action("Recommission", refusal, f"Recommission {node}?", "Recommission"),
                "consequence": "The node gets containers again; if it has left, it may register again.",
                "calls": [["POST", f"{path}/recommission"]],
            }
        ]
    gone = "" if row["state"] in _STAYING else f"It is {row['state']}."
    how = _action("Decommission", refusal or gone, f"Decommission {node}?", "Decommission", isDangerous=True)
    return [
        {
            **how,
            "consequence": "It gets no new containers. It is decommissioned when its last container has "
            "ended, or when the time is over.",
            "calls": [["POST", f"{path}/drain"]],
            "field": {"name": "timeout", "label": "Seconds (-1: no limit)", "value": _PATIENCE_S},
        }
    ]


def queue_actions(reader: Reader, path: str, state: str, fixed: str) -> list[Answer]:
    """`fixed` says why the queues cannot be changed, where they cannot. What is wrong is refused before
    anything happens.
    """
    stops = state == "RUNNING"
    verb, to = ("Stop", "STOPPED") if stops else ("Start", "RUNNING")
    refusal = reader.refusal_of_users or fixed
    stopped = "The queue takes no new applications. Those in it run to their end."
    entry = [{"key": "state", "value": to}]
    change = {
        **_action(verb, refusal, f"{verb} queue {path}?", verb, isDangerous=stops),
        "consequence": stopped if stops else "The queue takes applications again.",
        "calls": [["POST", "/scheduler-conf/validate"], ["PUT", "/scheduler-conf"]],
        "body": {"update-queue": [{"queue-name": path, "params": {"entry": entry}}]},
    }
    return [change, {"name": "Edit capacities", "refusal": refusal}]


def _action(name: str, refusal: str, question: str, verb: str, **more: object) -> Answer:
    return {"name": name, "refusal": refusal, "question": question, "verb": verb, **more}
