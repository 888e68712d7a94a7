// The pages: each takes its part of the address and the query, and returns what is to be seen.
import { get, list, put } from "./api.js";
import { bar, duration, facts, gib, h, link, moment, orNone, percent, s, table, tile } from "./dom.js";
import { confirm } from "./dialog.js";
import { remembered, sample } from "./history.js";

const STATES = ["NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING", "FINISHED", "FAILED", "KILLED"];
const NODE_STATES = ["active", "decommissioning", "decommissioned", "lost", "unhealthy", "rebooted", "shutdown"];
const title = (text) => h("h1", {}, text);

export async function overview() {
  const [{ clusterMetrics: m }, { apps }] = await Promise.all([get("/metrics"), get("/apps?states=RUNNING,ACCEPTED")]);
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
      tile("Memory Reserved", gib(m.reservedMB))),
    bar(used, `${percent(used)} of the memory is used`),
    h("h2", {}, "Cluster Nodes"),
    h("section", { class: "tiles" }, NODE_STATES.map((one) =>
      tile(`${one[0].toUpperCase()}${one.slice(1)} Nodes`, m[`${one}Nodes`], `/cluster/nodes/${one}`))),
    h("h2", {}, "Waiting and running applications"), applications(list(apps.app)),
  ];
}

function applications(apps) {
  const rows = [...apps].reverse().map((a) => [
    link(`/cluster/app/${a.id}`, a.id), a.user, a.name, a.applicationType, a.queue, a.priority,
    moment(a.startedTime), h("span", { class: `state ${a.state}` }, a.state), a.finalStatus,
    orNone(a.runningContainers), a.allocatedMB === -1 ? "N/A" : gib(a.allocatedMB), orNone(a.allocatedVCores),
    percent(a.clusterUsagePercentage), [bar(a.progress, percent(a.progress)), " ", percent(a.progress)]]);
  const columns = ["ID", "User", "Name", "Type", "Queue", "Priority", "Start", "State", "Final Status",
    "Containers", "Memory", "VCores", "% of Cluster", "Progress"];
  return table("Applications", columns, rows, "No applications here. Start one: yarnbox job pi 4 100000");
}

export async function apps([state], query) {
  const wanted = new URLSearchParams();
  if (state) wanted.set("states", state);
  for (const name of ["user", "name", "queue", "applicationTypes", "applicationTags"])
    if (query.get(name)) wanted.set(name, query.get(name));
  const found = list((await get(`/apps?${wanted}`)).apps.app);
  const text = (query.get("q") || "").toLowerCase();
  const shown = text ? found.filter((a) => JSON.stringify([a.id, a.name, a.user, a.queue]).toLowerCase().includes(text)) : found;
  return [
    title(state ? `${state} Applications` : "All Applications"),
    h("nav", { class: "chips", "aria-label": "States" }, link("/cluster/apps", "All"),
      STATES.map((one) => h("a", { href: `/cluster/apps/${one}`, "aria-current": one === state ? "page" : null }, one))),
    filter(query, "id, name, user or queue"), applications(shown)];
}

function filter(query, what) {
  return h("label", { class: "filter" }, "Filter ", h("input", {
    id: "filter", type: "search", value: query.get("q") || "", placeholder: what,
    oninput: (event) => {
      const url = new URL(location.href);
      event.target.value ? url.searchParams.set("q", event.target.value) : url.searchParams.delete("q");
      history.replaceState(null, "", url);
      dispatchEvent(new Event("refresh"));
    } }));
}

