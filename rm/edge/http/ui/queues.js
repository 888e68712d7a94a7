// The scheduler's page: the queue tree of a partition, one queue in full with its users and applications,
// and shares over time.
import { get, list } from "./api.js";
import { appGrid } from "./apps.js";
import { chart, hue } from "./charts.js";
import { count, number, text } from "./columns.js";
import { containersOf } from "./containers.js";
import {
  amount,
  choice,
  clamped,
  empty,
  facts,
  html,
  isRecording,
  link,
  moment,
  partitionName,
  percent,
  plainGib,
  plural,
  table,
  title,
  withQuery,
} from "./dom.js";
import { grid } from "./grid.js";
import { queueActions } from "./queueactions.js";
import { capacityFacts, fairFacts, fifoFacts, inPartition, sizeOf, userLimit } from "./queuefacts.js";
import { hrefOfApp, streamOf } from "./taskstream.js";

const MINUTES = [
  ["5", "5 minutes"],
  ["15", "15 minutes"],
  ["60", "1 hour"],
];
const span = (minutes) => !isRecording && choice("Time", "minutes", MINUTES, minutes, "15");
const NOTHING = { memory: 0, vCores: 0 },
  MOST_CHARTS = 8;

// Hadoop's own addresses name the branches that are open: ?openQueues=Queue: root.a#Queue: root.a.b
const hadoopsQueue = (query) =>
  (query.get("openQueues") || "")
    .split("#")
    .at(-1)
    .replace(/^Queue:\s*/, "") || null;

export async function scheduler(_, query) {
  const partition = query.get("partition") || "",
    open = query.get("queue") || hadoopsQueue(query),
    minutes = query.get("minutes") || "15",
    path = encodeURIComponent(open || "root");
  const asked = open ? `&queue=${encodeURIComponent(open)}` : "";
  const [
    { scheduler },
    { history },
    { nodes },
    rights,
    { users },
    { found },
    { waiting },
    overview,
    containers,
  ] = await Promise.all([
    get("/scheduler"),
    get(`/ui/history/queues?parent=${path}&partition=${encodeURIComponent(partition)}&minutes=${minutes}`),
    get("/ui/nodes"),
    get("/ui/rights"),
    get(usersOf(open || "root")).catch(() => ({ users: {} })),
    get(`/ui/apps?states=NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING&limit=20${asked}`),
    get("/ui/waiting"),
    get("/scheduler-overview"),
    open ? containersOf(asked.slice(1)) : null,
  ]);
  const { schedulerInfo: info } = scheduler;
  const [apps, step] = [list(found.app), overview?.minimumAllocation?.memory ?? 0];
  const common = {
    history,
    minutes,
    partition,
    query,
    rights,
    asked,
    waiting,
    apps,
    users: list(users.user),
    step,
  };
  if (info.type === "fifoScheduler") return fifo(info, common, await containersOf(`queue=${ONLY_QUEUE}`));
  const isFair = info.type === "fairScheduler",
    all = list(nodes.node);
  const labels = [...new Set(["", ...all.map((one) => one.label)])].sort(),
    whole = totalOf(all, partition);
  const rows = isFair ? fairRows(info.rootQueue, info.rootQueue) : capacityRows(info, partition, whole);
  const chosen = rows.find((one) => one.name === open);
  const partitions = labels.map((one) => [one, partitionName(one)]);
  return html`${title("Scheduler")}
    <p>${isFair ? "FairScheduler" : "CapacityScheduler"}</p>
    ${!isFair && labels.length > 1 && choice("Partition", "partition", partitions, partition, "")}
    ${!isFair && html`<p class="id">Partition: ${partitionName(partition)} ${amount(whole)}</p>`}
    ${legend(isFair)}
    <ul class="queues">${rows.map((one) => queueBar(one, open))}</ul>
    ${
      open && !chosen
        ? noQueue(open, partition)
        : html`${chosen ? details(chosen, rows, isFair, common) : empty("Select a queue to see its details.")}
            <h2>Share of ${partition ? `partition ${partition}` : "the cluster"} over time</h2>
            ${span(minutes)}${shares(history, isFair)} ${chosen && stream(open, containers, query)}
            <h2>${open ? `Applications of ${open}` : "Waiting and running applications"}</h2>
            ${applications(common)}`
    }
    ${info.health && health(info.health)}`;
}

const noQueue = (path, partition) => html`<p role="alert">
  There is no queue ${path}${partition && ` in partition ${partition}`}.${" "}
  <a href=${withQuery("queue", null)}>Show all queues</a>
</p>`;

