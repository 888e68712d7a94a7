// The scheduler's page: the queue tree of a partition, one queue in full, and shares over time.
import { get, list } from "./api.js";
import { hue, lines } from "./charts.js";
import { choice, facts, gib, h, isRecording, partitionName, percent, table, title, withQuery } from "./dom.js";

const MINUTES = [["5", "5 minutes"], ["15", "15 minutes"], ["60", "1 hour"]];
const span = (minutes) => !isRecording && choice("Time", "minutes", MINUTES, minutes, "15");
const NOTHING = { memory: 0, vCores: 0 };

export async function scheduler(_, query) {
  const partition = query.get("partition") || "", open = query.get("queue"), minutes = query.get("minutes") || "15";
  const parent = encodeURIComponent(open || "root");
  const [{ scheduler: { schedulerInfo: info } }, { history }, { nodes }] = await Promise.all([get("/scheduler"),
    get(`/ui/history/queues?parent=${parent}&partition=${encodeURIComponent(partition)}&minutes=${minutes}`), get("/ui/nodes")]);
  if (info.type === "fifoScheduler") return fifo(info, history, minutes);
  const isFair = info.type === "fairScheduler";
  const labels = [...new Set(["", ...list(nodes.node).map((one) => one.label)])].sort();
  const rows = isFair ? fairRows(info.rootQueue, info.rootQueue) : capacityRows(info, partition);
  const chosen = rows.find((one) => one.name === open);
  return [title("Scheduler"),
    h("p", {}, isFair ? "FairScheduler" : "CapacityScheduler"),
    !isFair && labels.length > 1 && choice("Partition", "partition", labels.map((one) => [one, partitionName(one)]), partition, ""),
    legend(isFair),
    h("ul", { class: "queues" }, rows.map((one) => queueBar(one, open))),
    chosen ? details(chosen, isFair, partition) : h("p", { class: "empty" }, "Choose a queue to see all of it."),
    h("h2", {}, `Share of ${partition ? `partition ${partition}` : "the cluster"} over time`),
    span(minutes), shares(history, isFair)];
}

function fifo(info, history, minutes) {
  return [title("Scheduler"), h("p", {}, "FifoScheduler"), facts([["Queue state", info.qstate], ["Nodes", info.numNodes],
    ["Used Node Capacity", gib(info.usedNodeCapacity)], ["Available Node Capacity", gib(info.availNodeCapacity)],
    ["Total Node Capacity", gib(info.totalNodeCapacity)], ["Containers", info.numContainers]]),
  h("h2", {}, "Share of the cluster over time"), span(minutes), shares(history, false)];
}

function legend(isFair) {
  return h("p", { class: "legend" }, h("span", { class: "key used" }, "used"),
    h("span", { class: "key over" }, isFair ? "used beyond the fair share" : "used beyond the guarantee"),
    h("span", { class: "key floor" }, isFair ? "steady fair share" : "guaranteed"),
    isFair && h("span", { class: "key now" }, "fair share now"), h("span", { class: "key most" }, "maximum"));
}

const inPartition = (found, partition) => list(found).find((one) => (one.partitionName || "") === partition);

function capacityRows(queue, partition, depth = 0) {
  const capacity = inPartition((queue.capacities || {}).queueCapacitiesByPartition, partition);
  const usage = inPartition((queue.resources || {}).resourceUsagesByPartition, partition);
  const below = list((queue.queues || {}).queue).flatMap((child) => capacityRows(child, partition, depth + 1));
  if (!capacity && !below.length) return [];
  const one = { name: queue.queuePath, depth, queue, capacity, usage, used: capacity ? capacity.absoluteUsedCapacity : 0,
    floor: capacity ? capacity.absoluteCapacity : 0, most: capacity ? capacity.absoluteMaxCapacity : 0,
    amount: usage ? usage.used : NOTHING, pending: usage ? usage.pending : NOTHING };
  return [one, ...below];
}

function fairRows(queue, root, depth = 0) {
  const whole = root.clusterResources.memory || 1, part = (amount) => Math.min(100, (100 * amount.memory) / whole);
  const below = list((queue.childQueues || {}).queue).flatMap((child) => fairRows(child, root, depth + 1));
  const pending = { memory: Math.max(0, queue.demandResources.memory - queue.usedResources.memory),
    vCores: Math.max(0, queue.demandResources.vCores - queue.usedResources.vCores) };
  return [{ name: queue.queueName, depth, queue, used: part(queue.usedResources), floor: part(queue.steadyFairResources),
    now: part(queue.fairResources), most: part(queue.maxResources), amount: queue.usedResources, pending }, ...below];
}

