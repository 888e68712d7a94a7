// The columns of Hadoop's page of applications, by its names, and one or two more.
import { bar, duration, gib, h, link, moment, percent, state } from "./dom.js";

const held = (value) => (value === undefined || value < 0 ? "N/A" : value);
const memory = (value) => (value === undefined || value < 0 ? "N/A" : gib(value));
const count = (key, name, read, more = {}) => ({
  key,
  name,
  isNumber: true,
  value: read,
  cell: (one) => held(read(one)),
  ...more,
});
const amount = (key, name, read, more = {}) => ({
  key,
  name,
  isNumber: true,
  value: read,
  cell: (one) => memory(read(one)),
  ...more,
});
const time = (key, name, read, more = {}) => ({
  key,
  name,
  isNumber: true,
  value: read,
  cell: (one) => moment(read(one)),
  ...more,
});
const off = { isOff: true };

export const tracking = (one) =>
  one.trackingUI && one.trackingUI !== "UNASSIGNED"
    ? h("a", { href: `/proxy/${one.id}/` }, one.trackingUI)
    : "Unassigned";

export const APP_COLUMNS = [
  {
    key: "id",
    name: "ID",
    isCard: true,
    width: 270,
    value: (one) => one.id,
    cell: (one) => link(`/cluster/app/${one.id}`, one.id),
  },
  { key: "user", name: "User", value: (one) => one.user },
  { key: "name", name: "Name", isCard: true, value: (one) => one.name },
  { key: "type", name: "Application Type", value: (one) => one.applicationType },
  { key: "tag", name: "Application Tags", value: (one) => one.applicationTags || "", ...off },
  {
    key: "queue",
    name: "Queue",
    value: (one) => one.queue,
    cell: (one) => link(`/cluster/scheduler?queue=${encodeURIComponent(one.queue)}`, one.queue),
  },
  count("priority", "Application Priority", (one) => one.priority),
  time("started", "StartTime", (one) => one.startedTime),
  time("launched", "LaunchTime", (one) => one.launchTime, off),
  time("finished", "FinishTime", (one) => one.finishedTime),
  { key: "state", name: "State", isCard: true, value: (one) => one.state, cell: (one) => state(one.state) },
  {
    key: "final",
    name: "FinalStatus",
    value: (one) => one.finalStatus,
    cell: (one) => state(one.finalStatus),
  },
  count("containers", "Running Containers", (one) => one.runningContainers),
  count("pending", "Pending Containers", (one) => one.pendingContainers),
  count("vcores", "Allocated CPU VCores", (one) => one.allocatedVCores),
  amount("mem", "Allocated Memory", (one) => one.allocatedMB),
  count("gpus", "Allocated GPUs", (one) => one.allocatedGPUs, off),
  count("reservedvcores", "Reserved CPU VCores", (one) => one.reservedVCores, off),
  amount("reservedmem", "Reserved Memory", (one) => one.reservedMB, off),
  count("reservedgpus", "Reserved GPUs", (one) => one.reservedGPUs, off),
  amount("fairshare", "Fair Share", (one) => one.fairShareMB, off),
  {
    key: "queueshare",
    name: "% of Queue",
    isNumber: true,
    value: (one) => one.queueUsagePercentage,
    cell: (one) => percent(one.queueUsagePercentage),
  },
  {
    key: "clustershare",
    name: "% of Cluster",
    isNumber: true,
    value: (one) => one.clusterUsagePercentage,
    cell: (one) => percent(one.clusterUsagePercentage),
  },
  {
    key: "progress",
    name: "Progress",
    isNumber: true,
    width: 200,
    value: (one) => one.progress,
    cell: (one) => [bar(one.progress, percent(one.progress)), " ", percent(one.progress)],
  },
  { key: "tracking", name: "Tracking UI", value: (one) => one.trackingUI || "", cell: tracking },
  count("blacklisted", "Blacklisted Nodes", (one) => one.blacklistedNodes, off),
  {
    key: "elapsed",
    name: "Elapsed",
    isNumber: true,
    value: (one) => one.elapsedTime,
    cell: (one) => duration(one.elapsedTime),
    ...off,
  },
];
