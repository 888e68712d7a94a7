// The cluster at a glance: a sentence, what is waiting and why, use over time by queue, nodes,
// applications; and folded, every figure of Hadoop's page by its name.
import { get, list } from "./api.js";
import { appGrid } from "./apps.js";
import { chart, count, hue } from "./charts.js";
import { CARD, number, ofApp, ofQueue, text } from "./columns.js";
import { facts, gib, html, isRecording, link, percent, plainGib, plural, sized, title } from "./dom.js";
import { grid } from "./grid.js";
import { GROUPS, heat, MEASURES } from "./nodes.js";

const NODE_STATES = [
  "active",
  "decommissioning",
  "decommissioned",
  "lost",
  "unhealthy",
  "rebooted",
  "shutdown",
];
const IDLE = "No applications are running or waiting. Submit one: yarnbox job pi 4 100000";
const BAD_STATES = ["lost", "unhealthy"];
const CALLS = [
  "/metrics",
  "/ui/apps?states=ACCEPTED,RUNNING&limit=20",
  "/ui/history/cluster?minutes=60",
  "/ui/history/queues?parent=root&minutes=60",
  "/scheduler-overview",
  "/ui/waiting",
  "/ui/nodes",
  "/ui/queue-users",
  "/ui/rights",
];

export async function overview(_, query) {
  const [metrics, apps, cluster, queues, info, { waiting }, nodes, users, rights] = await Promise.all(
    CALLS.map(get),
  );
  const m = metrics.clusterMetrics;
  const rows = list(nodes.nodes.node);
  const now = totals(m, list(waiting?.reason));
  const isLabelled = rows.some((one) => one.label);
  return html`${title("Cluster")}
    <p class="headline">${sentence(m, now, waiting)}</p>
    ${keyFigures(m, now, apps.found.facets.state ?? {})}
    ${waiting && pending(waiting, query)}
    <h2>${isRecording ? "Use over the whole run, by queue" : "Use over the last hour, by queue"}</h2>
    ${byQueue(queues.history, isLabelled)}${overTime(cluster.history)}
    <h2>Nodes</h2>
    ${rows.length > 0 ? heat(rows, GROUPS.rack, MEASURES.memory) : html`<p class="empty">${NO_NODES}</p>`}
    <h2>Running and waiting applications</h2>
    ${appGrid("apps", list(apps.found.app), query, {
      calls: ["/apps?states=ACCEPTED,RUNNING"],
      none: IDLE,
      isSorted: false,
    })}
    <details>
      <summary>All figures</summary>
      ${allFigures(m, info, list(users.users.user), rights.user)}
    </details>`;
}

const NO_NODES = "No nodes have registered. Start one: yarnbox add-node";

// "31 in root.dev (User capacity has reached its maximum limit)"
const part = (one) =>
  [
    one.containers || plural(one.apps, "application"),
    one.queue && ` in ${one.queue}`,
    ` (${one.reason.replace(/\.$/, "")})`,
  ].join("");

// Of all partitions: most of Hadoop's figures are those of the default one.
function totals(m, reasons) {
  const own = (memory, vCores) => ({ memory, vCores });
  const [used, whole] = m.crossPartitionMetricsAvailable
    ? [m.totalUsedResourcesAcrossPartition, m.totalClusterResourcesAcrossPartition]
    : [own(m.allocatedMB, m.allocatedVirtualCores), own(m.totalMB, m.totalVirtualCores)];
  const running = m.crossPartitionMetricsAvailable
    ? m.totalAllocatedContainersAcrossPartition
    : m.containersAllocated;
  return {
    used,
    whole,
    running,
    pending: reasons.reduce((sum, one) => sum + one.containers, 0) || m.containersPending,
  };
}

// Vcores are named where they limit something.
// "12.0 of 16.0 GiB and 12 of 16 vcores used. 33 containers wait: 31 in root.dev (...); 2 in root.etl (...)."
function sentence(m, { used: have, whole, pending }, waiting) {
  if (!whole.memory) return NO_NODES;
  const vcores = ` and ${have.vCores} of ${whole.vCores} vcores`;
  const memory = `${(have.memory / 1024).toFixed(1)} of ${plainGib(whole.memory)}`;
  const used = `${memory}${waiting?.countsVCores === false ? " of memory" : vcores} used. `;
  const reasons = list(waiting?.reason).sort((a, b) => b.containers - a.containers || b.apps - a.apps);
  if (!reasons.length && !pending)
    return `${used}${m.appsRunning + m.appsPending ? "Nothing is waiting." : "No applications are running."}`;
  const waits = `${plural(pending, "container")} ${pending === 1 ? "waits" : "wait"}`;
  const parts = reasons.slice(0, 3).map(part);
  return `${used}${waits}${parts.length ? `: ${parts.join("; ")}` : ""}.`;
}

// Applications are counted by their states, as the lists do that these figures lead to: the metrics count one
// as running as soon as its AM has a container.
function keyFigures(m, now, { RUNNING: running = 0, ACCEPTED: waiting = 0 }) {
  const bad = BAD_STATES.filter((one) => m[`${one}Nodes`] > 0);
  const one = (to, value, what, rest, kind = "") => html`<li class=${kind}>
    <a href=${to}><b>${value}</b> ${value === 1 ? what : `${what}s`} ${rest}</a>
  </li>`;
  return html`<ul class="figures">
    ${one("/cluster/apps/RUNNING", running, "application", "running")}
    ${one("/cluster/apps/ACCEPTED", waiting, "application", "waiting")}
    ${one("/cluster/apps", now.running, "container", "running")}
    ${one("/cluster/scheduler", now.pending, "container", "pending")}
    ${one("/cluster/nodes", m.activeNodes, "node", "active")}
    ${bad.map((state) => one(`/cluster/nodes/${state}`, m[`${state}Nodes`], "node", state, "trouble"))}
    ${m.reservedMB > 0 && html`<li><a href="/cluster/nodes"><b>${gib(m.reservedMB)}</b> reserved</a></li>`}
  </ul>`;
}

