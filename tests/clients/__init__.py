"""Hadoop's own clients, unmodified, against a cluster: `make test-clients`. Not part of `make test`."""
