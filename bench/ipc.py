"""Calls a second from one client to one ResourceManager: Hadoop's own wire beside gRPC, same call, same run.

On Hadoop's wire a plain socket with one call at a time, and with a window of calls in flight, as a client of
many threads has; over gRPC a blocking stub, one call at a time.
"""

from __future__ import annotations

import socket
import tempfile
import time
from pathlib import Path

from bench._report import report
from yarnbox.cluster.cluster import Cluster, Options
from yarnbox.cluster.directory import RunDirectory
from yarnbox.protos.IpcConnectionContext_pb2 import IpcConnectionContextProto, UserInformationProto
from yarnbox.protos.ProtobufRpcEngine2_pb2 import RequestHeaderProto
from yarnbox.protos.RpcHeader_pb2 import RpcKindProto, RpcRequestHeaderProto
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.connection.rpc import BlockingStub
from yarnbox.yarn.hadoop_ipc.framing import CONTEXT_CALL, frame
from yarnbox.yarn.records.client import GetClusterMetricsRequest
from yarnbox.yarn.wire import to_bytes

CALLS = 10_000
WINDOW = 16
RPC = "getClusterMetrics"
PROTOCOL = "org.apache.hadoop.yarn.api.ApplicationClientProtocolPB"
SERVICE = "ApplicationClientProtocolService"
REQUEST = GetClusterMetricsRequest()


def call_frame(call_id: int) -> bytes:
    """One call, as Hadoop's clients write it."""
    engine = RequestHeaderProto(methodName=RPC, declaringClassProtocolName=PROTOCOL, clientProtocolVersion=1)
    return frame(header(call_id), engine.SerializeToString(), to_bytes(REQUEST))


def header(call_id: int) -> bytes:
    """The header of a request."""
    return RpcRequestHeaderProto(
        rpcKind=RpcKindProto.RPC_PROTOCOL_BUFFER,
        rpcOp=RpcRequestHeaderProto.RPC_FINAL_PACKET,
        callId=call_id,
        clientId=bytes(16),
        retryCount=0,
    ).SerializeToString()


def over_hadoop(address: str, window: int) -> float:
    """Calls a second with so many in flight."""
    host, _, port = address.rpartition(":")
    context = IpcConnectionContextProto(
        userInfo=UserInformationProto(effectiveUser="bench"), protocol=PROTOCOL
    )
    with socket.create_connection((host, int(port))) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(b"hrpc\x09\x00\x00" + frame(header(CONTEXT_CALL), context.SerializeToString()))
        answers = connection.makefile("rb")
        begun = time.perf_counter()
        for number in range(0, CALLS, window):
            connection.sendall(b"".join(call_frame(number + one) for one in range(window)))
            for _ in range(window):
                answers.read(int.from_bytes(answers.read(4), "big"))
        return CALLS / (time.perf_counter() - begun)


def over_grpc(address: str) -> float:
    """Calls a second, one at a time."""
    with BlockingStub(address, SERVICE, user="bench") as stub:
        stub.call(RPC, REQUEST)
        begun = time.perf_counter()
        for _ in range(CALLS):
            stub.call(RPC, REQUEST)
        return CALLS / (time.perf_counter() - begun)


def main() -> None:
    """Starts a cluster of one node, and asks it."""
    with tempfile.TemporaryDirectory(prefix="yarnbox-bench-") as scratch:
        run = RunDirectory(Path(scratch, "run"))
        cluster = Cluster(run, stays_with_us=True)
        record = cluster.up(Options(nodes=1, port=0, web_port=0, for_hadoop=True))
        try:
            cluster.wait_until_ready()
            hadoop = Configuration.load(run.path, ["yarn-site.xml"]).value("yarn.resourcemanager.address")
            assert hadoop is not None
            figures = {
                "hadoop_one_at_a_time": over_hadoop(hadoop, 1),
                f"hadoop_{WINDOW}_in_flight": over_hadoop(hadoop, WINDOW),
                "grpc_one_at_a_time": over_grpc(record.rm_address),
            }
        finally:
            cluster.down()
    report("ipc", figures, dict.fromkeys(figures, "calls/s"))


if __name__ == "__main__":
    main()
