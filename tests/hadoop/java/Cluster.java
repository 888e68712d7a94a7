package yarnbox.twin;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Timer;
import java.util.concurrent.ExecutorService;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.SecurityUtil;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.TokenIdentifier;
import org.apache.hadoop.yarn.api.impl.pb.service.ApplicationClientProtocolPBServiceImpl;
import org.apache.hadoop.yarn.api.impl.pb.service.ApplicationMasterProtocolPBServiceImpl;
import org.apache.hadoop.yarn.api.protocolrecords.impl.pb.ReservationUpdateRequestPBImpl;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.event.Event;
import org.apache.hadoop.yarn.proto.YarnServiceProtos.ReservationUpdateRequestProto;
import org.apache.hadoop.yarn.security.AMRMTokenIdentifier;
import org.apache.hadoop.yarn.server.api.impl.pb.service.ResourceManagerAdministrationProtocolPBServiceImpl;
import org.apache.hadoop.yarn.server.api.impl.pb.service.ResourceTrackerPBServiceImpl;
import org.apache.hadoop.yarn.server.resourcemanager.ApplicationMasterService;
import org.apache.hadoop.yarn.server.resourcemanager.ClusterMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.OpportunisticContainerAllocatorAMService;
import org.apache.hadoop.yarn.server.resourcemanager.RMContext;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceTrackerService;
import org.apache.hadoop.yarn.server.resourcemanager.TwinResourceManager;
import org.apache.hadoop.yarn.server.resourcemanager.monitor.SchedulingMonitor;
import org.apache.hadoop.yarn.server.resourcemanager.monitor.SchedulingMonitorManager;
import org.apache.hadoop.yarn.server.resourcemanager.recovery.MemoryStore;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.ReservationSystem;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppEventType;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptEventType;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNodeEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNodeEventType;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.AbstractYarnScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ClusterNodeTracker;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.QueueMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacitySchedulerMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.constraint.processor.PlacementConstraintProcessor;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.distributed.NodesInTurn;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.QueueManager;
import org.apache.hadoop.yarn.util.RackResolver;
import org.apache.hadoop.yarn.util.resource.ResourceUtils;

/**
 * One cluster's ResourceManager from its start to its end. What Hadoop keeps for a whole virtual machine is forgotten
 * before the start, as Hadoop's own tests do it.
 */
public final class Cluster {
  private static final Set<String> WAITING = Set.of("Ping Checker", "SchedulerUpdateThread", "FSPreemptionThread",
      "FairSchedulerContinuousScheduling");

  private final long startMs;
  private final TurnDispatcher dispatcher = new TurnDispatcher();
  private final TwinResourceManager manager;
  private final Map<String, Object> services = new HashMap<>();
  private final Warnings warnings = new Warnings();
  private final Births births = new Births();
  private final Reservations reservations;
  private final AbstractYarnScheduler<?, ?> scheduler;
  private final Monitors monitors;
  private NodesInTurn loads;

  private final Map<String, String> properties;

  Cluster(Map<String, String> properties, long startMs) throws Exception {
    this.properties = properties;
    this.startMs = startMs;
    VirtualTime.moveTo(startMs);
    Configuration conf = configuration(properties);
    forgetTheLast(conf);
    manager = new TwinResourceManager(dispatcher, startMs);
    manager.init(conf);
    manager.start();
    scheduler = (AbstractYarnScheduler<?, ?>) manager.getResourceScheduler();
    reservations = new Reservations(manager.getRMContext());
    reservations.recallAcceptance();
    reservations.complete();
    endThreads();
    monitors = new Monitors(manager);
    keepNodesInOrder();
    keepQueuesInOrder();
    placeInTurns();
    rankInTurns();
    trustConfiguredMaximum();
    services.put("client", new ApplicationClientProtocolPBServiceImpl(manager.getClientRMService()));
    services.put("tracker", new ResourceTrackerPBServiceImpl(manager.getResourceTrackerService()));
    services.put("master", new ApplicationMasterProtocolPBServiceImpl(manager.getApplicationMasterService()));
    services.put("admin", new ResourceManagerAdministrationProtocolPBServiceImpl(manager.admin()));
    dispatcher.drain();
  }

