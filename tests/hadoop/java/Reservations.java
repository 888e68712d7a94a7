package yarnbox.twin;

import org.apache.hadoop.yarn.api.records.ReservationId;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.server.resourcemanager.RMContext;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.Plan;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.ReservationAllocation;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.ReservationConstants;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.ReservationSystem;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.AbstractYarnScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplication;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.AbstractCSQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CSQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CSQueueUtils;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler;

/** What Hadoop forgets of reservations, and ours does not: without it hardly anything would be comparable. */
final class Reservations {
  private final RMContext context;
  private final AbstractYarnScheduler<?, ?> scheduler;

  Reservations(RMContext context) {
    this.context = context;
    this.scheduler = (AbstractYarnScheduler<?, ?>) context.getScheduler();
  }

  /** After an update Hadoop waits for the plan follower's next step; ours begins at once what begins by then. */
  void begin(ReservationId id) {
    ReservationSystem system = context.getReservationSystem();
    String queue = system.getQueueForReservation(id);
    Plan plan = system.getPlan(queue);
    ReservationAllocation updated = plan.getReservationById(id);
    if (updated.getStartTime() - VirtualTime.nowMs() < system.getPlanFollowerTimeStep()) {
      system.synchronizePlan(queue, false);
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
        completeQueuesBelow((AbstractCSQueue) capacity.getQueue(plan));
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
   * The CapacityScheduler reads no limit of ApplicationMasters for queues below a plan (ours have the plan queue's), and
   * it works out what their shares are in resources when a node comes or goes next.
   */
  private void completeQueuesBelow(AbstractCSQueue plan) throws ReflectiveOperationException {
    float percent = plan.getQueueCapacities().getMaxAMResourcePercentage("");
    Resource cluster = scheduler.getClusterResource();
    for (CSQueue each : plan.getChildQueues()) {
      AbstractCSQueue child = (AbstractCSQueue) each;
      child.getQueueCapacities().setMaxAMResourcePercentage("", percent);
      Cluster.method(child.getClass(), "updateEffectiveResources").invoke(child, cluster);
      CSQueueUtils.updateQueueStatistics(((CapacityScheduler) scheduler).getResourceCalculator(), cluster, child,
          context.getNodeLabelManager(), null);
    }
  }

  /** An application does not hear that it was moved to the default queue when its reservation ended. */
  private static void tellOfMove(RMApp app, String queue) {
    if (queue.endsWith(ReservationConstants.DEFAULT_QUEUE_SUFFIX)) {
      app.setQueue(queue);
    }
  }
}
