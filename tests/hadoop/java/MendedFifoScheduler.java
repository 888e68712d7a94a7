package yarnbox.twin;

import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ExecutionType;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.server.api.protocolrecords.NMContainerStatus;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerState;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplicationAttempt;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler;
import org.apache.hadoop.yarn.util.resource.Resources;

/** Hadoop's, in virtual time, and without one way in which it miscounts. */
public final class MendedFifoScheduler extends FifoScheduler {
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
    if (!rmContext.isWorkPreservingRecoveryEnabled() || reports == null) {
      return;
    }
    List<RMContainer> uncharged = reports.stream().map(report -> getRMContainer(report.getContainerId()))
        .filter(MendedFifoScheduler::isUncharged).collect(Collectors.toList());
    uncharged.forEach(each -> Resources.subtractFrom(getUsedResource(), each.getAllocatedResource()));
    Resource left = Resources.subtract(getClusterResource(), getUsedResource());
    uncharged.forEach(each -> getCurrentAttemptForContainer(each.getContainerId()).setHeadroom(left));
  }

  /** Hadoop counts an opportunistic container that it recovers as used, for ever. */
  private static boolean isUncharged(RMContainer container) {
    return container != null && container.getState() != RMContainerState.COMPLETED
        && container.getExecutionType() == ExecutionType.OPPORTUNISTIC;
  }
}
