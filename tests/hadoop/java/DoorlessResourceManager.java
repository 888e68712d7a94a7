package org.apache.hadoop.yarn.server.resourcemanager;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.NodeLabel;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.event.Dispatcher;
import org.apache.hadoop.yarn.event.Event;
import org.apache.hadoop.yarn.event.EventHandler;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.nodelabels.CommonNodeLabelsManager;
import org.apache.hadoop.yarn.nodelabels.NodeAttributeStore;
import org.apache.hadoop.yarn.nodelabels.NodeAttributesManager;
import org.apache.hadoop.yarn.nodelabels.NodeLabelsStore;
import org.apache.hadoop.yarn.nodelabels.store.op.AddClusterLabelOp;
import org.apache.hadoop.yarn.nodelabels.store.op.AddNodeToAttributeLogOp;
import org.apache.hadoop.yarn.nodelabels.store.op.NodeToLabelOp;
import org.apache.hadoop.yarn.nodelabels.store.op.RemoveClusterLabelOp;
import org.apache.hadoop.yarn.nodelabels.store.op.RemoveNodeToAttributeLogOp;
import org.apache.hadoop.yarn.nodelabels.store.op.ReplaceNodeToAttributeLogOp;
import org.apache.hadoop.yarn.server.api.protocolrecords.NodeToAttributes;
import org.apache.hadoop.yarn.server.resourcemanager.amlauncher.AMLauncherEvent;
import org.apache.hadoop.yarn.server.resourcemanager.amlauncher.AMLauncherEventType;
import org.apache.hadoop.yarn.server.resourcemanager.amlauncher.ApplicationMasterLauncher;
import org.apache.hadoop.yarn.server.resourcemanager.nodelabels.NodeAttributesManagerImpl;
import org.apache.hadoop.yarn.server.resourcemanager.nodelabels.RMNodeLabelsManager;
import org.apache.hadoop.yarn.server.resourcemanager.nodelabels.UnstoredAttributes;
import org.apache.hadoop.yarn.server.resourcemanager.recovery.NullRMStateStore;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.SchedulerEvent;
import yarnbox.twin.Memory;

/**
 * Hadoop's ResourceManager without its doors and without its threads: it opens no port, launches nothing, stores
 * nothing but labels and attributes in memory, and what its parts tell one another goes through the dispatcher that it is
 * given. In Hadoop's package, for some of the parts that it leaves out are reached from there alone.
 */
public class DoorlessResourceManager extends ResourceManager {
  private final Dispatcher dispatcher;
  private final long startMs;
  private final List<ApplicationAttemptId> launches = new ArrayList<>();

  public DoorlessResourceManager(Dispatcher dispatcher, long startMs) {
    this.dispatcher = dispatcher;
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
    setUpStore(conf);
  }

  /** What stores applications: nothing. */
  protected void setUpStore(Configuration conf) {
    NullRMStateStore store = new NullRMStateStore() {
      @Override
      @SuppressWarnings("rawtypes")
      protected EventHandler getRMStateStoreEventHandler() {
        return rmStateStoreEventHandler;
      }
    };
    store.init(conf);
    store.setRMDispatcher(dispatcher);
    rmContext.setStateStore(store);
  }

  @Override
  protected void serviceStart() throws Exception {
    super.serviceStart();
    setClusterTimeStamp(startMs);
  }

  @Override
  protected Dispatcher createDispatcher() {
    return dispatcher;
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
    getConfig().setClass(YarnConfiguration.FS_NODE_ATTRIBUTE_STORE_IMPL_CLASS, AttributesInMemory.class,
        NodeAttributeStore.class);
    NodeAttributesManagerImpl manager = UnstoredAttributes.create();
    manager.setRMContext(rmContext);
    return manager;
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
      OpportunisticContainerAllocatorAMService service = new OpportunisticContainerAllocatorAMService(rmContext, scheduler) {
        @Override
        protected void serviceStart() {}

        @Override
        protected void serviceStop() {}
      };
      rmContext.setContainerQueueLimitCalculator(service.getNodeManagerQueueLimitCalculator());
      return service;
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
    /**
     * When a host gets another label, the nodes that have the host's stay among those of its old label for ever, unless
     * that is taken back first.
     */
    @Override
    public void replaceLabelsOnNode(Map<NodeId, Set<String>> labels) throws IOException {
      for (Map.Entry<NodeId, Set<String>> wanted : labels.entrySet()) {
        Host host = nodeCollections.get(wanted.getKey().getHost());
        boolean isOfHost = wanted.getKey().getPort() == WILDCARD_PORT && host != null;
        if (isOfHost && !host.labels.equals(wanted.getValue())) {
          for (Node node : host.nms.values()) {
            if (node.labels == null) {
              removeNodeFromLabels(node.nodeId, host.labels);
            }
          }
        }
      }
      super.replaceLabelsOnNode(labels);
    }

    @Override
    protected void initDispatcher(Configuration conf) {
      dispatcher = new Inline();
    }

    @Override
    protected void startDispatcher() {}

    @Override
    protected void stopDispatcher() {}

    @Override
    protected void initNodeLabelStore(Configuration conf) throws Exception {
      store = new LabelsInMemory();
      store.init(conf, this);
      store.recover();
    }
  }

  /** A store of labels, as operations. */
  private static final class LabelsInMemory implements NodeLabelsStore {
    private final Memory.Journal journal = Memory.present().labels;
    private CommonNodeLabelsManager labels;

    @Override
    public void updateNodeToLabelsMappings(Map<NodeId, Set<String>> ofNodes) throws IOException {
      journal.add(new NodeToLabelOp().setNodeToLabels(ofNodes), labels);
    }

    @Override
    public void storeNewClusterNodeLabels(List<NodeLabel> added) throws IOException {
      journal.add(new AddClusterLabelOp().setLabels(added), labels);
    }

    @Override
    public void removeClusterNodeLabels(Collection<String> removed) throws IOException {
      journal.add(new RemoveClusterLabelOp().setLabels(removed), labels);
    }

    @Override
    public void recover() throws IOException, YarnException {
      journal.repeat(labels);
    }

    @Override
    public void init(Configuration configuration, CommonNodeLabelsManager manager) {
      labels = manager;
    }

    @Override
    public void close() {}
  }

  /** A store of attributes, as operations. */
  public static final class AttributesInMemory implements NodeAttributeStore {
    private final Memory.Journal journal = Memory.present().attributes;
    private NodeAttributesManager attributes;

    @Override
    public void replaceNodeAttributes(List<NodeToAttributes> replaced) throws IOException {
      journal.add(new ReplaceNodeToAttributeLogOp().setAttributes(replaced), attributes);
    }

    @Override
    public void addNodeAttributes(List<NodeToAttributes> added) throws IOException {
      journal.add(new AddNodeToAttributeLogOp().setAttributes(added), attributes);
    }

    @Override
    public void removeNodeAttributes(List<NodeToAttributes> removed) throws IOException {
      journal.add(new RemoveNodeToAttributeLogOp().setAttributes(removed), attributes);
    }

    @Override
    public void init(Configuration conf, NodeAttributesManager manager) {
      attributes = manager;
    }

    @Override
    public void recover() throws IOException, YarnException {
      journal.repeat(attributes);
    }

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
}
