// Every field of a queue that Hadoop's scheduler pages show, each with the numbers it was computed from.
import { list } from "./api.js";
import { amount, andVCores, gib, percent, plainGib, plural } from "./dom.js";

export const inPartition = (found, partition) =>
  list(found).find((one) => (one.partitionName || "") === partition);
// Of memory in a formula: a number of GiB with the digits that it needs, two of them behind the point.
const gibs = (mb) => String(+(mb / 1024).toFixed(2));
const plus = (mb, more) => `(${gibs(mb)} + ${gibs(more)}) GiB`;
export const sizeOf = (mb) => `${gibs(mb)} GiB`;
const DOMINANT = " (of the dominant resource, under DominantResourceCalculator)";
const ROUNDED = ", rounded up to the minimum allocation";
const yesNo = (value) => (value ? "enabled" : "disabled");
const factor = (value) => `${+Number(value).toFixed(4)}`;

function shareFacts({ name, queue, capacity, usage, parent, whole }) {
  const found = [["Queue State", queue.state || "RUNNING"]];
  if (!capacity) return found;
  const configured = capacity.queueCapacityVectorInfo?.configuredCapacityVector,
    isWeight = capacity.weight >= 0,
    leaf = name.split(".").at(-1);
  const above = parent?.capacity;
  const product = (own, share, ownName) =>
    above &&
    `${leaf} ${ownName} ${percent(own)} = ${parent.name.split(".").at(-1)} ` +
      `${percent(ownName === "absolute" ? above.absoluteCapacity : above.absoluteMaxCapacity)} × ` +
      percent(share);
  const effective = (title, resource, share) => [
    title,
    [...amount(resource), ` (${percent(share)})`],
    whole && `${sizeOf(resource.memory)} = ${sizeOf(whole.memory)} of the partition × ${percent(share)}`,
  ];
  const { memory } = capacity.effectiveMinResource,
    used = usage ? usage.used : { memory: 0, vCores: 0 };
  found.push(
    [
      "Used Capacity",
      percent(capacity.usedCapacity),
      memory > 0 && `${sizeOf(used.memory)} used / ${sizeOf(memory)} effective capacity${DOMINANT}`,
    ],
    [
      isWeight ? "Configured Weight" : "Configured Capacity",
      isWeight ? factor(capacity.weight) : percent(capacity.capacity),
      isWeight
        ? `normalized ${factor(capacity.normalizedWeight)} = ${factor(capacity.weight)} / all the weights`
        : configured,
    ],
    ["Configured Max Capacity", percent(capacity.maxCapacity)],
    effective("Effective Capacity", capacity.effectiveMinResource, capacity.absoluteCapacity),
    effective("Effective Max Capacity", capacity.effectiveMaxResource, capacity.absoluteMaxCapacity),
    [
      "Absolute Used Capacity",
      percent(capacity.absoluteUsedCapacity),
      whole && `${sizeOf(used.memory)} used / ${sizeOf(whole.memory)} of the partition${DOMINANT}`,
    ],
    [
      "Absolute Configured Capacity",
      percent(capacity.absoluteCapacity),
      product(
        capacity.absoluteCapacity,
        isWeight ? 100 * capacity.normalizedWeight : capacity.capacity,
        "absolute",
      ),
    ],
    [
      "Absolute Configured Max Capacity",
      percent(capacity.absoluteMaxCapacity),
      product(capacity.absoluteMaxCapacity, capacity.maxCapacity, "absolute maximum"),
    ],
    ["Used Resources", amount(used)],
  );
  return found;
}

const activeUsers = (queue) => list(queue.users?.user).filter((one) => one.isActive).length;

function maxApplications({ queue, capacity }) {
  const share = capacity ? capacity.absoluteCapacity / 100 : 0,
    system = share > 0 && Math.round(queue.maxApplications / share);
  const isComputed =
    share > 0 && system % 100 === 0 && Math.floor(system * share + 1e-6) === queue.maxApplications;
  return isComputed
    ? `${queue.maxApplications} = ${system} of the system × ${percent(100 * share)}`
    : "set for this queue, or inherited";
}

