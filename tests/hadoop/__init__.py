"""Differential tests: our schedulers and Hadoop 3.4.1's play the same steps; every decision is compared.

installed.py     Hadoop's classes, from the package index and from Maven's repository, and our Java compiled
java/            the twin: Hadoop's ResourceManager without doors and threads, in virtual time
twin.py          the virtual machine in which it runs, and its operations
mirror.py        a simulated ResourceManager whose every input the twin gets too
answers.py       what the two answered, compared
accidents.py     accidents of Hadoop's that are stepped over, or end a play, by their names
observation.py   what can be seen of ours between two turns, in the twin's words
compare.py       plays scenarios and walks against the twin: python -m tests.hadoop.compare
drawing/         what walks are drawn from: clusters, features by their chance, steps
walks.py         walks that both go, and how they are shortened
mutation.py      which small faults of ours (mutants.py) scenarios and walks notice: make mutants
check_bench.py   the benchmark beside Hadoop, in small, for `make test-clients`
check_twin.py    a bounded part of that, for `make test-clients`
"""
