package yarnbox.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.net.NodeBase;
import org.apache.hadoop.util.Time;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.NodeLabel;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.event.Dispatcher;
import org.apache.hadoop.yarn.event.Event;
import org.apache.hadoop.yarn.event.EventHandler;
import org.apache.hadoop.yarn.server.api.records.NodeHealthStatus;
import org.apache.hadoop.yarn.server.api.records.NodeStatus;
import org.apache.hadoop.yarn.server.resourcemanager.ClusterMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.RMContext;
import org.apache.hadoop.yarn.server.resourcemanager.DoorlessResourceManager;
import org.apache.hadoop.yarn.server.resourcemanager.placement.ApplicationPlacementContext;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppImpl;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppState;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttempt;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptImpl;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptState;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNode;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNodeImpl;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNodeStartedEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.AbstractYarnScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ContainerUpdates;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.QueueMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppAddedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppAttemptAddedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppAttemptRemovedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppRemovedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.NodeAddedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.NodeUpdateSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.SchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler;
import org.apache.hadoop.yarn.util.Records;
import org.apache.hadoop.yarn.util.resource.ResourceUtils;

/** Hadoop's scheduler in its ResourceManager, with nodes and applications; what it tells the others is not delivered. */
final class Rig {
  /** Takes events and counts them; those for the scheduler reach it when `delivers` is set. */
  @SuppressWarnings("rawtypes")
  static final class Silence implements Dispatcher, EventHandler<Event> {
    long events;
    EventHandler<SchedulerEvent> delivers;

    @Override
    @SuppressWarnings("unchecked")
    public EventHandler<Event> getEventHandler() {
      return this;
    }

    @Override
    public void register(Class<? extends Enum> type, EventHandler handler) {}

    @Override
    public void handle(Event event) {
      events++;
      if (delivers != null && event instanceof SchedulerEvent) {
        delivers.handle((SchedulerEvent) event);
      }
    }
  }

  /** An application that runs its one attempt. */
  private static final class App extends RMAppImpl {
    private RMAppAttempt attempt;

    App(ApplicationId id, RMContext context, Configuration conf, String user, String queue,
        ApplicationSubmissionContext submission) {
      super(id, context, conf, id.toString(), user, queue, submission, context.getScheduler(),
          context.getApplicationMasterService(), 0, "YARN", Collections.emptySet(), null);
    }

    @Override
    public RMAppAttempt getCurrentAppAttempt() {
      return attempt;
    }
  }

  final Silence silence = new Silence();
  final List<NodeUpdateSchedulerEvent> updates = new ArrayList<>();
  final List<ApplicationAttemptId> attempts = new ArrayList<>();
  final AbstractYarnScheduler<?, ?> scheduler;
  final RMContext context;
  final Configuration conf;
  private final DoorlessResourceManager manager;

  Rig(Configuration conf) {
    this.conf = conf;
    DefaultMetricsSystem.setMiniClusterMode(true);
    DefaultMetricsSystem.shutdown();
    QueueMetrics.clearQueueMetrics();
    ClusterMetrics.destroy();
    ResourceUtils.resetResourceTypes(conf);
    manager = new DoorlessResourceManager(silence, System.currentTimeMillis());
    manager.init(conf);
    manager.start();
    scheduler = (AbstractYarnScheduler<?, ?>) manager.getResourceScheduler();
    context = manager.getRMContext();
  }

  void stop() {
    manager.stop();
    System.gc();
  }

  void addNode(int number, long memory, int vcores, String label) throws Exception {
    NodeId id = NodeId.newInstance("n" + number, 1234);
    if (!label.isEmpty()) {
      context.getNodeLabelManager().replaceLabelsOnNode(Map.of(id, Set.of(label)));
    }
    RMNodeImpl node = new RMNodeImpl(id, context, "n" + number, 1234, 8042, new NodeBase("n" + number, "/r" + number / 40),
        Resource.newInstance(memory, vcores), "3.4.1");
    NodeStatus status = NodeStatus.newInstance(id, 0, List.of(), List.of(),
        NodeHealthStatus.newInstance(true, "", Time.now()), null, null, null);
    node.handle(new RMNodeStartedEvent(id, null, null, status));
    context.getRMNodes().put(id, node);
    scheduler.handle(new NodeAddedSchedulerEvent(node));
    updates.add(new NodeUpdateSchedulerEvent(node));
  }

