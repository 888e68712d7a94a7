"""Tokens: who may do what, proved by a signature over an identifier.

Owns the three kinds that every cluster uses, both making and checking them: AMRM tokens (RM to AM, checked by
the RM), NM tokens and container tokens (made by the RM, checked by the NM with keys from its heartbeats).
Knows neither time nor chance: moments are arguments, key material comes from an injected source, and the
caller's timer says when to roll a key. Hadoop:
AMRMTokenSecretManager, NMTokenSecretManagerInRM and -InNM, RMContainerTokenSecretManager and
NMContainerTokenSecretManager.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from typing import Any, TypeVar

from yarnbox.yarn.errors import IllegalArgumentError, InvalidTokenError, NMNotYetReadyError
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.tokens import (
    AMRMTokenIdentifier,
    ContainerTokenIdentifier,
    NMTokenIdentifier,
    Token,
)
from yarnbox.yarn.records.tracker import MasterKey
from yarnbox.yarn.wire import PLAIN, Wire

AMRM_TOKEN = "YARN_AM_RM_TOKEN"
NM_TOKEN = "NMToken"
CONTAINER_TOKEN = "ContainerToken"
CLIENT_TO_AM_TOKEN = "YARN_CLIENT_TOKEN"
RM_DELEGATION_TOKEN = "RM_DELEGATION_TOKEN"

KEY_BYTES = 20
"""The length of a secret: as many bytes as HMAC-SHA1 has."""

KeySource = Callable[[], bytes]
"""Gives KEY_BYTES fresh bytes that nobody can guess; in tests and in virtual time, bytes from the seed."""

I = TypeVar("I")  # noqa: E741


def password_of(identifier: bytes, secret: bytes) -> bytes:
    """The password of a token: HMAC-SHA1 of its identifier's bytes."""
    return hmac.digest(secret, identifier, "sha1")


def signed(identifier: Any, kind: str, key: MasterKey, service: str, wire: Wire = PLAIN) -> Token:
    """The token of an identifier record."""
    data = wire.to_bytes(identifier)
    return Token(identifier=data, password=password_of(data, _secret_of(key)), kind=kind, service=service)


def _secret_of(key: MasterKey) -> bytes:
    if not key.bytes_:
        raise InvalidTokenError(f"the master key {key.key_id} has no bytes")
    return key.bytes_


def activation_delay_ms(expiry_interval_ms: int) -> int:
    """How long after a roll a new key is signed with: 1.5 times the expiry interval of those who must hear of
    it by heartbeat.
    """
    return expiry_interval_ms * 3 // 2


def identifier_of(token: Token | None, kind: str, cls: type[I], wire: Wire = PLAIN) -> I:
    """The identifier inside a token of the right kind; it proves nothing yet."""
    try:
        return wire.from_bytes(cls, _of_kind(token, kind).identifier)
    except IllegalArgumentError as error:
        raise InvalidTokenError(f"the identifier of the {kind} cannot be read") from error


def _of_kind(token: Token | None, kind: str) -> Token:
    if token is None:
        raise InvalidTokenError(f"no {kind} was given")
    if token.kind != kind:
        raise InvalidTokenError(f"a token of kind {token.kind} was given where {kind} is needed")
    return token


def _check_password(token: Token, key: MasterKey, refusal: str) -> None:
    if not hmac.compare_digest(token.password, password_of(token.identifier, _secret_of(key))):
        raise InvalidTokenError(refusal)


class RollingKeys:
    """The keys of a secret manager in the RM: the current one, and the next one from its roll on until it is
    activated. The first number is drawn from the source, so that another RM's key is never taken for ours.
    """

    __slots__ = ("_next_id", "_source", "current", "next")

    def __init__(self, source: KeySource) -> None:
        self._source = source
        self._next_id = int.from_bytes(source()[:4], "big") >> 1
        self.current: MasterKey = self._make()
        self.next: MasterKey | None = None

    def roll(self) -> MasterKey:
        """Makes the next key; those who check must hear of it before it is activated."""
        self.next = self._make()
        return self.next

    def activate(self) -> None:
        """Lets the next key, if there is one, become the current one."""
        if self.next is not None:
            self.current, self.next = self.next, None

    def restore(self, current: MasterKey, next_key: MasterKey | None) -> None:
        """Takes up the keys that an earlier RM stored."""
        self.current, self.next = current, next_key
        self._next_id = max(current.key_id or 0, (next_key.key_id or 0) if next_key else 0)

    def _make(self) -> MasterKey:
        self._next_id = (self._next_id + 1) & 0x7FFFFFFF
        return MasterKey(key_id=self._next_id, bytes_=self._source())


