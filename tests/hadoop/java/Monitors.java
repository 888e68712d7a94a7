package yarnbox.twin;

import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.server.resourcemanager.RMContext;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.AllocationExpirationInfo;
import org.apache.hadoop.yarn.util.AbstractLivelinessMonitor;

/**
 * Hadoop's monitors of who is silent, by virtual time instead of threads that sleep. Each looks by Hadoop's own code, when the
 * ResourceManager starts and at every interval of its own from then on: so whom it misses, and when, is Hadoop's decision. Lifetimes
 * of applications are left out, which Hadoop counts from the machine's clock.
 */
final class Monitors {
  private static final String PING_CHECKER = AbstractLivelinessMonitor.class.getName() + "$PingChecker";

  private final Map<String, Watch> watches = new LinkedHashMap<>();

  /** Of a ResourceManager that has just started, whose own threads have ended. */
  Monitors(ResourceManager manager) throws ReflectiveOperationException {
    RMContext context = manager.getRMContext();
    Object nodes = Cluster.field(ResourceManager.class, "nmLivelinessMonitor").get(manager);
    watches.put("nodes", new Watch((AbstractLivelinessMonitor<?>) nodes));
    watches.put("masters", new Watch(context.getAMLivelinessMonitor()));
    watches.put("finishing masters", new Watch(context.getAMFinishingMonitor()));
    watches.put("containers", new Watch(context.getContainerAllocationExpirer()));
  }

  /** Whom these miss now, in Hadoop's order; those that do not look now miss nobody. */
  List<String> look(Collection<String> names) throws ReflectiveOperationException {
    List<String> missed = new ArrayList<>();
    for (String name : names) {
      Watch watch = watches.get(name);
      if (watch.nextMs == VirtualTime.nowMs()) {
        missed.addAll(watch.look());
      }
    }
    return missed;
  }

  /** The looks that are due before this moment, each at its own; what each misses is carried out. Whom they missed. */
  List<String> lookUntil(long ms, Runnable carryOut) throws ReflectiveOperationException {
    List<String> missed = new ArrayList<>();
    while (true) {
      Watch first = null;
      for (Watch each : watches.values()) {
        if (each.nextMs < ms && (first == null || each.nextMs < first.nextMs)) {
          first = each;
        }
      }
      if (first == null) {
        return missed;
      }
      if (first.watched.isEmpty()) {
        first.skipTo(ms);
      } else {
        VirtualTime.moveTo(first.nextMs);
        missed.addAll(first.look());
        carryOut.run();
      }
    }
  }

  /** These nodes heartbeat last at that moment, without a call. */
  void heardOfNode(NodeId id, long ms) {
    watches.get("nodes").hear(id, ms);
  }

  /** All nodes but these did. */
  void heardOfOtherNodes(Set<NodeId> silent, long ms) {
    Watch nodes = watches.get("nodes");
    nodes.watched.keySet().stream().filter(each -> !silent.contains(each)).forEach(each -> nodes.hear((NodeId) each, ms));
  }

  /** The ApplicationMaster called last at that moment. */
  void heardOfMaster(ApplicationAttemptId id, long ms) {
    watches.get("masters").hear(id, ms);
  }

  /** The node is lost without a look. */
  void forgetNode(NodeId id) {
    watches.get("nodes").watched.remove(id);
  }

  private static String text(Object key) {
    if (key instanceof AllocationExpirationInfo) {
      AllocationExpirationInfo info = (AllocationExpirationInfo) key;
      return (info.isIncrease() ? "increase " : "container ") + info.getContainerId();
    }
    return (key instanceof NodeId ? "node " : "attempt ") + key;
  }

  /** One monitor. */
  private static final class Watch {
    private final Runnable checker;
    private final long intervalMs;
    private final Map<Object, Long> watched;
    private long nextMs;

    @SuppressWarnings("unchecked")
    Watch(AbstractLivelinessMonitor<?> monitor) throws ReflectiveOperationException {
      Constructor<?> made = Class.forName(PING_CHECKER).getDeclaredConstructor(AbstractLivelinessMonitor.class);
      made.setAccessible(true);
      checker = (Runnable) made.newInstance(monitor);
      intervalMs = Math.max(1, Cluster.field(AbstractLivelinessMonitor.class, "monitorInterval").getLong(monitor));
      // Nobody can sleep so long: so it looks once.
      Cluster.field(AbstractLivelinessMonitor.class, "monitorInterval").setLong(monitor, -1);
      watched = (Map<Object, Long>) Cluster.field(AbstractLivelinessMonitor.class, "running").get(monitor);
      nextMs = VirtualTime.nowMs() + intervalMs;
    }

    void hear(Object id, long ms) {
      watched.computeIfPresent(id, (key, before) -> Math.max(before, ms));
    }

    void skipTo(long ms) {
      nextMs += (ms - nextMs + intervalMs - 1) / intervalMs * intervalMs;
    }

    List<String> look() {
      nextMs += intervalMs;
      List<Object> before = new ArrayList<>(watched.keySet());
      try {
        checker.run();
      } catch (IllegalArgumentException asleep) {
        // it has looked
      }
      List<String> missed = new ArrayList<>();
      before.stream().filter(each -> !watched.containsKey(each)).forEach(each -> missed.add(text(each)));
      return missed;
    }
  }
}
