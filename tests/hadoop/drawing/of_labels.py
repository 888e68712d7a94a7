"""What walks may draw of node labels for the CapacityScheduler."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.hadoop.drawing.capacity_file import capacity_file, leaf_paths, put
from tests.hadoop.drawing.clusters import LABEL, PREFIX, shares
from tests.hadoop.drawing.feature import Feature
from yarnbox.sim.walk.clusters import Document

LABELS_OF_APPS = "labels of submissions"
CHANGING_LABELS = "labels that come and go"


def _am_share_of_partition(dice: Random, document: Document) -> bool:
    if "labels" not in document:
        return False
    leaf = dice.choice(leaf_paths(capacity_file(document)))
    name = f"{leaf}.accessible-node-labels.{LABEL}.maximum-am-resource-percent"
    return put(document, name, dice.choice((0.1, 0.6, 1.0)))


def _more_labels(dice: Random, document: Document) -> bool:
    """Two or three partitions; each of the further ones reaches some of the queues."""
    properties = capacity_file(document)
    if any(str(value).startswith("[") for value in properties.values()):
        return False
    document["conf"]["yarn.node-labels.enabled"] = True
    labels = document.setdefault("labels", {})
    added = [name for name in "xyz"[: dice.randint(2, 3)] if name not in labels]
    for label in added:
        labels[label] = {"exclusive": dice.random() < 0.5}
        properties[f"{PREFIX}root.accessible-node-labels.{label}.capacity"] = 100
        _reach(dice, properties, "root", label)
    for node in document["nodes"][1:]:
        if dice.random() < 0.6:
            node["labels"] = [dice.choice(list(labels))]
    return True


def _reach(dice: Random, properties: dict[str, Any], parent: str, label: str) -> None:
    """Some of the children may use the partition."""
    names = str(properties.get(f"{PREFIX}{parent}.queues", "")).split(",")
    names = [name for name in names if name and dice.random() < 0.7] or names[:1]
    for name, share in zip(names, shares(dice, len(names)), strict=True):
        if not name:
            return
        path = f"{PREFIX}{parent}.{name}"
        known = str(properties.get(f"{path}.accessible-node-labels", ""))
        properties[f"{path}.accessible-node-labels"] = ",".join([*filter(None, [known]), label])
        own = f"{path}.accessible-node-labels.{label}"
        is_weighted = str(properties[f"{path}.capacity"]).endswith("w")
        properties[f"{own}.capacity"] = f"{dice.randint(1, 4)}w" if is_weighted else share
        if dice.random() < 0.3:
            properties[f"{own}.maximum-capacity"] = dice.randint(share, 100)
        if dice.random() < 0.2:
            properties[f"{path}.default-node-label-expression"] = label
        _reach(dice, properties, f"{parent}.{name}", label)


def _access_to_all(dice: Random, document: Document) -> bool:
    """A queue or two may use every partition, those that come later too; capacities stay what they are.

    Then those above it have to, too.
    """
    if not _has_labels(dice, document):
        return False
    leaves = leaf_paths(capacity_file(document))
    for leaf in dice.sample(leaves, dice.randint(1, min(2, len(leaves)))):
        names = leaf.split(".")
        for depth in range(2, len(names) + 1):
            put(document, f"{'.'.join(names[:depth])}.accessible-node-labels", "*")
    return True


def _enforced(dice: Random, document: Document) -> bool:
    """Partitions that only containers enter that ask for them, whatever their queues allow."""
    if not _has_labels(dice, document):
        return False
    names = list(document["labels"])
    enforced = dice.sample(names, dice.randint(1, len(names)))
    document["conf"]["yarn.node-labels.exclusive-enforced-partitions"] = ",".join(enforced)
    return True


def _of_masters(dice: Random, document: Document) -> bool:
    """A partition for ApplicationMasters that name none, and whether they may borrow."""
    if not _has_labels(dice, document):
        return False
    of_masters = "yarn.resourcemanager.node-labels.am."
    if dice.random() < 0.6:
        document["conf"][of_masters + "default-node-label-expression"] = dice.choice(list(document["labels"]))
    document["conf"][of_masters + "allow-non-exclusive-allocation"] = dice.random() < 0.6
    return True


def _in_steps(dice: Random, document: Document) -> bool:
    return _has_labels(dice, document)


def _has_labels(dice: Random, document: Document) -> bool:
    """Whether there are labels; there are from now on, where there can be."""
    return "labels" in document or _more_labels(dice, document)


OF_LABELS = (
    Feature("several labels", 0.2, _more_labels),
    Feature("AM share of a partition", 0.3, _am_share_of_partition),
    Feature("access to all labels", 0.1, _access_to_all),
    Feature("enforced partitions", 0.1, _enforced),
    Feature("labels of AMs", 0.1, _of_masters),
    Feature(LABELS_OF_APPS, 0.15, _in_steps),
    Feature(CHANGING_LABELS, 0.15, _in_steps),
)