const WAITING = [
  text("reason", "Reason", "reason", CARD),
  ofQueue("queue", "Queue", "queue", CARD),
  number("containers", "Containers", "containers", CARD),
  number("apps", "Applications"),
  ofApp("example", "For example", "example", { ...CARD, isFixed: true }),
];

function pending(waiting, query) {
  const rows = list(waiting.reason);
  if (!rows.length) return null;
  const table = grid({
    id: "waiting",
    name: "Pending by reason",
    columns: WAITING,
    rows,
    query,
    order: "-containers",
    keyOf: (one) => `${one.queue} ${one.reason}`,
    calls: ["/ui/waiting"],
    none: "",
  });
  return html`<h2>What is waiting, and why</h2>
    ${table}
    ${
      waiting.unseen > 0 &&
      html`<p class="how">
        ${plural(waiting.unseen, "more waiting application")}
        ${waiting.unseen === 1 ? " is" : " are"} not listed here: looking for their reasons would
        delay the scheduler. The page of an application says why it waits.
      </p>`
    }`;
}

function byQueue(history, isLabelled) {
  const what = `Share of the ${isLabelled ? "default partition" : "cluster"} used`;
  const series = list(history.queue).map((one, i) => ({ name: one.path, values: one.used, kind: hue(i) }));
  return chart(what, list(history.times), series, { marks: list(history.mark), isStacked: true });
}

const overTime = (history) =>
  chart(
    "Containers and applications",
    list(history.times),
    [
      { name: "containers", values: list(history.containers), kind: "line2" },
      { name: "applications with a container", values: list(history.appsRunning), kind: "line0" },
      { name: "applications without one", values: list(history.appsPending), kind: "line1" },
    ],
    { unit: count, top: 4 },
  );

const group = (name, pairs) => html`<section><h3>${name}</h3>${facts(pairs)}</section>`;
const unknown = (value) => (value < 0 ? "N/A" : value);

// "memory-mb (unit=Mi),vcores" as people write it.
const resourceTypes = (types) => types.replace(/ \(unit=(\w+)\)/g, " ($1)").replaceAll(",", ", ");

function allFigures(m, info, users, user) {
  const own = users.find((one) => one.username === user);
  return [
    group("Cluster Metrics", [
      ["Apps Submitted", m.appsSubmitted],
      ["Apps Pending", m.appsPending],
      ["Apps Running", m.appsRunning],
      ["Apps Completed", m.appsCompleted + m.appsFailed + m.appsKilled],
      ["Containers Running", m.containersAllocated],
      ["Containers Pending", m.containersPending],
      ["Used Resources", sized(m.allocatedMB, m.allocatedVirtualCores)],
      ["Total Resources", sized(m.totalMB, m.totalVirtualCores)],
      ["Reserved Resources", sized(m.reservedMB, m.reservedVirtualCores)],
      ["Physical Mem Used %", percent(m.utilizedMBPercent)],
      ["Physical VCores Used %", percent(m.utilizedVirtualCoresPercent)],
      ["Containers assigned per second", m.containerAssignedPerSecond ?? 0],
    ]),
    group(
      "Cluster Nodes Metrics",
      NODE_STATES.map((one) => [
        `${one[0].toUpperCase()}${one.slice(1)} Nodes`,
        link(`/cluster/nodes/${one}`, m[`${one}Nodes`]),
      ]),
    ),
    own && userFigures(own, user),
    info && schedulerFigures(info),
  ];
}

const userFigures = (own, user) =>
  group(`User Metrics for ${user}`, [
    ["Apps Running", link(`/cluster/apps/RUNNING?user=${encodeURIComponent(user)}`, own.runningApps)],
    ["Apps Pending", link(`/cluster/apps/ACCEPTED?user=${encodeURIComponent(user)}`, own.waitingApps)],
    ["Containers Running", own.runningContainers],
    ["Containers Pending", own.pendingContainers],
    ["Used", sized(own.resourcesUsed.memory, own.resourcesUsed.vCores)],
    ["Pending", sized(own.resourcesPending.memory, own.resourcesPending.vCores)],
    ["Reserved", sized(own.resourcesReserved.memory, own.resourcesReserved.vCores)],
  ]);

const schedulerFigures = (info) =>
  group("Scheduler Metrics", [
    ["Scheduler Type", link("/cluster/scheduler", info.schedulerType)],
    ["Scheduling Resource Type", resourceTypes(info.schedulingResourceType)],
    ["Minimum Allocation", sized(info.minimumAllocation.memory, info.minimumAllocation.vCores)],
    ["Maximum Allocation", sized(info.maximumAllocation.memory, info.maximumAllocation.vCores)],
    ["Maximum Cluster Application Priority", info.applicationPriority],
    ["Scheduler Busy %", unknown(info.schedulerBusy)],
    ["RM Dispatcher EventQueue Size", info.rmDispatcherEventQueueSize],
    ["Scheduler Dispatcher EventQueue Size", info.schedulerDispatcherEventQueueSize],
  ]);
