// The columns of Hadoop's page of applications, by its names, and one or two more.
import {
  CARD,
  count,
  lengthOfTime,
  memory,
  OFF,
  ofApp,
  ofQueue,
  progress,
  share,
  states,
  text,
  time,
} from "./columns.js";
import { h } from "./dom.js";

export const tracking = (one) =>
  one.trackingUI && one.trackingUI !== "UNASSIGNED"
    ? h("a", { href: `/proxy/${one.id}/` }, one.trackingUI)
    : "Unassigned";

export const APP_COLUMNS = [
  ofApp("id", "ID", "id", { ...CARD, width: 270 }),
  text("user", "User"),
  text("name", "Name", "name", CARD),
  text("type", "Application Type", "applicationType"),
  text("tag", "Application Tags", "applicationTags", OFF),
  ofQueue("queue", "Queue"),
  count("priority", "Application Priority"),
  time("started", "StartTime", "startedTime"),
  time("launched", "LaunchTime", "launchTime", OFF),
  time("finished", "FinishTime", "finishedTime"),
  states("state", "State", "state", CARD),
  states("final", "FinalStatus", "finalStatus"),
  count("containers", "Running Containers", "runningContainers"),
  count("pending", "Pending Containers", "pendingContainers"),
  count("vcores", "Allocated CPU VCores", "allocatedVCores"),
  memory("mem", "Allocated Memory", "allocatedMB"),
  count("gpus", "Allocated GPUs", "allocatedGPUs", OFF),
  count("reservedvcores", "Reserved CPU VCores", "reservedVCores", OFF),
  memory("reservedmem", "Reserved Memory", "reservedMB", OFF),
  count("reservedgpus", "Reserved GPUs", "reservedGPUs", OFF),
  memory("fairshare", "Fair Share", "fairShareMB", OFF),
  share("queueshare", "% of Queue", "queueUsagePercentage"),
  share("clustershare", "% of Cluster", "clusterUsagePercentage"),
  progress("progress", "Progress", "progress", { width: 200 }),
  text("tracking", "Tracking UI", "trackingUI", { cell: tracking }),
  count("blacklisted", "Blacklisted Nodes", "blacklistedNodes", OFF),
  lengthOfTime("elapsed", "Elapsed", "elapsedTime", OFF),
];
