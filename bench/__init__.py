"""Benchmarks: one command each, `python -m bench.<name>`, a table for people and one JSON document.

capacity     decisions of the CapacityScheduler, in process
fair         decisions of the FairScheduler, in process
heartbeats   node heartbeats that one RM process sustains over gRPC, beside a bare echo
spark        SparkPi in cluster mode beside Spark's local mode; `make bench-clients`, not part of `make bench`
startup      how long up, down and a small application take, and what the daemons weigh
"""
