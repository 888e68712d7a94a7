package yarnbox.twin;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.metrics2.lib.MutableRate;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceInformation;
import org.apache.hadoop.yarn.server.resourcemanager.RMContext;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.Plan;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.ReservationAllocation;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttempt;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.AbstractYarnScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ResourceUsage;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplication;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplicationAttempt;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.AbstractCSQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.AbstractLeafQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CSQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacitySchedulerMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.QueueCapacities;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.ReservationQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.UsersManager;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FSAppAttempt;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FSLeafQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FSQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler;
import org.apache.hadoop.yarn.util.resource.Resources;

/** What can be seen of a ResourceManager between two turns, as plain maps and lists. It changes nothing. */
final class Observation {
  private final RMContext context;
  private final AbstractYarnScheduler<?, ?> scheduler;

  Observation(RMContext context) {
    this.context = context;
    this.scheduler = (AbstractYarnScheduler<?, ?>) context.getScheduler();
  }

  Map<String, Object> all() {
    Map<String, Object> seen = new TreeMap<>();
    seen.put("apps", apps());
    seen.put("nodes", nodes());
    seen.put("queues", queues());
    seen.put("plans", plans());
    seen.put("refused-proposals", refusedProposals());
    return seen;
  }

  private static long refusedProposals() {
    try {
      Object counted = Cluster.field(CapacitySchedulerMetrics.class, "commitFailure").get(CapacitySchedulerMetrics.getMetrics());
      return ((MutableRate) counted).lastStat().numSamples();
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }

  private Map<String, Object> plans() {
    Map<String, Object> seen = new TreeMap<>();
    if (context.getReservationSystem() != null) {
      context.getReservationSystem().getAllPlans().forEach((path, plan) -> seen.put(path, plan(plan)));
    }
    return seen;
  }

  private static Map<String, Object> plan(Plan plan) {
    Map<String, Object> seen = new TreeMap<>();
    for (ReservationAllocation reservation : plan.getReservations(null, null)) {
      if (reservation.getPeriodicity() == 0 && reservation.getEndTime() <= VirtualTime.nowMs()) {
        continue;
      }
      List<Object> pieces = new ArrayList<>();
      new TreeMap<>(reservation.getAllocationRequests()).forEach((interval, amount) -> {
        if (!amounts(amount).isEmpty()) {
          pieces.add(List.of(interval.getStartTime(), interval.getEndTime(), amounts(amount)));
        }
      });
      seen.put(reservation.getReservationId().toString(), Map.of("user", reservation.getUser(), "pieces", pieces));
    }
    return seen;
  }

  private Map<String, Object> apps() {
    Map<String, Object> seen = new TreeMap<>();
    for (RMApp app : context.getRMApps().values()) {
      seen.put(app.getApplicationId().toString(), app(app));
    }
    return seen;
  }

  private Map<String, Object> app(RMApp app) {
    Map<String, Object> seen = new TreeMap<>();
    RMAppAttempt current = app.getCurrentAppAttempt();
    seen.put("state", app.getState().toString());
    seen.put("attempts", app.getAppAttempts().size());
    seen.put("attempt-state", current == null ? null : current.getState().toString());
    SchedulerApplication<?> known = scheduler.getSchedulerApplications().get(app.getApplicationId());
    if (known == null) {
      return seen;
    }
    seen.put("queue", queueName(known));
    seen.put("priority", app.getApplicationPriority() == null ? 0 : app.getApplicationPriority().getPriority());
    SchedulerApplicationAttempt attempt = known.getCurrentAppAttempt();
    if (attempt != null && !attempt.isStopped()) {
      seen.put("attempt", attempt(attempt));
    }
    return seen;
  }

  static String queueName(SchedulerApplication<?> known) {
    if (known.getQueue() instanceof CSQueue) {
      return pathOf((CSQueue) known.getQueue());
    }
    return known.getQueue().getQueueName();
  }

  /**
   * The path by which a queue is meant. The plan follower takes a plan queue's path for its name, and so the default
   * queue that it makes below root.p is called root.p.root.p-default.
   */
  private static String pathOf(CSQueue queue) {
    String name = queue.getQueueShortName();
    String parent = queue.getParent() == null ? "" : queue.getParent().getQueuePath() + ".";
    return parent + name.substring(name.lastIndexOf('.') + 1);
  }

  private Map<String, Object> attempt(SchedulerApplicationAttempt attempt) {
    Map<String, Object> seen = new TreeMap<>();
    ResourceUsage usage = attempt.getAppAttemptResourceUsage();
    seen.put("used", amounts(usage.getAllUsed()));
    seen.put("pending", amounts(usage.getAllPending()));
    seen.put("reserved", amounts(usage.getAllReserved()));
    seen.put("live", containers(live(attempt)));
    seen.put("reserved-containers", containers(attempt.getReservedContainers()));
    if (attempt instanceof FSAppAttempt) {
      FSAppAttempt fair = (FSAppAttempt) attempt;
      seen.put("fair-share", amounts(fair.getFairShare()));
      seen.put("demand", amounts(fair.getDemand()));
    }
    return seen;
  }

  /** Without the ids that stand for a decrease: under these the container that shrinks is listed once more. */
  private static List<RMContainer> live(SchedulerApplicationAttempt attempt) {
    List<RMContainer> live = new ArrayList<>();
    attempt.getLiveContainersMap().forEach((id, container) -> {
      if (id.equals(container.getContainerId())) {
        live.add(container);
      }
    });
    return live;
  }

  private static List<Object> containers(Collection<RMContainer> containers) {
    List<RMContainer> sorted = new ArrayList<>(containers);
    sorted.sort(Comparator.comparing(RMContainer::getContainerId));
    List<Object> seen = new ArrayList<>();
    for (RMContainer container : sorted) {
      Map<String, Object> one = new TreeMap<>();
      // Of a reservation that was moved RMContainer.getNodeId still names the first node.
      NodeId node = container.getContainer().getNodeId();
      one.put("id", container.getContainerId().toString());
      one.put("node", node == null ? null : node.toString());
      one.put("state", container.getState().toString());
      one.put("used", amounts(container.getAllocatedOrReservedResource()));
      one.put("priority", container.getAllocatedSchedulerKey().getPriority().getPriority());
      seen.add(one);
    }
    return seen;
  }

  private Map<String, Object> nodes() {
    Map<String, Object> seen = new TreeMap<>();
    for (RMNode node : context.getRMNodes().values()) {
      seen.put(node.getNodeID().toString(), node(node));
    }
    return seen;
  }

  private Map<String, Object> node(RMNode node) {
    Map<String, Object> seen = new TreeMap<>();
    seen.put("state", node.getState().toString());
    SchedulerNode booked = scheduler.getSchedulerNode(node.getNodeID());
    if (booked != null) {
      RMContainer reserved = booked.getReservedContainer();
      seen.put("used", amounts(booked.getAllocatedResource()));
      seen.put("available", amounts(booked.getUnallocatedResource()));
      seen.put("reserved", reserved == null ? null : reserved.getContainerId().toString());
      seen.put("label", booked.getPartition());
      seen.put("containers", ids(booked.getCopiedListOfRunningContainers()));
    }
    return seen;
  }

  /** Without those that stand for a decrease, which have no size. */
  private static List<Object> ids(Collection<RMContainer> containers) {
    List<String> sorted = new ArrayList<>();
    for (RMContainer container : containers) {
      if (!Resources.isNone(container.getAllocatedResource())) {
        sorted.add(container.getContainerId().toString());
      }
    }
    sorted.sort(Comparator.naturalOrder());
    return new ArrayList<>(sorted);
  }

  private Map<String, Object> queues() {
    Map<String, Object> seen = new TreeMap<>();
    if (scheduler instanceof CapacityScheduler) {
      capacityQueue((AbstractCSQueue) ((CapacityScheduler) scheduler).getRootQueue(), seen);
    } else if (scheduler instanceof FairScheduler) {
      fairQueue(((FairScheduler) scheduler).getQueueManager().getRootQueue(), seen);
    }
    return seen;
  }

  private void capacityQueue(AbstractCSQueue queue, Map<String, Object> all) {
    Map<String, Object> seen = new TreeMap<>();
    all.put(pathOf(queue), seen);
    seen.put("state", queue.getState().toString());
    seen.put("apps", queue.getNumApplications());
    Map<String, Object> labels = new TreeMap<>();
    Set<String> known = new TreeSet<>(context.getNodeLabelManager().getClusterNodeLabelNames());
    known.addAll(queue.getNodeLabelsForQueue());
    known.addAll(queue.getQueueCapacities().getExistingNodeLabels());
    known.add("");
    for (String label : known) {
      labels.put(label, partition(queue, label));
    }
    seen.put("labels", labels);
    if (queue instanceof AbstractLeafQueue) {
      AbstractLeafQueue leaf = (AbstractLeafQueue) queue;
      seen.put("active-apps", leaf.getNumActiveApplications());
      seen.put("pending-apps", leaf.getNumPendingApplications());
      Map<String, Object> users = new TreeMap<>();
      for (UsersManager.User user : leaf.getUsersManager().getUsers().values()) {
        users.put(user.getUserName(), user(user));
      }
      seen.put("users", users);
    }
    if (queue.getChildQueues() != null) {
      for (CSQueue child : queue.getChildQueues()) {
        capacityQueue((AbstractCSQueue) child, all);
      }
    }
  }

  private static Map<String, Object> user(UsersManager.User user) {
    Map<String, Object> seen = new TreeMap<>();
    seen.put("used", amounts(user.getAllUsed()));
    seen.put("active-apps", user.getActiveApplications());
    seen.put("pending-apps", user.getPendingApplications());
    return seen;
  }

  /** Where their parent has no capacity, queues that submissions make have a weight once something was booked there. */
  private static boolean isNamed(AbstractCSQueue queue, String label) {
    CSQueue above = queue.getParent();
    while (above.getParent() != null && ((AbstractCSQueue) above).isDynamicQueue()) {
      above = above.getParent();
    }
    return above.getConfiguredNodeLabels().contains(label);
  }

  private Map<String, Object> partition(AbstractCSQueue queue, String label) {
    Map<String, Object> seen = new TreeMap<>();
    ResourceUsage usage = queue.getQueueResourceUsage();
    QueueCapacities capacities = queue.getQueueCapacities();
    seen.put("used", amounts(usage.getUsed(label)));
    seen.put("pending", amounts(usage.getPending(label)));
    seen.put("reserved", amounts(usage.getReserved(label)));
    boolean isWeighted = queue.getParent() != null && capacities.getWeight(label) >= 0
        && isNamed(queue, label) && queue.getQueueContext().getConfiguration().isLegacyQueueMode();
    seen.put("capacity", isWeighted ? capacities.getNormalizedWeight(label) : capacities.getCapacity(label));
    seen.put("max-capacity", capacities.getMaximumCapacity(label));
    seen.put("absolute-capacity", capacities.getAbsoluteCapacity(label));
    seen.put("absolute-max-capacity", capacities.getAbsoluteMaximumCapacity(label));
    seen.put("used-capacity", capacities.getUsedCapacity(label));
    seen.put("absolute-used-capacity", capacities.getAbsoluteUsedCapacity(label));
    seen.put("effective-min", amounts(queue.getQueueResourceQuotas().getEffectiveMinResource(label)));
    seen.put("effective-max", amounts(queue.getQueueResourceQuotas().getEffectiveMaxResource(label)));
    if (queue instanceof AbstractLeafQueue) {
      seen.put("am-used", amounts(usage.getAMUsed(label)));
      seen.put("am-limit", amounts(amLimit((AbstractLeafQueue) queue, label)));
    }
    return seen;
  }

  /** A queue that the plan follower made or resized hears of its new limit when it activates an application next. */
  private static Resource amLimit(AbstractLeafQueue queue, String label) {
    return queue instanceof ReservationQueue
        ? queue.calculateAndGetAMResourceLimitPerPartition(label)
        : queue.getQueueResourceUsage().getAMLimit(label);
  }

  private void fairQueue(FSQueue queue, Map<String, Object> all) {
    Map<String, Object> seen = new TreeMap<>();
    all.put(queue.getName(), seen);
    seen.put("used", amounts(queue.getResourceUsage()));
    seen.put("reserved", amounts(queue.getReservedResource()));
    seen.put("demand", amounts(queue.getDemand()));
    seen.put("fair-share", amounts(queue.getFairShare()));
    seen.put("steady-fair-share", amounts(queue.getSteadyFairShare()));
    seen.put("min-share", amounts(queue.getMinShare()));
    seen.put("max-share", amounts(queue.getMaxShare()));
    if (queue instanceof FSLeafQueue) {
      seen.put("active-apps", ((FSLeafQueue) queue).getNumActiveApps());
      seen.put("pending-apps", ((FSLeafQueue) queue).getNumPendingApps());
    }
    for (FSQueue child : queue.getChildQueues()) {
      fairQueue(child, all);
    }
  }

  private static Map<String, Object> amounts(Resource resource) {
    Map<String, Object> seen = new TreeMap<>();
    if (resource != null) {
      for (ResourceInformation one : resource.getResources()) {
        if (one.getValue() != 0) {
          seen.put(one.getName(), one.getValue());
        }
      }
    }
    return seen;
  }
}
