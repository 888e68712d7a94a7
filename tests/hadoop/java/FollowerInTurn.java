package org.apache.hadoop.yarn.server.resourcemanager.reservation;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** Keeps the thread that runs the plan follower, which begins with the ResourceManager, from running it. */
public final class FollowerInTurn {
  private FollowerInTurn() {}

  /** From now on only the present thread runs the plan follower. */
  public static void install(ReservationSystem system) throws ReflectiveOperationException {
    if (system == null) {
      return;
    }
    Thread owner = Thread.currentThread();
    Field field = AbstractReservationSystem.class.getDeclaredField("planFollower");
    field.setAccessible(true);
    Object follower = field.get(system);
    field.set(system, Proxy.newProxyInstance(PlanFollower.class.getClassLoader(), new Class<?>[] {PlanFollower.class},
        (proxy, method, given) -> {
          if (Thread.currentThread() != owner) {
            return null;
          }
          try {
            return method.invoke(follower, given);
          } catch (InvocationTargetException error) {
            throw error.getCause();
          }
        }));
  }
}
