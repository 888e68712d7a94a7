"""How long tests wait: on a busy machine everything takes longer, and none of it is wrong for that."""

from __future__ import annotations

PATIENCE_S = 240
"""For whatever is sure to happen if nothing is broken; a test that passes never waits so long."""

MISSED_MS = 10_000
"""How long a node or a session is silent before tests have it missed: longer than a busy machine pauses, so
that who is well is not missed.
"""
