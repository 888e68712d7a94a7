// The containers of an application, a node, a queue or a run, as far as the page has read them: the newest at
// first, all of them in slices beside what it shows, and from then on what has changed.
import { get, isRecording, kept } from "./api.js";
import { refresh } from "./dom.js";

const FIRST = 2000,
  SLICE = 5000,
  MOST = 50000,
  MOST_HELD = 4;
/** @type {Map<string, Held>} by the addresses that they were read from */
const HELD = new Map();

class Held {
  constructor(source) {
    this.source = source;
    /** Oldest first, by id; a container keeps its place. */ this.known = new Map();
    this.isCut = false;
  }

  async read(more) {
    const { containers } = await get(`${this.source}&${more}`);
    for (const one of containers.container) this.known.set(one.id, one);
    this.isCut ||= containers.isCut;
    this.about = containers;
    this.since ??= containers.now;
    return containers;
  }

  /** What has changed. False where the answer does not agree with what is known: something ended unseen. */
  async update() {
    const { container, living, now } = await this.read(`changes=${this.since}`);
    this.since = now;
    const told = new Set(container.map((one) => one.id));
    for (const [id, { state }] of this.known)
      if (state === "RESERVED" && !told.has(id)) this.known.delete(id);
    this.isCut ||= this.known.size > MOST;
    for (const id of this.known.keys()) if (this.known.size > MOST) this.known.delete(id);
    return this.isCut || [...this.known.values()].filter((one) => !one.finished).length === living;
  }

  answer() {
    const container = [...this.known.values()];
    for (const one of container) one.elapsed = (one.finished || this.about.now) - one.started;
    return { ...this.about, isCut: this.isCut, container };
  }
}

// All of them take the place of the first ones when they are there.
async function fill(address, first) {
  const whole = new Held(first.source);
  for (let from = 0, known = 1; from < known; from += SLICE) {
    ({ known } = await whole.read(`from=${from}&limit=${SLICE}`));
    if (HELD.get(address) !== first) return;
  }
  HELD.set(address, whole);
  refresh();
}

async function begin(address, source) {
  const first = new Held(source);
  await first.read(`limit=${FIRST}`);
  HELD.set(address, first);
  if (HELD.size > MOST_HELD) HELD.delete(HELD.keys().next().value);
  // What is shown says that older ones are left out.
  if (first.isCut) fill(address, first).catch(() => HELD.delete(address));
  return first;
}

export async function containersOf(source) {
  const address = String(kept(source)),
    held = HELD.get(address);
  if (!held || !(isRecording || (await held.update()))) return (await begin(address, source)).answer();
  return held.answer();
}
