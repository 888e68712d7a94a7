"""The ResourceManager's label store, read without asking it.

What is there is what the ResourceManager has kept: as of its last answered change. Hadoop: the part of
ClusterCLI that reads FileSystemNodeLabelsStore.
"""

from __future__ import annotations

from pathlib import Path

from yarnbox.yarn.records.node import NodeLabel
from yarnbox.yarn.storage.journal import Journal

NAME = "nodelabel"
SETTING = "yarn.node-labels.fs-store.root-dir"


def stored_labels(directory: str) -> tuple[NodeLabel, ...]:
    """The labels of the cluster. JournalError when the store cannot be read."""
    labels: dict[str, NodeLabel] = {}
    for record in Journal(Path(directory.removeprefix("file://")), NAME, SETTING).load():
        for name, is_exclusive in record.get("add", ()):
            labels[name] = NodeLabel(name=name, is_exclusive=is_exclusive)
        for name in record.get("remove", ()):
            labels.pop(name, None)
    return tuple(labels.values())
