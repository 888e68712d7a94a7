"""Tests of DistributedShell."""