// What the FifoScheduler calls its queue.
const ONLY_QUEUE = "default";

const stream = (path, containers, query) =>
  html`<h2>Containers of ${path} over time</h2>
    ${streamOf(path, containers, query, { lanes: "app", colour: "state", hrefOf: hrefOfApp })}`;

function totalOf(nodes, partition) {
  const living = nodes.filter((one) => one.label === partition && one.state !== "LOST");
  return living.reduce(
    (sum, one) => ({ memory: sum.memory + one.totalMB, vCores: sum.vCores + one.totalVCores }),
    NOTHING,
  );
}

const applications = ({ apps, query, asked }) =>
  appGrid("queueapps", apps, query, {
    calls: [`/ui/apps?states=ACCEPTED,RUNNING${asked}`],
    none: "No application is running or waiting in this queue.",
    isSorted: false,
  });

const fifo = (info, common, containers) => html`${title("Scheduler")}
  <p>FifoScheduler</p>
  ${facts(fifoFacts(info))}
  <h2>Users</h2>
  ${userGrid(FIFO_USERS, common.users, common.query, usersOf("root"))}
  <h2>Share of the cluster over time</h2>
  ${span(common.minutes)}${usedShares(common.history, "Vertical lines: node added or lost.")}
  ${stream(ONLY_QUEUE, containers, common.query)}
  <h2>Waiting and running applications</h2>
  ${applications(common)}`;

function legend(isFair) {
  const key = (kind, text) => html`<span class=${`key ${kind}`}>${text}</span>`;
  return html`<p class="legend">
    ${key("used", "used")}${key("over", `used beyond the ${isFair ? "fair share" : "guarantee"}`)}
    ${key("floor", isFair ? "steady fair share" : "guaranteed")}${isFair && key("now", "fair share now")}
    ${key("most", "maximum")}
  </p>`;
}

function capacityRows(queue, partition, whole, depth = 0, parent = null) {
  const capacity = inPartition(queue.capacities?.queueCapacitiesByPartition, partition);
  const usage = inPartition(queue.resources?.resourceUsagesByPartition, partition);
  const one = {
    name: queue.queuePath,
    depth,
    queue,
    capacity,
    usage,
    parent,
    whole,
    used: capacity ? capacity.absoluteUsedCapacity : 0,
    floor: capacity ? capacity.absoluteCapacity : 0,
    most: capacity ? capacity.absoluteMaxCapacity : 0,
    isBusy: queue.allocatedContainers > 0 || queue.pendingContainers > 0,
    amount: usage ? usage.used : NOTHING,
    pending: usage?.pending.memory > 0 && amount(usage.pending),
    isMade: (queue.creationMethod || "static") !== "static",
  };
  const below = list(queue.queues?.queue).flatMap((child) =>
    capacityRows(child, partition, whole, depth + 1, one),
  );
  return !capacity && !below.length ? [] : [one, ...below];
}

function fairRows(queue, root, depth = 0, parent = null, siblings = []) {
  const whole = root.clusterResources.memory || 1,
    part = (value) => Math.min(100, (100 * value.memory) / whole),
    children = list(queue.childQueues?.queue);
  const one = {
    name: queue.queueName,
    depth,
    queue,
    parent,
    siblings,
    used: part(queue.usedResources),
    floor: part(queue.steadyFairResources),
    now: part(queue.fairResources),
    most: part(queue.maxResources),
    amount: queue.usedResources,
    // Its demand ends at its maximum: what is pending beyond that is known as a number of containers only.
    pending: queue.pendingContainers > 0 && plural(queue.pendingContainers, "container"),
  };
  return [one, ...children.flatMap((child) => fairRows(child, root, depth + 1, one, children))];
}

