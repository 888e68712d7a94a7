// The pages about the cluster as a whole: each takes its part of the address and the query, and returns what is to be seen.
import { get, list } from "./api.js";
import { appGrid } from "./apps.js";
import { count, donut, lines, memory, spark } from "./charts.js";
import { bar, choice, empty, facts, filter, gib, h, isRecording, link, percent, tile, title } from "./dom.js";
import { matcher } from "./filtering.js";
import { grid } from "./grid.js";

const NODE_STATES = ["active", "decommissioning", "decommissioned", "lost", "unhealthy", "rebooted", "shutdown"];
const MOST_PARTS = 11;

const resource = (memoryMB, vcores) => [gib(memoryMB), `, ${vcores} vcores`];
const group = (name, ...tiles) => [h("h2", {}, name), h("section", { class: "tiles", "aria-label": name }, tiles)];

function metrics(m, history) {
  const line = (name, key) => spark(name, list(history[key]));
  return group("Cluster Metrics", tile("Apps Submitted", m.appsSubmitted, "/cluster/apps"),
    tile("Apps Pending", m.appsPending, "/cluster/apps/ACCEPTED", line("Apps Pending", "appsPending")),
    tile("Apps Running", m.appsRunning, "/cluster/apps/RUNNING", line("Apps Running", "appsRunning")),
    tile("Apps Completed", m.appsCompleted + m.appsFailed + m.appsKilled, "/cluster/apps/FINISHED"),
    tile("Containers Running", m.containersAllocated, "", line("Containers Running", "containers")),
    tile("Containers Pending", m.containersPending, "", line("Memory pending", "pending")),
    tile("Used Resources", resource(m.allocatedMB, m.allocatedVirtualCores), "", line("Memory used", "memory")),
    tile("Total Resources", resource(m.totalMB, m.totalVirtualCores)), tile("Reserved Resources", resource(m.reservedMB, m.reservedVirtualCores)),
    tile("Physical Mem Used %", percent(m.utilizedMBPercent)), tile("Physical VCores Used %", percent(m.utilizedVirtualCoresPercent)),
    tile("Containers a second", m.containerAssignedPerSecond ?? 0));
}

function nodeMetrics(m, history) {
  return group("Cluster Nodes Metrics", NODE_STATES.map((one) => tile(`${one[0].toUpperCase()}${one.slice(1)} Nodes`, m[`${one}Nodes`],
    `/cluster/nodes/${one}`, one === "active" && spark("Active Nodes", list(history.nodes)))));
}

const unknown = (value) => (value < 0 ? "N/A" : value);

function schedulerMetrics(info) {
  return group("Scheduler Metrics", tile("Scheduler Type", info.schedulerType, "/cluster/scheduler"), tile("Scheduling Resource Type", `[${info.schedulingResourceType}]`),
    tile("Minimum Allocation", resource(info.minimumAllocation.memory, info.minimumAllocation.vCores)),
    tile("Maximum Allocation", resource(info.maximumAllocation.memory, info.maximumAllocation.vCores)),
    tile("Maximum Cluster Application Priority", info.applicationPriority), tile("Scheduler Busy %", unknown(info.schedulerBusy)),
    tile("RM Dispatcher EventQueue Size", info.rmDispatcherEventQueueSize), tile("Scheduler Dispatcher EventQueue Size", info.schedulerDispatcherEventQueueSize));
}

function userMetrics(users, user) {
  const own = users.find((one) => one.username === user);
  return own && group(`User Metrics for ${user}`, tile("Apps Running", own.runningApps, `/cluster/apps/RUNNING?user=${encodeURIComponent(user)}`),
    tile("Apps Pending", own.waitingApps, `/cluster/apps/ACCEPTED?user=${encodeURIComponent(user)}`), tile("Containers Running", own.runningContainers),
    tile("Containers Pending", own.pendingContainers), tile("Memory Used", gib(own.resourcesUsed.memory)), tile("Memory Pending", gib(own.resourcesPending.memory)),
    tile("Memory Reserved", gib(own.resourcesReserved.memory)), tile("VCores Used", own.resourcesUsed.vCores), tile("VCores Pending", own.resourcesPending.vCores),
    tile("VCores Reserved", own.resourcesReserved.vCores));
}

