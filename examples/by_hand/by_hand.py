"""YARN's protocols by hand: generated stubs, gRPC, and three metadata keys. Nothing else of yarnbox.

    python by_hand.py 127.0.0.1:8050

Registers a node with a label, submits an application whose AM runs here, asks for a container on the label,
lets the node fall silent, and hears that the container is lost. The ResourceManager must take labels from
nodes and know the label (see the manual, "The protocol by hand").
"""

import sys
import time

import grpc

from yarnbox.protos import ResourceTracker_pb2_grpc as tracker
from yarnbox.protos import Security_pb2 as security
from yarnbox.protos import applicationclient_protocol_pb2_grpc as client
from yarnbox.protos import applicationmaster_protocol_pb2_grpc as master
from yarnbox.protos import yarn_protos_pb2 as yarn
from yarnbox.protos import yarn_server_common_protos_pb2 as node_protos
from yarnbox.protos import yarn_server_common_service_protos_pb2 as node_calls
from yarnbox.protos import yarn_service_protos_pb2 as calls

USER = (("yarn-user", "alice"),)
LABEL = "fast"
NODE = yarn.NodeIdProto(host="by-hand", port=4711)
SIZE = yarn.ResourceProto(memory=4096, virtual_cores=4)
PATIENCE_S = 120
Proof = tuple[tuple[str, bytes], ...]


class Node:
    """A NodeManager, as far as the ResourceManager can see it."""

    def __init__(self, channel: grpc.Channel) -> None:
        self._stub = tracker.ResourceTrackerServiceStub(channel)
        self._response_id = 0

    def register(self) -> None:
        """Says what it has, and its label."""
        labels = node_calls.NodeLabelsProto(nodeLabels=[yarn.NodeLabelProto(name=LABEL)])
        answer = self._stub.registerNodeManager(
            node_calls.RegisterNodeManagerRequestProto(
                node_id=NODE, http_port=0, resource=SIZE, nm_version="3.4.1", nodeLabels=labels
            ),
            metadata=USER,
        )
        assert answer.areNodeLabelsAcceptedByRM, answer.diagnostics_message

    def beat(self) -> None:
        """One heartbeat: it is healthy, and nothing runs."""
        health = node_protos.NodeHealthStatusProto(is_node_healthy=True)
        status = node_protos.NodeStatusProto(
            node_id=NODE, response_id=self._response_id, nodeHealthStatus=health
        )
        answer = self._stub.nodeHeartbeat(
            node_calls.NodeHeartbeatRequestProto(node_status=status), metadata=USER
        )
        self._response_id = answer.response_id


def submit(stub: client.ApplicationClientProtocolServiceStub) -> tuple[str, security.TokenProto]:
    """An application with an unmanaged AM; its id as text, and the token of its AM."""
    new = stub.getNewApplication(calls.GetNewApplicationRequestProto(), metadata=USER)
    context = yarn.ApplicationSubmissionContextProto(
        application_id=new.application_id,
        application_name="by hand",
        queue="default",
        unmanaged_am=True,
        am_container_spec=yarn.ContainerLaunchContextProto(),
        resource=yarn.ResourceProto(memory=256, virtual_cores=1),
    )
    request = calls.SubmitApplicationRequestProto(application_submission_context=context)
    stub.submitApplication(request, metadata=USER)
    asked = calls.GetApplicationReportRequestProto(application_id=new.application_id)
    ends = time.monotonic() + PATIENCE_S
    while True:
        report = stub.getApplicationReport(asked, metadata=USER).application_report
        if report.HasField("am_rm_token") and report.yarn_application_state == yarn.ACCEPTED:
            number = new.application_id
            return f"application_{number.cluster_timestamp}_{number.id:04d}", report.am_rm_token
        assert time.monotonic() < ends, report
        time.sleep(0.1)


def refused(stub: master.ApplicationMasterProtocolServiceStub) -> str:
    """The class that a refusal names: AMs without a token are not let through."""
    try:
        stub.allocate(calls.AllocateRequestProto(), metadata=USER)
    except grpc.RpcError as error:
        for entry in error.trailing_metadata() or ():
            if entry.key == "yarn-exception-bin":
                return yarn.SerializedExceptionProto.FromString(entry.value).class_name
    return ""


def main(address: str) -> int:
    """The whole story; the exit status."""
    with grpc.insecure_channel(address) as channel:
        node = Node(channel)
        node.register()
        application, token = submit(client.ApplicationClientProtocolServiceStub(channel))
        print("submitted", application)
        stub = master.ApplicationMasterProtocolServiceStub(channel)
        print("refused", refused(stub))
        proof = (("yarn-token-bin", token.SerializeToString()),)
        stub.registerApplicationMaster(
            calls.RegisterApplicationMasterRequestProto(host="here", rpc_port=-1), metadata=proof
        )
        print("lost", lose_one(node, stub, proof))
        end = calls.FinishApplicationMasterRequestProto(final_application_status=yarn.APP_SUCCEEDED)
        while not stub.finishApplicationMaster(end, metadata=proof).isUnregistered:
            time.sleep(0.1)
    print("done")
    return 0


def lose_one(node: Node, stub: master.ApplicationMasterProtocolServiceStub, proof: Proof) -> int:
    """Asks for a container on the label, lets the node fall silent; the exit status that the AM is told."""
    ask = yarn.ResourceRequestProto(
        priority=yarn.PriorityProto(priority=1),
        resource_name="*",
        capability=yarn.ResourceProto(memory=1024, virtual_cores=1),
        num_containers=1,
        node_label_expression=LABEL,
    )
    asks, response_id, has_container = [ask], 0, False
    ends = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends:
        request = calls.AllocateRequestProto(ask=asks, response_id=response_id, progress=0.5)
        answer = stub.allocate(request, metadata=proof)
        asks, response_id = [], answer.response_id
        for container in answer.allocated_containers:
            print("allocated on", container.nodeId.host)
            has_container = True
        for status in answer.completed_container_statuses:
            return int(status.exit_status)
        if not has_container:
            node.beat()
        time.sleep(0.1)
    raise TimeoutError("the container was not lost in time")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: by_hand.py HOST:PORT, the address that `yarnbox up` calls gRPC")
    sys.exit(main(sys.argv[1]))