function queueBar(one, open) {
  const bound = one.now === undefined ? one.floor : one.now,
    within = Math.min(one.used, bound);
  const px = (value) => `${clamped(value, 100)}%`,
    isOpen = one.name === open;
  const stopped = one.queue.state && one.queue.state !== "RUNNING";
  const at = (left, width) => ({ left: px(left), width: width === undefined ? null : px(width) });
  return html`<li key=${one.name}>
    <a
      href=${withQuery("queue", isOpen ? null : one.name)}
      aria-current=${isOpen ? "true" : null}
      aria-expanded=${String(isOpen)}
    >
      <span class="name" style=${{ paddingLeft: `${one.depth * 1.2}rem` }}>
        ${one.depth ? one.name.split(".").at(-1) : one.name}
        ${stopped && html`<small class="trouble"> ${one.queue.state}</small>`}
        ${one.isMade && html`<small> created dynamically</small>`}
      </span>
      <span class="queuebar">
        <span class="most" style=${at(0, one.most)}></span>
        <span class="used" style=${at(0, within)}></span>
        ${one.used > bound && html`<span class="over" style=${at(within, one.used - within)}></span>`}
        ${one.now !== undefined && html`<span class="now" style=${at(one.now)}></span>`}
        <span class="floor" style=${at(one.floor)}></span>
      </span>
      <span class="number">
        <b>${percent(one.used)}</b>${` of ${percent(bound)}, at most ${percent(one.most)}`}
        ${one.pending && [", ", one.pending, " pending"]}
      </span>
    </a>
  </li>`;
}

// "Uses 6.0 GiB of 4.0 GiB guaranteed; 2.0 GiB are borrowed from other queues. 3.0 GiB pending."
// "Uses 1.0 GiB of 4.0 GiB guaranteed; of the other 3.0 GiB, 2.0 GiB are lent to other queues."
function sentence(row, isFair, siblings) {
  const dueOf = (one) => (isFair ? one.queue.fairResources : one.capacity?.effectiveMinResource);
  const beyond = (one) => one.amount.memory - (dueOf(one)?.memory ?? 0);
  if (!dueOf(row)) return null;
  const borrowed = siblings.reduce((sum, one) => sum + Math.max(0, one === row ? 0 : beyond(one)), 0);
  const idle = -beyond(row);
  const lent = Math.min(idle, borrowed);
  const rest =
    idle < 0
      ? `${plainGib(-idle)} are borrowed from other queues.`
      : lent > 0
        ? `of the other ${plainGib(idle)}, ${plainGib(lent)} are lent to other queues.`
        : `${plainGib(idle)} are free for it.`;
  const due = `${plainGib(dueOf(row).memory)} ${isFair ? "fair share" : "guaranteed"}`;
  return html`<p class="headline">
    Uses ${plainGib(row.amount.memory)} of ${due}; ${rest}${" "}
    ${row.pending && [row.pending, " pending."]}
  </p>`;
}

// What is pending in the queue and below it, by reason.
function reasonsOf(row, waiting) {
  const isBelow = (one) => one.queue === row.name || one.queue?.startsWith(`${row.name}.`);
  const found = list(waiting?.reason).filter(isBelow);
  const rows = found.map((one) => [
    one.reason,
    one.queue,
    one.containers,
    link(`/cluster/app/${one.example}`, one.example),
  ]);
  return (
    rows.length > 0 && table("Pending by reason", ["Reason", "Queue", "Containers", "For example"], rows, "")
  );
}

function details(row, rows, isFair, { partition, rights, users, query, waiting, step }) {
  const siblings = rows.filter((one) => one.parent === row.parent);
  return html`<section class="card">
    <h2>${row.name}${partition && ` in partition ${partition}`}</h2>
    ${sentence(row, isFair, siblings)} ${reasonsOf(row, waiting)}
    ${
      !isFair &&
      !isRecording &&
      queueActions(
        row,
        siblings.map((one) => one.name),
        rights,
        partition,
      )
    }
    ${facts([["Pending", row.pending || "nothing"], ...(isFair ? fairFacts(row) : capacityFacts(row))])}
    <h3>${isFair || !row.queue.users ? "Users" : "Active Users Info"}</h3>
    ${userTable(row, users, isFair, query, step)}
  </section>`;
}

const sized = (key, name, read, how = (_) => null) =>
  number(key, name, (one) => read(one)?.memory, {
    cell: (one) => (read(one) ? html`<span title=${how(one)}>${amount(read(one))}</span>` : "N/A"),
  });

const FAIR_USERS = [
  text("user", "User Name", "username"),
  sized("used", "Used Resource", (one) => one.resourcesUsed),
  sized("reserved", "Reserved Resource", (one) => one.resourcesReserved),
  sized("pending", "Pending Resource", (one) => one.resourcesPending),
  sized("fair", "Fair Share", (one) => one.fairShare),
  count("containers", "Running Containers", "runningContainers"),
  count("waiting", "Pending Containers", "pendingContainers"),
  count("running", "Running Apps", "runningApps"),
  count("apps", "Waiting Apps", "waitingApps"),
  count("most", "Max Running Apps", "maxRunningApps"),
];

