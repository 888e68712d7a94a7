"""How applications and queues come, change and go.

submission placement access priorities      where a submission goes, and whether it may
admission parallel_applications             applications enter
move node_labels                            applications change their queue, nodes their partition
dynamic_queues plan_leaves plans            queues that are made while the RM runs
maintenance monitor                         what is done at intervals
refresh configuration_store                 another configuration
"""
