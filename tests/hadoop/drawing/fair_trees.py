"""Random allocation files of the FairScheduler: trees of queues, how they change, rules of placement.

What varies is which queues there are and how deep, what each of them is told, and which rules look for an
application's queue.
"""

from __future__ import annotations

from random import Random
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

_NAMES = "abxyuv"
_DEEPEST = 4
_MOST_CHILDREN = 3
_UNDECLARED = ("new1", "new2", "new1.deep", "root.users.alice", "eng.bob", "default", "bob")
GROUPS = {  # the first one is the primary one
    "alice": ["eng", "ops"],
    "bob": ["ops", "sales"],
    "carol": ["sales"],
}


def draw_tree(dice: Random) -> str:
    """An allocation file."""
    root = Element("allocations")
    SubElement(root, "defaultFairSharePreemptionTimeout").text = "5"
    top = root
    if dice.random() < 0.2:
        top = SubElement(root, "queue", name="root")
        _tell(dice, top, is_parent=True)
    for name in dice.sample(_NAMES, dice.randint(1, 4)):
        _add_queue(dice, top, name, 1)
    return _text(root)


def changed(dice: Random, file: str) -> str:
    """The file with one or two changes: queues more or less, a leaf that becomes a parent, other properties.

    Some changes Hadoop refuses: a policy that the parent's does not allow, for one.
    """
    root = ElementTree.fromstring(file)
    for _ in range(dice.randint(1, 2)):
        queues = [each for each in root.iter("queue") if each.get("name") != "root"]
        kind = dice.choice(("add", "add", "remove", "property", "property", "property"))
        if kind == "add" or not queues:
            parent = dice.choice([_top(root), *queues])
            taken = [each.get("name") for each in parent.findall("queue")]
            free = [name for name in _NAMES if name not in taken]
            if free:
                _add_queue(dice, parent, dice.choice(free), _DEEPEST - 1)
        elif kind == "remove":
            gone = dice.choice(queues)
            for parent in root.iter():
                if gone in list(parent):
                    parent.remove(gone)
                    break
        else:
            queue = dice.choice(queues)
            for each in list(queue):
                if each.tag != "queue" and dice.random() < 0.5:
                    queue.remove(each)
            _tell(dice, queue, is_parent=queue.find("queue") is not None)
    return _text(root)


def with_rules(dice: Random, file: str) -> str:
    """The file with rules of placement."""
    root = ElementTree.fromstring(file)
    policy = SubElement(root, "queuePlacementPolicy")
    kinds = ("specified", "user", "primaryGroup", "secondaryGroupExistingQueue", "nestedUserQueue")
    for kind in dice.sample(kinds, dice.randint(1, 3)):
        rule = _rule(dice, policy, kind)
        nests = kind == "nestedUserQueue"
        if nests or (kind in ("user", "primaryGroup") and dice.random() < 0.2):
            parents = ("specified", "primaryGroup", "secondaryGroupExistingQueue", "default")
            inner = _rule(dice, rule, dice.choice(parents))
            if inner.get("name") == "default":
                _name_a_queue(dice, root, inner)
        if _always_places(rule):
            return _text(root)
    last = dice.choice(("default", "default", "reject"))
    rule = SubElement(policy, "rule", name=last)
    if last == "default":
        _name_a_queue(dice, root, rule)
    return _text(root)


def submittable(file: str) -> list[str]:
    """Names that an application may give for its queue: leaves above all, parents, and what no file has."""
    leaves: list[str] = []
    parents: list[str] = []
    for path, queue in _paths(ElementTree.fromstring(file), ""):
        is_parent = queue.find("queue") is not None or queue.get("type") == "parent"
        (parents if is_parent else leaves).append(path)
    return [*leaves * 4, *parents, *(f"{path}.new1" for path in parents), *leaves[:1], *_UNDECLARED]