// The leaves of either tree, with the memory that each uses.
function leaves(info) {
  const below = list((info.queues || {}).queue).concat(list((info.childQueues || {}).queue));
  if (info.rootQueue) return leaves(info.rootQueue);
  if (below.length) return below.flatMap(leaves);
  return [{ name: info.queuePath || info.queueName || "default", value: (info.resourcesUsed || info.usedResources || { memory: info.usedNodeCapacity || 0 }).memory }];
}

function byQueue(info, m) {
  const all = leaves(info).filter((one) => one.value > 0).sort((a, b) => b.value - a.value), rest = all.slice(MOST_PARTS);
  const parts = rest.length ? [...all.slice(0, MOST_PARTS), { name: `${rest.length} others`, value: rest.reduce((sum, one) => sum + one.value, 0) }] : all;
  return [h("h2", {}, "Memory by leaf queue"), m.totalMB ? donut("Memory by leaf queue", parts, m.totalMB, memory) : empty("No nodes have registered. Start one: yarnbox add-node")];
}

const WAITING = [{ key: "reason", name: "Reason", value: (one) => one.reason },
  { key: "containers", name: "Pending Containers", isNumber: true, value: (one) => one.containers }, { key: "apps", name: "Applications", isNumber: true, value: (one) => one.apps },
  { key: "example", name: "For example", isFixed: true, value: (one) => one.example, cell: (one) => link(`/cluster/app/${one.example}`, one.example) }];

function pending(waiting, query) {
  const unseen = waiting.unseen > 0 && h("p", { class: "how" }, `${waiting.unseen} more applications wait that were not looked into: that would take too long.`);
  return [h("h2", {}, "What waits, and why"), grid({ id: "waiting", name: "Pending by reason", columns: WAITING, rows: list(waiting.reason), query, order: "-containers",
    keyOf: (one) => one.reason, calls: ["/ui/waiting"], none: "Nothing waits: all that was asked for was given." }), unseen];
}

export async function overview(_, query) {
  const [{ clusterMetrics: m }, { found }, { history }, info, { scheduler: { schedulerInfo } }, { waiting }, { users }, rights] = await Promise.all([get("/metrics"),
    get("/ui/apps?states=ACCEPTED,RUNNING&limit=20"), get("/ui/history/cluster?minutes=60"), get("/scheduler-overview"),
    get("/scheduler"), get("/ui/waiting"), get("/ui/queue-users"), get("/ui/rights")]);
  const used = m.totalMB ? (100 * m.allocatedMB) / m.totalMB : 0, times = list(history.times);
  return [title("Cluster"), metrics(m, history), bar(used, `${percent(used)} of the memory is used`), nodeMetrics(m, history),
    userMetrics(list(users.user), rights.user), info && schedulerMetrics(info), byQueue(schedulerInfo, m), waiting && pending(waiting, query),
    h("h2", {}, isRecording ? "The whole run, all partitions" : "The last hour, all partitions"),
    lines("Memory and vcores used, memory pending, in percent of the cluster", times, [
      { name: "memory used", values: list(history.memory), kind: "line2" }, { name: "vcores used", values: list(history.vcores), kind: "line0" },
      { name: "memory pending", values: list(history.pending), kind: "line1" }]),
    lines("Containers and applications", times, [{ name: "containers", values: list(history.containers), kind: "line2" },
      { name: "applications running", values: list(history.appsRunning), kind: "line0" },
      { name: "applications waiting", values: list(history.appsPending), kind: "line1" }], [], count, 4),
    h("h2", {}, "Waiting and running applications"), appGrid("apps", list(found.app), query, { calls: ["/apps?states=ACCEPTED,RUNNING"], isSorted: false })];
}

