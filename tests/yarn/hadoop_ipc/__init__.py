"""Tests of Hadoop's own wire."""
