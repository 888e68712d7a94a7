package yarnbox.twin;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.yarn.api.records.ReservationId;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.proto.YarnProtos.ReservationAllocationStateProto;
import org.apache.hadoop.yarn.server.resourcemanager.RMContext;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.Plan;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.ReservationAllocation;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.ReservationConstants;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.ReservationSystem;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.AbstractYarnScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ResourceLimits;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplication;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CSQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.PlanQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.ReservationQueue;
import org.apache.hadoop.yarn.util.resource.Resources;

/** What Hadoop forgets of reservations, and ours does not: without it hardly anything would be comparable. */
final class Reservations {
  private final RMContext context;
  private final AbstractYarnScheduler<?, ?> scheduler;

  /** The shares of each plan's children that are in effect, and how far they may grow. */
  private final Map<String, Map<String, List<Float>>> inEffect = new TreeMap<>();

  Reservations(RMContext context) {
    this.context = context;
    this.scheduler = (AbstractYarnScheduler<?, ?>) context.getScheduler();
  }

  /** Hadoop stores when a reservation was accepted, and does not read it back: the newest would not go first. */
  void recallAcceptance() {
    ReservationSystem system = context.getReservationSystem();
    if (system == null) {
      return;
    }
    Map<String, Map<ReservationId, ReservationAllocationStateProto>> stored = Memory.present().state.getReservationState();
    system.getAllPlans().forEach((path, plan) -> {
      for (ReservationAllocation recovered : plan.getReservations(null, null)) {
        recovered.setAcceptanceTimestamp(stored.get(path).get(recovered.getReservationId()).getAcceptanceTime());
      }
    });
  }

  /** After an update Hadoop waits for the plan follower's next step; ours begins at once what begins by then. */
  void begin(ReservationId id) {
    ReservationSystem system = context.getReservationSystem();
    String queue = system.getQueueForReservation(id);
    Plan plan = system.getPlan(queue);
    ReservationAllocation updated = plan.getReservationById(id);
    if (updated.getStartTime() - VirtualTime.nowMs() < system.getPlanFollowerTimeStep()) {
      system.synchronizePlan(queue, true);
    }
  }

  /** To be called after whatever may have changed a plan's queues. */
  void complete() throws ReflectiveOperationException {
    if (context.getReservationSystem() == null) {
      return;
    }
    if (scheduler instanceof CapacityScheduler) {
      CapacityScheduler capacity = (CapacityScheduler) scheduler;
      for (String plan : capacity.getPlanQueues()) {
        completeQueuesBelow((PlanQueue) capacity.getQueue(plan));
      }
    }
    for (RMApp app : context.getRMApps().values()) {
      SchedulerApplication<?> known = scheduler.getSchedulerApplications().get(app.getApplicationId());
      if (app.getReservationId() != null && known != null) {
        tellOfMove(app, Observation.queueName(known));
      }
    }
  }

  /**
   * The CapacityScheduler reads no limit of ApplicationMasters for queues below a plan; ours have the plan queue's. When a
   * node has come or gone such a queue takes as many applications as its share allows; ours takes what its plan allows.
   */
  private void completeQueuesBelow(PlanQueue plan) throws ReflectiveOperationException {
    float percent = plan.getQueueCapacities().getMaxAMResourcePercentage("");
    Map<String, List<Float>> given = new TreeMap<>();
    for (CSQueue child : plan.getChildQueues()) {
      child.getQueueCapacities().setMaxAMResourcePercentage("", percent);
      given.put(child.getQueuePath(), List.of(child.getCapacity(), child.getMaximumCapacity()));
    }
    if (!given.equals(inEffect.put(plan.getQueuePath(), given))) {
      putSharesIntoEffect();
    }
    for (CSQueue child : plan.getChildQueues()) {
      Cluster.method(ReservationQueue.class, "updateQuotas").invoke(child, plan.getUserLimitForReservation(),
          plan.getUserLimitFactor(), plan.getMaxApplicationsForReservations(),
          plan.getMaxApplicationsPerUserForReservation());
    }
  }

  /**
   * What the CapacityScheduler does when a node comes or goes: until then shares are none in resources. Without nodes they
   * are none anyway, and it would activate applications that have to wait for the first one.
   */
  private void putSharesIntoEffect() {
    Resource cluster = scheduler.getClusterResource();
    if (cluster.equals(Resources.none())) {
      return;
    }
    CSQueue root = ((CapacityScheduler) scheduler).getRootQueue();
    root.updateClusterResource(cluster, new ResourceLimits(cluster));
  }

  /** An application does not hear that it was moved to the default queue when its reservation ended. */
  private static void tellOfMove(RMApp app, String queue) {
    if (queue.endsWith(ReservationConstants.DEFAULT_QUEUE_SUFFIX)) {
      app.setQueue(queue);
    }
  }
}
