"""Health scripts, and the providers of labels and attributes: asked again and again, their word handed to the
core.

Answers for TimedHealthReporterService and AbstractNodeDescriptorsProvider.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from nm.core import Core
from nm.descriptors import (
    Descriptors,
    attributes_of_script,
    attributes_of_text,
    labels_of_script,
    labels_of_text,
)
from nm.edge.scripts import ScriptFailedError, ScriptTimedOutError, run_script
from nm.health import TIMED_OUT, script_verdict
from nm.settings import NMSettings

log = logging.getLogger("nm.providers")

Turn = Callable[[Callable[[], Any]], Any]


class ProviderLoops:
    """Everything that a node asks others about itself."""

    def __init__(self, settings: NMSettings, core: Core, turn: Turn) -> None:
        self._settings = settings
        self._core = core
        self._turn = turn

    async def first_look(self) -> None:
        """What has to be known before the node registers."""
        if self._settings.health.run_before_startup and self._settings.health.script_path:
            await self._run_health_script()
        await self._fetch_labels()
        await self._fetch_attributes()

    def loops(self) -> list[Coroutine[Any, Any, None]]:
        """What goes on for as long as the node lives."""
        settings, loops = self._settings, []
        if settings.health.script_path:
            loops.append(self._repeat(self._run_health_script, settings.health.interval_ms, at_once=True))
        if self._core.status.labels is not None and settings.labels.fetch_interval_ms > 0:
            loops.append(self._repeat(self._fetch_labels, settings.labels.fetch_interval_ms))
        if self._core.status.attributes is not None and settings.attributes.fetch_interval_ms > 0:
            loops.append(self._repeat(self._fetch_attributes, settings.attributes.fetch_interval_ms))
        return loops

    async def _repeat(
        self, ask: Callable[[], Coroutine[Any, Any, None]], interval_ms: int, *, at_once: bool = False
    ) -> None:
        if at_once:
            await ask()
        while True:
            await asyncio.sleep(interval_ms / 1000)
            await ask()

    async def _run_health_script(self) -> None:
        health, path = self._settings.health, self._settings.health.script_path
        assert path is not None
        try:
            complaint = script_verdict(
                await run_script(path, health.script_options, health.timeout_ms / 1000)
            )
        except ScriptTimedOutError:
            complaint = TIMED_OUT
        except ScriptFailedError as error:
            complaint = str(error)
        self._core.health.script_reported(path, complaint, self._core.clock.now_ms())

    async def _fetch_labels(self) -> None:
        settings, labels = self._settings.labels, self._core.status.labels
        if labels is None:
            return
        if settings.provider == "config":
            _take(labels, lambda: labels_of_text(settings.configured_partition))
        elif settings.provider == "script" and settings.script_path:
            output = await _output(settings.script_path, settings.script_options, settings.fetch_timeout_ms)
            if output is not None:
                _take(labels, lambda: labels_of_script(output))

    async def _fetch_attributes(self) -> None:
        settings, attributes = self._settings.attributes, self._core.status.attributes
        if attributes is None:
            return
        if settings.provider == "config":
            _take(attributes, lambda: attributes_of_text(settings.configured_attributes))
        elif settings.provider == "script" and settings.script_path:
            output = await _output(settings.script_path, settings.script_options, settings.fetch_timeout_ms)
            if output is not None:
                _take(attributes, lambda: attributes_of_script(output))


async def _output(path: str, options: tuple[str, ...], timeout_ms: int) -> str | None:
    try:
        return await run_script(path, options, timeout_ms / 1000)
    except (ScriptFailedError, ScriptTimedOutError) as error:
        log.error("%s", error)
        return None


def _take(descriptors: Descriptors[Any], read: Callable[[], tuple[Any, ...]]) -> None:
    try:
        complaints = descriptors.fetched(read())
    except ValueError as error:
        complaints = [str(error)]
    for complaint in complaints:
        log.error("%s", complaint)
