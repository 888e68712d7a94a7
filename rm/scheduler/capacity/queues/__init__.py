"""The live tree of queues.

context                     what all queues share
queue parent leaf tree      the queues, and the tree that owns them
shares vectors              what a queue is entitled to in each partition
limits users                user limits, AM limits, headroom; the users of a leaf
sizes                       what sizes containers have in a queue
ordering/                   the order in which a leaf serves its applications
application                 an attempt, with what this scheduler remembers of it
"""
