package org.apache.hadoop.yarn.server.resourcemanager.scheduler;

import java.lang.reflect.InvocationTargetException;
import org.apache.hadoop.yarn.server.resourcemanager.RMContext;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.ContainerRequest;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.AppPlacementAllocator;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.LocalityAppPlacementAllocator;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.SingleConstraintAppPlacementAllocator;
import org.apache.hadoop.yarn.server.scheduler.SchedulerRequestKey;

/**
 * Stands before Hadoop's class of this name on the class path: a container that is given to a scheduling request is
 * no longer pending, as it is from Hadoop 3.5 on (YARN-11660). 3.4 takes it off the request alone, and never off what
 * the application and its queues wait for.
 */
public final class ApplicationPlacementAllocatorFactory {
  private ApplicationPlacementAllocatorFactory() {}

  public static AppPlacementAllocator<SchedulerNode> getAppPlacementAllocator(
      String name, AppSchedulingInfo info, SchedulerRequestKey key, RMContext context) {
    AppPlacementAllocator<SchedulerNode> made = name != null
        && name.equals(SingleConstraintAppPlacementAllocator.class.getCanonicalName()) ? new Booked() : named(name);
    made.initialize(info, key, context);
    return made;
  }

  @SuppressWarnings("unchecked")
  private static AppPlacementAllocator<SchedulerNode> named(String name) {
    if (name == null || name.isEmpty()) {
      return new LocalityAppPlacementAllocator<>();
    }
    try {
      return (AppPlacementAllocator<SchedulerNode>) Class.forName(name).getDeclaredConstructor().newInstance();
    } catch (ClassNotFoundException | NoSuchMethodException | InstantiationException | IllegalAccessException
        | InvocationTargetException error) {
      return new LocalityAppPlacementAllocator<>();
    }
  }

  /** Hadoop's own, with what it forgets. */
  private static final class Booked extends SingleConstraintAppPlacementAllocator<SchedulerNode> {
    @Override
    public ContainerRequest allocate(SchedulerRequestKey key, NodeType type, SchedulerNode node) {
      ContainerRequest taken = super.allocate(key, type, node);
      appSchedulingInfo.decPendingResource(
          getPrimaryRequestedNodePartition(), getSchedulingRequest().getResourceSizing().getResources());
      return taken;
    }
  }
}
