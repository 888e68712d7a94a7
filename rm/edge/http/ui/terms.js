// What the words of the pages mean, one or two sentences each; dom.js shows them where a page has the word.
export const TERMS = {
  // Scheduling
  "scheduling opportunity":
    "One heartbeat of a node on which an application could have been given a container.",
  "skipped opportunities":
    "How many offers of nodes the application has let pass, since its last change of locality " +
    "level, in the hope of a node nearer to its data.",
  "node-local": "The container runs on a host that was asked for: its data is on the same machine.",
  "rack-local": "The container runs in the rack of a host that was asked for, on another host.",
  "off-switch":
    "The container runs in another rack than the hosts that were asked for: its data crosses " +
    "the network between racks.",
  "fair share":
    "What the queue or application would have now if the cluster were divided evenly, by " +
    "weights, among those that are active and as far as they ask.",
  "steady fair share": "The fair share if all queues were active, whether they are or not.",
  "dominant share":
    "The largest of the shares that somebody has of each resource: 3 of 9 vcores and 1 of 18 GB" +
    " make one third, of the vcores.",
  "dominant resource": "The resource of which somebody has the largest share of the cluster.",
  demand: "What is used and what is asked for, together.",
  makespan: "From the first submission to the end of the last application, or of the run.",
  weight: "How many times as much as a queue of weight 1 a queue gets of what its parent has.",
  // Capacity
  guarantee: "What a queue gets back when it asks, whoever uses it meanwhile: its capacity.",
  guaranteed: "What a queue gets back when it asks, whoever uses it meanwhile: its capacity.",
  "user limit": "The most that one user may have of a queue now: it falls as more users of the queue ask.",
  "user-limit-factor": "How many times the capacity of the queue one user may use at most.",
  "minimum-user-limit-percent":
    "As long as fewer users ask than this allows, the queue is divided among them evenly; " +
    "nobody's limit falls below it.",
  "used capacity":
    "What the queue uses over its guarantee: above 100 % it borrows. Queues are served in this order.",
  "absolute used capacity": "What the queue uses, as a share of the whole partition.",
  "configured capacity": "The share of its parent that the queue is guaranteed.",
  "configured max capacity": "The share of its parent that the queue may use at most, while others leave it.",
  "absolute configured capacity":
    "The guarantee as a share of the whole partition: the product of the capacities from the root down.",
  "absolute configured max capacity": "The most that the queue may use, as a share of the whole partition.",
  "effective capacity": "The guarantee in memory and vcores, on the nodes that there are now.",
  "effective max capacity":
    "The most that the queue may use in memory and vcores, on the nodes that there are now.",
  "max application master resources":
    "The most that ApplicationMasters of the queue may have together: further applications stay ACCEPTED.",
  "max application master resources per user":
    "The most that ApplicationMasters of one user may have in this queue.",
  "num schedulable applications": "Applications whose ApplicationMaster may run: they are served.",
  "num non-schedulable applications":
    "Applications that wait for the limit of ApplicationMasters, or of parallel applications.",
  "configured minimum user limit percent":
    "minimum-user-limit-percent: nobody's user limit falls below this part of the queue, " +
    "however many users ask.",
  "configured user limit factor":
    "user-limit-factor: how many times the guarantee of the queue one user may use at most.",
  "ordering policy":
    "Who is served first: fifo by priority and age, fair the smallest use; of a parent, " +
    "utilization: the least used capacity.",
  "intra-queue preemption": "Between users or applications of one queue.",
  "accessible node labels": "The partitions that the queue may use; * is all of them.",
  "instantaneous fair share": "The fair share among the queues that are active now.",
  "min resources": "The queue is served first while it is below these.",
  "scheduling policy": "How siblings share: fair by memory, drf by dominant share, fifo by age.",
  pending: "Asked for and not given yet.",
  reserved:
    "Kept on a node for a container that fits the node, but not what is free of it now: nobody " +
    "else gets what ends there.",
  reservation:
    "Either a node kept for a container that does not fit yet, or capacity that was booked for " +
    "a window of time.",
  starvation:
    "An application or queue below its due never gets what it asks for, because others always go first.",
  // Preemption
  preemption: "The scheduler takes containers from queues above their guarantee for queues below theirs.",
  "marked for preemption":
    "Chosen by the preemption policy: the ApplicationMaster is asked to give the container up, " +
    "and has until max_wait_before_kill.",
  marked:
    "Chosen by the preemption policy: the ApplicationMaster is asked to give the container up, " +
    "and has until max_wait_before_kill.",
  killed: "Ended by the ResourceManager, with exit status -102 where that was for preemption.",
  max_wait_before_kill: "How long a marked container may go on before it is killed, in ms.",
  preempted: "Containers that were killed so that a queue or user below its due gets its guarantee.",
  // Labels
  partition: "The nodes that carry one label; those without a label are the default partition.",
  "default partition": "The nodes without a label.",
  exclusive: "Only requests that ask for the label run on nodes of the partition, even while these are idle.",
  lent: "Given, while it is idle, to somebody who did not ask for that label; taken back by preemption.",
  // Applications
  applicationmaster: "The first container of an application: it asks the ResourceManager for all the others.",
  attempt: "One life of the ApplicationMaster; when it fails, the application may get another one.",
  "keep-containers":
    "The tasks of an application run on when its ApplicationMaster fails, for the next attempt.",
  heartbeat: "The regular report of a node to the ResourceManager; containers are given in answer to it.",
  lost:
    "A node that has not reported for longer than yarn.nm.liveness-monitor.expiry-interval-ms, " +
    "with all that ran on it.",
  // Plans
  "plan queue": "A queue whose capacity can be booked for windows of time (reservable).",
  "plan follower":
    "Part of the ResourceManager that gives each open reservation its queue and share, every step.",
  "default queue": "Of a plan: it has what no open reservation has booked.",
  window: "From the arrival to the deadline of a reservation.",
};

export const meaningOf = (word) => {
  const known = String(word).toLowerCase();
  return Object.hasOwn(TERMS, known) ? TERMS[known] : "";
};

// A text in pieces: [text, meaning] where a word is explained, the first time that it occurs; [text]
// elsewhere.
const WORDS = Object.keys(TERMS).sort((a, b) => b.length - a.length);
const ANY_WORD = new RegExp(`(?<![\\w.-])(${WORDS.join("|")})(?![\\w-]|\\.\\w)`, "gi");

export function pieces(text) {
  const seen = new Set(),
    found = [];
  let from = 0;
  for (const match of text.matchAll(ANY_WORD)) {
    const meaning = meaningOf(match[0]);
    if (seen.has(meaning)) continue;
    seen.add(meaning);
    found.push([text.slice(from, match.index)], [match[0], meaning]);
    from = match.index + match[0].length;
  }
  return [...found, [text.slice(from)]];
}
