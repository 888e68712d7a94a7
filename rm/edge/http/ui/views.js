// The pages about the cluster as a whole: each takes its part of the address and the query, and returns what is to be seen.
import { get, list } from "./api.js";
import { applications } from "./apps.js";
import { count, lines } from "./charts.js";
import { bar, choice, facts, filter, gib, h, isRecording, link, percent, table, tile, title } from "./dom.js";

const NODE_STATES = ["active", "decommissioning", "decommissioned", "lost", "unhealthy", "rebooted", "shutdown"];
const MOST_PROPERTIES = 400;

export async function overview() {
  const [{ clusterMetrics: m }, { found }, { history }] = await Promise.all([get("/metrics"),
    get("/ui/apps?states=ACCEPTED,RUNNING&limit=20"), get("/ui/history/cluster?minutes=60")]);
  const used = m.totalMB ? (100 * m.allocatedMB) / m.totalMB : 0;
  return [
    title("Cluster"),
    h("section", { class: "tiles", "aria-label": "Cluster Metrics" },
      tile("Apps Submitted", m.appsSubmitted, "/cluster/apps"),
      tile("Apps Pending", m.appsPending, "/cluster/apps/ACCEPTED"),
      tile("Apps Running", m.appsRunning, "/cluster/apps/RUNNING"),
      tile("Apps Completed", m.appsCompleted + m.appsFailed + m.appsKilled, "/cluster/apps/FINISHED"),
      tile("Containers Running", m.containersAllocated), tile("Containers Pending", m.containersPending),
      tile("Memory Used", [gib(m.allocatedMB), " of ", gib(m.totalMB)]),
      tile("VCores Used", `${m.allocatedVirtualCores} of ${m.totalVirtualCores}`),
      tile("Memory Reserved", gib(m.reservedMB)), tile("Containers a second", m.containerAssignedPerSecond ?? 0)),
    bar(used, `${percent(used)} of the memory is used`),
    h("h2", {}, isRecording ? "The whole run, all partitions" : "The last hour, all partitions"),
    lines("Memory and vcores used, memory pending, in percent of the cluster", list(history.times), [
      { name: "memory used", values: list(history.memory), kind: "line2" }, { name: "vcores used", values: list(history.vcores), kind: "line0" },
      { name: "memory pending", values: list(history.pending), kind: "line1" }]),
    lines("Containers and applications", list(history.times), [
      { name: "containers", values: list(history.containers), kind: "line2" },
      { name: "applications running", values: list(history.appsRunning), kind: "line0" },
      { name: "applications waiting", values: list(history.appsPending), kind: "line1" }], [], count, 4),
    h("h2", {}, "Cluster Nodes"),
    h("section", { class: "tiles" }, NODE_STATES.map((one) =>
      tile(`${one[0].toUpperCase()}${one.slice(1)} Nodes`, m[`${one}Nodes`], `/cluster/nodes/${one}`))),
    h("h2", {}, "Waiting and running applications"), applications(list(found.app)),
  ];
}

export async function labels() {
  const found = list((await get("/get-rm-node-labels")).nodeLabelInfo);
  return [title("Node Labels"), table("Node labels", ["Label", "Type", "Active NodeManagers", "Memory", "VCores"],
    found.map((one) => [link(`/cluster/nodes?by=label&q=${encodeURIComponent(one.name)}`, one.name),
      one.exclusivity === "true" ? "Exclusive Partition" : "Non Exclusive Partition", one.activeNMs,
      gib(Number(one.partitionInfo.resourceAvailable.memory)), one.partitionInfo.resourceAvailable.vCores]),
    'No labels. Make one: yarn rmadmin -addToClusterNodeLabels "gpu(exclusive=false)"')];
}

export async function conf(_, query) {
  const text = (query.get("q") || "").toLowerCase(), which = query.get("which") || "set";
  const found = list((await get("/ui/conf")).property).filter((one) => (which === "all" || !one.isDefault)
    && `${one.name} ${one.value}`.toLowerCase().includes(text));
  return [title("Configuration"), filter(query, "property or value"),
    choice("Show", "which", [["set", "what is set"], ["all", "defaults, too"]], which, "set"),
    table("Configuration", ["Property", "Value", "From", "Meaning"], found.slice(0, MOST_PROPERTIES).map((one) => [one.name,
      [one.value, one.unit && ` ${one.unit}`, one.final && h("small", {}, " final")],
      [one.source, one.default && h("small", {}, ` (default ${one.default})`)], one.meaning || ""]), "Nothing matches."),
    found.length > MOST_PROPERTIES && h("p", { class: "empty" }, `The first ${MOST_PROPERTIES} of ${found.length}; the filter finds the others.`)];
}

export async function about() {
  const { clusterInfo: i } = await get("/info");
  return [title("About the Cluster"), facts([["Cluster ID", i.id], ["ResourceManager state", i.state],
    ["ResourceManager HA state", i.haState], ["ResourceManager RMStateStore", i.rmStateStoreName],
    ["ResourceManager started on", new Date(i.startedOn).toString()], ["ResourceManager version", i.resourceManagerVersion],
    ["Hadoop version", i.hadoopVersion]]),
  h("p", {}, [["/conf", "conf"], ["/jmx", "jmx"], ["/metrics", "metrics"], ["/prom", "prom"], ["/logs", "logs"], ["/stacks", "stacks"],
    ["/ws/v1/cluster/info", "REST API"]].map(([to, name]) => [h("a", { href: to }, name), " "])),
  h("h2", {}, "Keys"), facts([["g c", "cluster"], ["g n", "nodes"], ["g a", "applications"], ["g s", "scheduler"], ["g l", "labels"],
    ["g e", "events"], ["g k", "configuration"], ["/", "filter"], ["p", "pause"]])];
}
