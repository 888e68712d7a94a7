// Nodes: a heat map in groups, the table, and one node with its containers.
import { get, list } from "./api.js";
import { chart } from "./charts.js";
import { away, CARD, memory, number, OFF, ofNode, share, states, text, time } from "./columns.js";
import { containerGrid, containersOf } from "./containers.js";
import { actions } from "./dialog.js";
import {
  bar,
  choice,
  empty,
  facet,
  facts,
  factsOf,
  filter,
  html,
  isRecording,
  partitionName,
  percent,
  plainGib,
  plural,
  title,
  unfiltered,
} from "./dom.js";
import { counts, matcher, natural } from "./filtering.js";
import { grid } from "./grid.js";
import { hrefOfApp, streamOf } from "./taskstream.js";

export const START_A_NODE = !isRecording && html`Start a node: <code>yarnbox add-node</code>`;
export const GROUPS = {
  rack: (one) => one.rack,
  label: (one) => partitionName(one.label),
  state: (one) => one.state,
};
export const MEASURES = {
  memory: (one) => [one.usedMB, one.totalMB],
  vcores: (one) => [one.usedVCores, one.totalVCores],
  containers: (one) => [one.containers, Math.max(1, one.totalVCores)],
};
const GROUPINGS = Object.keys(GROUPS).map((one) => [one, one]);
const SHOWN = [
  ["memory", "memory used"],
  ["vcores", "vcores used"],
  ["containers", "containers per vcore"],
];
const MANY = 200,
  MOST_SQUARES = 2000,
  GIB_MB = 1024;

// As Hadoop's list without a state: those that work, and those that no longer do or are about to leave.
const ACTIVE = ["RUNNING", "UNHEALTHY", "DECOMMISSIONING"];

function isIn(wanted, one) {
  if (!wanted) return true;
  return wanted === "active" ? one.state === "RUNNING" : one.state.toLowerCase() === wanted.toLowerCase();
}

const part = (used, total, text) => [bar(total ? (100 * used) / total : 0, text), " ", text];
const memoryPart = (used, total, text) =>
  html`<span title=${`${used} of ${total} MiB`}>${part(used, total, text)}</span>`;

const COLUMNS = [
  text("label", "Node Labels", (one) => partitionName(one.label)),
  text("rack", "Rack"),
  states("state", "Node State", "state", CARD),
  ofNode("id", "Node Address", "id", CARD),
  away(
    "http",
    "Node HTTP Address",
    ({ http }) => http && `//${http}/node`,
    (one) => one.http,
  ),
  time("health", "Last health-update"),
  text("report", "Health-report"),
  number("containers", "Containers"),
  text("tag", "Allocation Tags", "tags"),
  memory("mem", "Mem Used", "usedMB", {
    ...CARD,
    width: 220,
    cell: ({ usedMB, totalMB }) => memoryPart(usedMB, totalMB, plainGib(usedMB)),
  }),
  memory("memfree", "Mem Avail", (one) => one.totalMB - one.usedMB),
  memory("memtotal", "Mem Total", "totalMB", OFF),
  share("physmem", "Phys Mem Used %", "physicalMB"),
  number("vcores", "VCores Used", "usedVCores", {
    width: 190,
    cell: (one) => part(one.usedVCores, one.totalVCores, one.usedVCores),
  }),
  number("vcoresfree", "VCores Avail", (one) => one.totalVCores - one.usedVCores),
  number("vcorestotal", "VCores Total", "totalVCores", OFF),
  share("physvcores", "Phys VCores Used %", "physicalVCores"),
  text("host", "Host", "host", OFF),
  text("reserved", "Reserved for", "reserved", OFF),
  text("version", "Version"),
];

// Two columns more for each further type of resource.
function columns(found) {
  const more = [...new Set(found.flatMap((one) => Object.keys(one.more || {})))];
  const of = (one, name) => one.more?.[name] || [0, 0];
  return [
    ...COLUMNS,
    ...more.flatMap((name) => [
      number(`${name}.used`, `${name} Used`, (one) => of(one, name)[0]),
      number(`${name}.free`, `${name} Avail`, (one) => of(one, name)[1] - of(one, name)[0]),
    ]),
  ];
}

export async function nodes([wanted], query) {
  const found = list((await get("/ui/nodes")).nodes.node),
    by = query.get("by") || "rack",
    measure = query.get("measure") || "memory";
  const means = matcher(query.get("q"), COLUMNS),
    fields = Object.keys(GROUPS),
    chosen = fields.filter((key) => query.get(key));
  const passes = (one, but) => chosen.every((key) => key === but || GROUPS[key](one) === query.get(key));
  const meant = found.filter((one) => isIn(wanted, one) && means(one)),
    shown = meant.filter((one) => passes(one));
  const none = found.length ? unfiltered("nodes") : empty("No nodes have registered. ", START_A_NODE);
  const states = wanted && wanted !== "active" ? `?states=${wanted.toUpperCase()}` : "";
  const facetOf = (/** @type {string} */ key) => {
    const others = meant.filter((one) => passes(one, key));
    const name = `${key[0].toUpperCase()}${key.slice(1)}`;
    return facet(name, key, counts(others, GROUPS[key]), query.get(key) || "");
  };
  const table = grid({
    id: "nodes",
    name: `Nodes: ${shown.length}`,
    columns: columns(found),
    rows: shown,
    query,
    isMain: true,
    none,
    calls: [`/nodes${states}`, "/ui/nodes"],
  });
  return html`${title(wanted ? `Nodes: ${wanted}` : "Nodes of the cluster")}
    <div class="choices">
      ${filter(query, "words, or rack:/r1 state:LOST label:gpu mem>4096")}${fields.map(facetOf)}
    </div>
    ${choice("Group by", "by", GROUPINGS, by, "rack")}${choice("Show", "measure", SHOWN, measure, "memory")}
    ${shown.length > 0 && html`<h2>By ${by}</h2>`}
    ${shown.length > 0 && heat(shown, GROUPS[by] || GROUPS.rack, MEASURES[measure] || MEASURES.memory)}
    ${table}`;
}

