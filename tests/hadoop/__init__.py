"""The schedulers held against Hadoop's own: what both play must go the same way, decision by decision.

installed.py     Hadoop's classes, from the package index and from Maven's repository, and our Java compiled
java/            the twin: Hadoop's ResourceManager without doors and threads, in virtual time
twin.py          the virtual machine in which it runs, and its operations
mirror.py        a simulated ResourceManager whose every input the twin gets too
answers.py       what the two answered, compared
observation.py   what can be seen of ours between two turns, in the twin's words
compare.py       plays scenarios and walks against the twin: python -m tests.hadoop.compare
check_twin.py    a bounded part of that, for `make test-clients`
"""
