package yarnbox.twin;

import org.apache.hadoop.yarn.api.records.SchedulingRequest;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplicationAttempt;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler;

/** Hadoop's, without one way in which it loses a request of the placement processor. */
public final class MendedCapacityScheduler extends CapacityScheduler {

  /**
   * When the node of a placed request is gone Hadoop has nothing to commit, and breaks over it in a thread of the
   * processor: the request is neither tried again nor rejected.
   */
  @Override
  public boolean attemptAllocationOnNode(
      SchedulerApplicationAttempt attempt, SchedulingRequest request, SchedulerNode node) {
    try {
      return super.attemptAllocationOnNode(attempt, request, node);
    } catch (NullPointerException broken) {
      if (getNode(node.getNodeID()) != null) {
        throw broken;
      }
      return false;
    }
  }
}