// Squares of many are small, and of very many each stands for a group's neighbours: a screen has no place
// for ten thousand.
export function heat(shown, groupOf, measure) {
  const together = Math.ceil(shown.length / MOST_SQUARES);
  // Where squares stand for several nodes nobody sees an order.
  const inOrder = (members) =>
    together > 1 ? members : members.sort((a, b) => natural.compare(a.host, b.host));
  const kind = `squares${shown.length > MANY ? " small" : ""}`;
  const sorted = [...Map.groupBy(shown, groupOf)].sort(([a], [b]) => natural.compare(a, b));
  return html`<div class="heat">
      ${sorted.map(
        ([name, members]) => html`<section key=${name}>
          <h3>${name} <small>${plural(members.length, "node")}</small></h3>
          <div class=${kind}>${chunks(inOrder(members), together).map((some) => square(some, measure))}</div>
        </section>`,
      )}
    </div>
    <p class="legend">
      ${STEPS.map((one) => html`<span class=${`square step${one}`}>${one * 20}–${one * 20 + 20} %</span>`)}
      <span class="square dead">not running</span>
      ${together > 1 && ` Each square: up to ${together} nodes.`}
    </p>`;
}

const STEPS = [0, 1, 2, 3, 4];
const chunks = (all, size) =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));

function square(some, measure) {
  const living = some.filter((one) => ACTIVE.includes(one.state)),
    sums = living.map(measure),
    first = some[0];
  const used = sums.reduce((sum, [value]) => sum + value, 0),
    total = sums.reduce((sum, [, value]) => sum + value, 0),
    share = total ? (100 * used) / total : 0;
  const isWell = some.every((one) => one.state === "RUNNING"),
    step = isWell ? `step${Math.min(4, Math.floor(share / 20))}` : "dead";
  const names = some.length > 1 ? `${first.id} … ${some.at(-1).id}` : `${first.id} ${first.state}`;
  const to =
    some.length > 1 ? `/cluster/nodes?rack=${encodeURIComponent(first.rack)}` : `/cluster/node/${first.id}`;
  const containers = living.reduce((sum, one) => sum + one.containers, 0);
  const said =
    `${names}, ${first.rack}, ${partitionName(first.label)}\n` +
    `${percent(share)} used, ${plural(containers, "container")}`;
  return html`<a key=${first.id} class=${`square ${step}`} href=${to} title=${said}>${first.host}</a>`;
}

export async function node([id], query) {
  const [{ node: one }, containers] = await Promise.all([
    get(`/ui/node/${id}`),
    containersOf(`node=${encodeURIComponent(id)}`),
  ]);
  const held = list(containers.container);
  const by = query.get("colour") === "app" ? "app" : "queue",
    groupOf = (container) => container[by],
    groups = [...new Set(held.map(groupOf))].sort();
  return html`${title(one.id)} ${one.actions && actions(one.actions)} ${facts(factsOf(one.fact))}
    <h2>Containers over time</h2>
    ${streamOf(one.id, containers, query, { lanes: "queue", colour: "queue", hrefOf: hrefOfApp })}
    ${
      held.length > 0 &&
      html`<h2>Memory used, below the node's capacity</h2>
        ${usage(held, containers.now, groups, groupOf, one.totalMB)}`
    }
    <h2>Containers</h2>
    ${containerGrid(held, containers.now, query, {
      call: `node=${encodeURIComponent(id)}`,
      none: "No containers have run here since the ResourceManager started.",
      isOfNode: true,
    })}`;
}

// The containers' memory stood on one another, group by group, at each moment when one came or went.
function usage(held, now, groups, groupOf, capacityMB) {
  const changes = new Map([[now, new Map()]]);
  const charge = (at, group, mb) => {
    if (!changes.has(at)) changes.set(at, new Map());
    changes.get(at).set(group, (changes.get(at).get(group) || 0) + mb);
  };
  for (const one of held) {
    if (one.state === "RESERVED") continue;
    charge(one.started, groupOf(one), one.memoryMB);
    if (one.finished) charge(one.finished, groupOf(one), -one.memoryMB);
  }
  const moments = [...changes.keys()].sort((a, b) => a - b);
  const series = groups.map((group) => {
    let sum = 0;
    const after = (at) => {
      sum += (changes.get(at).get(group) || 0) / GIB_MB;
      return sum;
    };
    return { name: group, values: moments.map(after) };
  });
  return chart({
    chart: "Memory used by containers",
    times: moments,
    series,
    digits: 1,
    suffix: " GiB",
    present: moments.length - 1,
    top: 0,
    ceiling: capacityMB / GIB_MB || null,
    isStacked: true,
  });
}
