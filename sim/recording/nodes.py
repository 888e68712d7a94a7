"""The nodes of a run, as rows: written down when one differs from what was written last.

Of thousands of nodes only those are looked at that may differ: those of which the story, a booking or a
container told since the last moment, and all of them when labels have changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from yarnbox.rm.web.rows import NodeFacts, node_facts, row_of
from yarnbox.sim.recording.tracks import Documents
from yarnbox.yarn.ids import NodeId

if TYPE_CHECKING:
    from yarnbox.rm.booking import Booking
    from yarnbox.rm.context import RMContext


class NodeDocuments:
    """The documents /nodes/ID of a recording."""

    def __init__(self, present: Callable[[], RMContext], documents: Documents) -> None:
        """`present` is asked anew each time: the ResourceManager may restart."""
        self._present, self._documents = present, documents
        context = present()
        self._written: dict[NodeId, NodeFacts] = {}
        """What is written down of each node."""
        self._due: dict[NodeId, None] = dict.fromkeys([*context.nodes, *context.inactive_nodes])
        """Those that may differ from it."""
        context.bookings.append(self._booked)

    @property
    def _context(self) -> RMContext:
        return self._present()

    def touch(self, node_id: NodeId) -> None:
        """Something happened to the node."""
        self._due[node_id] = None

    def touch_all(self) -> None:
        """Something happened that may concern any node, as a change of labels does."""
        self._due.update(dict.fromkeys([*self._context.nodes, *self._context.inactive_nodes]))

    def _booked(self, booking: Booking) -> None:
        self._due[booking.node] = None

    def sample(self, number: int) -> None:
        """Notes them at the moment of that number."""
        context = self._context
        for node_id in self._due:
            node = context.nodes.get(node_id) or context.inactive_nodes.get(node_id)
            if node is None:
                continue
            facts = node_facts(context, node)
            if facts != self._written.get(node_id):
                self._written[node_id] = facts
                row = row_of(facts, "", 0)
                del row["health"]
                self._documents.note(f"/nodes/{node_id}", number, row)
        self._due.clear()
