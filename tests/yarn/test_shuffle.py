"""The shuffle's contract: requests, signatures, headers, indexes."""

from __future__ import annotations

import base64
import hmac
import io
from pathlib import Path

import pytest

from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.security.credentials import read_token, write_token
from yarnbox.yarn.shuffle import (
    JOB_TOKEN,
    IndexRecord,
    ShuffleHeader,
    ShuffleRequest,
    is_signed,
    port_meta_data,
    port_of_meta_data,
    read_index,
    reply_hash,
    request_target,
    url_hash,
    write_index,
)


def test_a_request_is_read_as_it_was_written() -> None:
    target = request_target("job_1_0001", 3, ["attempt_1_0001_m_000000_0", "attempt_1_0001_m_000001_0"])
    assert ShuffleRequest.parse(target) == ShuffleRequest(
        "job_1_0001", 3, ("attempt_1_0001_m_000000_0", "attempt_1_0001_m_000001_0")
    )


@pytest.mark.parametrize(
    "target",
    [
        "/",
        "/mapOutput",
        "/mapOutput?job=j&reduce=x&map=a",
        "/mapOutput?job=j&reduce=1",
        "/x?job=j&reduce=1&map=a",
    ],
)
def test_a_request_that_is_none_is_refused(target: str) -> None:
    with pytest.raises(ValueError, match=r"expected|not a number"):
        ShuffleRequest.parse(target)


def test_signatures_depend_on_secret_target_and_port() -> None:
    signature = url_hash(b"secret", "/mapOutput?job=j", 13562)
    assert is_signed(signature, url_hash(b"secret", "/mapOutput?job=j", 13562))
    assert not is_signed(signature, url_hash(b"other", "/mapOutput?job=j", 13562))
    assert not is_signed(signature, url_hash(b"secret", "/mapOutput?job=k", 13562))
    assert not is_signed(signature, url_hash(b"secret", "/mapOutput?job=j", 13563))
    assert not is_signed(signature, None)
    assert reply_hash(b"secret", signature) != signature
    # The message of SecureShuffleUtils.buildMsgFrom: the port comes first.
    message = b"13562/mapOutput?job=j"
    assert signature == base64.b64encode(hmac.digest(b"secret", message, "sha1")).decode()


def test_a_header_is_read_as_it_was_written() -> None:
    header = ShuffleHeader("attempt_1_0001_m_000000_0", 1 << 40, 1 << 41, 7)
    assert ShuffleHeader.read(io.BytesIO(header.to_bytes())) == header
    for length in (3, 25, 30):
        with pytest.raises(ValueError, match="ends within"):
            ShuffleHeader.read(io.BytesIO(header.to_bytes()[:length]))


def test_a_header_is_what_hadoops_reducers_read() -> None:
    """The bytes of ShuffleHeader.write: a text, two VLongs and a VInt."""
    header = ShuffleHeader("attempt_1_0001_m_000000_0", 5, 300, 0)
    assert header.to_bytes() == b"\x19attempt_1_0001_m_000000_0\x05\x8e\x01\x2c\x00"


@pytest.mark.parametrize("data", ["8e0400", "ff", "0161050a90", "01618705"])
def test_a_header_with_nonsense_is_refused(data: str) -> None:
    with pytest.raises(ValueError, match="shuffle header"):
        ShuffleHeader.read(io.BytesIO(bytes.fromhex(data)))


def test_an_index_with_a_wrong_byte_is_no_index(tmp_path: Path) -> None:
    path = tmp_path / "file.out.index"
    index = [IndexRecord(0, 20, 10), IndexRecord(10, 7, 5)]
    write_index(path, index)
    assert read_index(path) == index
    path.write_bytes(path.read_bytes()[:-9] + b"x" + path.read_bytes()[-8:])
    with pytest.raises(ValueError, match="not an index"):
        read_index(path)


def test_the_port_travels_as_four_bytes() -> None:
    assert port_meta_data(13562) == b"\x00\x00\x34\xfa"
    assert port_of_meta_data(port_meta_data(13562)) == 13562
    with pytest.raises(ValueError, match="not 4"):
        port_of_meta_data(b"")


def test_a_job_token_is_read_as_it_was_written() -> None:
    token = Token(identifier=b"job_1_0001", password=b"secret", kind=JOB_TOKEN, service="job_1_0001")
    assert read_token(write_token(token)) == token