class AMRMTokenSecretManager:
    """AMRM tokens: made when an attempt starts, valid until it ends, under the current or the next key."""

    def __init__(self, source: KeySource) -> None:
        self.keys = RollingKeys(source)
        self._attempts: dict[ApplicationAttemptId, None] = {}

    def create_token(self, attempt_id: ApplicationAttemptId, service: str = "") -> Token:
        """A token of the attempt under the newest key."""
        self._attempts[attempt_id] = None
        key = self.keys.next or self.keys.current
        identifier = AMRMTokenIdentifier(app_attempt_id=attempt_id, key_id=key.key_id or 0)
        return signed(identifier, AMRM_TOKEN, key, service)

    def restore_attempt(self, attempt_id: ApplicationAttemptId) -> None:
        """Accepts tokens of an attempt that an earlier RM started."""
        self._attempts[attempt_id] = None

    def forget_attempt(self, attempt_id: ApplicationAttemptId) -> None:
        """The attempt has ended: its tokens are worthless from now on."""
        self._attempts.pop(attempt_id, None)

    def verify(self, token: Token | None) -> AMRMTokenIdentifier:
        """The identifier of a genuine token of a live attempt; InvalidTokenError otherwise."""
        token = _of_kind(token, AMRM_TOKEN)
        identifier = identifier_of(token, AMRM_TOKEN, AMRMTokenIdentifier)
        key = self._key_of(identifier)
        _check_password(token, key, f"Invalid AMRMToken from {identifier.app_attempt_id}")
        return identifier

    def password(self, identifier: bytes) -> bytes:
        """What a live attempt's token of this identifier has for a password; InvalidTokenError otherwise."""
        claimed = Token(identifier=identifier, password=b"", kind=AMRM_TOKEN, service="")
        key = self._key_of(identifier_of(claimed, AMRM_TOKEN, AMRMTokenIdentifier))
        return password_of(identifier, _secret_of(key))

    def _key_of(self, identifier: AMRMTokenIdentifier) -> MasterKey:
        attempt_id = identifier.app_attempt_id
        if attempt_id is None or attempt_id not in self._attempts:
            raise InvalidTokenError(f"{attempt_id} not found in AMRMTokenSecretManager.")
        for key in (self.keys.current, self.keys.next):
            if key is not None and key.key_id == identifier.key_id:
                return key
        raise InvalidTokenError(f"Invalid AMRMToken from {attempt_id}")

    def needs_new_token(self, identifier: AMRMTokenIdentifier) -> bool:
        """Whether the AM that showed this token is to be sent one under the next key."""
        return self.keys.next is not None and self.keys.next.key_id != identifier.key_id


class NMTokenSecretManager:
    """NM tokens in the RM: one per attempt and node, sent once until the key is rolled."""

    def __init__(self, source: KeySource) -> None:
        self.keys = RollingKeys(source)
        self._sent: dict[ApplicationAttemptId, dict[NodeId, None]] = {}

    def create_token(self, attempt_id: ApplicationAttemptId, node_id: NodeId, submitter: str) -> Token:
        """A token with which the attempt may command the node."""
        key = self.keys.current
        identifier = NMTokenIdentifier(
            app_attempt_id=attempt_id, node_id=node_id, app_submitter=submitter, key_id=key.key_id or 0
        )
        return signed(identifier, NM_TOKEN, key, str(node_id))

    def token_to_send(
        self, attempt_id: ApplicationAttemptId, node_id: NodeId, submitter: str
    ) -> Token | None:
        """The token, the first time that a registered attempt gets a container on the node."""
        sent = self._sent.get(attempt_id)
        if sent is None or node_id in sent:
            return None
        sent[node_id] = None
        return self.create_token(attempt_id, node_id, submitter)

    def register_attempt(self, attempt_id: ApplicationAttemptId) -> None:
        """From now on its tokens are kept account of."""
        self._sent[attempt_id] = {}

    def unregister_attempt(self, attempt_id: ApplicationAttemptId) -> None:
        """The attempt has ended."""
        self._sent.pop(attempt_id, None)

    def clear_nodes(self, attempt_id: ApplicationAttemptId) -> None:
        """The AM registered (again): it holds no tokens."""
        if attempt_id in self._sent:
            self._sent[attempt_id].clear()

    def remove_node(self, node_id: NodeId) -> None:
        """The node is gone or has lost its keys: everybody needs new tokens for it."""
        for sent in self._sent.values():
            sent.pop(node_id, None)

    def activate_next_key(self) -> None:
        """Signs with the next key from now on; everybody needs new tokens."""
        self.keys.activate()
        for sent in self._sent.values():
            sent.clear()


