import java.nio.ByteBuffer;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterResponse;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerExitStatus;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.ContainerReport;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.ContainerUpdateType;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.UpdateContainerRequest;
import org.apache.hadoop.yarn.api.records.UpdatedContainer;
import org.apache.hadoop.yarn.api.records.YarnApplicationAttemptState;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.client.api.AMRMClient;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;
import org.apache.hadoop.yarn.client.api.NMClient;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * An application whose master runs here: YarnClient, AMRMClient and NMClient, call by call.
 *
 * Asks for containers, starts programs in them, looks at them, lets one grow, stops one, sees the exit status of
 * another and gives one back that it never used.
 */
public final class UnmanagedMaster {
  private static final int WANTED = 4;
  private static final Resource SMALL = Resource.newInstance(1024, 1);
  private static final Resource LARGER = Resource.newInstance(2048, 1);
  private static final Priority PRIORITY = Priority.newInstance(3);

  private final YarnConfiguration conf = new YarnConfiguration();
  private final YarnClient yarn = YarnClient.createYarnClient();
  private final AMRMClient<ContainerRequest> rm = AMRMClient.createAMRMClient();
  private final NMClient nodes = NMClient.createNMClient();
  private final Map<ContainerId, ContainerStatus> completed = new HashMap<>();
  private final List<UpdatedContainer> updated = new ArrayList<>();
  private final List<Container> containers = new ArrayList<>();

  private UnmanagedMaster() {
  }

  public static void main(String[] arguments) throws Exception {
    new UnmanagedMaster().run();
    System.out.println("done");
  }

  private void run() throws Exception {
    yarn.init(conf);
    yarn.start();
    lookAtTheCluster();
    ApplicationId application = submit();
    UserGroupInformation master = UserGroupInformation.createRemoteUser("master");
    master.addToken(yarn.getAMRMToken(application));
    master.doAs((PrivilegedExceptionAction<Void>) () -> {
      work(application);
      return null;
    });
    Expect.soon("the application is over",
        () -> yarn.getApplicationReport(application).getYarnApplicationState() == YarnApplicationState.FINISHED);
    ApplicationReport report = yarn.getApplicationReport(application);
    Expect.equal("its final status", FinalApplicationStatus.SUCCEEDED, report.getFinalApplicationStatus());
    Expect.equal("its last words", "all is well", report.getDiagnostics());
    yarn.stop();
  }

  private void lookAtTheCluster() throws Exception {
    List<NodeReport> running = yarn.getNodeReports(NodeState.RUNNING);
    Expect.that("nodes run", !running.isEmpty());
    Expect.that("metrics count them", yarn.getYarnClusterMetrics().getNumNodeManagers() >= running.size());
    List<String> queues = new ArrayList<>();
    for (QueueInfo queue : yarn.getAllQueues()) {
      queues.add(queue.getQueueName());
    }
    Expect.that("a queue is called default: " + queues, queues.contains("default"));
    Expect.equal("the queue by its name", "default", yarn.getQueueInfo("default").getQueueName());
  }

  private ApplicationId submit() throws Exception {
    ApplicationSubmissionContext context = yarn.createApplication().getApplicationSubmissionContext();
    context.setApplicationName("unmanaged");
    context.setApplicationType("TEST");
    context.setApplicationTags(Collections.singleton("java"));
    context.setUnmanagedAM(true);
    context.setQueue("default");
    context.setPriority(Priority.newInstance(1));
    context.setResource(SMALL);
    context.setAMContainerSpec(launch());
    ApplicationId application = yarn.submitApplication(context);
    Expect.soon("the attempt waits for its master", () -> {
      ApplicationReport report = yarn.getApplicationReport(application);
      return yarn.getApplicationAttemptReport(report.getCurrentApplicationAttemptId())
          .getYarnApplicationAttemptState() == YarnApplicationAttemptState.LAUNCHED;
    });
    Expect.equal("the new priority", Priority.newInstance(5),
        yarn.updateApplicationPriority(application, Priority.newInstance(5)));
    return application;
  }

  private static ContainerLaunchContext launch(String... commands) {
    return ContainerLaunchContext.newInstance(null, null, java.util.Arrays.asList(commands), null, null, null);
  }

