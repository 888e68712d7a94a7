"""Tests of walks."""
