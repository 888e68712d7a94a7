package yarnbox.twin;

import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ExecutionType;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerNode;

/**
 * Opportunistic containers cost no queue anything. When a node gets another label Hadoop moves them between partitions
 * all the same: the one has a negative use for ever, the other one too much. So they are not there meanwhile.
 */
final class UnchargedContainers {
  private final Map<SchedulerNode, Map<ContainerId, Object>> hidden = new HashMap<>();

  /** Takes those of a node away. */
  void hide(SchedulerNode node) {
    if (node == null) {
      return;
    }
    Map<ContainerId, Object> present = containers(node);
    for (RMContainer container : node.getCopiedListOfRunningContainers()) {
      if (container.getExecutionType() == ExecutionType.OPPORTUNISTIC) {
        ContainerId id = container.getContainer().getId();
        Object known = present.remove(id);
        if (known != null) {
          hidden.computeIfAbsent(node, any -> new HashMap<>()).put(id, known);
        }
      }
    }
  }

  /** Brings all of them back. */
  void show() {
    hidden.forEach((node, containers) -> containers(node).putAll(containers));
  }

  @SuppressWarnings("unchecked")
  private static Map<ContainerId, Object> containers(SchedulerNode node) {
    try {
      return (Map<ContainerId, Object>) Cluster.field(SchedulerNode.class, "launchedContainers").get(node);
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }
}
