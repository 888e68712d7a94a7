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
    /** @type {any[]} oldest first; a container keeps its place in it */ this.all = [];
    this.places = new Map();
    this.since = 0;
    this.isCut = false;
  }

  /** Those that are known are replaced, the others come behind them. */
  take({ now, container, traits }) {
    this.since = now;
    this.traits = traits;
    for (const one of list(container)) {
      if (!this.places.has(one.id)) this.places.set(one.id, this.all.length);
      this.all[this.places.get(one.id)] = one;
    }
  }

  /** What has changed. False where the answer does not agree with what is known: something ended unseen. */
  update(answer) {
    const told = new Set(list(answer.container).map((one) => one.id));
    const isGone = (one) => one.state === "RESERVED" && !told.has(one.id);
    const surplus = this.all.length + told.size - MOST > MOST / 10 ? this.all.length + told.size - MOST : 0;
    if (surplus || this.all.some(isGone)) this.keep(this.all.slice(surplus).filter((one) => !isGone(one)));
    this.isCut ||= surplus > 0;
    this.take(answer);
    let living = 0;
    for (const one of this.all) if (!one.finished) living += 1;
    return this.isCut || living === answer.living;
  }

  keep(some) {
    this.all = some;
    this.places = new Map(some.map((one, i) => [one.id, i]));
  }

  answer() {
    const { all, since, isCut, traits } = this;
    for (const one of all) one.elapsed = (one.finished || since) - one.started;
    return { container: all, now: since, isCut, traits };
  }
}

let held = new Held("");
let filling = "";

const slice = async (asked, more) => (await get(`/ui/containers?${asked}&${more}`)).containers;

// All of them take the place of the first ones when they are there.
async function fill(asked) {
  if (filling === asked) return;
  filling = asked;
  const whole = new Held(asked);
  let begun = 0;
  try {
    for (let from = 0, isLast = false; !isLast; from += SLICE) {
      const answer = await slice(asked, `from=${from}&limit=${SLICE}`);
      if (held.asked !== asked) return;
      begun ||= answer.now;
      whole.take(answer);
      whole.isCut ||= answer.isCut;
      isLast = from + SLICE >= answer.known;
    }
    held = Object.assign(whole, { since: begun });
    refresh();
  } finally {
    if (filling === asked) filling = "";
  }
}

export async function containersOf(asked) {
  if (isRecording) return (await get(`/ui/containers?${asked}`)).containers;
  if (held.asked !== asked) held = new Held(asked);
  const known = held;
  const isNew = !known.since;
  const answer = await slice(asked, isNew ? `limit=${FIRST}` : `changes=${known.since}`);
  if (isNew) {
    known.take(answer);
    known.isCut = answer.isCut;
  } else if (!known.update(answer)) held = new Held("");
  if (isNew && answer.isCut) fill(asked).catch(() => {}); // what is shown says that older ones are left out
  return known.answer();
}
