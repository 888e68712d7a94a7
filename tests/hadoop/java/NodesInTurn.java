package org.apache.hadoop.yarn.server.resourcemanager.scheduler.distributed;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceBlacklistRequest;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.server.resourcemanager.OpportunisticContainerAllocatorAMService;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNode;
import org.apache.hadoop.yarn.server.scheduler.OpportunisticContainerAllocator;
import org.apache.hadoop.yarn.server.scheduler.OpportunisticContainerAllocator.EnrichedResourceRequest;
import org.apache.hadoop.yarn.server.scheduler.OpportunisticContainerContext;
import org.apache.hadoop.yarn.server.scheduler.SchedulerRequestKey;
import org.apache.hadoop.yarn.server.security.BaseContainerTokenSecretManager;
import yarnbox.twin.Cluster;
import yarnbox.twin.VirtualTime;

/**
 * Ranks nodes for opportunistic containers when their interval has ended in virtual time, and begins where it ended
 * last, not where chance wants. What Hadoop keeps in the order of hashes is in the order in which it came.
 */
public final class NodesInTurn extends NodeQueueLoadMonitor {
  private final long startMs;
  private final long intervalMs;
  private long rankings;
  private int next;

  private NodesInTurn(NodeQueueLoadMonitor old, long startMs, long intervalMs) throws ReflectiveOperationException {
    super((LoadComparator) old.getComparator());
    this.startMs = startMs;
    this.intervalMs = intervalMs;
    numNodesForAnyAllocation = old.numNodesForAnyAllocation;
    thresholdCalculator = old.thresholdCalculator;
    set(QueueLimitCalculator.class, "nodeSelector", thresholdCalculator, this);
    set(NodeQueueLoadMonitor.class, "clusterNodes", this, new LinkedHashMap<>());
  }

  /** Takes the place of the service's own monitor, whose thread ends. */
  public static NodesInTurn install(OpportunisticContainerAllocatorAMService service, Configuration conf, long startMs)
      throws ReflectiveOperationException {
    NodeQueueLoadMonitor old = (NodeQueueLoadMonitor) Cluster.field(service.getClass(), "nodeMonitor").get(service);
    old.stop();
    NodesInTurn monitor = new NodesInTurn(old, startMs, conf.getLong(
        YarnConfiguration.NM_CONTAINER_QUEUING_SORTING_NODES_INTERVAL_MS,
        YarnConfiguration.DEFAULT_NM_CONTAINER_QUEUING_SORTING_NODES_INTERVAL_MS));
    Object allocator = Cluster.field(service.getClass(), "oppContainerAllocator").get(service);
    Cluster.field(service.getClass(), "nodeMonitor").set(service, monitor);
    Cluster.field(service.getClass(), "oppContainerAllocator").set(service, new InOrder(
        (BaseContainerTokenSecretManager) Cluster.field(OpportunisticContainerAllocator.class, "tokenSecretManager").get(allocator),
        ((OpportunisticContainerAllocator) allocator).getMaxAllocationsPerAMHeartbeat(), monitor));
    return monitor;
  }

  /** Ranks the nodes if an interval has ended by now. */
  public void rankWhenDue() {
    long due = (VirtualTime.nowMs() - startMs) / intervalMs;
    if (due > rankings) {
      rankings = due;
      computeTask.run();
    }
  }

  @Override
  protected void updateSortedNodes() {
    super.updateSortedNodes();
    next = 0;
  }

  @Override
  public void updateNode(RMNode node) {
    super.updateNode(node);
    ClusterNode updated = clusterNodes.get(node.getNodeID());
    if (updated != null) {
      try {
        set(ClusterNode.class, "timestamp", updated, VirtualTime.nowMs());
      } catch (ReflectiveOperationException error) {
        throw new IllegalStateException(error);
      }
    }
  }

  @Override
  protected void addIntoNodeIdsByRack(RMNode added) {
    nodeIdsByRack.computeIfAbsent(added.getRackName(), any -> new LinkedHashSet<>()).add(added.getNodeID());
  }

  @Override
  public RMNode selectAnyNode(Set<String> blacklist, Resource request) {
    List<NodeId> candidates = getCandidatesForSelectAnyNode();
    for (int step = 0; step < candidates.size(); step++) {
      int place = (next + step) % candidates.size();
      NodeId id = candidates.get(place);
      ClusterNode node = clusterNodes.get(id);
      if (!blacklist.contains(id.getHost()) && node != null && comparator.compareAndIncrement(node, 1, request)) {
        next = place + 1;
        return nodeByHostName.get(id.getHost());
      }
    }
    return null;
  }

  private static void set(Class<?> type, String name, Object of, Object value) throws ReflectiveOperationException {
    Cluster.field(type, name).set(of, value);
  }

  /** Serves sizes and places in the order in which they were asked for first. */
  private static final class InOrder extends CentralizedOpportunisticContainerAllocator {
    InOrder(BaseContainerTokenSecretManager tokens, int most, NodeQueueLoadMonitor monitor) {
      super(tokens, most, monitor);
    }

    @Override
    public List<Container> allocateContainers(ResourceBlacklistRequest blacklist, List<ResourceRequest> asked,
        ApplicationAttemptId attempt, OpportunisticContainerContext context, long rm, String user) throws YarnException {
      try {
        for (ResourceRequest request : asked) {
          keepOrder(context, request);
        }
      } catch (ReflectiveOperationException error) {
        throw new IllegalStateException(error);
      }
      List<Container> given = new ArrayList<>(super.allocateContainers(blacklist, asked, attempt, context, rm, user));
      given.sort(Comparator.comparing(Container::getId));
      return given;
    }

    private static void keepOrder(OpportunisticContainerContext context, ResourceRequest request)
        throws ReflectiveOperationException {
      Map<Resource, EnrichedResourceRequest> bySize = context.getOutstandingOpReqs()
          .computeIfAbsent(SchedulerRequestKey.create(request), any -> new LinkedHashMap<>());
      if (!bySize.containsKey(request.getCapability())) {
        EnrichedResourceRequest wanted = new EnrichedResourceRequest(request);
        set(EnrichedResourceRequest.class, "nodeLocations", wanted, new LinkedHashMap<>());
        set(EnrichedResourceRequest.class, "rackLocations", wanted, new LinkedHashMap<>());
        bySize.put(request.getCapability(), wanted);
      }
    }
  }
}
