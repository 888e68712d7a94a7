package org.apache.hadoop.yarn.util;

import yarnbox.twin.VirtualTime;

/** Stands before Hadoop's class of this name on the class path. */
public final class SystemClock implements Clock {
  private static final SystemClock INSTANCE = new SystemClock();

  public static SystemClock getInstance() {
    return INSTANCE;
  }

  public SystemClock() {}

  @Override
  public long getTime() {
    return VirtualTime.nowMs();
  }
}
