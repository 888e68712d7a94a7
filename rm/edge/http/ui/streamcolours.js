// What became of a container, how near it came, for whom and how urgent it is: words, hues and hatches.
import { natural } from "./filtering.js";
import { roomy } from "./streamlanes.js";

const GIVEN_BACK = "Container released by application",
  PREEMPTED = -102,
  ABORTED = -100,
  NODE_LOST = /\*lost\* node/;
const HUES = ["--line0", "--line1", "--line2", "--line3", "--line4", "--line5"];
// Colour is never alone: the same hue comes again with another hatch, and what went wrong is hatched.
const HATCHES = 4;
const MOST_LOOKS = HUES.length * HATCHES;
const MOST_KEYS = 12;

function kindOf(one) {
  if (one.state === "RESERVED") return "reserved";
  if (one.state !== "COMPLETE") return "alive";
  if (one.exitStatus === 0) return "done";
  if (one.diagnostics === GIVEN_BACK) return "released";
  if (one.exitStatus === PREEMPTED) return "preempted";
  return one.exitStatus === ABORTED && NODE_LOST.test(one.diagnostics) ? "lost" : "ended";
}

/** @typedef {[string, string, string, number]} Known a value, its word, its hue and its hatch */
/** @type {Record<string, { name: string, of: (one: any) => any, known?: Known[] }>} */
export const COLOURINGS = {
  state: {
    name: "state",
    of: kindOf,
    known: [
      ["alive", "running", "--used", 0],
      ["done", "completed", "--accent", 0],
      ["released", "released by the AM", "--soft", 0],
      ["ended", "failed or killed", "--bad", 1],
      ["preempted", "preempted", "--over", 2],
      ["lost", "lost with its node", "--soft", 3],
      ["reserved", "reserved", "--soft", 1],
    ],
  },
  locality: {
    name: "locality",
    of: (one) => one.locality || "",
    known: [
      ["NODE_LOCAL", "node local", "--used", 0],
      ["RACK_LOCAL", "rack local", "--accent", 1],
      ["OFF_SWITCH", "off switch", "--over", 2],
      ["", "not known", "--soft", 0],
    ],
  },
  priority: { name: "priority", of: (one) => one.priority },
  app: { name: "application", of: (one) => one.app },
  queue: { name: "queue", of: (one) => one.queue },
};

/** How containers look by one of their traits: the looks with words and counts, and whose each one is. */
export function colouring(by, containers, names = {}) {
  const { of, known } = COLOURINGS[by];
  const counts = new Map(known?.map(([key]) => [key, 0]));
  for (const one of containers) counts.set(of(one), (counts.get(of(one)) || 0) + 1);
  const keys = [...counts.keys()];
  if (!known) keys.sort((a, b) => natural.compare(String(a), String(b)));
  const looks = keys.map((key, i) => {
    const [, text, hue, hatch] = known?.[i] || [
      key,
      names[key] || String(key),
      HUES[i % HUES.length],
      Math.floor((i % MOST_LOOKS) / HUES.length),
    ];
    return { key, text, hue, hatch, count: counts.get(key) };
  });
  const place = new Map(keys.map((key, i) => [key, i]));
  return {
    by,
    looks,
    place,
    size: containers.length,
    of: Uint32Array.from(containers, (one) => place.get(of(one))),
  };
}

/** The same after some containers have changed or come; false where a value came that has no look. */
export function recolour(colours, containers, changed) {
  const { by, looks, place } = colours;
  colours.of = roomy(colours.of, containers.length);
  for (const i of changed) {
    const look = place.get(COLOURINGS[by].of(containers[i]));
    if (look === undefined) return false;
    if (i < colours.size) looks[colours.of[i]].count -= 1;
    looks[look].count += 1;
    colours.of[i] = look;
  }
  colours.size = containers.length;
  return true;
}

/** The looks that are there, for the legend, and how many it leaves out: those of the fewest containers. */
export function keysOf(looks) {
  const present = looks.filter((one) => one.count);
  const shown = new Set([...present].sort((a, b) => b.count - a.count).slice(0, MOST_KEYS));
  return { shown: present.filter((one) => shown.has(one)), more: present.length - shown.size };
}
