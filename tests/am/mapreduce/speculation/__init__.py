"""Tests of am/mapreduce/speculation."""
