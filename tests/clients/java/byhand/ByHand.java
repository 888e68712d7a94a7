import com.google.protobuf.Message;
import hadoop.common.Security.TokenProto;
import hadoop.yarn.YarnProtos.*;
import hadoop.yarn.YarnServerCommonProtos.*;
import hadoop.yarn.YarnServerCommonServiceProtos.*;
import hadoop.yarn.YarnServiceProtos.*;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;

/** YARN's protocols by hand, as examples/by_hand/by_hand.py: messages made from protos/, gRPC, metadata. */
public final class ByHand {
    private static final Metadata.Key<String> USER =
            Metadata.Key.of("yarn-user", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<byte[]> TOKEN =
            Metadata.Key.of("yarn-token-bin", Metadata.BINARY_BYTE_MARSHALLER);
    private static final Metadata.Key<byte[]> EXCEPTION =
            Metadata.Key.of("yarn-exception-bin", Metadata.BINARY_BYTE_MARSHALLER);
    private static final String LABEL = "fast";
    private static final NodeIdProto NODE = NodeIdProto.newBuilder().setHost("by-hand").setPort(4711).build();
    private static final long PATIENCE_NS = 240_000_000_000L;

    private final Channel user;
    private int heartbeat;

    private ByHand(Channel channel) {
        Metadata metadata = new Metadata();
        metadata.put(USER, "alice");
        user = with(channel, metadata);
    }

    public static void main(String[] arguments) throws Exception {
        ManagedChannel channel = NettyChannelBuilder.forTarget(arguments[0]).usePlaintext().build();
        try {
            new ByHand(channel).run(channel);
        } finally {
            channel.shutdownNow();
        }
        System.out.println("done");
    }

    private void run(Channel channel) throws Exception {
        register();
        ApplicationReportProto report = submit();
        ApplicationIdProto id = report.getApplicationId();
        System.out.printf("submitted application_%d_%04d%n", id.getClusterTimestamp(), id.getId());
        System.out.println("refused " + refused());
        Metadata proof = new Metadata();
        TokenProto token = report.getAmRmToken();
        proof.put(TOKEN, token.toByteArray());
        Channel master = with(channel, proof);
        master(master, "registerApplicationMaster",
                RegisterApplicationMasterRequestProto.newBuilder().setHost("here").setRpcPort(-1).build(),
                RegisterApplicationMasterResponseProto.getDefaultInstance());
        System.out.println("lost " + loseOne(master));
        FinishApplicationMasterRequestProto end = FinishApplicationMasterRequestProto.newBuilder()
                .setFinalApplicationStatus(FinalApplicationStatusProto.APP_SUCCEEDED).build();
        while (!master(master, "finishApplicationMaster", end,
                FinishApplicationMasterResponseProto.getDefaultInstance()).getIsUnregistered()) {
            Thread.sleep(100);
        }
    }

    private void register() {
        NodeLabelProto label = NodeLabelProto.newBuilder().setName(LABEL).build();
        RegisterNodeManagerResponseProto answer = call(user, "ResourceTrackerService", "registerNodeManager",
                RegisterNodeManagerRequestProto.newBuilder().setNodeId(NODE).setHttpPort(0)
                        .setResource(size(4096, 4)).setNmVersion("3.4.1")
                        .setNodeLabels(NodeLabelsProto.newBuilder().addNodeLabels(label)).build(),
                RegisterNodeManagerResponseProto.getDefaultInstance());
        if (!answer.getAreNodeLabelsAcceptedByRM()) {
            throw new IllegalStateException(answer.getDiagnosticsMessage());
        }
    }

    private void beat() {
        NodeStatusProto status = NodeStatusProto.newBuilder().setNodeId(NODE).setResponseId(heartbeat)
                .setNodeHealthStatus(NodeHealthStatusProto.newBuilder().setIsNodeHealthy(true)).build();
        heartbeat = call(user, "ResourceTrackerService", "nodeHeartbeat",
                NodeHeartbeatRequestProto.newBuilder().setNodeStatus(status).build(),
                NodeHeartbeatResponseProto.getDefaultInstance()).getResponseId();
    }

    private ApplicationReportProto submit() throws Exception {
        ApplicationIdProto id = client("getNewApplication", GetNewApplicationRequestProto.getDefaultInstance(),
                GetNewApplicationResponseProto.getDefaultInstance()).getApplicationId();
        ApplicationSubmissionContextProto context = ApplicationSubmissionContextProto.newBuilder()
                .setApplicationId(id).setApplicationName("by hand").setQueue("default").setUnmanagedAm(true)
                .setAmContainerSpec(ContainerLaunchContextProto.getDefaultInstance())
                .setResource(size(256, 1)).build();
        client("submitApplication",
                SubmitApplicationRequestProto.newBuilder().setApplicationSubmissionContext(context).build(),
                SubmitApplicationResponseProto.getDefaultInstance());
        GetApplicationReportRequestProto asked =
                GetApplicationReportRequestProto.newBuilder().setApplicationId(id).build();
        for (long ends = System.nanoTime() + PATIENCE_NS; System.nanoTime() < ends; Thread.sleep(100)) {
            ApplicationReportProto report = client("getApplicationReport", asked,
                    GetApplicationReportResponseProto.getDefaultInstance()).getApplicationReport();
            if (report.hasAmRmToken() && report.getYarnApplicationState() == YarnApplicationStateProto.ACCEPTED) {
                return report;
            }
        }
        throw new IllegalStateException("the application was not accepted in time");
    }

    private String refused() throws Exception {
        try {
            master(user, "allocate", AllocateRequestProto.getDefaultInstance(),
                    AllocateResponseProto.getDefaultInstance());
        } catch (StatusRuntimeException refusal) {
            byte[] thrown = refusal.getTrailers().get(EXCEPTION);
            return SerializedExceptionProto.parseFrom(thrown).getClassName();
        }
        return "";
    }

    private int loseOne(Channel master) throws Exception {
        AllocateRequestProto.Builder request = AllocateRequestProto.newBuilder().setProgress(0.5f).addAsk(
                ResourceRequestProto.newBuilder().setPriority(PriorityProto.newBuilder().setPriority(1))
                        .setResourceName("*").setCapability(size(1024, 1)).setNumContainers(1)
                        .setNodeLabelExpression(LABEL));
        boolean hasContainer = false;
        for (long ends = System.nanoTime() + PATIENCE_NS; System.nanoTime() < ends; Thread.sleep(100)) {
            AllocateResponseProto answer =
                    master(master, "allocate", request.build(), AllocateResponseProto.getDefaultInstance());
            request.clearAsk().setResponseId(answer.getResponseId());
            for (ContainerProto container : answer.getAllocatedContainersList()) {
                System.out.println("allocated on " + container.getNodeId().getHost());
                hasContainer = true;
            }
            if (answer.getCompletedContainerStatusesCount() > 0) {
                return answer.getCompletedContainerStatuses(0).getExitStatus();
            }
            if (!hasContainer) {
                beat();
            }
        }
        throw new IllegalStateException("the container was not lost in time");
    }

    private static ResourceProto size(long memory, int cores) {
        return ResourceProto.newBuilder().setMemory(memory).setVirtualCores(cores).build();
    }

    private <A extends Message> A client(String rpc, Message request, A answer) {
        return call(user, "ApplicationClientProtocolService", rpc, request, answer);
    }

    private static <A extends Message> A master(Channel channel, String rpc, Message request, A answer) {
        return call(channel, "ApplicationMasterProtocolService", rpc, request, answer);
    }

    private static Channel with(Channel channel, Metadata metadata) {
        return ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(metadata));
    }

    private static <A extends Message> A call(
            Channel channel, String service, String rpc, Message request, A answer) {
        MethodDescriptor<Message, A> method = MethodDescriptor.<Message, A>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName("hadoop.yarn." + service + "/" + rpc)
                .setRequestMarshaller(ProtoUtils.marshaller((Message) request.getDefaultInstanceForType()))
                .setResponseMarshaller(ProtoUtils.marshaller(answer)).build();
        return ClientCalls.blockingUnaryCall(channel, method, CallOptions.DEFAULT, request);
    }
}
