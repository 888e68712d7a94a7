package yarnbox.twin;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.CapacityOverTimePolicy;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.Plan;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.RLESparseResourceAllocation;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.RLESparseResourceAllocation.RLEOperator;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.ReservationAllocation;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.exceptions.PlanningException;

/** Hadoop's counts the old allocation of an updated reservation twice against its user's average; this one does not. */
public class MendedCapacityOverTimePolicy extends CapacityOverTimePolicy {
  @Override
  public void validate(Plan plan, ReservationAllocation reservation) throws PlanningException {
    ReservationAllocation old = plan.getReservationById(reservation.getReservationId());
    super.validate(old == null ? plan : without(plan, old), reservation);
  }

  /** The plan as a user's average sees it when one of his reservations is not there. */
  private static Plan without(Plan plan, ReservationAllocation old) {
    return (Plan) Proxy.newProxyInstance(Plan.class.getClassLoader(), new Class<?>[] {Plan.class}, (proxy, method, given) -> {
      if (method.getName().equals("getReservationById")) {
        return null;
      }
      Object found;
      method.setAccessible(true);
      try {
        found = method.invoke(plan, given);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
      if (method.getName().equals("getConsumptionForUserOverTime")) {
        long start = (Long) given[1];
        long end = (Long) given[2];
        return RLESparseResourceAllocation.merge(plan.getResourceCalculator(), plan.getTotalCapacity(),
            (RLESparseResourceAllocation) found, old.getResourcesOverTime(start, end), RLEOperator.subtract, start, end);
      }
      return found;
    });
  }
}