  private static Configuration configuration(Map<String, String> properties) throws Exception {
    Surroundings.file("yarn-site.xml", Surroundings.document(properties));
    Configuration conf = new YarnConfiguration();
    properties.forEach(conf::set);
    conf.set(YarnConfiguration.RM_CONFIGURATION_PROVIDER_CLASS, Surroundings.Provider.class.getName());
    conf.set("hadoop.security.group.mapping", Surroundings.Groups.class.getName());
    conf.set("net.topology.node.switch.mapping.impl", Surroundings.Racks.class.getName());
    conf.set(YarnConfiguration.RM_STORE, MemoryStore.class.getName());
    conf.setLong("yarn.scheduler.fair.update-interval-ms", Integer.MAX_VALUE);
    return conf;
  }

  private static void forgetTheLast(Configuration conf) throws Exception {
    ResourceUtils.resetResourceTypes(conf);
    DefaultMetricsSystem.setMiniClusterMode(true);
    DefaultMetricsSystem.shutdown();
    QueueMetrics.clearQueueMetrics();
    ClusterMetrics.destroy();
    CapacitySchedulerMetrics.destroy();
    UserGroupInformation.setConfiguration(conf);
    org.apache.hadoop.security.Groups.getUserToGroupsMappingServiceWithLoadedConfiguration(conf);
    RackResolver.init(conf);
    SecurityUtil.setConfiguration(conf);
  }

