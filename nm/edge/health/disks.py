"""Local and log directories looked at: which are missing, not writable, full.

Looks, and says what it saw; what that means for the node is nm/reporting/health.py's. Hadoop:
DirectoryCollection and LocalDirsHandlerService.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Sequence
from pathlib import Path

from yarnbox.nm.reporting.health import DirectoriesState
from yarnbox.nm.settings import DiskSettings

_MB = 1024 * 1024


class DirectoriesCheck:
    """One kind of directories, looked at again and again: a full one is good again below the lower mark."""

    def __init__(self, kind: str, paths: Sequence[str], settings: DiskSettings) -> None:
        self._kind = kind
        self._paths = [str(Path(path).absolute()) for path in paths]
        self._settings = settings
        self._full: dict[str, str] = {}

    def look(self) -> DirectoriesState:
        """How they are now."""
        failed: dict[str, str] = {}
        full: dict[str, str] = {}
        for path in self._paths:
            fault = _fault(Path(path))
            if fault is not None:
                failed[path] = fault
                continue
            lack = self._lack(path)
            if lack is not None:
                full[path] = lack
        self._full = full
        return DirectoriesState(self._kind, self._paths, failed, full)

    def _lack(self, path: str) -> str | None:
        settings = self._settings
        if settings.full_marker and (Path(path) / settings.full_marker).exists():
            return f"used space above threshold of {settings.maximum_utilization_percent}%"
        usage = shutil.disk_usage(path)
        was_full = path in self._full
        used_percent = 100.0 * (usage.total - usage.free) / usage.total if usage.total else 100.0
        limit = settings.maximum_utilization_percent
        if was_full and settings.low_watermark_percent is not None:
            limit = min(limit, settings.low_watermark_percent)
        if settings.utilization_checked and (used_percent > limit or used_percent >= 100.0):
            return f"used space above threshold of {limit}%"
        least_mb = settings.high_watermark_free_mb if was_full else settings.minimum_free_mb
        if settings.free_space_checked and usage.free // _MB < least_mb:
            return f"free space below limit of {least_mb}MB"
        return None


def _fault(path: Path) -> str | None:
    """What keeps a directory from being used: made, written to, read from, cleaned."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        probe = path / f".disk-check-{uuid.uuid4().hex}"
        probe.write_bytes(b"probe")
        is_sound = probe.read_bytes() == b"probe"
        probe.unlink()
    except OSError as error:
        return f"{error.strerror or error}"
    return None if is_sound else "a file that was written could not be read back"
