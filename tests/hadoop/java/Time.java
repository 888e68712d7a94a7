package org.apache.hadoop.util;

import java.text.SimpleDateFormat;
import java.util.Date;
import yarnbox.twin.VirtualTime;

/** Stands before Hadoop's class of this name on the class path: time passes only when the twin is told so. */
public final class Time {
  private static final long NANOSECONDS_PER_MILLISECOND = 1_000_000;

  private Time() {}

  public static long now() {
    return VirtualTime.nowMs();
  }

  public static long monotonicNow() {
    return VirtualTime.nowMs();
  }

  public static long monotonicNowNanos() {
    return VirtualTime.nowMs() * NANOSECONDS_PER_MILLISECOND;
  }

  public static String formatTime(long millis) {
    return new SimpleDateFormat("yyyy-MM-dd HH:mm:ss,SSSZ").format(new Date(millis));
  }

  public static long getUtcTime() {
    return VirtualTime.nowMs();
  }
}