const available = (one) => (one.partitionInfo || {}).resourceAvailable || { memory: 0, vCores: 0 };
const LABELS = [
  { key: "label", name: "Label Name", value: (one) => one.name, cell: (one) => link(`/cluster/nodes?by=label&q=${encodeURIComponent(`label:"${one.name || "<DEFAULT_PARTITION>"}"`)}`, one.name || "<DEFAULT_PARTITION>") },
  { key: "type", name: "Label Type", value: (one) => (String(one.exclusivity) === "true" ? "Exclusive Partition" : "Non Exclusive Partition") },
  { key: "nodes", name: "Num Of Active NMs", isNumber: true, value: (one) => Number(one.activeNMs) },
  { key: "memory", name: "Total Memory", isNumber: true, value: (one) => Number(available(one).memory), cell: (one) => gib(Number(available(one).memory)) },
  { key: "vcores", name: "Total VCores", isNumber: true, value: (one) => Number(available(one).vCores) }];

export async function labels(_, query) {
  const found = list((await get("/get-rm-node-labels")).nodeLabelInfo);
  return [title("Node Labels"), grid({ id: "labels", name: "Node labels", columns: LABELS, rows: found, query, isMain: true, keyOf: (one) => one.name, order: "label",
    calls: ["/get-rm-node-labels"], none: 'No labels. Make one: yarn rmadmin -addToClusterNodeLabels "gpu(exclusive=false)"' })];
}

const PROPERTY = { name: (one) => one.name, value: (one) => one.value, source: (one) => one.source };
const PROPERTIES = [{ key: "name", name: "Property", width: 520, value: (one) => one.name },
  { key: "value", name: "Value", value: (one) => one.value, cell: (one) => [one.value, one.unit && ` ${one.unit}`, one.final && h("small", {}, " final")] },
  { key: "from", name: "From", value: (one) => one.source, cell: (one) => [one.source, one.default && h("small", {}, ` (default ${one.default})`)] },
  { key: "meaning", width: 700, name: "Meaning", value: (one) => one.meaning || "" }];

export async function conf(_, query) {
  const which = query.get("which") || "set", means = matcher(query.get("q"), PROPERTY);
  const found = list((await get("/ui/conf")).property).filter((one) => (which === "all" || !one.isDefault) && means(one));
  return [title("Configuration"), filter(query, "words of the property or its value, or source:yarn-site"),
    choice("Show", "which", [["set", "what is set"], ["all", "defaults, too"]], which, "set"),
    grid({ id: "conf", name: "Configuration", columns: PROPERTIES, rows: found, query, isMain: true, keyOf: (one) => one.name, calls: ["/ui/conf"], none: "Nothing matches." })];
}

export async function about() {
  const { clusterInfo: i } = await get("/info");
  return [title("About the Cluster"), facts([["Cluster ID", i.id], ["ResourceManager state", i.state], ["ResourceManager HA state", i.haState],
    ["ResourceManager HA zookeeper connection state", i.haZooKeeperConnectionState], ["ResourceManager RMStateStore", i.rmStateStoreName],
    ["ResourceManager started on", new Date(i.startedOn).toString()], ["ResourceManager version", i.resourceManagerVersion], ["Hadoop version", i.hadoopVersion]]),
  !isRecording && [h("h2", {}, "Tools"), h("p", { class: "actions" }, [["/conf", "Configuration"], ["/logs", "Local logs"], ["/stacks", "Server stacks"], ["/jmx?qry=Hadoop:*", "Server metrics"], ["/prom", "Prometheus"],
    ["/logLevel", "Log levels"], ["/ws/v1/cluster/info", "REST API"]].map(([to, name]) => h("a", { href: to }, name)))],
  h("p", {}, "Press ? for the keys.")];
}