def asks_too_much_of_parents(file: str) -> bool:
    """Whether a parent queue has what only leaves may have."""
    return any(
        path
        for path, queue in _paths(ElementTree.fromstring(file), "")
        if (queue.find("queue") is not None or queue.get("type") == "parent")
        and (queue.find("maxAMShare") is not None or queue.findtext("schedulingPolicy") == "fifo")
    )


def _rule(dice: Random, parent: Element, kind: str) -> Element:
    rule = SubElement(parent, "rule", name=kind)
    if dice.random() < 0.5:
        rule.set("create", "false")
    return rule


def _always_places(rule: Element) -> bool:
    """Rules behind such a one are refused."""
    own = rule.get("name") in ("user", "primaryGroup", "nestedUserQueue") and rule.get("create") != "false"
    inner = rule.find("rule")
    if not own or inner is None:
        return own
    return inner.get("name") == "default" or _always_places(inner)


def _name_a_queue(dice: Random, root: Element, rule: Element) -> None:
    paths = [path for path, _ in _paths(root, "")]
    if dice.random() < 0.7:
        rule.set("queue", dice.choice([*paths, "fallback", "root.a"]))


def _add_queue(dice: Random, parent: Element, name: str, depth: int) -> None:
    queue = SubElement(parent, "queue", name=name)
    children = dice.sample(_NAMES, dice.randint(1, _MOST_CHILDREN))
    is_parent = depth < _DEEPEST and dice.random() < 0.45 / depth
    if not is_parent and dice.random() < 0.1:
        queue.set("type", "parent")
        is_parent, children = True, []
    _tell(dice, queue, is_parent, parent.findtext("schedulingPolicy", "fair"))
    for child in children if is_parent else ():
        _add_queue(dice, queue, child, depth + 1)


def _tell(dice: Random, queue: Element, is_parent: bool, above: str = "drf") -> None:
    """Properties of a queue below one with that policy."""
    memory = dice.choice((1024, 2048, 3000, 4096, 8192))
    vcores = dice.choice((1, 2, 4, 8))
    largest = (f"{2 * memory} mb, {vcores} vcores", "50.0%", "40.0% memory, 70.0% cpu")
    policies = ["fair"] if is_parent else ["fair", "fifo"]
    if above == "drf":
        policies.append("drf")
    drawn = {
        "weight": (0.4, dice.choice(("0.5", "1.5", "2.0", "3.0", "0.0"))),
        "minResources": (0.25, f"{memory} mb, {vcores} vcores"),
        "maxResources": (0.25, dice.choice(largest)),
        "schedulingPolicy": (0.4, dice.choice(policies)),
        "maxRunningApps": (0.15, str(dice.randint(1, 3))),
        "minSharePreemptionTimeout": (0.15, str(dice.choice((2, 5)))),
        "fairSharePreemptionTimeout": (0.15, str(dice.choice((2, 10)))),
        "fairSharePreemptionThreshold": (0.15, dice.choice(("0.3", "0.8", "1.0"))),
        "allowPreemptionFrom": (0.05, "false"),
        "maxContainerAllocation": (0.1, f"{memory} mb, {vcores} vcores"),
    }
    if is_parent:
        drawn["maxChildResources"] = (0.3, f"{memory + 1024} mb, {vcores} vcores")
    else:
        drawn["maxAMShare"] = (0.2, dice.choice(("0.2", "0.6", "-1.0")))
    for tag, (chance, text) in drawn.items():
        if dice.random() < chance and queue.find(tag) is None:
            SubElement(queue, tag).text = text


def _paths(element: Element, path: str) -> list[tuple[str, Element]]:
    found = []
    for queue in element.findall("queue"):
        name = str(queue.get("name"))
        own = f"{path}.{name}" if path else name
        found += [(own, queue), *_paths(queue, own)]
    return found


def _top(root: Element) -> Element:
    found = root.find("queue[@name='root']")
    return root if found is None else found


def _text(root: Element) -> str:
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"
