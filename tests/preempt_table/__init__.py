"""Preemption tables: rows that play the preemption policy against a hand-made snapshot, with no scheduler at
all.

rows     a row, checked and typed
build    a row's snapshot
player   the passes of a row and what is expected of them
command  `python -m tests.preempt_table FILE...`
"""