  void addLabels(int partitions) throws Exception {
    List<NodeLabel> labels = new ArrayList<>();
    for (int label = 1; label < partitions; label++) {
      labels.add(NodeLabel.newInstance("l" + label, false));
    }
    if (!labels.isEmpty()) {
      context.getNodeLabelManager().addToCluserNodeLabels(labels);
    }
  }

  ApplicationAttemptId submit(String queue, String user) {
    ApplicationAttemptId attempt = prepare(queue, user);
    enter(attempt, queue, user);
    return attempt;
  }

  /** An application that the scheduler does not know yet. */
  ApplicationAttemptId prepare(String queue, String user) {
    ApplicationId id = ApplicationId.newInstance(1000, attempts.size() + 1);
    ApplicationAttemptId attemptId = ApplicationAttemptId.newInstance(id, 1);
    ApplicationSubmissionContext submission = Records.newRecord(ApplicationSubmissionContext.class);
    submission.setApplicationId(id);
    submission.setQueue(queue);
    submission.setUnmanagedAM(true);
    submission.setPriority(Priority.newInstance(0));
    submission.setAMContainerSpec(Records.newRecord(ContainerLaunchContext.class));
    App app = new App(id, context, conf, user, queue, submission);
    app.attempt = new RMAppAttemptImpl(attemptId, context, scheduler, context.getApplicationMasterService(), submission,
        conf, Collections.emptyList(), app);
    context.getRMApps().put(id, app);
    attempts.add(attemptId);
    return attemptId;
  }

  /** The scheduler takes it in. */
  void enter(ApplicationAttemptId attemptId, String queue, String user) {
    ApplicationId id = attemptId.getApplicationId();
    scheduler.handle(scheduler instanceof FairScheduler
        ? new AppAddedSchedulerEvent(id, queue, user, new ApplicationPlacementContext(queue))
        : new AppAddedSchedulerEvent(id, queue, user));
    scheduler.handle(new AppAttemptAddedSchedulerEvent(attemptId, false));
    if (scheduler.getSchedulerApplications().get(id) == null) {
      throw new IllegalStateException(queue + " does not take applications");
    }
  }

  /** It ends, with all that it has. */
  void leave(ApplicationAttemptId attempt) {
    scheduler.handle(new AppAttemptRemovedSchedulerEvent(attempt, RMAppAttemptState.FINISHED, false));
    scheduler.handle(new AppRemovedSchedulerEvent(attempt.getApplicationId(), RMAppState.FINISHED));
  }

  /** Whether the attempt has been given anything. */
  boolean holds(ApplicationAttemptId attempt) {
    return !scheduler.getApplicationAttempt(attempt).getLiveContainers().isEmpty();
  }

  /** The AM's call. */
  void ask(ApplicationAttemptId attempt, int count, String label) {
    ResourceRequest request = ResourceRequest.newInstance(Priority.newInstance(1), ResourceRequest.ANY,
        Resource.newInstance(1024, 1), count);
    if (!label.isEmpty()) {
      request.setNodeLabelExpression(label);
    }
    List<ResourceRequest> ask = new ArrayList<>();
    ask.add(request);
    scheduler.allocate(attempt, ask, null, new ArrayList<>(), null, null, NO_UPDATES);
  }

  private static final ContainerUpdates NO_UPDATES = new ContainerUpdates();

  long containers() {
    long count = 0;
    for (NodeUpdateSchedulerEvent update : updates) {
      RMNode node = update.getRMNode();
      count += scheduler.getNodeTracker().getNode(node.getNodeID()).getNumContainers();
    }
    return count;
  }

  void heartbeatAll() {
    for (NodeUpdateSchedulerEvent update : updates) {
      scheduler.handle(update);
    }
  }

  /** Heartbeats until no node has room, or nobody may have it. */
  void saturate() {
    long before = -1;
    while (containers() != before) {
      before = containers();
      heartbeatAll();
    }
  }
}
