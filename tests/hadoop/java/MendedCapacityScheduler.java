package yarnbox.twin;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.thirdparty.com.google.common.util.concurrent.SettableFuture;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.api.records.SchedulingRequest;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.server.api.protocolrecords.NMContainerStatus;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.Allocation;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ContainerUpdates;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplicationAttempt;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.AbstractLeafQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CSQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.LentMasters;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.UsersManager;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.ContainerAllocationProposal;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.ResourceCommitRequest;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.SchedulerContainer;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.fica.FiCaSchedulerApp;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.fica.FiCaSchedulerNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppAttemptRemovedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.NodeLabelsUpdateSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.SchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.policy.OrderingPolicy;

/**
 * Hadoop's, without one way in which it loses a request of the placement processor, five in which it miscounts, one in which
 * it breaks over a container that was to be preempted, and one in which preemption finds no end.
 */
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

  /**
   * With the last attempt that counts Hadoop forgets a user, and what containers use that the user still has. It takes an
   * attempt that waits for max-parallel-apps from those of its user, though it is not counted among them.
   */
  @Override
  public void handle(SchedulerEvent event) {
    orderActivatedOnly();
    if (event instanceof AppAttemptRemovedSchedulerEvent) {
      FiCaSchedulerApp attempt =
          getApplicationAttempt(((AppAttemptRemovedSchedulerEvent) event).getApplicationAttemptID());
      if (attempt != null && attempt.getQueue() instanceof AbstractLeafQueue) {
        UsersManager users = ((AbstractLeafQueue) attempt.getQueue()).getUsersManager();
        KeptUsers.install(users);
        if (!attempt.isRunnable()) {
          users.getUserAndAddIfAbsent(attempt.getUser()).submitApplication();
        }
      }
    }
    LentMasters masters = event instanceof NodeLabelsUpdateSchedulerEvent
        ? new LentMasters(this, ((NodeLabelsUpdateSchedulerEvent) event).getUpdatedNodeToLabels())
        : null;
    UnchargedContainers uncharged = new UnchargedContainers();
    if (event instanceof NodeLabelsUpdateSchedulerEvent) {
      ((NodeLabelsUpdateSchedulerEvent) event).getUpdatedNodeToLabels().keySet().forEach(id -> uncharged.hide(getNode(id)));
    }
    super.handle(event);
    uncharged.show();
    if (masters != null) {
      masters.keep();
    }
  }

  private void orderActivatedOnly() {
    for (CSQueue queue : getCapacitySchedulerQueueManager().getQueues().values()) {
      if (queue instanceof AbstractLeafQueue) {
        ActivatedOnly.install(((AbstractLeafQueue) queue).getOrderingPolicy());
      }
    }
  }

  /**
   * A leaf knows its containers on lent nodes, from which preemption takes first. Of a container that was a reservation
   * before, Hadoop keeps the reservation there: that is selected again and again, and never ends.
   */
  @Override
  @SuppressWarnings({"rawtypes", "unchecked"})
  public boolean tryCommit(Resource cluster, ResourceCommitRequest request, boolean updatesPending) {
    ContainerAllocationProposal<FiCaSchedulerApp, FiCaSchedulerNode> proposal =
        request.getFirstAllocatedOrReservedContainer();
    boolean isAccepted = super.tryCommit(cluster, request, updatesPending);
    if (isAccepted && proposal != null && proposal.getAllocateFromReservedContainer() != null) {
      SchedulerContainer<FiCaSchedulerApp, FiCaSchedulerNode> given = proposal.getAllocatedOrReservedContainer();
      try {
        Object lent = Cluster.field(AbstractLeafQueue.class, "ignorePartitionExclusivityRMContainers")
            .get(given.getSchedulerApplicationAttempt().getCSLeafQueue());
        Set<RMContainer> known = ((Map<String, Set<RMContainer>>) lent).get(given.getNodePartition());
        if (known != null && known.remove(given.getRmContainer())) {
          known.add(given.getRmContainer());
        }
      } catch (ReflectiveOperationException error) {
        throw new IllegalStateException(error);
      }
    }
    return isAccepted;
  }

  /** Hadoop puts an attempt that waits for max-parallel-apps among those that wait to be activated. */
  @Override
  @SuppressWarnings("unchecked")
  public Priority updateApplicationPriority(
      Priority priority, ApplicationId id, SettableFuture<Object> future, UserGroupInformation user)
      throws YarnException {
    Priority found = super.updateApplicationPriority(priority, id, future, user);
    FiCaSchedulerApp attempt = applications.get(id).getCurrentAppAttempt();
    if (attempt != null && !attempt.isRunnable()) {
      try {
        Object pending = Cluster.field(AbstractLeafQueue.class, "pendingOrderingPolicy").get(attempt.getQueue());
        ((OrderingPolicy<FiCaSchedulerApp>) pending).removeSchedulableEntity(attempt);
      } catch (ReflectiveOperationException error) {
        throw new IllegalStateException(error);
      }
    }
    return found;
  }

  /**
   * Of an opportunistic container that was to be preempted, and has ended, Hadoop remembers the former, and breaks over it
   * whenever its AM calls.
   */
  @Override
  public Allocation allocate(ApplicationAttemptId id, List<ResourceRequest> ask, List<SchedulingRequest> requests,
      List<ContainerId> released, List<String> added, List<String> removed, ContainerUpdates updates) {
    orderActivatedOnly(); // a refresh may have brought another order
    FiCaSchedulerApp attempt = getApplicationAttempt(id);
    if (attempt != null) {
      try {
        Set<?> marked = (Set<?>) Cluster.field(FiCaSchedulerApp.class, "containersToPreempt").get(attempt);
        marked.removeIf(each -> attempt.getRMContainer((ContainerId) each) == null);
      } catch (ReflectiveOperationException error) {
        throw new IllegalStateException(error);
      }
    }
    return super.allocate(id, ask, requests, released, added, removed, updates);
  }

  @Override
  protected void createReleaseCache() {} // Hadoop starts a timer

  @Override
  protected void releaseContainers(List<ContainerId> released, SchedulerApplicationAttempt attempt) {
    EarlyReleases.remember(this, released, attempt);
    super.releaseContainers(released, attempt);
  }

  @Override
  public void recoverContainersOnNode(List<NMContainerStatus> reports, RMNode node) {
    EarlyReleases.expire(this);
    super.recoverContainersOnNode(reports, node);
  }
}
