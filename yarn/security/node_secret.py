"""The secret that the ResourceManager and the NodeManagers of one cluster share: a caller that knows it is a
node.

It is in a file that only its owner may read. A call has a token made of it, never the secret itself. Hadoop
has no counterpart: there Kerberos says who is a node.
"""

from __future__ import annotations

import hmac
import os
import secrets
from pathlib import Path

from yarnbox.yarn.configuration import ConfigurationError
from yarnbox.yarn.errors import AccessControlError
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.storage.drafts import draft_of

PROPERTY = "yarnbox.node-secret-file"
NODE_TOKEN = "YARNBOX_NODE_TOKEN"
_BYTES = 32
_SHORTEST = 16


class NodeSecret:
    """What a node shows, and how it is known again."""

    def __init__(self, secret: bytes) -> None:
        password = hmac.digest(secret, NODE_TOKEN.encode(), "sha256")
        self.token = Token(identifier=b"", password=password, kind=NODE_TOKEN, service="")
        """For every call of a node."""

    @classmethod
    def of_file(cls, name: str | None) -> NodeSecret | None:
        """The secret in the file; None where no file is named. ConfigurationError where there is none to be
        had.
        """
        if not name:
            return None
        try:
            secret = Path(name).read_bytes().strip()
        except OSError as error:
            why = f"cannot be read: {error.strerror}; it has to hold the cluster's secret"
            raise ConfigurationError.of(name, why, name=PROPERTY) from error
        if len(secret) < _SHORTEST:
            why = f"holds {len(secret)} bytes; a secret has {_SHORTEST} at least"
            raise ConfigurationError.of(name, why, name=PROPERTY)
        return cls(secret)

    def check(self, shown: Token | None) -> None:
        """AccessControlError unless the caller is a node of this cluster."""
        password = shown.password if shown is not None and shown.kind == NODE_TOKEN else b""
        if not hmac.compare_digest(password, self.token.password):
            raise AccessControlError(
                f"the caller does not know the secret of this cluster's nodes; {PROPERTY} names the file that"
                " holds it"
            )


def write_node_secret(path: Path) -> None:
    """A new secret, in a file that only its owner can read."""
    with draft_of(path) as draft:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(_BYTES) + "\n")
