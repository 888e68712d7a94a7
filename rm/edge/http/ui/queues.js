// The scheduler's page: the queue tree of a partition, one queue in full with its users and applications,
// and shares over time.
import { get, list } from "./api.js";
import { appGrid } from "./apps.js";
import { blocks } from "./blocks.js";
import { count, number, text } from "./columns.js";
import { containersOf } from "./containers.js";
import {
  amount,
  choice,
  clamped,
  empty,
  facts,
  factsOf,
  html,
  inUnits,
  isRecording,
  link,
  moment,
  partitionName,
  percent,
  table,
  title,
  withQuery,
} from "./dom.js";
import { grid } from "./grid.js";
import { queueActions } from "./queueactions.js";
import { hrefOfApp, streamOf } from "./taskstream.js";

const MINUTES = [
  ["5", "5 minutes"],
  ["15", "15 minutes"],
  ["60", "1 hour"],
];
const span = (minutes) => !isRecording && choice("Time", "minutes", MINUTES, minutes, "15");

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
  const parameters = new URLSearchParams({ partition, ...(open && { queue: open }) });
  const [{ queues }, { charts }, rights, { users }, { found }, { waiting }, containers] = await Promise.all([
    get(`/ui/queues?${parameters}`),
    get(`/ui/charts/queues?parent=${path}&partition=${encodeURIComponent(partition)}&minutes=${minutes}`),
    get("/ui/rights"),
    get(usersOf(open || "root")).catch(() => ({ users: {} })),
    get(`/ui/apps?states=NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING&limit=20${asked}`),
    get("/ui/waiting"),
    open ? containersOf(asked.slice(1)) : null,
  ]);
  const apps = list(found.app);
  const common = {
    charts,
    minutes,
    partition,
    query,
    rights,
    asked,
    waiting,
    apps,
    users: list(users.user),
  };
  if (queues.scheduler === "FifoScheduler")
    return fifo(queues, common, await containersOf(`queue=${ONLY_QUEUE}`));
  const { row: rows, chosen, whole } = queues;
  const isFair = queues.scheduler === "FairScheduler";
  const partitions = queues.partition.map((one) => [one, partitionName(one)]);
  return html`${title("Scheduler")}
    <p>${queues.scheduler}</p>
    ${partitions.length > 1 && choice("Partition", "partition", partitions, partition, "")}
    ${whole && html`<p class="id">Partition: ${partitionName(partition)} ${amount(whole)}</p>`}
    ${legend(isFair)}
    <ul class="queues">${rows.map((one) => queueBar(one, open))}</ul>
    ${
      open && !chosen
        ? noQueue(open, partition)
        : html`${chosen ? details(chosen, isFair, common) : empty("Select a queue to see its details.")}
            <h2>Share of ${partition ? `partition ${partition}` : "the cluster"} over time</h2>
            ${span(minutes)}${blocks(charts.block, query)} ${chosen && stream(open, containers, query)}
            <h2>${open ? `Applications of ${open}` : "Waiting and running applications"}</h2>
            ${applications(common)}`
    }
    ${queues.health && health(queues.health)}`;
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

const applications = ({ apps, query, asked }) =>
  appGrid("queueapps", apps, query, {
    calls: [`/ui/apps?states=ACCEPTED,RUNNING${asked}`],
    none: "No application is running or waiting in this queue.",
    isSorted: false,
  });

const fifo = ({ fact }, common, containers) => html`${title("Scheduler")}
  <p>FifoScheduler</p>
  ${facts(factsOf(fact))}
  <h2>Users</h2>
  ${userGrid(FIFO_USERS, common.users, common.query, usersOf("root"))}
  <h2>Share of the cluster over time</h2>
  ${span(common.minutes)}${blocks(common.charts.block, common.query)}
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

function queueBar(one, open) {
  const bound = one.now ?? one.floor,
    within = Math.min(one.used, bound);
  const px = (value) => `${clamped(value, 100)}%`,
    isOpen = one.path === open;
  const at = (left, width) => ({ left: px(left), width: width === undefined ? null : px(width) });
  return html`<li key=${one.path}>
    <a
      href=${withQuery("queue", isOpen ? null : one.path)}
      aria-current=${isOpen ? "true" : null}
      aria-expanded=${String(isOpen)}
    >
      <span class="name" style=${{ paddingLeft: `${one.depth * 1.2}rem` }}>
        ${one.path.split(".").at(-1)}
        ${one.state !== "RUNNING" && html`<small class="trouble"> ${one.state}</small>`}
        ${one.isMade && html`<small> created dynamically</small>`}
      </span>
      <span class="queuebar">
        <span class="most" style=${at(0, one.most)}></span>
        <span class="used" style=${at(0, within)}></span>
        ${one.used > bound && html`<span class="over" style=${at(within, one.used - within)}></span>`}
        ${one.now !== null && html`<span class="now" style=${at(one.now)}></span>`}
        <span class="floor" style=${at(one.floor)}></span>
      </span>
      <span class="number">
        <b>${percent(one.used)}</b>${` of ${percent(bound)}, at most ${percent(one.most)}`}
        ${one.pending && `, ${inUnits(one.pending)} pending`}
      </span>
    </a>
  </li>`;
}

// What is pending in the queue and below it, by reason.
function reasonsOf(row, waiting) {
  const isBelow = (one) => `${one.queue}.`.startsWith(`${row.path}.`);
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

function details(row, isFair, { partition, rights, users, query, waiting }) {
  return html`<section class="card">
    <h2>${row.path}${partition && ` in partition ${partition}`}</h2>
    ${row.headline && html`<p class="headline">${inUnits(row.headline)}</p>`} ${reasonsOf(row, waiting)}
    ${!isFair && !isRecording && queueActions(row, rights, partition)}
    ${facts(factsOf(row.fact))}
    <h3>${row.user ? "Active Users Info" : "Users"}</h3>
    ${row.user ? limitGrid(row.user, query) : userGrid(FAIR_USERS, users, query, usersOf(row.path))}
  </section>`;
}

const sized = (key, name, read) =>
  number(key, name, (one) => read(one)?.memory, {
    cell: (one) => (read(one) ? html`<span title=${one.how}>${amount(read(one))}</span>` : "N/A"),
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

const LIMITED_USERS = [
  text("user", "User Name", "username"),
  sized("limit", "User Limit Resource", (one) => one.userResourceLimit),
  count("weight", "Weight", "userWeight"),
  sized("used", "Used Resource", (one) => one.resourcesUsed),
  sized("maxam", "Max AM Resource", (one) => one.amLimit),
  sized("am", "Used AM Resource", (one) => one.AMResourceUsed),
  count("running", "Schedulable Apps", "numActiveApplications"),
  count("waiting", "Non-Schedulable Apps", "numPendingApplications"),
];
const limitGrid = (users, query) => [
  userGrid(LIMITED_USERS, users, query, "/scheduler"),
  users.map(({ username, how }) => how && html`<p class="how">${username}: ${how}</p>`),
];

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