  /** Ends the threads that would act by themselves; what they do is an operation of the twin's. */
  private void endThreads() throws Exception {
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (WAITING.stream().anyMatch(thread.getName()::startsWith)) {
        thread.interrupt();
        thread.join();
      }
    }
    if (scheduler instanceof FairScheduler) {
      Object loader = field(FairScheduler.class, "allocsLoader").get(scheduler);
      field(loader.getClass(), "running").set(loader, false);
      Thread reloading = (Thread) field(loader.getClass(), "reloadThread").get(loader);
      reloading.interrupt();
      reloading.join();
    }
    ReservationSystem system = manager.getRMContext().getReservationSystem();
    if (system != null) {
      ((ExecutorService) field(system.getClass(), "scheduledExecutorService").get(system)).shutdownNow();
    }
    Object watcher = decommissioningWatcher();
    ((Timer) field(watcher.getClass(), "pollTimer").get(watcher)).cancel();
    Object preemption = preemptionThread();
    if (preemption != null) {
      field(preemption.getClass(), "preemptionTimer").set(preemption, warnings);
    }
  }

  /**
   * Queues that become parents or leaves once they are empty: Hadoop goes over them by where they lie in memory, and
   * what comes first decides whether a child is there. The order is that in which the file was read.
   */
  private void keepQueuesInOrder() throws Exception {
    if (scheduler instanceof FairScheduler) {
      QueueManager queues = ((FairScheduler) scheduler).getQueueManager();
      field(QueueManager.class, "incompatibleQueuesPendingRemoval").set(queues, new LinkedHashSet<>());
    }
  }

  /** Where Hadoop goes over all nodes, by their hashes, the order is that of their registration. */
  private void keepNodesInOrder() throws Exception {
    NodesInOrder<Object, Object> nodes = new NodesInOrder<>();
    field(ClusterNodeTracker.class, "nodes").set(scheduler.getNodeTracker(), nodes);
    dispatcher.beforeResize(
        () -> {
          births.tellByWallClock(scheduler);
          nodes.beforeResize();
        });
    dispatcher.afterResize(nodes::resized);
  }

  private void placeInTurns() throws Exception {
    ApplicationMasterService service = manager.getApplicationMasterService();
    Object chain = field(ApplicationMasterService.class, "amsProcessingChain").get(service);
    Object processor = field(chain.getClass(), "head").get(chain);
    if (service instanceof OpportunisticContainerAllocatorAMService) { // whose own comes first
      processor = field(processor.getClass(), "nextProcessor").get(processor);
    }
    if (processor instanceof PlacementConstraintProcessor) {
      PlacementPools.install(processor, dispatcher);
    }
  }

  private void rankInTurns() throws Exception {
    ApplicationMasterService service = manager.getApplicationMasterService();
    if (service instanceof OpportunisticContainerAllocatorAMService) {
      loads = NodesInTurn.install((OpportunisticContainerAllocatorAMService) service, manager.getConfig(), startMs);
    }
  }

  void stop() {
    manager.stop();
  }

  /** The ResourceManager ends, and another one begins with what is left of it. */
  Cluster restarted(long startMs) throws Exception {
    stop();
    return new Cluster(properties, startMs);
  }

  List<String> takeCrashes() {
    return dispatcher.takeCrashes();
  }

  Object observe() {
    return new Observation(manager.getRMContext()).all();
  }

  List<Object> takeLaunches() {
    List<Object> taken = new ArrayList<>();
    manager.takeLaunches().forEach(attempt -> taken.add(attempt.toString()));
    return taken;
  }

  // Calls

  /** One call of a protocol by its message's bytes; the answer's bytes in base64. */
  String call(String service, String method, String user, String attempt, byte[] request) throws Exception {
    Object implementation = services.get(service);
    Method found = null;
    for (Method each : implementation.getClass().getMethods()) {
      if (each.getName().equals(method) && each.getParameterCount() == 2) {
        found = each;
      }
    }
    if (found == null) {
      throw new NoSuchMethodException(method);
    }
    Method chosen = found;
    Object message = chosen.getParameterTypes()[1].getMethod("parseFrom", byte[].class).invoke(null, (Object) request);
    if (service.equals("tracker") && method.equals("registerNodeManager")) {
      resolve(message);
    }
    reservations.complete();
    try {
      Object answer = caller(user, attempt).doAs(
          (PrivilegedExceptionAction<Object>) () -> chosen.invoke(implementation, null, message));
      if (method.equals("updateReservation")) {
        reservations.begin(new ReservationUpdateRequestPBImpl((ReservationUpdateRequestProto) message).getReservationId());
      }
      reservations.complete();
      byte[] bytes = (byte[]) answer.getClass().getMethod("toByteArray").invoke(answer);
      return Base64.getEncoder().encodeToString(bytes);
    } finally {
      dispatcher.drain();
    }
  }

  /** Every host that registers can be resolved, to this machine. */
  private static void resolve(Object register) throws Exception {
    Object node = register.getClass().getMethod("getNodeId").invoke(register);
    NetUtils.addStaticResolution((String) node.getClass().getMethod("getHost").invoke(node), "localhost");
  }

  private UserGroupInformation caller(String user, String attempt) {
    if (attempt.isEmpty()) {
      return UserGroupInformation.createRemoteUser(user);
    }
    UserGroupInformation master = UserGroupInformation.createRemoteUser(attempt);
    TokenIdentifier identifier = new AMRMTokenIdentifier(ApplicationAttemptId.fromString(attempt), 1);
    master.addTokenIdentifier(identifier);
    return master;
  }

  /** What a refusal was before it was wrapped. */
  static Throwable cause(Throwable error) {
    Throwable cause = error;
    while (cause.getCause() != null && isWrapper(cause)) {
      cause = cause.getCause();
    }
    return cause;
  }

  private static boolean isWrapper(Throwable error) {
    return error instanceof InvocationTargetException || error instanceof java.lang.reflect.UndeclaredThrowableException
        || error.getClass().getSimpleName().equals("ServiceException");
  }

  // What threads and the world would do

  /** Lets it be that time. Whom Hadoop's monitors missed before, and which policies of theirs were not called. */
  List<String> moveTo(long ms) throws Exception {
    births.note(scheduler);
    List<String> missed = monitors.lookUntil(ms, dispatcher::drain);
    missed.addAll(late(ms));
    VirtualTime.moveTo(ms);
    trustConfiguredMaximum();
    if (loads != null) {
      loads.rankWhenDue();
    }
    warnings.runDue(ms - 1);
    dispatcher.drain();
    return missed;
  }

  /** The FairScheduler kills what was marked long enough ago. */
  void killMarked() {
    warnings.runDue(VirtualTime.nowMs());
    dispatcher.drain();
  }

  /**
   * For a while after its start Hadoop takes the configured maximum of a container for what its nodes have; it asks the
   * machine's clock how long, past all others. Let that clock be always too late, or always too early.
   */
  private void trustConfiguredMaximum() throws Exception {
    Configuration conf = manager.getConfig();
    boolean isEarly = VirtualTime.nowMs() - startMs <= conf.getLong(
        YarnConfiguration.RM_WORK_PRESERVING_RECOVERY_SCHEDULING_WAIT_MS,
        YarnConfiguration.DEFAULT_RM_WORK_PRESERVING_RECOVERY_SCHEDULING_WAIT_MS);
    scheduler.getNodeTracker().setForceConfiguredMaxAllocation(isEarly);
    field(ClusterNodeTracker.class, "configuredMaxAllocationWaitTime").set(scheduler.getNodeTracker(), Long.MAX_VALUE);
  }

  void updateShares() {
    scheduler.update();
    dispatcher.drain();
  }

  /**
   * Every policy of the scheduling monitor once, or the timer of the one of that class; or one pass of the FairScheduler's.
   * Whether the timer was due.
   */
  boolean preempt(String policy) throws Exception {
    boolean isDue = true;
    if (scheduler instanceof FairScheduler) {
      preemptFairly();
    } else {
      births.tellByWallClock(scheduler);
      for (SchedulingMonitor monitor : monitorsOfPolicies()) {
        if (policy.isEmpty()) {
          monitor.invokePolicy();
        } else if (nameOf(monitor).equals(policy)) {
          isDue = monitor.nextMs() == VirtualTime.nowMs();
          monitor.invokeByTimer();
        }
      }
    }
    dispatcher.drain();
    return isDue;
  }

  /** Policies whose timer was due before this moment. */
  private List<String> late(long ms) throws Exception {
    List<String> late = new ArrayList<>();
    for (SchedulingMonitor monitor : scheduler instanceof FairScheduler ? List.<SchedulingMonitor>of() : monitorsOfPolicies()) {
      if (monitor.nextMs() < ms) {
        late.add("policy " + nameOf(monitor) + " at " + monitor.nextMs());
      }
    }
    return late;
  }

  private List<SchedulingMonitor> monitorsOfPolicies() throws Exception {
    SchedulingMonitorManager monitors = scheduler.getSchedulingMonitorManager();
    Map<?, ?> running = (Map<?, ?>) field(SchedulingMonitorManager.class, "runningSchedulingMonitors").get(monitors);
    List<SchedulingMonitor> found = new ArrayList<>();
    running.values().forEach(each -> found.add((SchedulingMonitor) each));
    return found;
  }

  private static String nameOf(SchedulingMonitor monitor) {
    return monitor.getSchedulingEditPolicy().getClass().getName();
  }

  /** What the preemption thread does with each starved application that waits for it. */
  private void preemptFairly() throws Exception {
    Object thread = preemptionThread();
    if (thread == null) {
      return;
    }
    Object context = field(thread.getClass(), "context").get(thread);
    Object starved = method(context.getClass(), "getStarvedApps").invoke(context);
    Object waiting = field(starved.getClass(), "appsToProcess").get(starved);
    long delay = field(thread.getClass(), "delayBeforeNextStarvationCheck").getLong(thread);
    while (!((java.util.Collection<?>) waiting).isEmpty()) {
      Object app = method(starved.getClass(), "take").invoke(starved);
      Object chosen = method(thread.getClass(), "identifyContainersToPreempt").invoke(thread, app);
      method(thread.getClass(), "preemptContainers").invoke(thread, chosen);
      method(app.getClass(), "preemptionTriggered").invoke(app, delay);
    }
    field(starved.getClass(), "appBeingProcessed").set(starved, null);
  }

  private Object preemptionThread() throws Exception {
    if (!(manager.getResourceScheduler() instanceof FairScheduler)) {
      return null;
    }
    return field(FairScheduler.class, "preemptionThread").get(manager.getResourceScheduler());
  }

  /** What the thread that reads the allocation file does beside it: empty dynamic queues go. */
  void checkAllocations() throws Exception {
    Object loader = field(FairScheduler.class, "allocsLoader").get(scheduler);
    Object listener = field(loader.getClass(), "reloadListener").get(loader);
    method(listener.getClass(), "onCheck").invoke(listener);
    dispatcher.drain();
  }

  /** One step of the plan follower. */
  void followPlans() throws Exception {
    ReservationSystem system = manager.getRMContext().getReservationSystem();
    ((Runnable) field(system.getClass(), "planFollower").get(system)).run();
    reservations.complete();
    dispatcher.drain();
  }

  /** What the watcher of draining nodes does with those that are silent and whose time is up. */
  void pollDecommissioning() throws Exception {
    Object watcher = decommissioningWatcher();
    Constructor<?> task = Class.forName(watcher.getClass().getName() + "$PollTimerTask")
        .getDeclaredConstructor(watcher.getClass(), RMContext.class);
    task.setAccessible(true);
    ((Runnable) task.newInstance(watcher, manager.getRMContext())).run();
    dispatcher.drain();
  }

  private Object decommissioningWatcher() throws Exception {
    return field(ResourceTrackerService.class, "decommissioningWatcher").get(manager.getResourceTrackerService());
  }

  void launched(String attempt, String problem) {
    ApplicationAttemptId id = ApplicationAttemptId.fromString(attempt);
    if (problem.isEmpty()) {
      post(new RMAppAttemptEvent(id, RMAppAttemptEventType.LAUNCHED, VirtualTime.nowMs()));
    } else {
      post(new RMAppAttemptEvent(id, RMAppAttemptEventType.LAUNCH_FAILED, problem));
    }
  }

  /** One look of these monitors, where it is due. Whom they miss. */
  List<String> look(List<String> names) throws ReflectiveOperationException {
    List<String> missed = monitors.look(names);
    dispatcher.drain();
    return missed;
  }

  /** What the monitor of lifetimes would say. */
  void outlive(String id) {
    post(new RMAppEvent(ApplicationId.fromString(id), RMAppEventType.KILL, "lifetime"));
  }

  /** The node is lost at once. */
  void lose(String id) {
    NodeId node = NodeId.fromString(id);
    monitors.forgetNode(node);
    post(new RMNodeEvent(node, RMNodeEventType.EXPIRE));
  }

  /** Who was heard of last at that moment, without a call: a node, all nodes but these, or an ApplicationMaster. */
  void heardOf(String kind, long ms, List<String> ids) {
    switch (kind) {
      case "node":
        ids.forEach(id -> monitors.heardOfNode(NodeId.fromString(id), ms));
        break;
      case "other nodes":
        monitors.heardOfOtherNodes(ids.stream().map(NodeId::fromString).collect(Collectors.toSet()), ms);
        break;
      case "master":
        ids.forEach(id -> monitors.heardOfMaster(ApplicationAttemptId.fromString(id), ms));
        break;
      default:
        throw new IllegalArgumentException("nobody hears of " + kind);
    }
  }

  @SuppressWarnings({"rawtypes", "unchecked"})
  private void handle(Event event) {
    dispatcher.getEventHandler().handle(event);
  }

  private void post(Event<?> event) {
    handle(event);
    dispatcher.drain();
  }

  // What Hadoop keeps to itself

  /** A field of a class or of those above it, open to all. */
  public static Field field(Class<?> type, String name) throws NoSuchFieldException {
    for (Class<?> each = type; each != null; each = each.getSuperclass()) {
      for (Field found : each.getDeclaredFields()) {
        if (found.getName().equals(name)) {
          found.setAccessible(true);
          return found;
        }
      }
    }
    throw new NoSuchFieldException(name);
  }

  static Method method(Class<?> type, String name) throws NoSuchMethodException {
    for (Class<?> each = type; each != null; each = each.getSuperclass()) {
      for (Method found : each.getDeclaredMethods()) {
        if (found.getName().equals(name)) {
          found.setAccessible(true);
          return found;
        }
      }
    }
    throw new NoSuchMethodException(name);
  }
}
