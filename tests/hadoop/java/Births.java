package yarnbox.twin;

import java.lang.reflect.Field;
import java.util.IdentityHashMap;
import java.util.Map;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerImpl;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.AbstractYarnScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplication;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplicationAttempt;

/**
 * When containers came into being, in virtual time. Hadoop writes it down, and asks how long ago it was (preemption by queue
 * priority) or which one is the newest (a node that shrank), all by the machine's clock, past all others.
 */
final class Births {
  private final Map<RMContainer, Long> known = new IdentityHashMap<>();

  /** Those that are new were made now. */
  void note(AbstractYarnScheduler<?, ?> scheduler) {
    Map<RMContainer, Long> present = new IdentityHashMap<>();
    for (SchedulerApplication<?> application : scheduler.getSchedulerApplications().values()) {
      SchedulerApplicationAttempt attempt = application.getCurrentAppAttempt();
      if (attempt != null) {
        note(attempt.getLiveContainers(), present);
        note(attempt.getReservedContainers(), present);
      }
    }
    known.clear();
    known.putAll(present);
  }

  private void note(Iterable<RMContainer> containers, Map<RMContainer, Long> present) {
    for (RMContainer container : containers) {
      present.put(container, known.getOrDefault(container, VirtualTime.nowMs()));
    }
  }

  /** Lets each be as old by the machine's clock as it is in virtual time. */
  void tellByWallClock(AbstractYarnScheduler<?, ?> scheduler) {
    note(scheduler);
    long offsetMs = System.currentTimeMillis() - VirtualTime.nowMs();
    try {
      Field creation = RMContainerImpl.class.getDeclaredField("creationTime");
      creation.setAccessible(true);
      for (Map.Entry<RMContainer, Long> each : known.entrySet()) {
        creation.setLong(each.getKey(), each.getValue() + offsetMs);
      }
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }
}