class ContainerTokenSecretManager:
    """Container tokens in the RM: one per container and version."""

    def __init__(self, source: KeySource, wire: Wire = PLAIN) -> None:
        self.keys = RollingKeys(source)
        self._wire = wire

    @property
    def key_id(self) -> int:
        """The number of the key that tokens are signed with now."""
        return self.keys.current.key_id or 0

    def create_token(self, identifier: ContainerTokenIdentifier, node_id: NodeId) -> Token:
        """The token of a container; its identifier has to bear `key_id`."""
        assert identifier.master_key_id == self.key_id
        return signed(identifier, CONTAINER_TOKEN, self.keys.current, str(node_id), self._wire)


# In the NM.


class _ReceivedKeys:
    """The keys that an NM was told by its RM: the current one and the one before."""

    def __init__(self) -> None:
        self.current: MasterKey | None = None
        self.previous: MasterKey | None = None

    def set_master_key(self, key: MasterKey) -> None:
        """Takes a key out of a registration or a heartbeat response."""
        if self.current is None or self.current.key_id != key.key_id:
            self.previous, self.current = self.current, key

    def _key(self, key_id: int) -> MasterKey | None:
        for key in (self.previous, self.current):
            if key is not None and key.key_id == key_id:
                return key
        return None


class NMTokenSecretManagerInNM(_ReceivedKeys):
    """Checks NM tokens. A key of which an attempt's token was used to start a container stays good for the
    attempt's tokens until its application ends.
    """

    def __init__(self) -> None:
        super().__init__()
        self.node_id: NodeId | None = None
        self._used: dict[ApplicationAttemptId, MasterKey] = {}

    def verify(self, token: Token | None) -> NMTokenIdentifier:
        """The identifier of a genuine token for this node; InvalidTokenError otherwise, NMNotYetReadyError as
        long as no key has come with which it could be told.
        """
        token = _of_kind(token, NM_TOKEN)
        identifier = identifier_of(token, NM_TOKEN, NMTokenIdentifier)
        key = self._key_of(identifier)
        _check_password(token, key, _forged(identifier))
        return identifier

    def password(self, identifier: bytes) -> bytes:
        """What a token of this identifier has for a password; InvalidTokenError if it is not for us."""
        claimed = Token(identifier=identifier, password=b"", kind=NM_TOKEN, service="")
        key = self._key_of(identifier_of(claimed, NM_TOKEN, NMTokenIdentifier))
        return password_of(identifier, _secret_of(key))

    def _key_of(self, identifier: NMTokenIdentifier) -> MasterKey:
        attempt_id, node_id = identifier.app_attempt_id, identifier.node_id
        if attempt_id is None or node_id is None:
            raise InvalidTokenError("Invalid NMToken: it names no attempt or no node")
        key = self._key(identifier.key_id)
        if key is None:
            key = self._used.get(attempt_id)
        if key is None and self.current is None:
            raise NMNotYetReadyError("The NodeManager has not registered with the ResourceManager yet.")
        if self.node_id is not None and node_id != self.node_id:
            raise InvalidTokenError(
                f"Given NMToken for application : {attempt_id} is not valid for current node manager."
                f" expected : {self.node_id} found : {node_id}"
            )
        if key is None:
            raise InvalidTokenError(_forged(identifier))
        return key

    def container_started(self, identifier: NMTokenIdentifier) -> None:
        """Remembers the key with which an attempt started a container here."""
        attempt_id = identifier.app_attempt_id
        assert attempt_id is not None
        used = self._used.get(attempt_id)
        if used is not None and used.key_id == identifier.key_id:
            return
        key = self._key(identifier.key_id)
        if key is None:
            raise InvalidTokenError("Older NMToken should not be used while starting the container.")
        self._used[attempt_id] = key

    def used_key(self, attempt_id: ApplicationAttemptId) -> MasterKey | None:
        """The key whose token the attempt used here, to be kept over a restart of the NM."""
        return self._used.get(attempt_id)

    def restore_used_key(self, attempt_id: ApplicationAttemptId, key: MasterKey) -> None:
        """Takes up what was kept."""
        self._used[attempt_id] = key

    def application_finished(self, application_id: ApplicationId) -> None:
        """Forgets the keys of the application's attempts."""
        for attempt_id in [one for one in self._used if one.application_id == application_id]:
            del self._used[attempt_id]


