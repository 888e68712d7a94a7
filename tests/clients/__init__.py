"""Hadoop's own clients, unmodified, against real clusters: `make test-clients`.

packages/     what is installed from the package index and by Maven, with checksums
installed.py  where it is kept: a cache of the user's, outside the tree
java/         programs of ours on Hadoop's client classes
jvm.py        compiles and runs them, and Hadoop's commands
site.py       the cluster under test
check_*.py    the tests; `make test` does not collect files of that name
"""
