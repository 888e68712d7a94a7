package yarnbox.twin;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ExecutionType;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.api.records.UpdateContainerRequest;
import org.apache.hadoop.yarn.server.api.protocolrecords.NMContainerStatus;
import org.apache.hadoop.yarn.server.resourcemanager.nodelabels.RMNodeLabelsManager;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ContainerUpdates;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplicationAttempt;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.PendingAsk;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FSAppAttempt;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FSLeafQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FSQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler;
import org.apache.hadoop.yarn.server.scheduler.SchedulerRequestKey;
import org.apache.hadoop.yarn.util.resource.Resources;

/**
 * Hadoop's, without one way in which its metrics, by which it works out headrooms, count what nobody has, two in which
 * its queues do, and one in which a file takes effect in part.
 */
public final class MendedFairScheduler extends FairScheduler {

  /** One scheduler. */
  public MendedFairScheduler() {
    RunningApps.install(this);
    DeclaredQueues.install(this);
  }

  /**
   * When an AM wants another size of a container that it had wanted larger, and has not got larger yet, Hadoop takes the
   * first request back by an allocation of what is to be added, which its metrics count for ever.
   */
  @Override
  protected void handleContainerUpdates(SchedulerApplicationAttempt attempt, ContainerUpdates updates) {
    List<UpdateContainerRequest> requests = new ArrayList<>(updates.getIncreaseRequests());
    requests.addAll(updates.getDecreaseRequests());
    List<Resource> replaced = new ArrayList<>();
    for (UpdateContainerRequest each : requests) {
      RMContainer container = getRMContainer(each.getContainerId());
      if (container != null) {
        SchedulerRequestKey key = SchedulerRequestKey.create(each, container.getAllocatedSchedulerKey());
        PendingAsk before = attempt.getAppSchedulingInfo().getPendingAsk(key, ResourceRequest.ANY);
        if (before.getCount() > 0) {
          replaced.add(before.getPerAllocationResource());
        }
      }
    }
    super.handleContainerUpdates(attempt, updates);
    for (Resource size : replaced) {
      attempt.getQueue().getMetrics().releaseResources(RMNodeLabelsManager.NO_LABEL, attempt.getUser(), 1, size);
    }
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
    for (NMContainerStatus report : reports == null ? List.<NMContainerStatus>of() : reports) {
      recover(report, node);
    }
  }

  /**
   * An opportunistic container that it recovers Hadoop counts in what its queues use, for ever, and takes it for the AM's
   * where it comes first.
   */
  private void recover(NMContainerStatus report, RMNode node) {
    ContainerId id = report.getContainerId();
    FSAppAttempt attempt = getCurrentAttemptForContainer(id);
    boolean hadMaster = attempt != null && attempt.isAmRunning();
    Resource master = attempt == null ? null : attempt.getAMResource();
    RMContainer known = getRMContainer(id);
    super.recoverContainersOnNode(List.of(report), node);
    RMContainer container = getRMContainer(id);
    if (container == null || container == known || container.getExecutionType() != ExecutionType.OPPORTUNISTIC) {
      return;
    }
    try {
      Cluster.method(FSQueue.class, "decUsedResource").invoke(attempt.getQueue(), container.getAllocatedResource());
      if (!hadMaster && attempt.isAmRunning()) {
        Cluster.method(FSLeafQueue.class, "addAMResourceUsage")
            .invoke(attempt.getQueue(), Resources.negate(attempt.getAMResource()));
        attempt.setAMResource(master);
        attempt.setAmRunning(false);
      }
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }
}