export async function app([id]) {
  const [{ app: a }, { appAttempts }, rights] = await Promise.all([
    get(`/apps/${id}`), get(`/apps/${id}/appattempts`), get(`/ui/rights?app=${id}`)]);
  const attempts = list(appAttempts.appAttempt);
  const held = await Promise.all(attempts.map((one) => get(`/apps/${id}/appattempts/${one.appAttemptId}/containers`)));
  const containers = remembered(id, held.flatMap((one) => list(one && one.container)));
  const isOver = ["FINISHED", "FAILED", "KILLED"].includes(a.state);
  return [
    title(a.name), h("p", { class: "id" }, a.id),
    rights.mayModify && !isOver && h("p", { class: "actions" },
      h("button", { class: "danger", onclick: () => kill(a) }, "Kill Application"),
      h("button", { onclick: () => move(a) }, "Move to another queue")),
    facts([["User", a.user], ["Queue", a.queue], ["State", h("span", { class: `state ${a.state}` }, a.state)],
      ["Final Status Reported by AM", a.finalStatus], ["Type", a.applicationType], ["Tags", orNone(a.applicationTags)],
      ["Priority", a.priority], ["Started", moment(a.startedTime)], ["Launched", moment(a.launchTime)],
      ["Finished", moment(a.finishedTime)], ["Elapsed", duration(a.elapsedTime)],
      ["Progress", [bar(a.progress, percent(a.progress)), " ", percent(a.progress)]],
      ["Aggregate Resource Allocation", `${a.memorySeconds} MB-seconds, ${a.vcoreSeconds} vcore-seconds`],
      ["Log Aggregation Status", orNone(a.logAggregationStatus)], ["Diagnostics", h("pre", {}, orNone(a.diagnostics))]]),
    h("h2", {}, "Attempts"),
    table("Attempts", ["Attempt", "State", "Started", "Node", "Logs"], attempts.map((one) => [one.appAttemptId,
      one.appAttemptState, moment(one.startTime), orNone(one.nodeId), one.logsLink ? link(one.logsLink, "Logs") : "N/A"]),
    "No attempt has begun yet."),
    !isOver && h("h2", {}, "Outstanding requests"), !isOver && outstanding(list(a.resourceRequests)),
    h("h2", {}, "Containers over nodes and time"), gantt(containers),
    table("Containers", ["Container", "Node", "Memory", "VCores", "State", "Started", "Elapsed", "Logs"],
      containers.filter((c) => !c.gone).map((c) => [c.containerId, c.assignedNodeId, gib(Number(c.allocatedMB)),
        c.allocatedVCores, c.containerState, moment(Number(c.startedTime)), duration(Number(c.elapsedTime)),
        link(c.logUrl, "Logs")]), "The ResourceManager holds no containers of this application."),
  ];
}

function outstanding(requests) {
  return table("Total Outstanding Resource Requests", ["Priority", "AllocationRequestId", "ResourceName", "Capability",
    "NumContainers", "RelaxLocality", "NodeLabelExpression", "ExecutionType", "AllocationTags", "PlacementConstraint"],
  requests.map((r) => [r.priority, r.allocationRequestId, orNone(r.resourceName),
    `${gib(r.capability.memory)}, ${r.capability.vCores} vcores`, r.numContainers, String(r.relaxLocality),
    orNone(r.nodeLabelExpression), r.executionTypeRequest.executionType, list(r.allocationTags).join(", ") || "N/A",
    orNone(r.placementConstraint)]), "Everything that it asked for was given.");
}

function gantt(containers) {
  if (!containers.length) return h("p", { class: "empty" }, "No containers were seen yet.");
  const begin = Math.min(...containers.map((c) => Number(c.startedTime)));
  const end = Math.max(...containers.map((c) => c.gone || Number(c.startedTime) + Number(c.elapsedTime)), begin + 1000);
  const rows = [...containers].sort((a, b) => a.assignedNodeId.localeCompare(b.assignedNodeId));
  const x = (ms) => 170 + (620 * (ms - begin)) / (end - begin);
  return h("div", { class: "scroll" }, s("svg", { class: "gantt", viewBox: `0 0 800 ${rows.length * 18 + 20}`, role: "img",
    "aria-label": `${rows.length} containers over ${duration(end - begin)}` },
  rows.map((c, i) => [
    s("text", { x: 0, y: i * 18 + 13 }, c.assignedNodeId),
    s("rect", { x: x(Number(c.startedTime)), y: i * 18 + 3, height: 13, rx: 2, class: c.gone ? "gone" : "alive",
      width: Math.max(2, x(c.gone || end) - x(Number(c.startedTime))) }, s("title", {}, c.containerId))]),
  s("text", { x: 170, y: rows.length * 18 + 15 }, "0 s"),
  s("text", { x: 790, y: rows.length * 18 + 15, "text-anchor": "end" }, duration(end - begin))));
}

async function kill(a) {
  if (!(await confirm(`Kill ${a.name} (${a.id})?`, "Its containers are ended. This cannot be undone.", "Kill"))) return;
  await put(`/apps/${a.id}/state`, { state: "KILLED" });
}

async function move(a) {
  const queue = await confirm(`Move ${a.name} (${a.id})`, "To which queue?", "Move", a.queue);
  if (queue) await put(`/apps/${a.id}/queue`, { queue });
}

