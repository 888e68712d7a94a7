"""yarnbox's schedulers beside Hadoop's own, on the same work: `make bench-hadoop`.

cases      what is measured, in the words that both sides understand
ours       our side, a process that answers cases
machine    Hadoop's side, a warm virtual machine that answers them (java/)
__main__   lets the sides take turns, compares, prints and saves
"""
