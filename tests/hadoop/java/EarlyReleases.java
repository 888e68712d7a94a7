package yarnbox.twin;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.AbstractYarnScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplicationAttempt;

/**
 * What AMs give back before its node has registered again after a restart. Hadoop remembers it for as long as a node may be
 * silent, by the clock on the wall and by a thread's timer; here by virtual time.
 */
final class EarlyReleases {
  private EarlyReleases() {}

  /** Lets the attempt remember which of these containers the scheduler does not know, if their nodes may still come. */
  static void remember(
      AbstractYarnScheduler<?, ?> scheduler, List<ContainerId> released, SchedulerApplicationAttempt attempt) {
    List<ContainerId> unknown = new ArrayList<>();
    for (ContainerId each : released) {
      if (scheduler.getRMContainer(each) == null) {
        unknown.add(each);
      }
    }
    if (!isOver(scheduler.getConfig())) {
      attempt.getPendingRelease().addAll(unknown);
    }
  }

  /** Forgets all of it when no node may come any more. */
  static void expire(AbstractYarnScheduler<?, ?> scheduler) {
    if (isOver(scheduler.getConfig())) {
      scheduler.clearPendingContainerCache();
    }
  }

  private static boolean isOver(Configuration conf) {
    int expiryMs =
        conf.getInt(YarnConfiguration.RM_NM_EXPIRY_INTERVAL_MS, YarnConfiguration.DEFAULT_RM_NM_EXPIRY_INTERVAL_MS);
    return VirtualTime.nowMs() - ResourceManager.getClusterTimeStamp() >= expiryMs;
  }
}
