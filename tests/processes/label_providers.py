"""Providers of labels that tests of real processes name in their configuration."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from yarnbox.yarn.ids import NodeId

FILE = "YARNBOX_TEST_INVENTORY"
"""The environment variable that names the inventory: a JSON file of hosts and their labels."""


def inventory() -> dict[str, str | None]:
    """What the file says now."""
    found: dict[str, str | None] = json.loads(Path(os.environ[FILE]).read_text())
    return found


class Inventory:
    """Knows the labels of all nodes, for the ResourceManager."""

    def labels_of(self, node_ids: Iterable[NodeId]) -> Mapping[NodeId, str | None]:
        """As the inventory has them."""
        known = inventory()
        return {one: known[one.host] for one in node_ids if one.host in known}
