package yarnbox.twin;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FSAppAttempt;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FSLeafQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FSQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.MaxRunningAppsEnforcer;

/**
 * How many applications may run. When one that has waited may, Hadoop adds what it holds to what its queues use, which had
 * it from the beginning of the attempt on.
 */
final class RunningApps extends MaxRunningAppsEnforcer {

  private RunningApps(FairScheduler scheduler) {
    super(scheduler);
  }

  static void install(FairScheduler scheduler) {
    try {
      Cluster.field(FairScheduler.class, "maxRunningEnforcer").set(scheduler, new RunningApps(scheduler));
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }

  @Override
  public void updateRunnabilityOnReload() {
    List<FSAppAttempt> waiting = waiting();
    super.updateRunnabilityOnReload();
    deduct(waiting);
  }

  @Override
  public void updateRunnabilityOnAppRemoval(FSAppAttempt app, FSLeafQueue queue) {
    List<FSAppAttempt> waiting = waiting();
    super.updateRunnabilityOnAppRemoval(app, queue);
    deduct(waiting);
  }

  @SuppressWarnings("unchecked")
  private List<FSAppAttempt> waiting() {
    try {
      Object byUser = Cluster.field(MaxRunningAppsEnforcer.class, "usersNonRunnableApps").get(this);
      Object all = Cluster.method(byUser.getClass(), "values").invoke(byUser);
      return new ArrayList<>((Collection<FSAppAttempt>) all);
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }

  /** Those that have waited and do no more were added once more. */
  private void deduct(List<FSAppAttempt> waited) {
    waited.removeAll(waiting());
    try {
      for (FSAppAttempt each : waited) {
        Cluster.method(FSQueue.class, "decUsedResource").invoke(each.getQueue(), each.getResourceUsage());
      }
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }
}
