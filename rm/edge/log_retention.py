"""Aggregated logs are deleted when they are old.

Hadoop's history server does it; here the ResourceManager's process does, which knows what still runs. Owns
the walk over the directories and its pace. Hadoop: AggregatedLogDeletionService.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from yarnbox.rm.app import RMApp
from yarnbox.rm.settings.logs import LogRetentionSettings
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.log import Log
from yarnbox.yarn.storage.aggregated_logs import LogLayout

log = Log("rm.logs")


class LogRetention:
    """Deletes old aggregated logs from time to time."""

    def __init__(
        self,
        settings: LogRetentionSettings,
        apps: Mapping[ApplicationId, RMApp],
        now_ms: Callable[[], int],
    ) -> None:
        self._settings = settings
        self._apps = apps
        self._now_ms = now_ms

    def _is_running(self, application_id: ApplicationId) -> bool:
        app = self._apps.get(application_id)
        return app is not None and not app.is_in_final_state

    async def run(self) -> None:
        """Checks at once, and then periodically until it is cancelled."""
        while self._settings.retain_secs >= 0:
            await self.look()
            await asyncio.sleep(self._settings.interval_secs)

    async def look(self) -> None:
        """Checks all of them once, outside the event loop."""
        layout = LogLayout.of(self._settings.remote_directory, self._settings.remote_suffix)
        found = {path: self._is_running(found) for found, path in layout.applications()}
        await asyncio.to_thread(self._delete, found)

    def _delete(self, applications: dict[Path, bool]) -> None:
        oldest_s = self._now_ms() / 1000 - self._settings.retain_secs
        for directory, is_running in applications.items():
            try:
                delete_old(directory, oldest_s, is_running=is_running)
            except OSError as error:
                log.warning("aggregated logs cannot be deleted", directory=directory, why=error)


def delete_old(directory: Path, oldest_s: float, *, is_running: bool) -> None:
    """Deletes an application's directory when all in it is older than that; of a running one, old files."""
    if directory.stat().st_mtime >= oldest_s:
        return
    old = [file for file in directory.iterdir() if file.stat().st_mtime < oldest_s]
    if is_running:
        for file in old:
            file.unlink()
    elif len(old) == len(list(directory.iterdir())):
        shutil.rmtree(directory)
        log.info("aggregated logs deleted", directory=directory)
