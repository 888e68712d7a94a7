package yarnbox.twin;

import java.util.ArrayList;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;

/** A timer of virtual time, in the place of the one with which the FairScheduler waits before it kills. */
final class Warnings extends Timer {
  private final List<Due> waiting = new ArrayList<>();

  Warnings() {
    super("Preemption Timer", true);
  }

  @Override
  public void schedule(TimerTask task, long delay) {
    waiting.add(new Due(VirtualTime.nowMs() + delay, task));
  }

  /** Runs what is due up to that moment, in the order of the moments. */
  void runDue(long untilMs) {
    List<Due> due = new ArrayList<>();
    for (Due each : waiting) {
      if (each.ms <= untilMs) {
        due.add(each);
      }
    }
    waiting.removeAll(due);
    due.sort((one, other) -> Long.compare(one.ms, other.ms));
    due.forEach(each -> each.task.run());
  }

  private static final class Due {
    private final long ms;
    private final TimerTask task;

    Due(long ms, TimerTask task) {
      this.ms = ms;
      this.task = task;
    }
  }
}
