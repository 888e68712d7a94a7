"""Which nodes may join and which have to leave; who has been silent for too long.

nodes             NodesListManager: host lists, and news of nodes for applications
decommissioning   nodes that drain, and when each is ready to go
monitors          when nodes, AMs and containers are looked after, and what becomes of silent ones
"""