  private void work(ApplicationId application) throws Exception {
    rm.init(conf);
    rm.start();
    nodes.init(conf);
    nodes.start();
    RegisterApplicationMasterResponse registered = rm.registerApplicationMaster("localhost", 1234, "");
    Expect.equal("the queue at registration, with its whole path", "root.default", registered.getQueue());
    Expect.equal("RUNNING", YarnApplicationState.RUNNING,
        yarn.getApplicationReport(application).getYarnApplicationState());
    for (int each = 0; each < WANTED; each++) {
      rm.addContainerRequest(new ContainerRequest(SMALL, null, null, PRIORITY));
    }
    Expect.soon("four containers", () -> {
      heartbeat(0.1f);
      return containers.size() == WANTED;
    });
    Expect.equal("the priority of a container", PRIORITY, containers.get(0).getPriority());
    Expect.equal("no request is left", 0, rm.getMatchingRequests(PRIORITY, "*", SMALL).stream()
        .mapToInt(java.util.Collection::size).sum());
    start(application);
    grow(containers.get(0));
    end();
    rm.unregisterApplicationMaster(FinalApplicationStatus.SUCCEEDED, "all is well", "");
    nodes.stop();
    rm.stop();
  }

  /** One to sleep, one to sleep and be stopped, one to fail; the fourth is never used. */
  private void start(ApplicationId application) throws Exception {
    nodes.startContainer(containers.get(0), launch("sleep 300"));
    Map<String, ByteBuffer> services =
        nodes.startContainer(containers.get(1), launch("echo $GREETING 1><LOG_DIR>/stdout; sleep 300"));
    Expect.that("a start says what auxiliary services said", services != null);
    nodes.startContainer(containers.get(2), launch("exit 3"));
    rm.releaseAssignedContainer(containers.get(3).getId());
    Expect.soon("a container runs", () -> status(containers.get(0)).getState() == ContainerState.RUNNING);
    Expect.soon("the RM knows of running containers", () -> {
      heartbeat(0.4f);
      int known = 0;
      for (ContainerReport report : yarn.getContainers(containers.get(0).getId().getApplicationAttemptId())) {
        known += report.getContainerState() == ContainerState.RUNNING ? 1 : 0;
      }
      return known >= 2;
    });
  }

  private void grow(Container container) throws Exception {
    rm.requestContainerUpdate(container, UpdateContainerRequest.newInstance(container.getVersion(), container.getId(),
        ContainerUpdateType.INCREASE_RESOURCE, LARGER, null));
    Expect.soon("a container may grow", () -> {
      heartbeat(0.6f);
      return !updated.isEmpty();
    });
    Container larger = updated.get(0).getContainer();
    Expect.equal("how large it may be", LARGER.getMemorySize(), larger.getResource().getMemorySize());
    nodes.updateContainerResource(larger);
    Expect.soon("it grew", () -> status(container).getCapability().getMemorySize() == LARGER.getMemorySize());
  }

  private void end() throws Exception {
    nodes.stopContainer(containers.get(1).getId(), containers.get(1).getNodeId());
    Expect.soon("all that ended was told", () -> {
      heartbeat(0.9f);
      return isOver(1) && isOver(2) && isOver(3);
    });
    Expect.equal("exit status of one that failed", 3, exitStatus(2));
    Expect.equal("exit status of one that was stopped", ContainerExitStatus.KILLED_BY_APPMASTER, exitStatus(1));
    Expect.equal("exit status of one that was given back", ContainerExitStatus.ABORTED, exitStatus(3));
    Expect.equal("the first runs on", ContainerState.RUNNING, status(containers.get(0)).getState());
  }

  private void heartbeat(float progress) throws Exception {
    AllocateResponse response = rm.allocate(progress);
    for (Container container : response.getAllocatedContainers()) {
      if (containers.size() == WANTED) { // a request that had crossed an allocation was served, too
        rm.releaseAssignedContainer(container.getId());
        continue;
      }
      containers.add(container);
      rm.removeContainerRequest(new ContainerRequest(SMALL, null, null, PRIORITY));
    }
    for (ContainerStatus status : response.getCompletedContainersStatuses()) {
      completed.put(status.getContainerId(), status);
    }
    updated.addAll(response.getUpdatedContainers());
    if (!response.getUpdateErrors().isEmpty()) {
      throw new AssertionError("an update was refused: " + response.getUpdateErrors());
    }
  }

  private ContainerStatus status(Container container) throws Exception {
    return nodes.getContainerStatus(container.getId(), container.getNodeId());
  }

  private boolean isOver(int number) {
    return completed.containsKey(containers.get(number).getId());
  }

  private int exitStatus(int number) {
    return completed.get(containers.get(number).getId()).getExitStatus();
  }
}
