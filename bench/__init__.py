"""Benchmarks: one command each, `python -m bench.<name>`, a table for people and one JSON document."""
