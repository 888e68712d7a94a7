"""Token files: the bytes that Hadoop writes and reads, and what is none."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yarnbox.yarn.errors import IllegalArgumentError
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.security.credentials import (
    TOKEN_FILE_VARIABLE,
    Credentials,
    credentials_of_environment,
    password_of_environment,
    write_token_file,
)
from yarnbox.yarn.storage.writable import write_vint

EXAMPLE = Credentials(
    {"al": Token(identifier=b"\x01\x02", password=b"\x03", kind="K", service="h:1")}, {"s": b"\x09"}
)
WRITABLE = bytes.fromhex("484454530001 02616c 020102 0103 014b 03683a31 01 0173 0109")
PROTOBUF = bytes.fromhex("48445453011f0a150a02616c120f0a0201021201031a014b2203683a3112060a01731a0109")


@pytest.mark.parametrize(
    "value, data",
    [
        (0, "00"),
        (127, "7f"),
        (-112, "90"),
        (128, "8f80"),
        (255, "8fff"),
        (256, "8e0100"),
        (65536, "8d010000"),
        (-113, "8770"),
        (-300, "86012b"),
    ],
)
def test_variable_length_integers(value: int, data: str) -> None:
    assert write_vint(value).hex() == data


def test_the_first_format_is_read_and_written() -> None:
    assert EXAMPLE.to_bytes() == WRITABLE
    assert Credentials.from_bytes(WRITABLE) == EXAMPLE


def test_the_second_format_is_read() -> None:
    assert Credentials.from_bytes(PROTOBUF) == EXAMPLE


@pytest.mark.parametrize("data", [WRITABLE, PROTOBUF])
def test_what_follows_the_end_is_ignored(data: bytes) -> None:
    assert Credentials.from_bytes(data + bytes(100)) == EXAMPLE


@pytest.mark.parametrize("data", [None, b""])
def test_nothing_is_no_credentials(data: bytes | None) -> None:
    assert Credentials.from_bytes(data) == Credentials()


@pytest.mark.parametrize(
    "data", [b"HDT", b"HDTS", b"XXXX\x00", b"HDTS\x07\x00", *(WRITABLE[:n] for n in range(5, len(WRITABLE)))]
)
def test_what_is_none_is_refused(data: bytes) -> None:
    with pytest.raises(IllegalArgumentError):
        Credentials.from_bytes(data)


@given(st.binary(max_size=60))
def test_no_bytes_do_worse_than_being_refused(data: bytes) -> None:
    for head in (b"HDTS\x00", b"HDTS\x01"):
        with suppress(IllegalArgumentError):
            Credentials.from_bytes(head + data)


tokens = st.builds(
    Token, identifier=st.binary(max_size=300), password=st.binary(), kind=st.text(), service=st.text()
)


@given(st.dictionaries(st.text(), tokens), st.dictionaries(st.text(), st.binary()))
def test_what_is_written_is_read_again(held: dict[str, Token], secrets: dict[str, bytes]) -> None:
    assert Credentials.from_bytes(Credentials(held, secrets).to_bytes()) == Credentials(held, secrets)


def test_a_process_finds_its_token_by_its_environment(tmp_path: Path) -> None:
    path = tmp_path / "container_tokens"
    token = Token(identifier=b"i", password=b"p", kind="YARN_AM_RM_TOKEN", service="rm:8030")
    write_token_file(path, EXAMPLE.with_token("am", token))
    assert path.stat().st_mode & 0o777 == 0o600
    found = credentials_of_environment({TOKEN_FILE_VARIABLE: str(path)})
    assert found.token_of_kind("YARN_AM_RM_TOKEN") == token
    assert found.token_of_kind("none") is None
    assert credentials_of_environment({}) == Credentials()


@pytest.mark.parametrize("data", [WRITABLE, PROTOBUF])
def test_a_task_finds_its_secret_alone(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "container_tokens"
    path.write_bytes(data)
    environment = {TOKEN_FILE_VARIABLE: str(path)}
    (token,) = EXAMPLE.tokens.values()
    assert password_of_environment(environment, token.kind) == token.password
    assert password_of_environment(environment, "none") is None
    assert password_of_environment({}, token.kind) is None
