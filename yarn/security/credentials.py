"""Credentials: the tokens and secrets that a process is given, in the format of Hadoop's token files.

Owns the bytes that stand in ContainerLaunchContext.tokens and in the file that HADOOP_TOKEN_FILE_LOCATION
names; knows nothing of what the tokens are for. Both formats are read, the first (Writable) is written. Bytes
after the end are ignored: Spark sends its whole buffer, zeros included. Hadoop: Credentials.

The module brings no records: a task asks for one secret, and they would be a fifth of its start.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from yarnbox.yarn.errors import IllegalArgumentError
from yarnbox.yarn.storage.writable import read_vint, write_vint

if TYPE_CHECKING:
    from yarnbox.yarn.records.tokens import Token

TOKEN_FILE_VARIABLE = "HADOOP_TOKEN_FILE_LOCATION"
"""The environment variable that names a process's token file."""

TOKEN_FILE = "container_tokens"
"""The token file's name in a container's working directory."""

_MAGIC = b"HDTS"
_WRITABLE, _PROTOBUF = 0, 1


class _Plain(NamedTuple):
    """A token as it is written."""

    identifier: bytes
    password: bytes
    kind: str
    service: str

    def token(self) -> Token:
        from yarnbox.yarn.records.tokens import Token

        return Token(**self._asdict())


@dataclass(frozen=True, slots=True)
class Credentials:
    """Tokens and secrets by alias, in their order."""

    tokens: Mapping[str, Token] = field(default_factory=dict)
    secrets: Mapping[str, bytes] = field(default_factory=dict)

    def with_token(self, alias: str, token: Token) -> Credentials:
        """The same with one more token."""
        return Credentials({**self.tokens, alias: token}, self.secrets)

    def token_of_kind(self, kind: str) -> Token | None:
        """The first token of that kind."""
        return next((token for token in self.tokens.values() if token.kind == kind), None)

    def to_bytes(self) -> bytes:
        """The content of a token file."""
        parts = [_MAGIC, bytes([_WRITABLE]), write_vint(len(self.tokens))]
        for alias, token in self.tokens.items():
            parts += [_text(alias), write_token(token)]
        parts.append(write_vint(len(self.secrets)))
        for alias, secret in self.secrets.items():
            parts += [_text(alias), _block(secret)]
        return b"".join(parts)

    @classmethod
    def from_bytes(cls, data: bytes | None) -> Credentials:
        """Reads a token file; nothing at all is no credentials, what cannot be read an
        IllegalArgumentError.
        """
        tokens, secrets = _read(data)
        return cls({alias: plain.token() for alias, plain in tokens.items()}, secrets)


def _read(data: bytes | None) -> tuple[dict[str, _Plain], dict[str, bytes]]:
    if not data:
        return {}, {}
    if data[:4] != _MAGIC or len(data) < 5:
        raise IllegalArgumentError("these are not credentials: they do not begin with HDTS")
    reader = _Reader(data, 5)
    if data[4] == _WRITABLE:
        return _read_writable(reader)
    if data[4] == _PROTOBUF:
        return _read_protobuf(reader)
    raise IllegalArgumentError(f"credentials of the unknown format {data[4]}")


def read_token_file(path: Path) -> Credentials:
    """The credentials in a file."""
    return Credentials.from_bytes(path.read_bytes())


def write_token_file(path: Path, credentials: Credentials) -> None:
    """Writes a file that only its owner can read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(credentials.to_bytes())


def credentials_of_environment(environment: Mapping[str, str]) -> Credentials:
    """What the process was given; nothing when the variable is not set."""
    path = environment.get(TOKEN_FILE_VARIABLE)
    return read_token_file(Path(path)) if path else Credentials()


def password_of_environment(environment: Mapping[str, str], kind: str) -> bytes | None:
    """The password of the first token of that kind that the process was given."""
    path = environment.get(TOKEN_FILE_VARIABLE)
    tokens, _ = _read(Path(path).read_bytes()) if path else ({}, {})
    return next((plain.password for plain in tokens.values() if plain.kind == kind), None)


def write_token(token: Token) -> bytes:
    """One token as Hadoop's Token writes itself: also what an auxiliary service is given as its data."""
    return b"".join(
        [_block(token.identifier), _block(token.password), _text(token.kind), _text(token.service)]
    )


def read_token(data: bytes) -> Token:
    """The token that was written so; IllegalArgumentError when there is none."""
    return _Reader(data).plain().token()


class _Reader:
    """A position in bytes that somebody sent."""

    __slots__ = ("_at", "_data")

    def __init__(self, data: bytes, at: int = 0) -> None:
        self._data = data
        self._at = at

    def take(self, length: int) -> bytes:
        end = self._at + length
        if length < 0 or end > len(self._data):
            raise IllegalArgumentError("the credentials end too early")
        taken = self._data[self._at : end]
        self._at = end
        return taken

    def vint(self) -> int:
        return read_vint(self.take)

    def varint(self) -> int:
        value = shift = 0
        while shift < 64:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
        raise IllegalArgumentError("the credentials have a length of more than 64 bits")

    def block(self) -> bytes:
        return self.take(self.vint())

    def text(self) -> str:
        return _decoded(self.block())

    def plain(self) -> _Plain:
        identifier, password = self.block(), self.block()
        return _Plain(identifier, password, kind=self.text(), service=self.text())

    def is_at_end(self) -> bool:
        return self._at >= len(self._data)


def _read_writable(reader: _Reader) -> tuple[dict[str, _Plain], dict[str, bytes]]:
    tokens: dict[str, _Plain] = {}
    for _ in range(reader.vint()):
        alias = reader.text()
        tokens[alias] = reader.plain()
    secrets: dict[str, bytes] = {}
    for _ in range(reader.vint()):
        alias = reader.text()
        secrets[alias] = reader.block()
    return tokens, secrets


def _read_protobuf(reader: _Reader) -> tuple[dict[str, _Plain], dict[str, bytes]]:
    """CredentialsProto, delimited: 1 tokens, 2 secrets, each with 1 alias, 2 token, 3 secret."""
    from yarnbox.yarn.records.tokens import Token
    from yarnbox.yarn.wire import from_bytes  # which brings protobuf: tasks are given the other format

    tokens: dict[str, _Plain] = {}
    secrets: dict[str, bytes] = {}
    for number, entry in _fields(reader.take(reader.varint())):
        parts = dict(_fields(entry))
        alias = _decoded(parts.get(1, b""))
        if number == 1 and 2 in parts:
            token = from_bytes(Token, parts[2])
            tokens[alias] = _Plain(token.identifier, token.password, token.kind, token.service)
        elif number == 2:
            secrets[alias] = parts.get(3, b"")
    return tokens, secrets


def _fields(data: bytes) -> list[tuple[int, bytes]]:
    """(number, bytes) of a message in which every field is length-delimited, as these are."""
    reader = _Reader(data)
    found = []
    while not reader.is_at_end():
        key = reader.varint()
        if key & 7 != 2:
            raise IllegalArgumentError("the credentials have a field of an unexpected kind")
        found.append((key >> 3, reader.take(reader.varint())))
    return found


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise IllegalArgumentError("the credentials have a name that is not UTF-8") from error


def _block(data: bytes) -> bytes:
    return write_vint(len(data)) + data


def _text(text: str) -> bytes:
    return _block(text.encode())
