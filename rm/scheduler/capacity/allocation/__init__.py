"""From a node's heartbeat to a booked container.

offers                      which nodes are offered when: at heartbeats, in asynchronous rounds
heartbeat                   passes from the root down for one node, and who observes them
node_choice                 the order of nodes in multi-node placement
allocator                   one application against one node
refusals skip_reason        what the allocator checks, and why it refuses
assignment                  the values that travel up and down the tree
commit                      a proposal checked once more, and booked
observer                    who is told during a pass
scheduling_requests         requests with placement constraints
"""
