package org.apache.hadoop.yarn.server.resourcemanager;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.server.resourcemanager.recovery.MemoryStore;
import org.apache.hadoop.yarn.server.resourcemanager.reservation.FollowerInTurn;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.constraint.AllocationTagsManager;
import yarnbox.twin.TurnDispatcher;

/** The doorless ResourceManager of the comparison: in virtual time, recoverable, and without accidents that end a play. */
public final class TwinResourceManager extends DoorlessResourceManager {
  private final TurnDispatcher turns;
  private final long startMs;
  private Exception failure;

  public TwinResourceManager(TurnDispatcher turns, long startMs) {
    super(turns, startMs);
    this.turns = turns;
    this.startMs = startMs;
  }

  @Override
  protected void setUpStore(Configuration conf) {
    if (rmContext.getStateStore() instanceof MemoryStore) {
      MemoryStore store = (MemoryStore) rmContext.getStateStore();
      store.setHandler(turns.storing(store.operations()));
    } else {
      super.setUpStore(conf);
    }
  }

  @Override
  protected void serviceStart() throws Exception {
    setClusterTimeStamp(startMs);
    try {
      super.serviceStart();
    } catch (Exception error) {
      throw failure == null ? error : failure;
    }
    if (startMs == 0) {
      rmContext.setSchedulerRecoveryStartAndWaitTime(-1); // without recovery Hadoop waits at the moment 0 alone
    }
  }

  /** Where this fails Hadoop makes another dispatcher, which it does not get: what failed would not be told. */
  @Override
  void startActiveServices() throws Exception {
    FollowerInTurn.install(rmContext.getReservationSystem());
    try {
      super.startActiveServices();
    } catch (Exception error) {
      failure = error;
      throw error;
    }
  }

  @Override
  protected AllocationTagsManager createAllocationTagsManager() {
    return new MendedTags(rmContext);
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
