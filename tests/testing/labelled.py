"""A ResourceManager that takes labels from nodes, and has no node: for the clients made by hand."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from contextlib import contextmanager

from tests.waiting import MISSED_MS
from yarnbox.client import admin_client
from yarnbox.client.admin_client import AdminClient
from yarnbox.testing import YarnCluster
from yarnbox.yarn.connection.rpc import BlockingStub
from yarnbox.yarn.records.node import NodeLabel

_QUEUES = "yarn.scheduler.capacity."
PROPERTIES = {
    "yarn.node-labels.enabled": "true",
    "yarn.node-labels.configuration-type": "distributed",
    "yarnbox.node-secret-file": "",
    "yarn.nm.liveness-monitor.expiry-interval-ms": str(MISSED_MS),
    f"{_QUEUES}root.accessible-node-labels": "fast",
    f"{_QUEUES}root.accessible-node-labels.fast.capacity": "100",
    f"{_QUEUES}root.default.accessible-node-labels": "fast",
    f"{_QUEUES}root.default.accessible-node-labels.fast.capacity": "100",
}
SAID = [
    "refused org.apache.hadoop.security.token.SecretManager$InvalidToken",
    "allocated on by-hand",
    "lost -100",
    "done",
]
"""What such a client prints after the line that names its application."""


@contextmanager
def resource_manager() -> Iterator[YarnCluster]:
    """It, with the label that clients ask for."""
    with YarnCluster(0, conf=PROPERTIES) as cluster:
        with BlockingStub(cluster.address, admin_client.SERVICE, user=getpass.getuser()) as stub:
            AdminClient(stub).add_labels([NodeLabel(name="fast")])
        yield cluster
