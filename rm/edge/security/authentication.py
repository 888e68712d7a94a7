"""Who calls the ResourceManager over gRPC, where callers have to prove it.

A user by certificate or token, an ApplicationMaster by its AMRM token, a node by the certificate of its host.
What each may do is the core's affair. Hadoop: what Kerberos and SASL tell an RPC server.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from yarnbox.rm.edge.security.tokens import Tokens
from yarnbox.yarn.connection.rpc import Caller
from yarnbox.yarn.errors import AccessControlError
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.security.authentication import Authentication
from yarnbox.yarn.security.tokens import AMRM_TOKEN

_NOBODY = (
    "who calls is not known: show the certificate of a user (yarnbox.tls.certificate-file), or a token"
    " (yarnbox.authentication.token-file)"
)


def proved(users: Authentication, claim: Caller) -> Caller:
    """The caller under the name of the certificate or the token; AccessControlError without either."""
    found = users.identity(claim.certified, claim.bearer)
    if found is None:
        raise AccessControlError(_NOBODY)
    return replace(claim, user=found.user)


class CallerCheck:
    """Says who a caller is; AccessControlError when that is not known."""

    def __init__(
        self, users: Authentication, tokens: Tokens, owner_of: Callable[[ApplicationId], str | None]
    ) -> None:
        """`owner_of` is the user of an application."""
        self._users = users
        self._tokens = tokens
        self._owner_of = owner_of

    def user(self, claim: Caller) -> Caller:
        """The caller under the name that is proved, whatever name the call gives."""
        if claim.token is not None and claim.token.kind == AMRM_TOKEN:
            attempt_id = self._tokens.check_master(claim.token).app_attempt_id
            owner = self._owner_of(attempt_id.application_id) if attempt_id is not None else None
            if owner is not None:
                return replace(claim, user=owner)
        return proved(self._users, claim)

    def node(self, claim: Caller) -> None:
        """Checks a node: by a host's certificate where certificates are required, else by the cluster's
        secret."""
        if not self._users.demands_certificates:
            return
        found = self._users.identity(claim.certified, None)
        if found is None or not found.is_host:
            name = found.user if found is not None else "nobody"
            raise AccessControlError(
                f"a node has to show the certificate of a host, not that of {name}:"
                " `yarnbox certs host` makes one"
            )
