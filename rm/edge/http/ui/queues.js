// The scheduler's page: the queue tree of a partition, one queue in full with its users and applications,
// and shares over time.
import { get } from "./api.js";
import { appGrid } from "./apps.js";
import { blocks } from "./blocks.js";
import { containersOf } from "./containers.js";
import {
  amount,
  choice,
  clamped,
  empty,
  html,
  inUnits,
  isRecording,
  partitionName,
  percent,
  title,
  withQuery,
} from "./dom.js";
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
  const [{ queues }, { charts }, { found }, containers] = await Promise.all([
    get(`/ui/queues?${parameters}`),
    get(`/ui/charts/queues?parent=${path}&partition=${encodeURIComponent(partition)}&minutes=${minutes}`),
    get(`/ui/apps?states=NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING&limit=20${asked}`),
    open ? containersOf(asked.slice(1)) : null,
  ]);
  const common = {
    charts,
    minutes,
    partition,
    query,
    asked,
    found,
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
        : html`${chosen ? details(queues, common) : empty("Select a queue to see its details.")}
            <h2>Share of ${partition ? `partition ${partition}` : "the cluster"} over time</h2>
            ${span(minutes)}${blocks(charts.block, query)} ${chosen && stream(open, containers, query)}
            <h2>${open ? `Applications of ${open}` : "Waiting and running applications"}</h2>
            ${applications(common)}`
    }
    ${blocks(queues.last, query)}`;
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

const applications = ({ found, query, asked }) =>
  appGrid("queueapps", found, query, {
    calls: [`/ui/apps?states=ACCEPTED,RUNNING${asked}`],
    none: "No application is running or waiting in this queue.",
    isSorted: false,
  });

const fifo = ({ below }, common, containers) => html`${title("Scheduler")}
  <p>FifoScheduler</p>
  ${blocks(below, common.query)}
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

const details = (queues, { partition, query }) => html`<section class="card">
  <h2>${queues.chosen.path}${partition && ` in partition ${partition}`}</h2>
  ${blocks(queues.above, query)}
  ${queues.actions && queueActions(queues, partition)} ${blocks(queues.below, query)}
</section>`;
