"""Health scripts, and the providers of labels and attributes: asked again and again, their word handed to the
core.

What cannot be used at all is told before the node starts; later a provider that fails leaves its last word
standing. Hadoop: TimedHealthReporterService, AbstractNodeDescriptorsProvider and the providers by
configuration, by script and by class.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Protocol

from yarnbox.nm.core import Core
from yarnbox.nm.edge.health.scripts import ScriptFailedError, ScriptTimedOutError, ask_script, run_script
from yarnbox.nm.reporting.descriptors import (
    Descriptors,
    attributes_of_pairs,
    attributes_of_script,
    attributes_of_text,
    labels_of_script,
    labels_of_text,
)
from yarnbox.nm.reporting.health import TIMED_OUT, script_verdict
from yarnbox.nm.settings import AttributeProviderSettings, LabelProviderSettings, NMSettings
from yarnbox.yarn.configuration import ConfigurationError
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.runtime.driver import Turn

log = logging.getLogger("nm.providers")


_PREFIX = "yarn.nodemanager."


class LabelsProvider(Protocol):
    """A class that knows the partition of this node (NodeLabelsProvider)."""

    def labels(self) -> Iterable[str]:
        """At most one name; none: the default partition."""
        ...


class AttributesProvider(Protocol):
    """A class that knows the attributes of this node (NodeAttributesProvider)."""

    def attributes(self) -> Iterable[tuple[str, str]]:
        """Names, without a prefix, and values."""
        ...


def check_providers(settings: NMSettings) -> None:
    """ConfigurationError for a script that cannot be run or a class that cannot be made."""
    if settings.labels.is_reporting:
        _check(settings.labels, "node-labels")
    if _kind(settings.attributes):
        _check(settings.attributes, "node-attributes")


def _check(settings: LabelProviderSettings | AttributeProviderSettings, what: str) -> None:
    kind, path = _kind(settings), settings.script_path or ""
    if kind == "script" and not (os.path.isfile(path) and os.access(path, os.X_OK)):
        raise ConfigurationError.of(
            f"{_PREFIX}{what}.provider.script.path",
            f'Node descriptors provider script "{path}" is not configured properly. Please check whether the '
            "script path exists, owner and the access rights are suitable for NM process to execute it",
        )
    if kind == "class":
        try:
            _instance(settings.provider or "")
        except (ImportError, AttributeError, ValueError, TypeError) as error:
            raise ConfigurationError.of(
                f"{_PREFIX}{what}.provider", f"there is no provider {settings.provider}: {error}"
            ) from error


def _kind(settings: LabelProviderSettings | AttributeProviderSettings) -> str:
    """`config`, `script`, `class`, or nothing."""
    name = (settings.provider or "").strip().lower()
    return name if name in ("", "config", "script") else "class"


def _instance(path: str) -> Any:
    module, _, name = path.strip().rpartition(".")
    return getattr(importlib.import_module(module), name)()


class ProviderLoops:
    """Everything that a node asks others about itself."""

    def __init__(
        self, settings: NMSettings, core: Core, turn: Turn, reread: Callable[[], NMSettings] | None = None
    ) -> None:
        self._settings = settings
        self._core = core
        self._turn = turn
        self._reread = reread or (lambda: settings)
        """The settings as the files say them now: what the provider by configuration goes by."""
        labels, attributes = settings.labels, settings.attributes
        self._labels: LabelsProvider | None = None
        if core.status.labels is not None and _kind(labels) == "class":
            self._labels = _instance(labels.provider or "")
        self._attributes: AttributesProvider | None = None
        if core.status.attributes is not None and _kind(attributes) == "class":
            self._attributes = _instance(attributes.provider or "")

    async def first_look(self) -> None:
        """What has to be known before the node registers."""
        if self._settings.health.run_before_startup and self._settings.health.script_path:
            await self._run_health_script()
        await self._fetch_labels()
        await self._fetch_attributes()

    def loops(self) -> list[Coroutine[object, object, None]]:
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
        self, ask: Callable[[], Coroutine[object, object, None]], interval_ms: int, *, at_once: bool = False
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
        labels, provider = self._core.status.labels, self._labels
        if labels is None:
            return
        if provider is not None:
            names = await self._ask_class(lambda: list(provider.labels()))
            if names is not None:
                _take(labels, lambda: tuple(one for name in names for one in labels_of_text(name)))
        elif _kind(self._settings.labels) == "script":
            output = await self._ask_script(self._settings.labels)
            if output is not None:
                _take(labels, lambda: labels_of_script(output))
        elif (fresh := self._fresh()) is not None:
            _take(labels, lambda: labels_of_text(fresh.labels.configured_partition))

    async def _fetch_attributes(self) -> None:
        attributes, provider = self._core.status.attributes, self._attributes
        if attributes is None:
            return
        if provider is not None:
            pairs = await self._ask_class(lambda: list(provider.attributes()))
            if pairs is not None:
                _take(attributes, lambda: attributes_of_pairs(pairs))
        elif _kind(self._settings.attributes) == "script":
            output = await self._ask_script(self._settings.attributes)
            if output is not None:
                _take(attributes, lambda: attributes_of_script(output))
        elif (fresh := self._fresh()) is not None:
            _take(attributes, lambda: attributes_of_text(fresh.attributes.configured_attributes))

    def _fresh(self) -> NMSettings | None:
        try:
            return self._reread()
        except YarnError as error:
            log.error("%s", error.message)
            return None

    async def _ask_script(self, settings: LabelProviderSettings | AttributeProviderSettings) -> str | None:
        host, timeout_s = self._core.context.node_id.host, settings.fetch_timeout_ms / 1000
        try:
            return await ask_script(settings.script_path or "", settings.script_options, timeout_s, host)
        except (ScriptFailedError, ScriptTimedOutError) as error:
            log.error("%s", error)
            return None

    async def _ask_class(self, ask: Callable[[], list[object]]) -> list[Any] | None:
        try:
            return await asyncio.to_thread(ask)
        except Exception:  # somebody else's code: whatever it raises, the node goes on with its last word
            log.exception("a provider failed")
            return None


def _take(descriptors: Descriptors[Any], read: Callable[[], tuple[object, ...]]) -> None:
    try:
        complaints = descriptors.fetched(read())
    except ValueError as error:
        complaints = [str(error)]
    for complaint in complaints:
        log.error("%s", complaint)
