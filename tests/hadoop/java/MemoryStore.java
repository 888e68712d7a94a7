package org.apache.hadoop.yarn.server.resourcemanager.recovery;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.event.EventHandler;
import org.apache.hadoop.yarn.proto.YarnProtos.ReservationAllocationStateProto;
import org.apache.hadoop.yarn.proto.YarnServerResourceManagerRecoveryProtos.ApplicationAttemptStateDataProto;
import org.apache.hadoop.yarn.proto.YarnServerResourceManagerRecoveryProtos.ApplicationStateDataProto;
import org.apache.hadoop.yarn.server.resourcemanager.recovery.records.ApplicationAttemptStateData;
import org.apache.hadoop.yarn.server.resourcemanager.recovery.records.ApplicationStateData;
import org.apache.hadoop.yarn.server.resourcemanager.recovery.records.impl.pb.ApplicationAttemptStateDataPBImpl;
import org.apache.hadoop.yarn.server.resourcemanager.recovery.records.impl.pb.ApplicationStateDataPBImpl;
import yarnbox.twin.Memory;

/**
 * Hadoop's state store in memory, whose content outlives the ResourceManager. What is stored and loaded goes through
 * its bytes, as in a store on a disk, so that no object of an ended ResourceManager comes back.
 */
public final class MemoryStore extends MemoryRMStateStore {
  private final Memory memory = Memory.present();
  private EventHandler<?> afterwards;

  public MemoryStore() {
    state = memory.state;
  }

  /** Who carries operations out: after the events that are waiting. */
  public void setHandler(EventHandler<?> handler) {
    afterwards = handler;
  }

  /** What an operation is carried out by. */
  @SuppressWarnings("rawtypes")
  public EventHandler operations() {
    return rmStateStoreEventHandler;
  }

  @Override
  @SuppressWarnings("rawtypes")
  protected EventHandler getRMStateStoreEventHandler() {
    return afterwards == null ? rmStateStoreEventHandler : afterwards;
  }

  @Override
  public synchronized long getAndIncrementEpoch() {
    return memory.epoch++;
  }

  @Override
  public synchronized RMState loadState() throws Exception {
    RMState loaded = super.loadState();
    for (Map.Entry<ApplicationId, ApplicationStateData> each : loaded.getApplicationState().entrySet()) {
      ApplicationStateData read = copy(each.getValue());
      for (ApplicationAttemptStateData attempt : each.getValue().attempts.values()) {
        read.attempts.put(attempt.getAttemptId(), copy(attempt));
      }
      each.setValue(read);
    }
    state.getReservationState().forEach(
        (plan, reservations) -> loaded.getReservationState().put(plan, new HashMap<>(reservations)));
    return loaded;
  }

  @Override
  public synchronized void storeApplicationStateInternal(ApplicationId id, ApplicationStateData data) throws Exception {
    super.storeApplicationStateInternal(id, copy(data));
  }

  @Override
  public synchronized void updateApplicationStateInternal(ApplicationId id, ApplicationStateData data)
      throws Exception {
    super.updateApplicationStateInternal(id, copy(data));
  }

  @Override
  public synchronized void storeApplicationAttemptStateInternal(ApplicationAttemptId id,
      ApplicationAttemptStateData data) throws Exception {
    super.storeApplicationAttemptStateInternal(id, copy(data));
  }

  @Override
  public synchronized void updateApplicationAttemptStateInternal(ApplicationAttemptId id,
      ApplicationAttemptStateData data) throws Exception {
    super.updateApplicationAttemptStateInternal(id, copy(data));
  }

  @Override
  protected synchronized void storeReservationState(ReservationAllocationStateProto allocation, String plan, String id)
      throws Exception {
    super.storeReservationState(ReservationAllocationStateProto.parseFrom(allocation.toByteArray()), plan, id);
  }

  private static ApplicationStateData copy(ApplicationStateData data) throws IOException {
    byte[] bytes = ((ApplicationStateDataPBImpl) data).getProto().toByteArray();
    return new ApplicationStateDataPBImpl(ApplicationStateDataProto.parseFrom(bytes));
  }

  private static ApplicationAttemptStateData copy(ApplicationAttemptStateData data) throws IOException {
    byte[] bytes = ((ApplicationAttemptStateDataPBImpl) data).getProto().toByteArray();
    return new ApplicationAttemptStateDataPBImpl(ApplicationAttemptStateDataProto.parseFrom(bytes));
  }
}
