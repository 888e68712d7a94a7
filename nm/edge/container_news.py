"""News of containers, each a turn of the core: what executors report to."""

from __future__ import annotations

from yarnbox.nm.core import Core
from yarnbox.nm.effects import Effect
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.runtime.driver import AsyncioDriver


class ContainerNews:
    """Tells the core what became of the processes of its containers."""

    def __init__(self, core: Core, driver: AsyncioDriver[Effect]) -> None:
        self._world = core.world
        self._driver = driver

    def launched(self, container_id: ContainerId) -> None:
        """Its process runs."""
        self._driver.turn(lambda: self._world.container_launched(container_id))

    def exited(self, container_id: ContainerId, exit_code: int, diagnostics: str) -> None:
        """Nothing of it runs any longer."""
        self._driver.turn(lambda: self._world.container_exited(container_id, exit_code, diagnostics))

    def paused(self, container_id: ContainerId) -> None:
        """It stands still."""
        self._driver.turn(lambda: self._world.container_paused(container_id))

    def resumed(self, container_id: ContainerId) -> None:
        """It runs again."""
        self._driver.turn(lambda: self._world.container_resumed(container_id))
