"""Lines that the core has for the operator."""

from __future__ import annotations

import logging

from yarnbox.nm.effects import WriteLog


def write_log(line: WriteLog) -> None:
    """Writes a line by the logger that it names."""
    logging.getLogger(line.logger).log(logging.getLevelNamesMapping()[line.level.upper()], "%s", line.text)
