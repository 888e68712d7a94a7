package yarnbox.twin;

import java.lang.reflect.Field;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ReservationDefinition;
import org.apache.hadoop.yarn.api.records.ReservationId;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.InMemoryReservationAllocation;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.PeriodicRLESparseResourceAllocation;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.Plan;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.RLESparseResourceAllocation;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.ReservationInterval;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.exceptions.PlanningException;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.planning.IterativePlanner;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.planning.ReservationAgent;

/** One of Hadoop's planners, without what it cuts off a recurring reservation that passes a multiple of its period. */
final class UncutPlanner implements ReservationAgent {
  private final IterativePlanner planner;

  private UncutPlanner(IterativePlanner planner) {
    this.planner = planner;
  }

  /** Puts it into the place of each planner of an agent. */
  static ReservationAgent within(ReservationAgent agent) {
    try {
      Field field = Cluster.field(agent.getClass(), "planner");
      Object inside = field.get(agent);
      if (inside instanceof IterativePlanner) {
        field.set(agent, new UncutPlanner((IterativePlanner) inside));
        return agent;
      }
      @SuppressWarnings("unchecked")
      List<ReservationAgent> tried = (List<ReservationAgent>) Cluster.field(inside.getClass(), "algs").get(inside);
      tried.replaceAll(each -> new UncutPlanner((IterativePlanner) each));
      return agent;
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }

  @Override
  public boolean createReservation(ReservationId id, String user, Plan plan, ReservationDefinition wanted)
      throws PlanningException {
    if (!isCut(wanted)) {
      return planner.createReservation(id, user, plan, wanted);
    }
    return plan.addReservation(planned(id, user, plan, wanted), false);
  }

  @Override
  public boolean updateReservation(ReservationId id, String user, Plan plan, ReservationDefinition wanted)
      throws PlanningException {
    if (!isCut(wanted)) {
      return planner.updateReservation(id, user, plan, wanted);
    }
    return plan.updateReservation(planned(id, user, plan, wanted));
  }

  @Override
  public boolean deleteReservation(ReservationId id, String user, Plan plan) throws PlanningException {
    return planner.deleteReservation(id, user, plan);
  }

  @Override
  public void init(Configuration conf) {}

  private static boolean isCut(ReservationDefinition wanted) {
    long period = Long.parseLong(wanted.getRecurrenceExpression());
    return period > 0 && wanted.getArrival() % period + wanted.getDeadline() - wanted.getArrival() > period;
  }

  /** What the planner finds, by the time modulo the period. */
  private InMemoryReservationAllocation planned(ReservationId id, String user, Plan plan, ReservationDefinition wanted)
      throws PlanningException {
    RLESparseResourceAllocation found = planner.computeJobAllocation(plan, id, wanted, user);
    long period = Long.parseLong(wanted.getRecurrenceExpression());
    PeriodicRLESparseResourceAllocation folded =
        new PeriodicRLESparseResourceAllocation(plan.getResourceCalculator(), period);
    for (Map.Entry<ReservationInterval, Resource> piece : found.toIntervalMap().entrySet()) {
      long start = piece.getKey().getStartTime() % period;
      long end = start + piece.getKey().getEndTime() - piece.getKey().getStartTime();
      folded.addInterval(new ReservationInterval(start, Math.min(end, period)), piece.getValue());
      if (end > period) {
        folded.addInterval(new ReservationInterval(0, end - period), piece.getValue());
      }
    }
    return new InMemoryReservationAllocation(id, wanted, user, plan.getQueueName(), wanted.getArrival(), wanted.getDeadline(),
        folded.toIntervalMap(), plan.getResourceCalculator(), plan.getMinimumAllocation());
  }
}