function ofEachUser(queue) {
  const { maxApplications: most, userLimit, userLimitFactor } = queue;
  return userLimitFactor < 0
    ? `${most}: users have no limit of their own (user-limit-factor -1)`
    : `${queue.maxApplicationsPerUser} = ` +
        `min(${most}, ${most} × ${factor(userLimit)}% × ${factor(userLimitFactor)})`;
}

function masters({ queue, capacity, usage }) {
  if (!usage?.amLimit) return [];
  const share = capacity?.maxAMLimitPercentage,
    guaranteed = capacity && sizeOf(capacity.effectiveMinResource.memory),
    ofOne = usage.userAmLimit || usage.amLimit,
    users = activeUsers(queue);
  return [
    ["Configured Max Application Master Limit", percent(share)],
    [
      "Max Application Master Resources",
      amount(usage.amLimit),
      capacity &&
        `${sizeOf(usage.amLimit.memory)} = what the queue may use now, at least ` +
          `${guaranteed}, × ${percent(share)}${ROUNDED}`,
    ],
    ["Used Application Master Resources", amount(usage.amUsed)],
    [
      "Max Application Master Resources Per User",
      amount(ofOne),
      users > 0 && // without any it is 0
        capacity &&
        `${sizeOf(ofOne.memory)} = min(${sizeOf(usage.amLimit.memory)}, ${guaranteed} × ${percent(share)}` +
          `${queue.userLimitFactor < 0 ? "" : ofUser(queue, users)})${ROUNDED}`,
    ],
  ];
}

const ofUser = (queue, users) =>
  ` × max(1 / ${plural(users, "user")}, ${factor(queue.userLimit)}%) × ${factor(queue.userLimitFactor)}`;

export function capacityFacts(row) {
  const { queue } = row,
    shared = shareFacts(row),
    labels = ["Accessible Node Labels", list(queue.nodeLabels).join(", ") || "<DEFAULT_PARTITION>"];
  if (queue.numActiveApplications === undefined) {
    return [
      ...shared,
      ["Num Containers", queue.allocatedContainers ?? "N/A"],
      labels,
      ["Ordering Policy", queue.orderingPolicyInfo || "N/A"],
    ];
  }
  return [
    ...shared,
    ...masters(row),
    ["Num Schedulable Applications", queue.numActiveApplications],
    ["Num Non-Schedulable Applications", queue.numPendingApplications],
    ["Num Containers", queue.numContainers],
    ["Max Applications", queue.maxApplications, maxApplications(row)],
    ["Max Applications Per User", queue.maxApplicationsPerUser, ofEachUser(queue)],
    ["Configured Minimum User Limit Percent", `${factor(queue.userLimit)} %`],
    ["Configured User Limit Factor", factor(queue.userLimitFactor)],
    labels,
    ["Ordering Policy", queue.orderingPolicyInfo],
    ["Preemption", yesNo(!queue.preemptionDisabled)],
    ["Intra-queue Preemption", yesNo(!queue.intraQueuePreemptionDisabled)],
    ["Default Node Label Expression", queue.defaultNodeLabelExpression || "<DEFAULT_PARTITION>"],
    ["Default Application Priority", queue.defaultPriority],
  ];
}

// The limit of a user, in MiB and with its numbers: the larger of two parts, below so many times the
// guarantee. One part is shared by weights: what active users have, and a step more; the other is a
// percentage of the guarantee, or of what the queue uses beyond it, and a step more.
export function userLimit(user, queue, capacity, step) {
  const up = (mb) => Math.ceil(mb / Math.max(1, step)) * Math.max(1, step);
  const users = list(queue.users?.user);
  const active = users.filter((one) => one.isActive);
  const sum = (some, of) => some.reduce((total, one) => total + of(one), 0);
  const used = up(sum(users, (one) => one.resourcesUsed.memory)),
    shared = sum(active, (one) => one.resourcesUsed.memory),
    weight = sum(active, (one) => one.userWeight ?? 1),
    own = user.userWeight ?? 1;
  const guaranteed = Math.max(capacity.effectiveMinResource.memory, step),
    isBeyond = used >= guaranteed,
    base = isBeyond ? used + step : guaranteed;
  const isFree = queue.userLimitFactor < 0 || !capacity.effectiveMinResource.memory,
    most = isFree ? capacity.effectiveMaxResource.memory : Math.floor(guaranteed * queue.userLimitFactor);
  const part = weight ? Math.ceil((shared + step) / weight) : 0;
  const limit = up(Math.min(Math.max(part, Math.ceil((base * queue.userLimit) / 100)), most));
  const weights = weight === active.length ? plural(weight, "user") : `weights of ${factor(weight)}`;
  const percentage = `${isBeyond ? plus(used, step) : sizeOf(base)} × ${factor(queue.userLimit)}%`;
  const larger = weight ? `max(${plus(shared, step)} / ${weights}, ${percentage})` : percentage;
  const cap = isFree ? sizeOf(most) : `${sizeOf(guaranteed)} × ${factor(queue.userLimitFactor)}`;
  const how = `min(${larger}, ${cap})${ROUNDED}`;
  return own === 1
    ? { limit, how }
    : { limit: Math.floor((limit * own) / Math.max(1, step)) * step, how: `${how}, × ${factor(own)}` };
}

