package yarnbox.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.server.resourcemanager.monitor.capacity.ProportionalCapacityPreemptionPolicy;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler;
import org.apache.hadoop.yarn.util.SystemClock;

/**
 * Answers each line of parameters on standard input with a line: how much was done, the processor seconds of the thread
 * that did it, and those of the whole virtual machine meanwhile.
 */
public final class Measure {
  private static final int BATCH = 50;
  private static final int UPDATES = 10;
  private static final int PASSES = 10;

  private double done;
  private double threadS;
  private double processS;

  private Measure() {}

  public static void main(String[] arguments) throws Exception {
    PrintStream answers = System.out;
    System.setOut(System.err);
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Measure measure = new Measure();
      measure.take(new Work(line.trim().split(" ")));
      answers.printf(Locale.ROOT, "%.0f %.6f %.6f%n", measure.done, measure.threadS, measure.processS);
      answers.flush();
    }
    System.exit(0);
  }

  private void take(Work work) throws Exception {
    Rig rig = new Rig(work.configuration());
    try {
      switch (work.text("measure")) {
        case "containers":
          populate(rig, work);
          beat(rig, work, true);
          break;
        case "heartbeats":
          populate(rig, work);
          rig.saturate();
          beat(rig, work, false);
          break;
        case "updates":
          populate(rig, work);
          update(rig);
          break;
        case "calls":
          populate(rig, work);
          call(rig, work.fraction("seconds"));
          break;
        case "applications":
          populate(rig, work);
          rig.saturate();
          come(rig, work);
          break;
        case "preemption":
          preempt(rig, work);
          break;
        default:
          throw new IllegalArgumentException(work.text("measure"));
      }
    } finally {
      rig.stop();
    }
  }

  private static void populate(Rig rig, Work work) throws Exception {
    int partitions = work.number("partitions");
    rig.addLabels(partitions);
    for (int i = 0; i < work.number("nodes"); i++) {
      rig.addNode(i, work.number("memory_mb"), work.number("vcores"), label(i, partitions));
    }
    for (int i = 0; i < work.number("applications"); i++) {
      // with labels every leaf has applications in every partition
      String queue = queue(work, work.is("scheduler", "capacity") ? i / partitions : i);
      String user = "u" + i % work.number("users");
      rig.ask(rig.submit(queue, user), work.number("ask"), label(i, partitions));
    }
    rig.scheduler.update();
  }

  /** The leaf of an application. */
  private static String queue(Work work, int number) {
    int leaves = work.number("leaves");
    if (work.is("scheduler", "capacity")) {
      int parents = work.number("parents");
      return "root.p" + number % parents + ".q" + number / parents % leaves;
    }
    return work.is("scheduler", "fair") ? "root.q" + number % leaves : "default";
  }

  private static String label(int number, int partitions) {
    return number % partitions == 0 ? "" : "l" + number % partitions;
  }

  /** Heartbeats of the nodes in turn: so many rounds, or until the time is over. */
  private void beat(Rig rig, Work work, boolean countsContainers) {
    double seconds = work.fraction("seconds");
    int rounds = work.number("rounds");
    long before = rig.containers();
    long heartbeats = 0;
    start();
    for (int round = 0; rounds == 0 ? elapsed() < seconds : round < rounds; round++) {
      for (int first = 0; first < rig.updates.size(); first += BATCH) {
        int end = Math.min(first + BATCH, rig.updates.size());
        for (int i = first; i < end; i++) {
          rig.scheduler.handle(rig.updates.get(i));
        }
        heartbeats += end - first;
        if (rounds == 0 && elapsed() >= seconds) {
          break;
        }
      }
    }
    stop();
    done = countsContainers ? rig.containers() - before : heartbeats;
  }

  /** Share updates, everybody having changed what he asks for. */
  private void update(Rig rig) {
    for (int number = 0; number < UPDATES; number++) {
      for (int app = 0; app < rig.attempts.size(); app++) {
        rig.ask(rig.attempts.get(app), 11 + (app + number) % 97, "");
      }
      start();
      rig.scheduler.update();
      stop();
    }
    done = UPDATES;
  }

  /** Calls of AMs, each of which asks for another number of containers. */
  private void call(Rig rig, double seconds) {
    for (int number = 0; threadS < seconds; number++) {
      start();
      for (int app = 0; app < rig.attempts.size(); app++) {
        rig.ask(rig.attempts.get(app), 11 + (app + number) % 97, "");
      }
      stop();
      done += rig.attempts.size();
    }
  }

  /** Applications that come, ask for a container, get it with the next heartbeat, and end. */
  private void come(Rig rig, Work work) {
    double seconds = work.fraction("seconds");
    int first = rig.attempts.size();
    while (threadS < seconds) {
      List<String> queues = new ArrayList<>();
      for (int i = 0; i < BATCH; i++) {
        queues.add(queue(work, rig.attempts.size()));
        rig.prepare(queues.get(i), "u" + i);
      }
      start();
      for (int i = 0; i < BATCH; i++) {
        ApplicationAttemptId attempt = rig.attempts.get(first + i);
        rig.enter(attempt, queues.get(i), "u" + i);
        rig.ask(attempt, 1, "");
        rig.scheduler.handle(rig.updates.get(i));
        if (!rig.holds(attempt)) {
          throw new IllegalStateException(attempt + " was given nothing");
        }
        rig.leave(attempt);
      }
      stop();
      done += BATCH;
      first += BATCH;
    }
  }

  /** Passes, each of which takes from every second leaf what the others are guaranteed; the scheduler marks. */
  private void preempt(Rig rig, Work work) throws Exception {
    int nodes = work.number("nodes");
    int each = work.number("ask");
    for (int i = 0; i < nodes; i++) {
      rig.addNode(i, work.number("memory_mb"), work.number("vcores"), "");
    }
    for (int first = 0; first < 2; first++) {
      for (int p = 0; p < work.number("parents"); p++) {
        for (int q = first; q < work.number("leaves"); q += 2) {
          rig.ask(rig.submit("root.p" + p + ".q" + q, "user"), first == 0 ? 2 * each : each, "");
        }
      }
      rig.heartbeatAll();
      rig.heartbeatAll();
    }
    rig.silence.delivers = rig.scheduler;
    for (int pass = 0; pass < PASSES; pass++) {
      // a new policy has marked nothing yet
      ProportionalCapacityPreemptionPolicy policy = new ProportionalCapacityPreemptionPolicy(rig.context,
          (CapacityScheduler) rig.scheduler, SystemClock.getInstance());
      policy.init(rig.conf, rig.context, rig.scheduler);
      long before = rig.silence.events;
      start();
      policy.editSchedule();
      stop();
      long marked = rig.silence.events - before;
      if (2 * marked != rig.containers()) {
        throw new IllegalStateException("marked " + marked + " of " + rig.containers());
      }
    }
    done = PASSES;
  }

  private double threadFromS;
  private double processFromS;

  private void start() {
    processFromS = processClockS();
    threadFromS = threadClockS();
  }

  private void stop() {
    threadS += elapsed();
    processS += processClockS() - processFromS;
  }

  private double elapsed() {
    return threadClockS() - threadFromS;
  }

  private static double threadClockS() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1e9;
  }

  private static double processClockS() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() / 1e9;
  }
}
