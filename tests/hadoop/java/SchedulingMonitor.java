package org.apache.hadoop.yarn.server.resourcemanager.monitor;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.service.AbstractService;
import org.apache.hadoop.yarn.server.resourcemanager.RMContext;
import yarnbox.twin.VirtualTime;

/**
 * Stands before Hadoop's class of this name on the class path: its policy runs when it is called, by no thread. It knows when
 * Hadoop's timer would call it: at its start, and at every interval; where that has changed, at once by the new one.
 */
public class SchedulingMonitor extends AbstractService {
  private final RMContext context;
  private final SchedulingEditPolicy policy;
  private long intervalMs;
  private long nextMs;

  public SchedulingMonitor(RMContext context, SchedulingEditPolicy policy) {
    super("SchedulingMonitor (" + policy.getPolicyName() + ")");
    this.context = context;
    this.policy = policy;
  }

  public synchronized SchedulingEditPolicy getSchedulingEditPolicy() {
    return policy;
  }

  @Override
  public void serviceInit(Configuration conf) throws Exception {
    policy.init(conf, context, context.getScheduler());
    super.serviceInit(conf);
  }

  @Override
  public void serviceStart() throws Exception {
    intervalMs = policy.getMonitoringInterval();
    nextMs = VirtualTime.nowMs();
    super.serviceStart();
  }

  /** When the timer is due next. */
  public long nextMs() {
    return nextMs;
  }

  /** What the timer calls. */
  public void invokeByTimer() {
    if (intervalMs == policy.getMonitoringInterval()) {
      nextMs += intervalMs;
      invokePolicy();
    } else {
      intervalMs = policy.getMonitoringInterval();
      nextMs = VirtualTime.nowMs();
    }
  }

  public void invokePolicy() {
    policy.editSchedule();
  }
}
