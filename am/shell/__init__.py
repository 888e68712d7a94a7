"""DistributedShell: one command in many containers, the simplest application of all.

spec     what is to be run, as it travels to the AM
master   the AM's process
client   the submission
"""
