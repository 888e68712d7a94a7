"""What may be done to an application, a node or a queue from its page: the question before it, the requests
that it takes, and why it may not be.

An action that may not be done is offered with its reason. A page asks the question (`question`, `parts` and
`fields`), and then sends what is answered under the names of the fields, with the rest of the body. Where all
fields have `changes`, something must be other than before. What is refused is said, and asked again. When the
last answer has `next`, that is an action, too, and is asked before anything is done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from yarnbox.rm.web.pages.blocks import items, paragraph, table
from yarnbox.rm.web.values import Answer

_STAYING = ("RUNNING", "DECOMMISSIONING")
_PATIENCE = {"field": "text", "name": "timeout", "label": "Seconds (-1: no limit)", "value": "3600"}
_DRAINED = "It gets no new containers. It is decommissioned when its last container or the time is over."
_BACK = "The node gets containers again; if it has left, it may register again."
_CAPACITIES = (("capacity", "Capacity"), ("maximum-capacity", "Maximum capacity"))
_HOW_CAPACITIES = (
    "A percentage, a weight (2w), or resources ([memory=…,vcores=…]). What would change is shown before "
    "anything does."
)


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
    choices = [[one, one] for one in queues]
    path, named = f"/apps/{app['id']}", f"{app['name']} ({app['id']})"
    kill = _action("Kill Application", refusal, f"Kill {named}?", "Kill", isDangerous=True)
    move = _action("Move to another queue", refusal or fixed, f"Move {named}", "Move")
    change = _action("Change its priority", refusal, f"Priority of {named}", "Change")
    return [
        {
            **kill,
            "parts": [paragraph("All its containers are stopped. This cannot be undone.")],
            "calls": [["PUT", f"{path}/state"]],
            "body": {"state": "KILLED"},
        },
        {
            **move,
            "parts": [paragraph("Its containers go on running.")],
            "calls": [["PUT", f"{path}/queue"]],
            "fields": [_changed("queue", "Queue", app["queue"], "choice", choices=choices)],
        },
        {
            **change,
            "parts": [paragraph(f"From 0 to {most_priority}; higher goes first.")],
            "calls": [["PUT", f"{path}/priority"]],
            "fields": [_changed("priority", "Priority", str(app["priority"]))],
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
                "parts": [paragraph(_BACK)],
                "calls": [["POST", f"{path}/recommission"]],
            }
        ]
    gone = "" if row["state"] in _STAYING else f"It is {row['state']}."
    how = _action("Decommission", refusal or gone, f"Decommission {node}?", "Decommission", isDangerous=True)
    return [
        {
            **how,
            "parts": [paragraph(_DRAINED)],
            "calls": [["POST", f"{path}/drain"]],
            "fields": [_PATIENCE],
        }
    ]


@dataclass(frozen=True, slots=True)
class Siblings:
    """Queues below one parent in a partition: their capacities make 100 together, and are changed at once."""

    paths: Sequence[str]
    partition: str
    properties: Mapping[str, str]
    """The configuration of the scheduler."""

    def fields(self) -> list[Answer]:
        """What is not set is empty."""
        below = f"accessible-node-labels.{self.partition}." if self.partition else ""
        return [
            _changed(f"{path} {below}{key}", f"{path}: {text}", set_for(self.properties, path, below + key))
            for path in self.paths
            for key, text in _CAPACITIES
        ]


def set_for(properties: Mapping[str, str], path: str, key: str) -> str:
    """The value of a property of a queue."""
    return properties.get(f"yarn.scheduler.capacity.{path}.{key}", "")


def queue_actions(reader: Reader, path: str, state: str, fixed: str, siblings: Siblings) -> list[Answer]:
    """`fixed` says why the queues cannot be changed, where they cannot. What is wrong is refused before
    anything happens.
    """
    stops = state == "RUNNING"
    verb, to = ("Stop", "STOPPED") if stops else ("Start", "RUNNING")
    refusal = reader.refusal_of_users or fixed
    stopped = "The queue takes no new applications. Those in it run to their end."
    change = {
        **_action(verb, refusal, f"{verb} queue {path}?", verb, isDangerous=stops),
        "parts": [paragraph(stopped if stops else "The queue takes applications again.")],
        "calls": [["POST", "/scheduler-conf/validate"], ["PUT", "/scheduler-conf"]],
        "body": update_queues({path: {"state": to}}),
    }
    where = f" in partition {siblings.partition}" if siblings.partition else ""
    below = f"Capacities below {path.rpartition('.')[0] or 'root'}{where}"
    edit = {
        **_action("Edit capacities", refusal, below, "Show the effect"),
        "parts": [paragraph(_HOW_CAPACITIES)],
        "calls": [["POST", "/ui/queue-capacities"]],
        "fields": siblings.fields(),
    }
    return [change, edit]


def update_queues(properties: Mapping[str, Mapping[str, str]]) -> Answer:
    """The body of /scheduler-conf that sets properties of queues."""
    return {
        "update-queue": [
            {
                "queue-name": path,
                "params": {"entry": [{"key": key, "value": value} for key, value in params.items()]},
            }
            for path, params in properties.items()
        ]
    }


def agree_to_effect(effect: Answer, body: Answer) -> Answer:
    """Whether what would be different is wanted: `effect` is what /ui/queue-effect answers for the body."""
    rows = [[one[name] for name in _EFFECT] for one in effect["difference"]]
    found = [[{"code": one["property"]}, f": {one['text']}"] for one in effect["finding"]]
    wrong = [paragraph({"word": "What looks wrong then:"}), items([{"item": one} for one in found])]
    return {
        **_action("Change the queues", "", "What would change", "Change the queues", back="Back"),
        "parts": [
            paragraph("On a cluster of the present size. Running containers stay; preemption may follow."),
            table("Effect", [*_EFFECT.values()], rows, "No quantity changes."),
            *(wrong if found else ()),
        ],
        "calls": [["PUT", "/scheduler-conf"]],
        "body": body,
    }


_EFFECT = {"queue": "Queue", "quantity": "Quantity", "before": "Now", "after": "Then", "change": "Change"}


def _changed(name: str, label: str, value: str, kind: str = "text", **more: object) -> Answer:
    return {"field": kind, "name": name, "label": label, "value": value, "changes": True, **more}


def _action(name: str, refusal: str, question: str, verb: str, **more: object) -> Answer:
    return {"name": name, "refusal": refusal, "question": question, "verb": verb, **more}
