"""What a container is told by its NodeManager: who it is, where it runs, where it may write, whom it may
call.

Reads a mapping that is handed in, normally the process's environment; opens nothing but the token file.
Hadoop: ApplicationConstants.Environment and for what every Java AM does in its first lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from yarnbox.yarn.ids import ApplicationAttemptId, ContainerId, NodeId
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.security.credentials import Credentials, credentials_of_environment
from yarnbox.yarn.security.tokens import AMRM_TOKEN


class NotInContainerError(Exception):
    """The process was not started by a NodeManager; the message names the variable that is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerEnvironment:
    """The part of the environment that YARN promises."""

    container_id: ContainerId
    node_id: NodeId
    user: str
    working_directory: Path
    local_dirs: tuple[Path, ...]
    log_dirs: tuple[Path, ...]
    credentials: Credentials
    submit_time_ms: int | None
    http_port: int = 0
    """Where the node's own pages are."""

    @property
    def attempt_id(self) -> ApplicationAttemptId:
        """The application attempt that the container belongs to."""
        return self.container_id.application_attempt_id

    @property
    def amrm_token(self) -> Token | None:
        """The token with which an AM calls the RM; only the AM's container has one."""
        return self.credentials.token_of_kind(AMRM_TOKEN)

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> ContainerEnvironment:
        """Reads the environment; NotInContainerError when it is not a container's."""
        for name in ("CONTAINER_ID", "NM_HOST", "NM_PORT"):
            if name not in environment:
                raise NotInContainerError(f"{name} is not set: this program is started by a NodeManager")
        submitted = environment.get("APP_SUBMIT_TIME_ENV")
        return cls(
            container_id=ContainerId.parse(environment["CONTAINER_ID"]),
            node_id=NodeId(environment["NM_HOST"], int(environment["NM_PORT"])),
            user=environment.get("USER", ""),
            working_directory=Path(environment.get("PWD", ".")),
            local_dirs=_paths(environment.get("LOCAL_DIRS", "")),
            log_dirs=_paths(environment.get("LOG_DIRS", "")),
            credentials=credentials_of_environment(environment),
            submit_time_ms=int(submitted) if submitted else None,
            http_port=int(environment.get("NM_HTTP_PORT") or 0),
        )


def _paths(text: str) -> tuple[Path, ...]:
    return tuple(Path(part) for part in text.split(",") if part)
