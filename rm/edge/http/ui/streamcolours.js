// How containers look by one of their traits. What the server knows of the values of a trait it says
// (rm/web/pages/taskstream.py); names get the colours in turn.
import { natural } from "./dom.js";

// Colour is never alone: the same hue comes again with another hatch.
const HUES = 6,
  HATCHES = 4,
  MOST_KEYS = 12;

/** The looks, with words and counts, and whose each container has. */
export function colouring({ read, known }, containers, names = {}) {
  const found = {};
  for (const one of containers) found[one[read]] = (found[one[read]] || 0) + 1;
  const named = (key, i) => ({
    key,
    text: names[key] || key,
    hue: `--line${i % HUES}`,
    hatch: Math.floor(i / HUES) % HATCHES,
  });
  const all = known ?? Object.keys(found).sort(natural.compare).map(named);
  const place = Object.fromEntries(all.map(({ key }, i) => [key, i]));
  return {
    looks: all.map((one) => ({ ...one, count: found[one.key] || 0 })),
    of: Uint32Array.from(containers, (one) => place[one[read]]),
  };
}

/** The looks that are there, for the legend, and how many it leaves out: those of the fewest containers. */
export function keysOf(looks) {
  const present = looks.filter((one) => one.count);
  const shown = new Set([...present].sort((a, b) => b.count - a.count).slice(0, MOST_KEYS));
  return { shown: present.filter((one) => shown.has(one)), more: present.length - shown.size };
}
