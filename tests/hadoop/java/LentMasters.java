package org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ResourceUsage;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.fica.FiCaSchedulerApp;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.fica.FiCaSchedulerNode;

/**
 * ApplicationMasters on lent nodes: they count in the partition that was asked for. When such a node gets another size or
 * another label, Hadoop takes for granted that its AM counts in the node's own partition: what it uses stays booked in the
 * other one for ever.
 */
public final class LentMasters {
  private final Map<FiCaSchedulerApp, String> unmoved = new HashMap<>();

  /** Before the scheduler hears of the nodes' labels, which a node's size tells, too. */
  public LentMasters(CapacityScheduler scheduler, Map<NodeId, Set<String>> labels) {
    labels.forEach(
        (id, ofNode) -> {
          FiCaSchedulerNode node = scheduler.getNode(id);
          if (node != null) {
            lookAt(scheduler, node, ofNode);
          }
        });
  }

  private void lookAt(CapacityScheduler scheduler, FiCaSchedulerNode node, Collection<String> labels) {
    for (RMContainer container : node.getCopiedListOfRunningContainers()) {
      FiCaSchedulerApp app = scheduler.getApplicationAttempt(container.getApplicationAttemptId());
      if (app == null || !container.isAMContainer() || app.getAppAMNodePartitionName().equals(node.getPartition())) {
        continue;
      }
      if (labels.isEmpty() ? node.getPartition().isEmpty() : labels.contains(node.getPartition())) {
        unmoved.put(app, app.getAppAMNodePartitionName());
      } else {
        move(app, app.getAppAMNodePartitionName(), node.getPartition());
      }
    }
  }

  private static void move(FiCaSchedulerApp app, String from, String to) {
    Resource size = app.getAMResource(from);
    ResourceUsage own = app.getAppAttemptResourceUsage();
    AbstractLeafQueue leaf = app.getCSLeafQueue();
    if (leaf.getOrderingPolicy().getSchedulableEntities().contains(app)) {
      leaf.incAMUsedResource(to, size, app);
      leaf.decAMUsedResource(from, size, app);
    }
    own.incAMUsed(to, size);
    own.decAMUsed(from, size);
  }

  /** When the scheduler has heard. */
  public void keep() {
    unmoved.forEach(FiCaSchedulerApp::setAppAMNodePartitionName);
  }
}
