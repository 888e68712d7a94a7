// Nodes: a heat map in groups, the table, and one node with its containers.
import { get, list, post } from "./api.js";
import { gantt, hue } from "./charts.js";
import { confirm } from "./dialog.js";
import { bar, choice, facts, filter, gib, h, link, moment, orNone, partitionName, percent, state, table, title } from "./dom.js";

const GROUPS = { rack: (one) => one.rack, label: (one) => partitionName(one.label), state: (one) => one.state };
const MEASURES = {
  memory: (one) => [one.usedMB, one.totalMB], vcores: (one) => [one.usedVCores, one.totalVCores],
  containers: (one) => [one.containers, Math.max(1, one.totalVCores)] };
const LONGEST = 500;

function isIn(wanted, one) {
  if (!wanted) return true;
  if (wanted === "active") return one.state === "RUNNING";
  return one.state.toLowerCase() === wanted.toLowerCase();
}

export async function nodes([wanted], query) {
  const found = list((await get("/ui/nodes")).nodes.node);
  const text = (query.get("q") || "").toLowerCase(), by = query.get("by") || "rack", measure = query.get("measure") || "memory";
  const shown = found.filter((one) => isIn(wanted, one) && `${one.id} ${one.rack} ${partitionName(one.label)} ${one.state}`.toLowerCase().includes(text));
  const groups = new Map();
  for (const one of shown) {
    const name = (GROUPS[by] || GROUPS.rack)(one);
    groups.set(name, [...(groups.get(name) || []), one]);
  }
  return [title(wanted ? `Nodes: ${wanted}` : "Nodes of the cluster"), filter(query, "address, rack, label or state"),
    choice("Group by", "by", [["rack", "rack"], ["label", "label"], ["state", "state"]], by, "rack"),
    choice("Show", "measure", [["memory", "memory used"], ["vcores", "vcores used"], ["containers", "containers per vcore"]], measure, "memory"),
    h("div", { class: "heat" }, [...groups].sort(([a], [b]) => a.localeCompare(b, undefined, { numeric: true })).map(([name, members]) =>
      h("section", {}, h("h2", {}, name, h("small", {}, ` ${members.length} ${members.length === 1 ? "node" : "nodes"}`)),
        h("div", { class: `squares${shown.length > 200 ? " small" : ""}` }, members.map((one) => square(one, MEASURES[measure] || MEASURES.memory)))))),
    h("p", { class: "legend" }, [0, 1, 2, 3, 4].map((one) => h("span", { class: `square step${one}` }, `${one * 20}–${one * 20 + 20} %`)),
      h("span", { class: "square dead" }, "not running")),
    rows(shown.slice(0, LONGEST)),
    shown.length > LONGEST && h("p", { class: "empty" }, `The first ${LONGEST} of ${shown.length} nodes; the filter finds the others.`)];
}

function square(one, measure) {
  const [used, total] = measure(one), share = total ? (100 * used) / total : 0;
  const step = one.state === "RUNNING" ? `step${Math.min(4, Math.floor(share / 20))}` : "dead";
  return h("a", { class: `square ${step}`, href: `/cluster/node/${one.id}`,
    title: `${one.id} ${one.state}, ${one.rack}, ${partitionName(one.label)}\n${percent(share)} used, ${one.containers} containers` }, one.host);
}

const part = (used, total, text) => [bar(total ? (100 * used) / total : 0, text), " ", text];

function rows(shown) {
  return table("Nodes", ["Node", "Rack", "Label", "State", "Memory used of total", "VCores", "Containers", "Allocation Tags", "Physical memory", "Physical vcores",
    "Heard of", "Pages", "Health report", "Version"],
  shown.map((one) => [link(`/cluster/node/${one.id}`, one.id), one.rack, partitionName(one.label), state(one.state),
    part(one.usedMB, one.totalMB, `${gib(one.usedMB).textContent} of ${gib(one.totalMB).textContent}`),
    part(one.usedVCores, one.totalVCores, `${one.usedVCores} of ${one.totalVCores}`), one.containers, one.tags || "", percent(one.physicalMB),
    percent(one.physicalVCores), moment(one.health), one.http ? h("a", { href: `http://${one.http}/node` }, "open") : "N/A",
    one.report || "", one.version]), "No nodes here. Start one: yarnbox add-node");
}

function tags(one) {
  return list((one.allocationTags || {}).allocationTagInfo).map((tag) => `${tag.allocationTag}(${tag.allocationsCount})`).join(", ");
}

export async function node([id]) {
  const [{ node: one }, { containers }, { nodes: all }, rights] = await Promise.all([get(`/nodes/${id}`),
    get(`/ui/containers?node=${encodeURIComponent(id)}`), get("/ui/nodes"), get("/ui/rights")]);
  const brief = list(all.node).find((other) => other.id === one.id) || {}, held = list(containers.container);
  const apps = [...new Set(held.map((container) => container.app))];
  const mayDrain = rights.isAdmin && rights.actions && ["RUNNING", "DECOMMISSIONING"].includes(one.state);
  return [title(one.id),
    mayDrain && h("p", { class: "actions" }, brief.isDrained
      ? h("button", { onclick: () => readmit(one) }, "Take back")
      : h("button", { class: "danger", onclick: () => drain(one) }, "Drain")),
    facts([["State", state(one.state)], ["Rack", one.rack], ["Label", partitionName(list(one.nodeLabels)[0])],
      ["Pages", brief.http ? h("a", { href: `http://${brief.http}/node` }, brief.http) : "N/A"],
      ["Memory", part(one.usedMemoryMB, one.usedMemoryMB + one.availMemoryMB, `${gib(one.usedMemoryMB).textContent} of ${gib(one.usedMemoryMB + one.availMemoryMB).textContent}`)],
      ["VCores", part(one.usedVirtualCores, one.usedVirtualCores + one.availableVirtualCores, `${one.usedVirtualCores} of ${one.usedVirtualCores + one.availableVirtualCores}`)],
      ["Containers", one.numContainers], ["Allocation Tags", orNone(tags(one))], ["Health report", orNone(one.healthReport)],
      ["Heard of", moment(one.lastHealthUpdate)], ["Version", one.version]]),
    h("h2", {}, "Containers by application, over time"),
    gantt(held, containers.now, (container) => container.app, (container) => hue(apps.indexOf(container.app)))];
}

async function drain(one) {
  const seconds = await confirm(`Drain ${one.id}?`,
    "It gets no new containers, and leaves when the last has ended or after so many seconds (-1: however long it takes).", "Drain", "3600");
  if (seconds) await post(`/ui/nodes/${one.id}/drain`, { timeout: Number(seconds) });
}

async function readmit(one) {
  const sure = await confirm(`Take ${one.id} back?`, "It stays, or may register again, and gets containers.", "Take back");
  if (sure) await post(`/ui/nodes/${one.id}/readmit`, {});
}
