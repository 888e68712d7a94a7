"""Frames against bytes that Hadoop's own clients and servers put on the wire."""

from __future__ import annotations

import pytest

from yarnbox.protos.RpcHeader_pb2 import RpcKindProto, RpcRequestHeaderProto
from yarnbox.yarn.hadoop_ipc.digest import answer
from yarnbox.yarn.hadoop_ipc.framing import (
    Code,
    MalformedFrameError,
    failure,
    frame,
    parse,
    read_delimited,
    success,
    write_varint,
)

CLIENT_ID = bytes.fromhex("e4589b8663f148588596150f5b126ae2")
CALL = RpcRequestHeaderProto(
    rpcKind=RpcKindProto.RPC_PROTOCOL_BUFFER,
    rpcOp=RpcRequestHeaderProto.RPC_FINAL_PACKET,
    callId=0,
    clientId=CLIENT_ID,
    retryCount=0,
)


def test_a_success_is_hadoops() -> None:
    message = b"x" * 155
    head = "000000b8 1a 0800 1000 1809 3a10 e4589b8663f148588596150f5b126ae2 4000 9b01"
    assert success(CALL, message) == bytes.fromhex(head) + message


def test_an_error_is_hadoops() -> None:
    java_class = "org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException"
    data = failure(CALL, java_class, "m" * 114, Code.ERROR_APPLICATION)
    expected = (
        bytes.fromhex("000000d2 d001 0800 1001 1809 223e")
        + java_class.encode()
        + bytes.fromhex("2a72")
        + b"m" * 114
        + bytes.fromhex("3001 3a10")
        + CLIENT_ID
        + bytes.fromhex("4000")
    )
    assert data == expected


def test_negative_call_ids_are_masked_in_answers() -> None:
    assert bytes.fromhex("08ffffffff0f") in failure(None, "C", "m", Code.FATAL_UNAUTHORIZED, fatal=True)


def test_an_empty_message_is_one_byte() -> None:
    assert frame(b"") == bytes.fromhex("00000001 00")


@pytest.mark.parametrize("length", [0, 1, 127, 128, 16_383, 16_384, 1 << 20])
def test_a_delimited_message_comes_back(length: int) -> None:
    data = write_varint(length) + bytes(length)
    assert read_delimited(data, 0) == (bytes(length), len(data))


@pytest.mark.parametrize("data", [b"", b"\x80", b"\x02x", b"\xff" * 9, b"\xff\xff\xff\xff\x0f"])
def test_what_is_no_delimited_message_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedFrameError):
        read_delimited(data, 0)


def test_a_header_without_its_required_fields_is_refused() -> None:
    with pytest.raises(MalformedFrameError):
        parse(RpcRequestHeaderProto, b"\x08\x02")


def test_the_digest_is_hadoops() -> None:
    given = {
        "username": "aWRlbnQ=",
        "realm": "default",
        "nonce": "pMxM3w7c1h5dkGhC8/KGoyEkH1BYNoLSQgPzxvm/",
        "cnonce": "uuuH5dDGRw4vIc/9IIBPngz4FUJq8niaLqQXfplv",
        "nc": "00000001",
        "qop": "auth",
        "digest-uri": "/default",
    }
    assert answer(given, "cGFzcw==", "AUTHENTICATE") == "37c1109cfae58b6d0180c97e9cdeca63"
    assert answer(given, "cGFzcw==", "") == "eefa744097865edd3c789b947b382428"
