package yarnbox.twin;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.fica.FiCaSchedulerApp;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.policy.AbstractComparatorOrderingPolicy;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.policy.OrderingPolicy;

/**
 * Applications of a leaf whose place in its order has to be found anew. Hadoop puts each of them among the activated ones,
 * one that waits for the limit of AMs, too; here those are left out that are not among them.
 */
final class ActivatedOnly extends HashMap<String, FiCaSchedulerApp> {
  private static final long serialVersionUID = 1L;
  private final transient Collection<FiCaSchedulerApp> activated;

  private ActivatedOnly(Collection<FiCaSchedulerApp> activated, Map<String, FiCaSchedulerApp> present) {
    this.activated = activated;
    putAll(present);
  }

  @SuppressWarnings("unchecked")
  static void install(OrderingPolicy<FiCaSchedulerApp> policy) {
    if (!(policy instanceof AbstractComparatorOrderingPolicy)) {
      return;
    }
    try {
      var field = Cluster.field(AbstractComparatorOrderingPolicy.class, "entitiesToReorder");
      Object present = field.get(policy);
      if (!(present instanceof ActivatedOnly)) {
        field.set(policy, new ActivatedOnly(policy.getSchedulableEntities(), (Map<String, FiCaSchedulerApp>) present));
      }
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }

  @Override
  public Set<Map.Entry<String, FiCaSchedulerApp>> entrySet() {
    values().removeIf(app -> activated.stream().noneMatch(each -> each == app));
    return super.entrySet();
  }
}
