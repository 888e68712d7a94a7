// The containers of an application, a node or a queue, as far as the page has read them. It begins with the
// newest, reads all of them in slices beside what it shows, and from then on asks for what has changed.
import { get, isRecording, list } from "./api.js";
import { refresh } from "./dom.js";

const FIRST = 2000,
  SLICE = 5000,
  MOST = 50000;

class Held {
  constructor(asked) {
    this.asked = asked;
    /** Oldest first, by id; a container keeps its place. */ this.known = new Map();
    this.isCut = false;
  }

  ask = async (more) => (await get(`/ui/containers?${this.asked}&${more}`)).containers;

  take({ now, container, traits, isCut }) {
    for (const one of list(container)) this.known.set(one.id, one);
    this.since = now;
    this.traits = traits;
    this.isCut ||= isCut;
  }

  /** What has changed. False where the answer does not agree with what is known: something ended unseen. */
  update(answer) {
    const told = new Set(list(answer.container).map((one) => one.id));
    for (const [id, { state }] of this.known)
      if (state === "RESERVED" && !told.has(id)) this.known.delete(id);
    this.take(answer);
    this.isCut ||= this.known.size > MOST;
    for (const id of this.known.keys()) if (this.known.size > MOST) this.known.delete(id);
    let living = 0;
    for (const one of this.known.values()) if (!one.finished) living += 1;
    return this.isCut || living === answer.living;
  }

  answer() {
    const { since, isCut, traits } = this,
      container = [...this.known.values()];
    for (const one of container) one.elapsed = (one.finished || since) - one.started;
    return { container, now: since, isCut, traits };
  }
}

let held = new Held("");

// All of them take the place of the first ones when they are there.
async function fill(first) {
  const whole = new Held(first.asked);
  let since = 0;
  for (let from = 0, known = 1; from < known; from += SLICE) {
    const answer = await whole.ask(`from=${from}&limit=${SLICE}`);
    if (held !== first) return;
    whole.take(answer);
    known = answer.known;
    since ||= answer.now;
  }
  held = Object.assign(whole, { since });
  refresh();
}

export async function containersOf(asked) {
  if (isRecording) return (await get(`/ui/containers?${asked}`)).containers;
  if (held.asked !== asked) held = new Held(asked);
  const shown = held;
  if (shown.since) {
    if (!shown.update(await shown.ask(`changes=${shown.since}`))) held = new Held("");
  } else {
    shown.take(await shown.ask(`limit=${FIRST}`));
    if (shown.isCut) fill(shown).catch(() => {}); // what is shown says that older ones are left out
  }
  return shown.answer();
}