const FAIR_LEAF = [
  ["AM Used Resources", "amUsedResources"],
  ["AM Max Resources", "amMaxResources"],
];

function fairHow({ queue, siblings, parent }, isSteady) {
  if (!parent) return `the whole cluster: ${sizeOf(queue.clusterResources.memory)}`;
  const own = isSteady ? queue.steadyFairResources : queue.fairResources,
    above = isSteady ? parent.queue.steadyFairResources : parent.queue.fairResources;
  const among = isSteady
    ? siblings
    : siblings.filter(
        (one) =>
          one.demandResources.memory > 0 ||
          one.demandResources.vCores > 0 ||
          (one === queue && own.memory > 0),
      );
  const names = among.map((one) => one.queueName.split(".").at(-1)).join(", ") || "none";
  return (
    `${sizeOf(own.memory)} = the share of the ${sizeOf(above.memory)} of ${parent.name} by weight, among ` +
    `${isSteady ? "all children" : "the active children"}: ${names}; ` +
    "at least its minimum, at most its maximum"
  );
}

export function fairFacts(row) {
  const { queue } = row,
    { usedResources: used } = queue,
    isLeaf = queue.numActiveApps !== undefined,
    one = (name, key, how) => [name, amount(queue[key]), how];
  return [
    ["Scheduling Policy", queue.schedulingPolicy],
    one("Used Resources", "usedResources"),
    one(
      "Demand Resources",
      "demandResources",
      `used ${plainGib(used.memory)}${andVCores(used.vCores)} and what is asked for, up to the maximum`,
    ),
    ...(isLeaf
      ? [
          ...FAIR_LEAF.map(([name, key]) => one(name, key)),
          ["Num Active Applications", queue.numActiveApps],
          ["Num Pending Applications", queue.numPendingApps],
        ]
      : []),
    one("Min Resources", "minResources"),
    one("Max Resources", "maxResources"),
    one("Max Container Allocation", "maxContainerAllocation"),
    one("Reserved Resources", "reservedResources"),
    ["Max Running Applications", queue.maxApps >= 2 ** 31 - 1 ? "no limit" : queue.maxApps],
    one("Steady Fair Share", "steadyFairResources", fairHow(row, true)),
    one("Instantaneous Fair Share", "fairResources", fairHow(row, false)),
    ["Num Containers", queue.allocatedContainers],
    ["Preemptable", String(queue.preemptable)],
  ];
}

export const fifoFacts = (info) => [
  ["Queue State", info.qstate],
  ["Minimum Queue Memory Capacity", gib(info.minQueueMemoryCapacity)],
  ["Maximum Queue Memory Capacity", gib(info.maxQueueMemoryCapacity)],
  ["Number of Nodes", info.numNodes],
  ["Used Node Capacity", gib(info.usedNodeCapacity)],
  [
    "Available Node Capacity",
    gib(info.availNodeCapacity),
    `${sizeOf(info.availNodeCapacity)} = ` +
      `${sizeOf(info.totalNodeCapacity)} − ${sizeOf(info.usedNodeCapacity)}`,
  ],
  ["Total Node Capacity", gib(info.totalNodeCapacity)],
  ["Number of Node Containers", info.numContainers],
];