function queueBar(one, open) {
  const bound = one.now === undefined ? one.floor : one.now, within = Math.min(one.used, bound);
  const px = (value) => `${Math.max(0, Math.min(100, value))}%`;
  return h("li", {}, h("a", { href: withQuery("queue", one.name === open ? null : one.name), "aria-current": one.name === open ? "true" : null,
      "aria-expanded": String(one.name === open) },
    h("span", { class: "name", style: { paddingLeft: `${one.depth * 1.2}rem` } }, one.depth ? one.name.split(".").at(-1) : one.name),
    h("span", { class: "queuebar" }, h("span", { class: "most", style: { width: px(one.most) } }),
      h("span", { class: "used", style: { width: px(within) } }),
      one.used > bound && h("span", { class: "over", style: { left: px(within), width: px(one.used - within) } }),
      one.now !== undefined && h("span", { class: "now", style: { left: px(one.now) } }),
      h("span", { class: "floor", style: { left: px(one.floor) } })),
    h("span", { class: "number" }, h("b", {}, percent(one.used)), ` of ${percent(bound)}, at most ${percent(one.most)}`,
      one.pending.memory > 0 && [", ", gib(one.pending.memory), " pending"])));
}

const amount = (value) => [gib(value.memory), `, ${value.vCores} vcores`];

function details({ name, queue, capacity, usage, pending, floor, most }, isFair, partition) {
  const shown = isFair ? fairFacts(queue) : capacityFacts(queue, capacity, usage);
  const up = name.split(".").slice(0, -1).join(".");
  return h("section", { class: "card" }, h("h2", {}, name, partition && ` in partition ${partition}`), facts([["Pending", amount(pending)], ...shown]),
    !isFair && capacity && up && h("p", { class: "how" }, `absolute capacity ${percent(floor)} = that of ${up} × ` +
      `${percent(capacity.capacity)}; absolute maximum ${percent(most)} = that of ${up} × ${percent(capacity.maxCapacity)}`),
    users(queue, partition), everything(queue));
}

function capacityFacts(queue, capacity, usage) {
  const found = [["State", queue.state || "RUNNING"]];
  if (capacity) found.push(["Guaranteed", [percent(capacity.absoluteCapacity), " = ", amount(capacity.effectiveMinResource)]],
    ["Maximum", [percent(capacity.absoluteMaxCapacity), " = ", amount(capacity.effectiveMaxResource)]],
    ["Used of its guarantee", percent(capacity.usedCapacity)]);
  if (usage) found.push(["Used", amount(usage.used)], ["Reserved", amount(usage.reserved)],
    ["AMs", [amount(usage.amUsed), " of ", usage.amLimit ? amount(usage.amLimit) : "N/A"]]);
  if (queue.numActiveApplications !== undefined) found.push(["Applications", `${queue.numActiveApplications} running, ${queue.numPendingApplications} waiting, at most ${queue.maxApplications}`],
    ["Ordering", queue.orderingPolicyInfo], ["Minimum user limit", `${queue.userLimit} %`], ["User limit factor", queue.userLimitFactor],
    ["Preemption", queue.preemptionDisabled ? "disabled" : "enabled"]);
  return [...found, ["Labels", list(queue.nodeLabels).join(", ") || "none"]];
}

function fairFacts(queue) {
  const named = [["Used", "usedResources"], ["Demand", "demandResources"], ["Fair share now", "fairResources"],
    ["Steady fair share", "steadyFairResources"], ["Minimum share", "minResources"], ["Maximum share", "maxResources"],
    ["Reserved", "reservedResources"], ["AMs", "amUsedResources"]];
  return [["Policy", queue.schedulingPolicy], ...named.filter(([, key]) => queue[key]).map(([text, key]) => [text, amount(queue[key])]),
    ["Applications", queue.numActiveApps === undefined ? "in its children" : `${queue.numActiveApps} running, ${queue.numPendingApps} waiting`],
    ["Preemptable", String(queue.preemptable)]];
}

function users(queue, partition) {
  const found = list((queue.users || {}).user);
  return found.length > 0 && table("Users", ["User", "Used", "Limit", "Weight", "Running", "Waiting"], found.map((one) => {
    const own = inPartition((one.resources || {}).resourceUsagesByPartition, partition);
    return [one.username, amount(own ? own.used : one.resourcesUsed), partition ? "N/A" : amount(one.userResourceLimit), one.userWeight,
      one.numActiveApplications, one.numPendingApplications];
  }), "");
}

function everything(queue) {
  const simple = Object.entries(queue).filter(([, value]) => typeof value !== "object" && value !== "");
  return h("details", {}, h("summary", {}, "Every field of the REST API"), facts(simple.map(([key, value]) => [key, String(value)])));
}

function shares(history, isFair) {
  const queues = list(history.queue), series = [];
  queues.forEach((one, i) => {
    series.push({ name: one.path, values: one.used, kind: hue(i) },
      { name: `${one.path}: ${isFair ? "fair share" : "guaranteed"}`, values: isFair ? one.fair : one.guaranteed, kind: hue(i), dashed: true });
  });
  if (!queues.length) return h("p", { class: "empty" }, "The first samples are on their way.");
  return [lines("Used share of each queue", list(history.times), series, list(history.mark)),
    h("p", { class: "legend" }, `Solid: used. Dashed: ${isFair ? "fair share" : "guaranteed"}. Upright: preemptions, nodes that came or went, reloads.`)];
}
