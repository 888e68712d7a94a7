package org.apache.hadoop.yarn.server.resourcemanager;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.NodeLabel;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.event.Dispatcher;
import org.apache.hadoop.yarn.event.Event;
import org.apache.hadoop.yarn.event.EventHandler;
import org.apache.hadoop.yarn.nodelabels.CommonNodeLabelsManager;
import org.apache.hadoop.yarn.nodelabels.NodeAttributeStore;
import org.apache.hadoop.yarn.nodelabels.NodeAttributesManager;
import org.apache.hadoop.yarn.nodelabels.NodeLabelsStore;
import org.apache.hadoop.yarn.server.api.protocolrecords.NodeToAttributes;
import org.apache.hadoop.yarn.server.resourcemanager.amlauncher.AMLauncherEvent;
import org.apache.hadoop.yarn.server.resourcemanager.amlauncher.AMLauncherEventType;
import org.apache.hadoop.yarn.server.resourcemanager.amlauncher.ApplicationMasterLauncher;
import org.apache.hadoop.yarn.server.resourcemanager.nodelabels.NodeAttributesManagerImpl;
import org.apache.hadoop.yarn.server.resourcemanager.nodelabels.RMNodeLabelsManager;
import org.apache.hadoop.yarn.server.resourcemanager.nodelabels.UnstoredAttributes;
import org.apache.hadoop.yarn.server.resourcemanager.recovery.NullRMStateStore;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.constraint.AllocationTagsManager;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.SchedulerEvent;

/**
 * Hadoop's ResourceManager without its doors and without its threads: it opens no port, launches nothing, stores
 * nothing, and what its parts tell one another goes through the dispatcher that it is given. In Hadoop's package,
 * for some of the parts that it leaves out are reached from there alone.
 */
public final class TwinResourceManager extends ResourceManager {
  private final Dispatcher turns;
  private final long startMs;
  private final List<ApplicationAttemptId> launches = new ArrayList<>();

  public TwinResourceManager(Dispatcher turns, long startMs) {
    this.turns = turns;
    this.startMs = startMs;
  }

  /** The attempts whose AM it would have launched since this was asked last. */
  public List<ApplicationAttemptId> takeLaunches() {
    List<ApplicationAttemptId> taken = new ArrayList<>(launches);
    launches.clear();
    return taken;
  }

  public AdminService admin() {
    return adminService;
  }

  @Override
  protected void serviceInit(Configuration conf) throws Exception {
    super.serviceInit(conf);
    NullRMStateStore store = new NullRMStateStore() {
      @Override
      @SuppressWarnings("rawtypes")
      protected EventHandler getRMStateStoreEventHandler() {
        return rmStateStoreEventHandler;
      }
    };
    store.init(conf);
    store.setRMDispatcher(turns);
    rmContext.setStateStore(store);
  }

  @Override
  protected void serviceStart() throws Exception {
    super.serviceStart();
    setClusterTimeStamp(startMs);
  }

  @Override
  protected Dispatcher createDispatcher() {
    return turns;
  }

  @Override
  protected EventHandler<SchedulerEvent> createSchedulerEventDispatcher() {
    return event -> scheduler.handle(event);
  }

  @Override
  protected RMNodeLabelsManager createNodeLabelManager() {
    return new UnstoredLabels();
  }

  @Override
  protected NodeAttributesManager createNodeAttributesManager() {
    getConfig().setClass(YarnConfiguration.FS_NODE_ATTRIBUTE_STORE_IMPL_CLASS, NoAttributes.class,
        NodeAttributeStore.class);
    NodeAttributesManagerImpl manager = UnstoredAttributes.create();
    manager.setRMContext(rmContext);
    return manager;
  }

  @Override
  protected AllocationTagsManager createAllocationTagsManager() {
    return new MendedTags(rmContext);
  }

  @Override
  protected ClientRMService createClientRMService() {
    return new ClientRMService(rmContext, scheduler, rmAppManager, applicationACLsManager, queueACLsManager,
        rmContext.getRMDelegationTokenSecretManager()) {
      @Override
      protected void serviceStart() {}

      @Override
      protected void serviceStop() {}
    };
  }

  @Override
  protected ResourceTrackerService createResourceTrackerService() {
    rmContext.getContainerTokenSecretManager().rollMasterKey();
    rmContext.getNMTokenSecretManager().rollMasterKey();
    return new ResourceTrackerService(rmContext, nodesListManager, nmLivelinessMonitor,
        rmContext.getContainerTokenSecretManager(), rmContext.getNMTokenSecretManager()) {
      @Override
      protected void serviceStart() {}

      @Override
      protected void serviceStop() {}
    };
  }

