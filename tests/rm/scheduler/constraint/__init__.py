"""Placement constraints: what is counted, what holds, who places."""
