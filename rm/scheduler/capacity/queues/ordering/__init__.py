"""In which order a leaf serves its applications.

registry        the policies by name: the one line that a new one needs
policy          what a policy is
fifo fair fifo_with_partitions fifo_for_pending_apps        one policy each
custom          what a user's own order of queues or nodes is
applications    a leaf's applications, kept in that order
"""