  @Override
  protected ApplicationMasterService createApplicationMasterService() {
    boolean opportunistic = getConfig().getBoolean(YarnConfiguration.OPPORTUNISTIC_CONTAINER_ALLOCATION_ENABLED,
        YarnConfiguration.DEFAULT_OPPORTUNISTIC_CONTAINER_ALLOCATION_ENABLED);
    if (opportunistic) {
      return new OpportunisticContainerAllocatorAMService(rmContext, scheduler) {
        @Override
        protected void serviceStart() {}

        @Override
        protected void serviceStop() {}
      };
    }
    return new ApplicationMasterService(rmContext, scheduler) {
      @Override
      protected void serviceStart() {}

      @Override
      protected void serviceStop() {}
    };
  }

  @Override
  protected ApplicationMasterLauncher createAMLauncher() {
    return new ApplicationMasterLauncher(rmContext) {
      @Override
      protected void serviceStart() {}

      @Override
      protected void serviceStop() {}

      @Override
      public void handle(AMLauncherEvent event) {
        if (event.getType() == AMLauncherEventType.LAUNCH) {
          launches.add(event.getAppAttempt().getAppAttemptId());
        }
      }
    };
  }

  @Override
  protected AdminService createAdminService() {
    return new AdminService(this) {
      @Override
      protected void startServer() {}

      @Override
      protected void stopServer() {}
    };
  }

  @Override
  protected void startWepApp() {}

  /** Labels in memory; what changes takes effect at once. */
  private static final class UnstoredLabels extends RMNodeLabelsManager {
    @Override
    protected void initDispatcher(Configuration conf) {
      dispatcher = new Inline();
    }

    @Override
    protected void startDispatcher() {}

    @Override
    protected void stopDispatcher() {}

    @Override
    protected void initNodeLabelStore(Configuration conf) {
      store = new NodeLabelsStore() {
        @Override
        public void updateNodeToLabelsMappings(Map<NodeId, Set<String>> labels) {}

        @Override
        public void storeNewClusterNodeLabels(List<NodeLabel> labels) {}

        @Override
        public void removeClusterNodeLabels(Collection<String> labels) {}

        @Override
        public void recover() {}

        @Override
        public void init(Configuration configuration, CommonNodeLabelsManager manager) {}

        @Override
        public void close() {}
      };
    }
  }

  /** A store of attributes that keeps nothing. */
  public static final class NoAttributes implements NodeAttributeStore {
    @Override
    public void replaceNodeAttributes(List<NodeToAttributes> attributes) {}

    @Override
    public void addNodeAttributes(List<NodeToAttributes> attributes) {}

    @Override
    public void removeNodeAttributes(List<NodeToAttributes> attributes) {}

    @Override
    public void init(Configuration conf, NodeAttributesManager manager) {}

    @Override
    public void recover() {}

    @Override
    public void close() {}
  }

  /** Delivers at once: a dispatcher of stores that keep nothing. */
  @SuppressWarnings({"rawtypes", "unchecked"})
  public static final class Inline implements Dispatcher, EventHandler<Event> {
    private EventHandler handler;

    @Override
    public EventHandler<Event> getEventHandler() {
      return this;
    }

    @Override
    public void register(Class<? extends Enum> type, EventHandler ofType) {
      handler = ofType;
    }

    @Override
    public void handle(Event event) {
      if (handler != null) {
        handler.handle(event);
      }
    }
  }

  /** Hadoop's, with two kinds of tags that it would keep for ever. */
  private static final class MendedTags extends AllocationTagsManager {
    private final RMContext context;
    private final Map<ContainerId, Set<String>> tags = new HashMap<>();

    MendedTags(RMContext context) {
      super(context);
      this.context = context;
    }

    @Override
    public void addContainer(NodeId nodeId, ContainerId containerId, Set<String> added) {
      tags.put(containerId, added == null ? Set.of() : added);
      super.addContainer(nodeId, containerId, added);
    }

    /** Until its AM has heard of a container Hadoop asks the wrong record for its tags, and finds none. */
    @Override
    public void removeContainer(NodeId nodeId, ContainerId containerId, Set<String> removed) {
      super.removeContainer(nodeId, containerId, tags.getOrDefault(containerId, removed));
      tags.remove(containerId);
    }

    /**
     * Hadoop looks a node's rack up among the nodes that are there. A lost one is there no more when its containers
     * go; so it is shown once more.
     */
    @Override
    public void removeTags(NodeId nodeId, ApplicationId applicationId, Set<String> removed) {
      RMNode lost = context.getInactiveRMNodes().get(nodeId);
      boolean isShown = lost != null && context.getRMNodes().putIfAbsent(nodeId, lost) == null;
      super.removeTags(nodeId, applicationId, removed);
      if (isShown) {
        context.getRMNodes().remove(nodeId);
      }
    }
  }
}
