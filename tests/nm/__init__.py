"""Tests of the NodeManager: its core under a rig, its edges with real processes, disks and connections."""
