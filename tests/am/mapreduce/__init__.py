"""Tests of MapReduce: the tables, the core against a cluster of records, and the edges one by one."""
