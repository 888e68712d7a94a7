// Applications: a page of the list, and one application with its attempts and containers.
import { get, list, put } from "./api.js";
import { gantt } from "./charts.js";
import { confirm } from "./dialog.js";
import { bar, duration, facts, filter, gib, h, link, moment, orNone, percent, state, table, title, withQuery } from "./dom.js";

const STATES = ["NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING", "FINISHED", "FAILED", "KILLED"];
const A_PAGE = 20;
const COLUMNS = [["ID", "id"], ["User", "user"], ["Name", "name"], ["Type", "type"], ["Queue", "queue"], ["Priority", "priority"],
  ["Started", "started"], ["State", "state"], ["Final status", "final"], ["Containers", "containers"], ["Memory", "mem"], ["VCores", "vcores"],
  ["Pending", null], ["% of queue", null], ["% of cluster", null], ["Progress", "progress"], ["Tracking UI", null]];

export function applications(apps, sort) {
  const heads = COLUMNS.map(([name, key]) => (sort && key ? sorted(name, key, sort) : name));
  return table("Applications", heads, apps.map((one) => [
    link(`/cluster/app/${one.id}`, one.id), one.user, one.name, one.applicationType, one.queue, one.priority,
    moment(one.startedTime), state(one.state), one.finalStatus, orNone(one.runningContainers),
    one.allocatedMB === -1 ? "N/A" : gib(one.allocatedMB), orNone(one.allocatedVCores), one.pendingContainers ?? "N/A",
    percent(one.queueUsagePercentage), percent(one.clusterUsagePercentage), [bar(one.progress, percent(one.progress)), " ", percent(one.progress)],
    one.trackingUI && one.trackingUI !== "UNASSIGNED" ? h("a", { href: `/proxy/${one.id}/` }, one.trackingUI) : "Unassigned"]),
  "No applications here. Start one: yarnbox job pi 4 100000");
}

function sorted(name, key, sort) {
  const isDown = sort === `-${key}`, isUp = sort === key;
  return h("a", { href: withQuery("sort", isDown ? key : `-${key}`), "aria-label": `Sort by ${name}` }, name, isDown ? " ▾" : isUp ? " ▴" : "");
}

export async function apps([wanted], query) {
  const sort = query.get("sort") || "-id", from = Number(query.get("from") || 0), asked = new URLSearchParams({ sort, from, limit: A_PAGE });
  const named = ["user", "queue"].filter((name) => query.get(name)).map((name) => `${name}:"${query.get(name)}"`);
  asked.set("q", [query.get("q") || "", ...named].join(" "));
  if (wanted) asked.set("states", wanted);
  const { found } = await get(`/ui/apps?${asked}`), counts = (found.facets || {}).state || {};
  const page = (to) => `${location.pathname}?${new URLSearchParams([...query].filter(([name]) => name !== "from").concat([["from", to]]))}`;
  return [title(wanted ? `${wanted} Applications` : "All Applications"),
    h("nav", { class: "chips", "aria-label": "States" }, h("a", { href: `/cluster/apps${location.search}`, "aria-current": wanted ? null : "page" }, "All"),
      STATES.map((one) => h("a", { href: `/cluster/apps/${one}${location.search}`, "aria-current": one === wanted ? "page" : null },
        one, counts[one] ? ` ${counts[one]}` : ""))),
    filter(query, "words, or state:RUNNING user:mei queue:root.etl mem>4096"),
    applications(list(found.app), sort),
    found.matching > 0 && h("p", { class: "pages" }, `${from + 1} to ${Math.min(from + A_PAGE, found.matching)} of ${found.matching}`,
      from > 0 && [" ", link(page(Math.max(0, from - A_PAGE)), "newer")],
      from + A_PAGE < found.matching && [" ", link(page(from + A_PAGE), "further")])];
}

const isOver = (one) => ["FINISHED", "FAILED", "KILLED"].includes(one.state);

export async function app([id]) {
  const [{ app: one }, { appAttempts }, rights, { containers }] = await Promise.all([get(`/apps/${id}`),
    get(`/apps/${id}/appattempts`), get(`/ui/rights?app=${id}`), get(`/ui/containers?app=${id}`)]);
  const held = list(containers.container);
  return [title(one.name), h("p", { class: "id" }, one.id), actions(one, rights), overview(one),
    h("h2", {}, "Containers over nodes and time"), gantt(held, containers.now, (container) => container.node),
    h("h2", {}, "Attempts"), attempts(list(appAttempts.appAttempt)),
    !isOver(one) && [h("h2", {}, "Outstanding requests"), outstanding(list(one.resourceRequests))],
    h("h2", {}, "Containers"), containerTable(held, containers.now, one.user)];
}

