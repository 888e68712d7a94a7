"""For tests, ours and users': NodeManagers without a machine.

    from nm.testing import FakeNodeManager

FakeNodeManager  one node whose containers do what the test says, speaking gRPC to a real RM
VirtualNodes     many nodes whose containers only take time
"""

from nm.edge.fake import FakeNodeManager
from nm.edge.virtual import VirtualNodes, VirtualOptions

__all__ = ["FakeNodeManager", "VirtualNodes", "VirtualOptions"]