export async function nodes([state], query) {
  const found = list((await get("/nodes")).nodes.node);
  const isShown = (n) => (!state ? true : state === "active" ? n.state === "RUNNING" : n.state.toLowerCase() === state.toLowerCase());
  const text = (query.get("q") || "").toLowerCase();
  const shown = found.filter((n) => isShown(n) && `${n.id} ${n.rack} ${list(n.nodeLabels)}`.toLowerCase().includes(text));
  const groups = Map.groupBy ? Map.groupBy(shown, (n) => n.rack) : new Map([["all racks", shown]]);
  return [title("Nodes of the cluster"), filter(query, "address, rack or label"),
    h("div", { class: "heat" }, [...groups].map(([rack, members]) => h("section", {}, h("h2", {}, rack),
      h("div", { class: "squares" }, members.map(square))))),
    h("p", { class: "legend" }, "Memory used: ", [0, 1, 2, 3, 4].map((one) =>
      h("span", { class: `square step${one}` }, `${one * 20}–${one * 20 + 20} %`)), h("span", { class: "square dead" }, "not running")),
    table("Nodes", ["Node", "Rack", "Labels", "State", "HTTP Address", "Last health update", "Health report", "Containers",
      "Allocation Tags", "Memory Used", "Memory Available", "VCores Used", "VCores Available", "Phys Mem Used", "Version"],
    shown.map((n) => [link(`/cluster/node/${n.id}`, n.id), n.rack, list(n.nodeLabels).join(", ") || "<DEFAULT_PARTITION>",
      h("span", { class: `state ${n.state}` }, n.state), orNone(n.nodeHTTPAddress), moment(n.lastHealthUpdate), n.healthReport,
      n.numContainers, tags(n), gib(n.usedMemoryMB), gib(n.availMemoryMB), n.usedVirtualCores, n.availableVirtualCores,
      percent(n.memUtilization), n.version]), "No nodes here. Start one: yarnbox add-node")];
}

function tags(n) {
  return list((n.allocationTags || {}).allocationTagInfo).map((t) => `${t.allocationTag}(${t.allocationsCount})`).join(", ");
}

function square(n) {
  const whole = n.usedMemoryMB + n.availMemoryMB;
  const share = whole ? (100 * n.usedMemoryMB) / whole : 0;
  const step = n.state === "RUNNING" ? `step${Math.min(4, Math.floor(share / 20))}` : "dead";
  return h("a", { class: `square ${step}`, href: `/cluster/node/${n.id}`,
    title: `${n.id} ${n.state}: ${percent(share)} of the memory` }, n.nodeHostName);
}

export async function node([id]) {
  const { node: n } = await get(`/nodes/${id}`);
  return [title(n.id), facts([["State", h("span", { class: `state ${n.state}` }, n.state)], ["Rack", n.rack],
    ["Labels", list(n.nodeLabels).join(", ") || "<DEFAULT_PARTITION>"], ["HTTP Address", orNone(n.nodeHTTPAddress)],
    ["Health report", orNone(n.healthReport)], ["Last health update", moment(n.lastHealthUpdate)], ["Containers", n.numContainers],
    ["Allocation Tags", orNone(tags(n))], ["Memory Used", gib(n.usedMemoryMB)], ["Memory Available", gib(n.availMemoryMB)],
    ["VCores Used", n.usedVirtualCores], ["VCores Available", n.availableVirtualCores], ["Version", n.version]])];
}

function rowsOf(queue, isFair, depth = 0) {
  const below = list((queue.queues || queue.childQueues || {}).queue);
  const total = isFair ? queue.clusterResources.memory || 1 : 100;
  const part = (resource) => (100 * resource.memory) / total;
  const one = isFair
    ? { name: queue.queueName, used: part(queue.usedResources), floor: part(queue.steadyFairResources),
      share: part(queue.fairResources), most: part(queue.maxResources), pending: queue.pendingContainers }
    : { name: queue.queuePath, used: queue.absoluteUsedCapacity ?? queue.usedCapacity, floor: queue.absoluteCapacity ?? 100,
      most: queue.absoluteMaxCapacity ?? 100, pending: queue.pendingContainers ?? "" };
  return [{ ...one, depth, queue }, ...below.flatMap((child) => rowsOf(child, isFair, depth + 1))];
}

export async function scheduler(_, query) {
  const { scheduler: { schedulerInfo: info } } = await get("/scheduler");
  if (info.type === "fifoScheduler")
    return [title("Scheduler"), facts([["Type", "fifo"], ["Queue state", info.qstate], ["Nodes", info.numNodes],
      ["Used Node Capacity", gib(info.usedNodeCapacity)], ["Total Node Capacity", gib(info.totalNodeCapacity)],
      ["Containers", info.numContainers]])];
  const isFair = info.type === "fairScheduler";
  const rows = rowsOf(isFair ? info.rootQueue : info, isFair);
  sample(rows.filter((one) => one.depth === 1 || rows.length === 1));
  const open = query.get("queue");
  const chosen = rows.find((one) => one.name === open);
  return [title("Scheduler"), h("p", { class: "legend" }, h("span", { class: "key used" }, "used"),
    h("span", { class: "key over" }, "used beyond the guarantee"),
    h("span", { class: "key floor" }, isFair ? "steady fair share" : "guaranteed"), h("span", { class: "key most" }, "maximum")),
  h("ul", { class: "queues" }, rows.map((one) => queueBar(one, open))),
  chosen && details(chosen), h("h2", {}, "Share of the cluster over time"), timeline()];
}

