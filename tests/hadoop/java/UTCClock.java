package org.apache.hadoop.yarn.util;

import yarnbox.twin.VirtualTime;

/** Stands before Hadoop's class of this name on the class path. */
public class UTCClock implements Clock {
  @Override
  public long getTime() {
    return VirtualTime.nowMs();
  }
}
