"""What a DistributedShell application is to run. Hadoop: the options of DistributedShell's Client."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from yarnbox.am.launch import resource_of
from yarnbox.am.placement import PlacementSpec, parse_specs
from yarnbox.yarn.enums import ContainerRetryPolicy
from yarnbox.yarn.records.container import ContainerRetryContext, LocalResource
from yarnbox.yarn.resources.resource import Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellSpec:
    """One command, and the containers it runs in."""

    command: str
    """As a launch context has it: the NodeManager and two shells evaluate it."""
    containers: int = 1
    memory_mb: int = 1024
    vcores: int = 1
    priority: int = 0
    environment: Mapping[str, str] = field(default_factory=dict)
    """Exactly these values reach the command."""
    label: str | None = None
    placement: str = ""
    retry_policy: str = "NEVER_RETRY"
    max_retries: int = 0
    retry_interval_ms: int = 0
    retry_error_codes: tuple[int, ...] = ()
    heartbeat_ms: int = 1000
    resources: Mapping[str, str] = field(default_factory=dict)
    """What each container finds in its working directory, by link; `resource_text` writes it."""

    @property
    def local_resources(self) -> dict[str, LocalResource]:
        return {link: resource_of(text) for link, text in self.resources.items()}

    @property
    def size(self) -> Resource:
        return Resource(self.memory_mb, self.vcores)

    @property
    def placements(self) -> list[PlacementSpec]:
        """The placement constraints, if there are any."""
        return parse_specs(self.placement) if self.placement else []

    @property
    def total(self) -> int:
        """All containers: those that the placement specification counts, else the plain number."""
        specs = self.placements
        return sum(self.containers if one.count is None else one.count for one in specs) or self.containers

    @property
    def retry_context(self) -> ContainerRetryContext:
        """What its NM does when the command fails."""
        return ContainerRetryContext(
            retry_policy=ContainerRetryPolicy[self.retry_policy],
            error_codes=self.retry_error_codes,
            max_retries=self.max_retries,
            retry_interval=self.retry_interval_ms,
        )

    def to_text(self) -> str:
        """As one word of a command line that no shell and no NM changes."""
        return base64.urlsafe_b64encode(json.dumps(asdict(self)).encode()).decode()

    @classmethod
    def from_text(cls, text: str) -> Self:
        data: dict[str, Any] = json.loads(base64.urlsafe_b64decode(text))
        data["retry_error_codes"] = tuple(data["retry_error_codes"])
        return cls(**data)
