package yarnbox.twin;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.QueueManager;

/**
 * The queues of the FairScheduler. A queue that the file declares is not there while it cannot be made: one of the other kind
 * is in use in its place, or its policy is not allowed there. When a later file does not declare it any more, Hadoop
 * follows a null reference, and the rest of that file takes no effect.
 */
final class DeclaredQueues extends QueueManager {

  private DeclaredQueues(FairScheduler scheduler) {
    super(scheduler);
  }

  static void install(FairScheduler scheduler) {
    try {
      Cluster.field(FairScheduler.class, "queueMgr").set(scheduler, new DeclaredQueues(scheduler));
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }

  @Override
  protected void setQueuesToDynamic(Set<String> names) {
    super.setQueuesToDynamic(names.stream().filter(this::exists).collect(Collectors.toCollection(LinkedHashSet::new)));
  }
}