// The FifoScheduler has neither shares nor limits.
const FIFO_USERS = FAIR_USERS.filter((one) => !["fair", "most"].includes(one.key));

const usersOf = (path) => `/ui/queue-users?queue=${encodeURIComponent(path)}`;
const userGrid = (columns, rows, query, call) =>
  grid({
    id: "users",
    name: "Users",
    columns,
    rows,
    query,
    order: "user",
    keyOf: (one) => one.username,
    calls: [call],
    none: "No user has an application in this queue.",
  });

function userTable(row, users, isFair, query, step) {
  if (isFair || row.queue.numActiveApplications === undefined)
    return userGrid(FAIR_USERS, users, query, usersOf(row.name));
  const own = list(row.queue.users?.user);
  // A recording of many events does not have the step by which limits are rounded.
  const how = (one) => {
    if (!step || !row.capacity || !one.userResourceLimit) return "";
    const { how } = userLimit(one, row.queue, row.capacity, step);
    return `user limit ${sizeOf(one.userResourceLimit.memory)} = ${how}`;
  };
  const limits = own.map((one) => how(one) && html`<p class="how">${one.username}: ${how(one)}</p>`);
  const columns = [
    text("user", "User Name", "username"),
    sized("limit", "User Limit Resource", (one) => one.userResourceLimit, how),
    count("weight", "Weight", "userWeight"),
    sized("used", "Used Resource", (one) => one.resourcesUsed),
    sized("maxam", "Max AM Resource", () => row.queue.userAMResourceLimit),
    sized("am", "Used AM Resource", (one) => one.AMResourceUsed),
    count("running", "Schedulable Apps", "numActiveApplications"),
    count("waiting", "Non-Schedulable Apps", "numPendingApplications"),
  ];
  return [userGrid(columns, own, query, "/scheduler"), limits];
}

// The lines beside the used share: of either scheduler, what is due to a queue.
const FAIR_LINES = [
  ["steady fair share", "guaranteed", "dashed"],
  ["fair share now", "fair", "dotted"],
];
const CAPACITY_LINES = [
  ["guaranteed", "guaranteed", "dashed"],
  ["maximum", "maximum", "dotted"],
];

function oneShare(one, times, marks, isFair) {
  const due = (isFair ? FAIR_LINES : CAPACITY_LINES).filter(([, key]) => one[key]);
  const series = [
    { name: "used", values: one.used, kind: "line0" },
    ...due.map(([name, key, dashed], i) => ({ name, values: one[key], kind: `line${i + 1}`, dashed })),
  ];
  return html`<section key=${one.path}>
    <h3>${one.path}</h3>
    ${chart(`${one.path}: used and ${isFair ? "fair share" : "guarantee"}`, times, series, { marks })}
  </section>`;
}

// All children stacked, then each by itself beside what is due to it.
function usedShares(history, legend) {
  const queues = list(history.queue);
  if (!queues.length) return empty("No samples yet. The first ones appear within a few seconds.");
  const used = queues.map((one, i) => ({ name: one.path, values: one.used, kind: hue(i) }));
  const options = { marks: list(history.mark), isStacked: true };
  return html`${chart("Used share of each queue", list(history.times), used, options)}
    <p class="legend">${legend}</p>`;
}

const MARKS =
  "Vertical lines: preemption requested, container preempted, application moved, queues changed, " +
  "node added or lost.";

function shares(history, isFair) {
  const queues = list(history.queue);
  const [times, marks] = [list(history.times), list(history.mark)];
  return html`${usedShares(history, MARKS)}
    ${
      queues.length > 0 &&
      html`<details open=${queues.length === 1}>
        <summary>Each queue and its ${isFair ? "fair share" : "guarantee and maximum"}</summary>
        ${queues.slice(0, MOST_CHARTS).map((one) => oneShare(one, times, marks, isFair))}
      </details>`
    }`;
}

function health(info) {
  const operations = list(info.operationsInfo);
  const counts = list(info.lastRunDetails);
  return html`<details>
    <summary>Last scheduler run</summary>
    <p>Last run: ${moment(info.lastrun)}</p>
    ${table(
      "Last operations",
      ["Operation", "Node", "Container", "Queue"],
      operations.map((one) => [one.operation, one.nodeId, one.containerId, one.queue]),
      "No operations yet.",
    )}
    ${table(
      "Last run",
      ["Operation", "Count", "Resources"],
      counts.map((one) => [one.operation, one.count, amount(one.resources)]),
      "No operations yet.",
    )}
  </details>`;
}
