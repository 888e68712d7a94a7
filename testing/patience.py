"""How long everything of the kit waits for what is sure to happen, before it says what happened instead."""

from __future__ import annotations

import os

VARIABLE = "YARNBOX_PATIENCE_S"
PATIENCE_S = float(os.environ.get(VARIABLE) or 60.0)
"""A minute, unless the environment says more, as it should where a machine is busy with much else."""
