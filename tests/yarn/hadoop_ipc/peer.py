"""A client of Hadoop's wire, written from its description and not from the server: frames, SASL, answers."""

from __future__ import annotations

import base64
import re

from yarnbox.protos.IpcConnectionContext_pb2 import IpcConnectionContextProto, UserInformationProto
from yarnbox.protos.ProtobufRpcEngine2_pb2 import RequestHeaderProto
from yarnbox.protos.RpcHeader_pb2 import (
    RpcKindProto,
    RpcRequestHeaderProto,
    RpcResponseHeaderProto,
    RpcSaslProto,
)
from yarnbox.yarn.hadoop_ipc.digest import answer
from yarnbox.yarn.hadoop_ipc.framing import frame, read_delimited

PROTOCOL = "org.apache.hadoop.yarn.api.ApplicationClientProtocolPB"
SIMPLE = bytes.fromhex("68727063 09 00 00")
SASL = bytes.fromhex("68727063 09 00 df")
NEGOTIATE = bytes.fromhex("0000000e 0a 0802 1000 1841 2200 2801 02 1001")


def header(call_id: int, client_id: bytes = b"c" * 16, retry: int = 0) -> bytes:
    """The header of a request."""
    return RpcRequestHeaderProto(
        rpcKind=RpcKindProto.RPC_PROTOCOL_BUFFER,
        rpcOp=RpcRequestHeaderProto.RPC_FINAL_PACKET,
        callId=call_id,
        clientId=client_id,
        retryCount=retry,
    ).SerializeToString()


def context(user: str | None = "alice", real_user: str | None = None) -> bytes:
    """The frame with the connection context."""
    info = UserInformationProto(effectiveUser=user, realUser=real_user)
    message = IpcConnectionContextProto(userInfo=info, protocol=PROTOCOL)
    return frame(header(-3, retry=-1), message.SerializeToString())


def call(call_id: int, method: str, request: bytes = b"", protocol: str = PROTOCOL) -> bytes:
    """The frame of a call."""
    engine = RequestHeaderProto(
        methodName=method, declaringClassProtocolName=protocol, clientProtocolVersion=1
    )
    return frame(header(call_id), engine.SerializeToString(), request)


def ping() -> bytes:
    """The frame of a ping."""
    return frame(header(-4, retry=-1))


def initiate(challenge: bytes, identifier: bytes, password: bytes, **changes: str) -> bytes:
    """The frame that answers a challenge."""
    given = dict(re.findall(r'(\w+)="([^"]*)"', challenge.decode()))
    said = {
        "charset": "utf-8",
        "username": base64.b64encode(identifier).decode(),
        "realm": given["realm"],
        "nonce": given["nonce"],
        "nc": "00000001",
        "cnonce": "bm9uY2U=",
        "digest-uri": "/default",
        "maxbuf": "65536",
        "qop": "auth",
    }
    said["response"] = answer(said, base64.b64encode(password).decode(), "AUTHENTICATE")
    said.update(changes)
    token = ",".join(f'{name}="{value}"' for name, value in said.items()).encode()
    auth = RpcSaslProto.SaslAuth(method="TOKEN", mechanism="DIGEST-MD5", protocol="", serverId="default")
    message = RpcSaslProto(state=RpcSaslProto.INITIATE, token=token, auths=[auth])
    return frame(header(-33, b"", -1), message.SerializeToString())


def answers(data: bytes) -> list[tuple[RpcResponseHeaderProto, bytes]]:
    """The header and the message of each frame; all bytes have to be used."""
    found = []
    while data:
        length = int.from_bytes(data[:4], "big")
        payload, data = data[4 : 4 + length], data[4 + length :]
        assert len(payload) == length
        head, at = read_delimited(payload, 0)
        message = b""
        if at < len(payload):
            message, at = read_delimited(payload, at)
        assert at == len(payload)
        found.append((RpcResponseHeaderProto.FromString(head), message))
    return found