function queueBar(one, open) {
  const within = Math.min(one.used, one.floor);
  const px = (value) => `${Math.max(0, Math.min(100, value))}%`;
  return h("li", { style: { paddingLeft: `${one.depth * 1.5}rem` } },
    h("a", { href: `/cluster/scheduler?queue=${encodeURIComponent(one.name)}`, "aria-current": one.name === open ? "true" : null },
      h("span", { class: "name" }, one.name), h("span", { class: "queuebar" },
        h("span", { class: "most", style: { width: px(one.most) } }), h("span", { class: "used", style: { width: px(within) } }),
        one.used > one.floor && h("span", { class: "over", style: { left: px(within), width: px(one.used - within) } }),
        h("span", { class: "floor", style: { left: px(one.floor) } })),
      h("span", { class: "number" }, `${percent(one.used)} used of ${percent(one.floor)}, at most ${percent(one.most)}`,
        one.pending !== "" && `, ${one.pending} pending`)));
}

function details({ name, queue }) {
  const simple = Object.entries(queue).filter(([, value]) => typeof value !== "object");
  const amounts = Object.entries(queue).filter(([, value]) => value && typeof value === "object" && "vCores" in value);
  const users = list((queue.users || {}).user);
  return h("section", {}, h("h2", {}, name), facts([...simple.map(([key, value]) => [key, String(value)]),
    ...amounts.map(([key, value]) => [key, [gib(value.memory), `, ${value.vCores} vcores`]])]),
  users.length > 0 && table("Active Users", ["User", "Limit", "Weight", "Used", "Active", "Pending"], users.map((u) => [u.username,
    gib(u.userResourceLimit.memory), u.userWeight, gib(u.resourcesUsed.memory), u.numActiveApplications, u.numPendingApplications]), ""));
}

function timeline() {
  const lines = sample();
  const begin = Math.min(...[...lines.values()].flat().map((p) => p[0]));
  const end = Math.max(begin + 10000, Date.now());
  const x = (ms) => 10 + (780 * (ms - begin)) / (end - begin);
  return h("div", { class: "scroll" }, s("svg", { class: "timeline", viewBox: "0 0 800 180", role: "img",
    "aria-label": "Used share of each queue since this page was opened" },
  s("line", { x1: 10, x2: 790, y1: 160, y2: 160 }), [...lines].map(([name, points], i) => [
    s("polyline", { class: `line${i % 6}`, points: points.map(([ms, used]) => `${x(ms)},${160 - 1.5 * used}`).join(" ") }),
    s("text", { x: 14, y: 14 + 13 * i, class: `line${i % 6}` }, name)])));
}

export async function labels() {
  const found = list((await get("/get-rm-node-labels")).nodeLabelInfo);
  return [title("Node Labels"), table("Node labels", ["Label", "Type", "Active NodeManagers", "Memory", "VCores"],
    found.map((one) => [one.name, one.exclusivity === "true" ? "Exclusive Partition" : "Non Exclusive Partition", one.activeNMs,
      gib(Number(one.partitionInfo.resourceAvailable.memory)), one.partitionInfo.resourceAvailable.vCores]), "No labels.")];
}

export async function conf(_, query) {
  const text = (query.get("q") || "").toLowerCase();
  const found = list((await get("/ui/conf")).property).filter((one) => `${one.name} ${one.value}`.toLowerCase().includes(text));
  return [title("Configuration"), filter(query, "property or value"),
    table("Configuration", ["Property", "Value"], found.map((one) => [one.name, one.value]), "Nothing matches.")];
}

export async function about() {
  const { clusterInfo: i } = await get("/info");
  return [title("About the Cluster"), facts([["Cluster ID", i.id], ["ResourceManager state", i.state],
    ["ResourceManager HA state", i.haState], ["ResourceManager RMStateStore", i.rmStateStoreName],
    ["ResourceManager started on", new Date(i.startedOn).toString()], ["ResourceManager version", i.resourceManagerVersion],
    ["Hadoop version", i.hadoopVersion]]),
  h("p", {}, "Keys: g c cluster, g n nodes, g a applications, g s scheduler, g e events, / filter, p pause.")];
}
