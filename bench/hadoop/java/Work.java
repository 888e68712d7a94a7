package yarnbox.bench;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.NullGroupsMapping;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler;
import org.apache.hadoop.yarn.util.resource.DominantResourceCalculator;

/** What is measured: the parameters that the other side has, too (bench/hadoop/cases.py), and Hadoop's properties. */
final class Work {
  static final String CAPACITY = "yarn.scheduler.capacity.";
  static final String FAIR = "yarn.scheduler.fair.";
  static final String PREEMPTION = "yarn.resourcemanager.monitor.capacity.preemption.";

  private final Map<String, String> given = new HashMap<>();

  /** Words of the form name=value. */
  Work(String[] words) {
    for (String word : words) {
      int at = word.indexOf('=');
      given.put(word.substring(0, at), word.substring(at + 1));
    }
  }

  String text(String name) {
    String value = given.get(name);
    if (value == null) {
      throw new IllegalArgumentException("no " + name);
    }
    return value;
  }

  int number(String name) {
    return Integer.parseInt(text(name));
  }

  double fraction(String name) {
    return Double.parseDouble(text(name));
  }

  boolean is(String name, String value) {
    return text(name).equals(value);
  }

  Configuration configuration() throws IOException {
    Configuration conf = new YarnConfiguration();
    conf.set("hadoop.security.group.mapping", NullGroupsMapping.class.getName());
    conf.setBoolean(YarnConfiguration.RECOVERY_ENABLED, false);
    conf.setInt(YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB, 1024);
    conf.setBoolean(YarnConfiguration.RM_SCHEDULER_ENABLE_MONITORS, is("measure", "preemption"));
    switch (text("scheduler")) {
      case "capacity":
        conf.set(YarnConfiguration.RM_SCHEDULER, CapacityScheduler.class.getName());
        setQueues(conf);
        break;
      case "fair":
        conf.set(YarnConfiguration.RM_SCHEDULER, FairScheduler.class.getName());
        conf.set(FAIR + "allocation.file", allocations().getAbsolutePath());
        conf.setLong(FAIR + "update-interval-ms", Integer.MAX_VALUE);
        break;
      default:
        conf.set(YarnConfiguration.RM_SCHEDULER, FifoScheduler.class.getName());
    }
    return conf;
  }

  private void setQueues(Configuration conf) {
    int parents = number("parents");
    int leaves = number("leaves");
    conf.set(CAPACITY + "maximum-am-resource-percent", "1.0");
    conf.set(CAPACITY + "maximum-applications", "1000000");
    conf.set(CAPACITY + "user-limit-factor", text("user_limit_factor"));
    conf.set(CAPACITY + "per-node-heartbeat.maximum-offswitch-assignments", text("offswitch"));
    conf.set(CAPACITY + "root.queues", names("p", parents));
    for (int p = 0; p < parents; p++) {
      String parent = CAPACITY + "root.p" + p;
      conf.set(parent + ".queues", names("q", leaves));
      setShare(conf, parent, 100.0 / parents);
      for (int q = 0; q < leaves; q++) {
        String leaf = parent + ".q" + q;
        setShare(conf, leaf, 100.0 / leaves);
        conf.set(leaf + ".maximum-am-resource-percent", "1.0");
      }
    }
    if (number("partitions") > 1) {
      conf.setBoolean(YarnConfiguration.NODE_LABELS_ENABLED, true);
    }
    if (is("measure", "preemption")) {
      conf.set(CAPACITY + "resource-calculator", DominantResourceCalculator.class.getName());
      conf.setLong(PREEMPTION + "monitoring_interval", Integer.MAX_VALUE);
      conf.set(PREEMPTION + "total_preemption_per_round", "1.0");
      conf.set(PREEMPTION + "natural_termination_factor", "1.0");
    }
  }

  private void setShare(Configuration conf, String path, double percent) {
    conf.set(path + ".capacity", "" + percent);
    for (int label = 1; label < number("partitions"); label++) {
      conf.set(path + ".accessible-node-labels.l" + label + ".capacity", "" + percent);
    }
  }

  private static String names(String prefix, int count) {
    StringBuilder names = new StringBuilder();
    for (int i = 0; i < count; i++) {
      names.append(i > 0 ? "," : "").append(prefix).append(i);
    }
    return names.toString();
  }

  private File allocations() throws IOException {
    StringBuilder text = new StringBuilder("<?xml version=\"1.0\"?><allocations>");
    text.append("<defaultQueueSchedulingPolicy>").append(text("policy")).append("</defaultQueueSchedulingPolicy>");
    for (int q = 0; q < number("leaves"); q++) {
      text.append("<queue name=\"q").append(q).append("\"><weight>").append(1 + q % 3).append("</weight></queue>");
    }
    File file = File.createTempFile("allocations", ".xml");
    file.deleteOnExit();
    Files.writeString(file.toPath(), text.append("</allocations>"));
    return file;
  }
}
