package org.apache.hadoop.yarn.server.resourcemanager.monitor;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.service.AbstractService;
import org.apache.hadoop.yarn.server.resourcemanager.RMContext;

/** Stands before Hadoop's class of this name on the class path: its policy runs when it is called, by no thread. */
public class SchedulingMonitor extends AbstractService {
  private final RMContext context;
  private final SchedulingEditPolicy policy;

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

  public void invokePolicy() {
    policy.editSchedule();
  }
}