def _forged(identifier: NMTokenIdentifier) -> str:
    attempt_id = identifier.app_attempt_id
    return f"Given NMToken for application : {attempt_id} seems to have been generated illegally."


class ContainerTokenSecretManagerInNM(_ReceivedKeys):
    """Checks container tokens, and knows which were used already, until they expire anyway."""

    def __init__(self, wire: Wire = PLAIN) -> None:
        super().__init__()
        self._wire = wire
        self.node_id: NodeId | None = None
        self._started: dict[ContainerId, int] = {}

    def identifier(self, token: Token | None) -> ContainerTokenIdentifier:
        """What a token says; it proves nothing yet."""
        return identifier_of(token, CONTAINER_TOKEN, ContainerTokenIdentifier, self._wire)

    def verify(self, token: Token | None) -> ContainerTokenIdentifier:
        """The identifier of a genuine token for this node; InvalidTokenError otherwise. Whether it expired,
        was used, or comes from an earlier RM is the caller's to check: those have answers of their own.
        """
        token = _of_kind(token, CONTAINER_TOKEN)
        identifier = self.identifier(token)
        container_id = identifier.container_id
        if container_id is None:
            raise InvalidTokenError("Invalid ContainerToken: it names no container")
        if self.node_id is not None and identifier.nm_host_addr != str(self.node_id):
            raise InvalidTokenError(
                f"Given Container {container_id} identifier is not valid for current Node manager."
                f" Expected : {self.node_id} Found : {identifier.nm_host_addr}"
            )
        refusal = f"Given Container {container_id} seems to have an illegally generated token."
        key = self._key(identifier.master_key_id)
        if key is None:
            raise InvalidTokenError(refusal)
        _check_password(token, key, refusal)
        return identifier

    def container_started(self, identifier: ContainerTokenIdentifier, now_ms: int) -> None:
        """The token is used up."""
        self._forget_expired(now_ms)
        assert identifier.container_id is not None
        self._started[identifier.container_id] = identifier.expiry_time_stamp or 0

    def restore_started(self, container_id: ContainerId, expiry_ms: int) -> None:
        """Takes up, after a restart of the NM, that a token was used."""
        self._started[container_id] = expiry_ms

    def was_used(self, identifier: ContainerTokenIdentifier, now_ms: int) -> bool:
        """Whether a container was started with this token before."""
        self._forget_expired(now_ms)
        assert identifier.container_id is not None
        return self._started.get(identifier.container_id) == (identifier.expiry_time_stamp or 0)

    def _forget_expired(self, now_ms: int) -> None:
        expired = [container_id for container_id, due in self._started.items() if due < now_ms]
        for container_id in expired:
            del self._started[container_id]


def new_key(random_bytes: Callable[[int], bytes]) -> KeySource:
    """A source of keys over a source of random bytes, such as `secrets.token_bytes` or
    `random.Random(seed).randbytes`.
    """
    return lambda: random_bytes(KEY_BYTES)
