"""Frames of Hadoop's wire: lengths, delimited messages, and the headers of calls and answers.

Owns the bytes; knows neither the order in which frames come nor what calls mean. Everything read here was
sent by somebody else: what cannot be read is a MalformedFrameError and nothing worse.
Hadoop: RpcWritable, RpcHeaderProtos and the connection header of ipc.Server.
"""

from __future__ import annotations

from typing import TypeVar

from google.protobuf.message import DecodeError, Message

from yarnbox.protos.RpcHeader_pb2 import RpcRequestHeaderProto, RpcResponseHeaderProto, RpcSaslProto

MAGIC = b"hrpc"
VERSION = 9
HEADER_BYTES = 7
NO_AUTHENTICATION = 0x00
SASL_AUTHENTICATION = 0xDF

CONTEXT_CALL = -3
PING_CALL = -4
SASL_CALL = -33
NO_CALL = -1

Code = RpcResponseHeaderProto.RpcErrorCodeProto
Status = RpcResponseHeaderProto.RpcStatusProto

_LENGTH_BYTES = 4
_LONGEST_VARINT = 5
_SHORT_VARINTS = tuple(bytes([value]) for value in range(0x80))
_SUCCESS = RpcResponseHeaderProto.SUCCESS  # by its name it is looked up each time
M = TypeVar("M", bound=Message)


class MalformedFrameError(Exception):
    """Bytes that are no frame, or not the message that has to stand here."""


def read_delimited(data: bytes, at: int) -> tuple[bytes, int]:
    """The bytes of the message that begins at a position, and the position behind it."""
    if at < len(data) and data[at] < 0x80:  # nearly always
        length, at = data[at], at + 1
    else:
        length, at = _read_varint(data, at)
    end = at + length
    if end > len(data):
        raise MalformedFrameError(f"a message of {length} bytes in a frame that has {len(data) - at} left")
    return data[at:end], end


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    length = shift = 0
    for used in range(_LONGEST_VARINT):
        if at >= len(data):
            raise MalformedFrameError("the frame ends within a length")
        byte = data[at]
        at += 1
        length |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
        if used == _LONGEST_VARINT - 1:
            raise MalformedFrameError("a length of more than 32 bits")
    return length, at


def parse(cls: type[M], data: bytes) -> M:
    """The message in these bytes."""
    try:
        message = cls.FromString(data)
    except DecodeError as error:
        raise MalformedFrameError(f"not a {cls.__name__}: {error}") from error
    if not message.IsInitialized():
        raise MalformedFrameError(f"not a {cls.__name__}: a required field is missing")
    return message


def write_varint(value: int) -> bytes:
    """A length as protobuf writes it."""
    if value < 0x80:
        return _SHORT_VARINTS[value]
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def frame(*messages: bytes) -> bytes:
    """A frame of delimited messages."""
    parts = [b""]
    for message in messages:
        parts += (write_varint(len(message)), message)
    parts[0] = sum(map(len, parts)).to_bytes(_LENGTH_BYTES, "big")
    return b"".join(parts)


def success(call: RpcRequestHeaderProto, message: bytes) -> bytes:
    """The answer to a call."""
    header = RpcResponseHeaderProto(
        callId=call.callId & 0xFFFFFFFF,
        status=_SUCCESS,
        serverIpcVersionNum=VERSION,
        clientId=call.clientId,
        retryCount=call.retryCount,
    )
    return frame(header.SerializeToString(), message)


def failure(
    call: RpcRequestHeaderProto | None,
    java_class: str,
    message: str,
    code: RpcResponseHeaderProto.RpcErrorCodeProto.ValueType,
    *,
    call_id: int = NO_CALL,
    fatal: bool = False,
) -> bytes:
    """The answer that a call was refused; a fatal one ends the connection."""
    header = RpcResponseHeaderProto(
        callId=(call_id if call is None else call.callId) & 0xFFFFFFFF,
        status=Status.FATAL if fatal else Status.ERROR,
        serverIpcVersionNum=VERSION,
        exceptionClassName=java_class,
        errorMsg=message,
        errorDetail=code,
        clientId=b"" if call is None else call.clientId,
        retryCount=-1 if call is None else call.retryCount,
    )
    return frame(header.SerializeToString())


def sasl(message: RpcSaslProto) -> bytes:
    """A frame of the SASL exchange."""
    header = RpcResponseHeaderProto(callId=SASL_CALL & 0xFFFFFFFF, status=Status.SUCCESS)
    return frame(header.SerializeToString(), message.SerializeToString())
