package yarnbox.twin;

import java.util.List;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.server.api.protocolrecords.NMContainerStatus;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplicationAttempt;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler;

/** Hadoop's, in virtual time. */
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
  }
}
