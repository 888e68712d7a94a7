"""Which nodes may join and which are excluded or decommissioned; liveliness of nodes and AMs.

nodes             NodesListManager: host lists, and news of nodes for applications
decommissioning   nodes that drain, and when each is ready to go
monitors          when nodes, AMs and containers are looked after, and what becomes of silent ones
"""
