"""The caller of an RPC: established by the edge, before the call reaches the core."""

from __future__ import annotations

from dataclasses import dataclass

from yarnbox.yarn.errors import InvalidTokenError
from yarnbox.yarn.ids import ApplicationAttemptId


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A user; for an AM also the attempt that its token names."""

    user: str = ""
    attempt_id: ApplicationAttemptId | None = None
    real_user: str | None = None
    """Who acts in the user's name."""
    host: str | None = None
    """Where the call comes from, if that is known."""
    has_known_host: bool = True
    """Whether the host that the caller says to be on can be resolved, where that was to be looked up."""

    def master_of(self) -> ApplicationAttemptId:
        """The attempt whose AM calls; InvalidTokenError when the caller is no AM."""
        if self.attempt_id is None:
            raise InvalidTokenError("no AMRMToken was given: only the ApplicationMaster may make this call")
        return self.attempt_id
