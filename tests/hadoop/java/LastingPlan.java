package yarnbox.twin;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.yarn.api.records.ReservationId;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.server.resourcemanager.RMContext;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.CapacityReservationSystem;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.FairReservationSystem;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.InMemoryPlan;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.InMemoryReservationAllocation;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.Plan;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.ReservationAllocation;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.ReservationInterval;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.exceptions.PlanningException;
import org.apache.hadoop.yarn.util.resource.Resources;

/**
 * Hadoop's plan, in which what recurs lasts. Hadoop's own books it for ever, and yet it holds nothing after its first window,
 * is forgotten some time after that, and is never active where its window is as long as its period. What is deleted is gone.
 */
public final class LastingPlan extends InMemoryPlan {
  private final RMContext context;

  /** Like that plan; the FairScheduler changes the capacity in place. */
  private LastingPlan(InMemoryPlan plan, Resource capacity, RMContext context) {
    super(plan.getQueueMetrics(), plan.getSharingPolicy(), UncutPlanner.within(plan.getReservationAgent()), capacity,
        plan.getStep(), plan.getResourceCalculator(), plan.getMinimumAllocation(), plan.getMaximumAllocation(),
        plan.getQueueName(), plan.getReplanner(), plan.getMoveOnExpiry(), plan.getMaximumPeriodicity(), context);
    this.context = context;
  }

  @Override
  public boolean addReservation(ReservationAllocation reservation, boolean isRecovering) throws PlanningException {
    return super.addReservation(reservation.getPeriodicity() > 0 ? new Lasting(reservation, this) : reservation, isRecovering);
  }

  /** Hadoop remembers where it was, and makes it again when it is updated. */
  @Override
  public boolean deleteReservation(ReservationId id) {
    boolean isGone = super.deleteReservation(id);
    context.getReservationSystem().setQueueForReservation(id, null);
    return isGone;
  }

  /** Of what does not recur alone. */
  @Override
  public void archiveCompletedReservations(long tick) {
    long last = tick - getSharingPolicy().getValidWindow();
    for (ReservationAllocation known : new ArrayList<>(getReservations(null, null))) {
      if (known.getPeriodicity() == 0 && known.getEndTime() <= last) {
        deleteReservation(known.getReservationId());
      }
    }
  }

  @Override
  public Set<ReservationAllocation> getReservations(ReservationId id, ReservationInterval interval, String user) {
    Set<ReservationAllocation> found = super.getReservations(id, interval, user);
    if (id != null || interval == null) {
      return found;
    }
    Set<ReservationAllocation> all = new HashSet<>();
    all.addAll(found);
    for (ReservationAllocation known : super.getReservations(null, null, user)) {
      long span = known.getEndTime() - known.getStartTime();
      if (span == known.getPeriodicity() && known.getStartTime() <= interval.getEndTime()) {
        all.add(known);
      }
    }
    return Collections.unmodifiableSet(all);
  }

  /** A reservation that holds in each of its windows what it holds in the first one. */
  private static final class Lasting extends InMemoryReservationAllocation {
    Lasting(ReservationAllocation once, Plan plan) {
      super(once.getReservationId(), once.getReservationDefinition(), once.getUser(), once.getPlanName(), once.getStartTime(),
          once.getEndTime(), once.getAllocationRequests(), plan.getResourceCalculator(), plan.getMinimumAllocation(),
          once.containsGangs());
      setAcceptanceTimestamp(once.getAcceptanceTime());
    }

    @Override
    public Resource getResourcesAtTime(long tick) {
      boolean isOpen = tick >= getStartTime() && (tick - getStartTime()) % getPeriodicity() < getEndTime() - getStartTime();
      return isOpen ? Resources.clone(getResourcesOverTime().getCapacityAtTime(tick)) : Resource.newInstance(0, 0);
    }
  }

  /** The CapacityScheduler's plans. */
  public static final class OfCapacityScheduler extends CapacityReservationSystem {
    private RMContext context;

    @Override
    public void setRMContext(RMContext given) {
      context = given;
      super.setRMContext(given);
    }

    @Override
    protected Plan initializePlan(String queue) throws YarnException {
      return new LastingPlan((InMemoryPlan) super.initializePlan(queue), getPlanQueueCapacity(queue), context);
    }
  }

  /** The FairScheduler's plans. */
  public static final class OfFairScheduler extends FairReservationSystem {
    private RMContext context;

    @Override
    public void setRMContext(RMContext given) {
      context = given;
      super.setRMContext(given);
    }

    @Override
    protected Plan initializePlan(String queue) throws YarnException {
      return new LastingPlan((InMemoryPlan) super.initializePlan(queue), getPlanQueueCapacity(queue), context);
    }
  }
}
