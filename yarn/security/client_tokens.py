"""Client-to-AM tokens, with which the clients of an application prove to its AM who they are.

The RM makes a secret for each attempt, and the AM gets it when it registers. With it the RM signs tokens for
users who may view the application; the AM checks them without asking the RM. Knows neither time nor chance.
Hadoop: ClientToAMTokenSecretManagerInRM and ClientToAMTokenSecretManager.
"""

from __future__ import annotations

import hmac

from yarnbox.yarn.errors import InvalidTokenError
from yarnbox.yarn.ids import ApplicationAttemptId
from yarnbox.yarn.records.tokens import ClientToAMTokenIdentifier, Token
from yarnbox.yarn.security.tokens import CLIENT_TO_AM_TOKEN, identifier_of, password_of
from yarnbox.yarn.wire import to_bytes

_ILLEGAL = "Illegal client-token!"


class ClientToAMTokenSecretManagerInRM:
    """The secrets of the attempts whose clients may be given tokens: from when an attempt's secret is in the
    state store until the attempt ends.
    """

    def __init__(self) -> None:
        self._keys: dict[ApplicationAttemptId, bytes] = {}

    def register(self, attempt_id: ApplicationAttemptId, key: bytes) -> None:
        """From now on clients get tokens of the attempt."""
        self._keys[attempt_id] = key

    def unregister(self, attempt_id: ApplicationAttemptId) -> None:
        """The attempt has ended."""
        self._keys.pop(attempt_id, None)

    def create_token(self, attempt_id: ApplicationAttemptId, client: str) -> Token | None:
        """A token for the client; None when the attempt has no secret, not yet or not any more."""
        key = self._keys.get(attempt_id)
        if key is None or not client:
            return None
        identifier = to_bytes(ClientToAMTokenIdentifier(app_attempt_id=attempt_id, client_name=client))
        return Token(
            identifier=identifier,
            password=password_of(identifier, key),
            kind=CLIENT_TO_AM_TOKEN,
            service="",
        )


class ClientToAMTokenSecretManager:
    """Checks tokens in the AM. Before the AM has registered there is no secret, and no token is good."""

    def __init__(self) -> None:
        self._key: bytes | None = None

    @property
    def has_key(self) -> bool:
        """Whether the RM gave the attempt a secret: else its clients have no tokens to show."""
        return self._key is not None

    def set_master_key(self, key: bytes | None) -> None:
        """What the RM answered to the registration; a later registration tells the same again."""
        self._key = key or None

    def verify(self, token: Token | None) -> ClientToAMTokenIdentifier:
        """The identifier of a genuine token of this attempt; InvalidTokenError otherwise."""
        identifier = identifier_of(token, CLIENT_TO_AM_TOKEN, ClientToAMTokenIdentifier)
        assert token is not None
        if not hmac.compare_digest(token.password, self._password(token.identifier)):
            raise InvalidTokenError(_ILLEGAL)
        return identifier

    def password(self, data: bytes) -> bytes:
        """What a token of this identifier has for a password; InvalidTokenError if it is none."""
        claimed = Token(identifier=data, password=b"", kind=CLIENT_TO_AM_TOKEN, service="")
        identifier_of(claimed, CLIENT_TO_AM_TOKEN, ClientToAMTokenIdentifier)
        return self._password(data)

    def _password(self, data: bytes) -> bytes:
        # Whatever attempt it names: the secret is this attempt's, another's token was signed with another.
        if self._key is None:
            raise InvalidTokenError(_ILLEGAL)
        return password_of(data, self._key)
