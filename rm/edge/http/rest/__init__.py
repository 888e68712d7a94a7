"""The calls of Hadoop's REST API, one module for each family.

reads        calls that change nothing
listings     applications and nodes, by their filters
activities   what the scheduler considered
writes       calls that change applications and nodes
submission   an application submitted
bodies       JSON and XML of requests, read
conf         the scheduler's configuration
labels       node labels
plans        reservations, delegation tokens, who may use a queue
draining     nodes decommissioned and recommissioned by hand
"""
