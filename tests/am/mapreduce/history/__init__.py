"""Tests of am/mapreduce/history."""
