"""The ResourceManager's label store, read without asking it.

What is there is what the ResourceManager has kept: as of its last answered change. Answers for the part of
ClusterCLI that reads FileSystemNodeLabelsStore.
"""

from __future__ import annotations

from pathlib import Path

from yarn.journal import Journal
from yarn.records.node import NodeLabel

NAME = "nodelabel"


def stored_labels(directory: str) -> tuple[NodeLabel, ...]:
    """The labels of the cluster. JournalError when the store cannot be read."""
    labels: dict[str, NodeLabel] = {}
    for record in Journal(Path(directory.removeprefix("file://")), NAME).load():
        for name, is_exclusive in record.get("add", ()):
            labels[name] = NodeLabel(name=name, is_exclusive=is_exclusive)
        for name in record.get("remove", ()):
            labels.pop(name, None)
    return tuple(labels.values())