function actions(one, rights) {
  if (!rights.mayModify || isOver(one)) return null;
  return h("p", { class: "actions" }, h("button", { class: "danger", onclick: () => kill(one) }, "Kill Application"),
    rights.mayMove && h("button", { onclick: () => move(one, list(rights.queues)) }, "Move to another queue"));
}

function overview(one) {
  const lost = one.preemptedMemorySeconds || one.preemptedResourceMB;
  return facts([["User", one.user], ["Queue", link(`/cluster/scheduler?queue=${encodeURIComponent(one.queue)}`, one.queue)], ["State", state(one.state)],
    ["Final Status Reported by AM", one.finalStatus], ["Type", one.applicationType], ["Tags", orNone(one.applicationTags)],
    ["Priority", one.priority], ["Submitted", moment(one.startedTime)], ["Launched", moment(one.launchTime)],
    ["Finished", moment(one.finishedTime)], ["Elapsed", duration(one.elapsedTime)],
    ["Progress", [bar(one.progress, percent(one.progress)), " ", percent(one.progress)]],
    ["Tracking page", one.trackingUI && one.trackingUI !== "UNASSIGNED" ? h("a", { href: `/proxy/${one.id}/` }, one.trackingUI) : "Unassigned"],
    ["Aggregate Resource Allocation", `${one.memorySeconds} MB-seconds, ${one.vcoreSeconds} vcore-seconds`],
    lost > 0 && ["Preempted", `${one.preemptedResourceMB} MB, ${one.preemptedResourceVCores} vcores`],
    ["Label", one.appNodeLabelExpression || "none"], ["Log Aggregation Status", orNone(one.logAggregationStatus)],
    ["Diagnostics", h("pre", {}, orNone(one.diagnostics))]].filter(Boolean));
}

const logs = (url) => (url ? h("a", { href: url }, "Logs") : "N/A");

function attempts(found) {
  return table("Attempts", ["Attempt", "State", "Started", "Finished", "AM container", "Node", "Logs", "Diagnostics"], found.map((one) =>
    [one.appAttemptId, state(one.appAttemptState || ""), moment(one.startTime), moment(one.finishedTime), orNone(one.containerId),
      orNone(one.nodeId), logs(one.logsLink), one.diagnosticsInfo || one.diagnostics || ""]), "No attempt has begun yet.");
}

function outstanding(requests) {
  return table("Total Outstanding Resource Requests", ["Priority", "AllocationRequestId", "ResourceName", "Capability",
    "NumContainers", "RelaxLocality", "NodeLabelExpression", "ExecutionType", "AllocationTags", "PlacementConstraint"],
  requests.map((one) => [one.priority, one.allocationRequestId, orNone(one.resourceName),
    [gib(one.capability.memory), `, ${one.capability.vCores} vcores`], one.numContainers, String(one.relaxLocality),
    orNone(one.nodeLabelExpression), one.executionTypeRequest.executionType, list(one.allocationTags).join(", ") || "N/A",
    orNone(one.placementConstraint)]), "Everything that it asked for was given.");
}

function containerTable(held, now, user) {
  return table("Containers", ["Container", "Node", "Queue", "Partition", "Memory", "VCores", "State", "Exit status", "Started", "Elapsed", "Logs"],
    [...held].reverse().map((one) => [one.id, link(`/cluster/node/${one.node}`, one.node), one.queue, one.partition || "", gib(one.memoryMB), one.vcores,
      [state(one.state), one.isAM && " AM"], one.exitStatus ?? "", moment(one.started), duration((one.finished || now) - one.started),
      logs(one.http && `http://${one.http}/node/containerlogs/${one.id}/${encodeURIComponent(user)}`)]),
    "The ResourceManager knows no containers of this application.");
}

async function kill(one) {
  if (!(await confirm(`Kill ${one.name} (${one.id})?`, "Its containers are ended. This cannot be undone.", "Kill"))) return;
  await put(`/apps/${one.id}/state`, { state: "KILLED" });
}

async function move(one, queues) {
  const queue = await confirm(`Move ${one.name} (${one.id})`, "To which queue?", "Move", one.queue, queues);
  if (queue && queue !== one.queue) await put(`/apps/${one.id}/queue`, { queue });
}
