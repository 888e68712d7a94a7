"""`yarn cluster`: the labels and attributes that the cluster knows. Hadoop: ClusterCLI."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from yarnbox.client.command_line.failures import FAILED, OK
from yarnbox.client.command_line.options import Option, Options
from yarnbox.client.commands.reading import HELP, HELP_DESCRIPTION, invalid_usage, print_help, read_line
from yarnbox.client.printing.nodes import cluster_attributes, cluster_labels
from yarnbox.client.session import Session
from yarnbox.yarn.records.node import NodeLabel
from yarnbox.yarn.storage.journal import Journal, JournalError

TITLE = "yarn cluster"

OPTIONS = Options(
    Option("lnl", "Lists the node labels of the cluster.", long="list-node-labels"),
    Option("lna", "Lists the node attributes of the cluster.", long="list-node-attributes"),
    Option("h", HELP_DESCRIPTION, long=HELP),
    Option(
        "dnl",
        "Deprecated: with -lnl, reads the label store without asking the ResourceManager.",
        long="directly-access-node-label-store",
    ),
)


def run(session: Session, arguments: Sequence[str]) -> int:
    """Precedence: labels, attributes, help."""
    line = read_line(session, TITLE, OPTIONS, arguments)
    if line is None:
        return FAILED
    if line.has("lnl") and line.has("dnl"):
        try:
            labels = stored_labels(session.settings.label_store)
        except JournalError as error:
            session.console.error(str(error))
            return FAILED
        session.console.write(cluster_labels(labels))
    elif line.has("lnl"):
        session.console.write(cluster_labels(session.client.node_labels()))
    elif line.has("lna"):
        session.console.write(cluster_attributes(session.client.node_attributes()))
    elif line.has("h"):
        print_help(session, TITLE, OPTIONS)
    else:
        invalid_usage(session, TITLE, OPTIONS)
    return OK


NAME = "nodelabel"
SETTING = "yarn.node-labels.fs-store.root-dir"


def stored_labels(directory: str) -> tuple[NodeLabel, ...]:
    """The labels in the ResourceManager's store, as of its last answered change, read without asking it.

    JournalError when the store cannot be read. Hadoop: the part of ClusterCLI that reads
    FileSystemNodeLabelsStore.
    """
    labels: dict[str, NodeLabel] = {}
    for record in Journal(Path(directory.removeprefix("file://")), NAME, SETTING).load():
        for name, is_exclusive in record.get("add", ()):
            labels[name] = NodeLabel(name=name, is_exclusive=is_exclusive)
        for name in record.get("remove", ()):
            labels.pop(name, None)
    return tuple(labels.values())
