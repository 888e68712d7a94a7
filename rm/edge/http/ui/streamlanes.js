// Containers as numbers: on which lane each lies, and of which bars the picture of a part of them consists.
// Knows no page and no canvas: taskstream.js draws.
import { natural } from "./filtering.js";
import TinyQueue from "./vendor/tinyqueue.js";

const THIN = 2;

// So many containers are laid at a time.
const AT_ONCE = 5000;

/** The same numbers with room for so many. */
export function roomy(numbers, size) {
  if (numbers.length >= size) return numbers;
  const larger = new numbers.constructor(Math.max(1024, 2 * size));
  larger.set(numbers);
  return larger;
}

// Their places by when they begin. A sort of plain numbers is the fastest: a beginning and a place in one.
function byBeginning(begin, count) {
  let first = Infinity;
  for (let i = 0; i < count; i += 1) first = Math.min(first, begin[i]);
  const places = 2 ** Math.ceil(Math.log2(count + 1));
  const keys = Float64Array.from({ length: count }, (_, i) => (begin[i] - first) * places + i).sort();
  return Int32Array.from(keys, (key) => key % places);
}

export class Lanes {
  /** Each container lies on the topmost lane of its group that is free when it begins. */
  constructor(containers, groupOf, now, isLaid = true) {
    this.open(containers, groupOf, now);
    if (isLaid) for (const _ of this.steps());
  }

  /** The same, with pauses: `rest` is awaited after every few thousand. */
  static async laid(containers, groupOf, now, rest) {
    const lanes = new Lanes(containers, groupOf, now, false);
    for (const _ of lanes.steps()) await rest();
    return lanes;
  }

  open(containers, groupOf, now) {
    this.containers = containers;
    this.groupOf = groupOf;
    this.now = now;
    this.size = 0;
    this.begin = new Float64Array(containers.length);
    // Of those that live it is without end: until() says how far they reach.
    this.end = new Float64Array(containers.length);
    this.own = new Int32Array(containers.length);
    this.lane = new Int32Array(containers.length);
    this.order = new Int32Array(containers.length);
    this.groupAt = [];
    this.known = new Map();
    this.levels = new Map();
  }

  *steps() {
    const { containers } = this;
    for (let i = 0; i < containers.length; i += 1) {
      this.note(i);
      if (i % AT_ONCE === AT_ONCE - 1) yield;
    }
    this.order = byBeginning(this.begin, containers.length);
    for (; this.size < containers.length; this.size += 1) {
      this.take(this.order[this.size]);
      if (this.size % AT_ONCE === AT_ONCE - 1) yield;
    }
    this.stack();
  }

  note(i) {
    const one = this.containers[i];
    this.begin[i] = one.started;
    this.end[i] = one.finished ? Math.max(one.started, one.finished) : Infinity;
    this.groupAt[i] = this.groupFor(this.groupOf(one));
  }

  groupFor(name) {
    if (!this.known.has(name)) {
      // The lanes that are free, and those that are not: [until when, lane].
      const [free, busy] = [new TinyQueue(), new TinyQueue([], ([a], [b]) => a - b)];
      this.known.set(name, { name, top: 0, lanes: 0, busy, free });
    }
    return this.known.get(name);
  }

  take(i) {
    const group = this.groupAt[i];
    while (group.busy.peek()?.[0] <= this.begin[i]) group.free.push(group.busy.pop()[1]);
    this.own[i] = group.free.pop() ?? group.lanes++;
    if (this.end[i] < Infinity) group.busy.push([this.end[i], this.own[i]]);
  }

  // The groups below one another, by their names.
  stack() {
    this.groups = [...this.known.values()].sort((a, b) => natural.compare(a.name, b.name));
    this.count = 0;
    for (const group of this.groups) {
      group.top = this.count;
      this.count += group.lanes;
    }
    for (let i = 0; i < this.size; i += 1) this.lane[i] = this.groupAt[i].top + this.own[i];
    this.levels.clear();
    this.first = this.size ? this.begin[this.order[0]] : this.now;
    this.reach();
  }

  reach() {
    this.last = this.first + 1000;
    for (let i = 0; i < this.size; i += 1) this.last = Math.max(this.last, this.until(i));
  }

  /** Up to when a container is drawn. */
  until(i) {
    return Math.min(this.end[i], this.now);
  }

  /** Takes those that are new or have ended; false where all has to be laid anew. */
  update(changed, now) {
    const { containers } = this;
    this.now = now;
    const added = [];
    for (const i of changed) {
      const { started, finished } = containers[i];
      if (i >= this.size) added.push(i);
      else if (started !== this.begin[i] || this.groupOf(containers[i]) !== this.groupAt[i].name)
        return false;
      else if (finished && this.end[i] === Infinity) {
        this.end[i] = Math.max(started, finished);
        this.groupAt[i].busy.push([this.end[i], this.own[i]]);
      }
    }
    added.sort((a, b) => containers[a].started - containers[b].started);
    const latest = this.size ? this.begin[this.order[this.size - 1]] : 0;
    if (added.length && containers[added[0]].started < latest) return false;
    this.append(added);
    if (added.length) this.stack();
    else this.reach();
    return true;
  }

  append(added) {
    for (const name of ["begin", "end", "own", "lane", "order"])
      this[name] = roomy(this[name], this.size + added.length);
    for (const i of added) {
      this.note(i);
      this.order[this.size] = i;
      this.size += 1;
      this.take(i);
    }
  }

  // So many lanes together make a row: who lies on it, by beginning, and up to when those before reach.
  level(bundle) {
    const known = this.levels.get(bundle);
    if (known) return known;
    const rows = Math.ceil(this.count / bundle);
    const start = new Int32Array(rows + 1);
    for (let i = 0; i < this.size; i += 1) start[Math.floor(this.lane[i] / bundle) + 1] += 1;
    for (let row = 0; row < rows; row += 1) start[row + 1] += start[row];
    const next = start.slice();
    const order = new Int32Array(this.size);
    const reach = new Float64Array(this.size);
    for (const i of this.order.subarray(0, this.size)) {
      const row = Math.floor(this.lane[i] / bundle);
      const at = next[row]++;
      order[at] = i;
      reach[at] = at > start[row] ? Math.max(reach[at - 1], this.end[i]) : this.end[i];
    }
    const made = { bundle, rows, start, order, reach };
    this.levels.set(bundle, made);
    return made;
  }

  // The place in a row from which on containers may still live at that time.
  firstAlive({ start, reach }, row, time) {
    let low = start[row];
    let high = start[row + 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (reach[middle] > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  levelFor(view, height) {
    const tall = height / (view.bottom - view.top);
    let bundle = 1;
    while (bundle * tall < THIN && bundle < this.count) bundle *= 2;
    return this.level(bundle);
  }

  /**
   * The bars of what is visible, at most one for each place: emit(x, width, y, height, container). What is
   * narrower than one is merged with its neighbours of the same colour; of several at one place the longest
   * gives the colour. In rows of several lanes the earlier container hides the later one.
   */
  bars(view, width, height, colourOf, emit) {
    const level = this.levelFor(view, height);
    const tall = height / (view.bottom - view.top);
    const last = Math.min(level.rows, Math.ceil(view.bottom / level.bundle));
    for (let row = Math.max(0, Math.floor(view.top / level.bundle)); row < last; row += 1) {
      const y = Math.round((row * level.bundle - view.top) * tall);
      const below = Math.round(((row + 1) * level.bundle - view.top) * tall);
      this.barsOf(level, row, view, width, colourOf, (x, wide, i) => emit(x, wide, y, below - y, i));
    }
  }

  barsOf(level, row, view, width, colourOf, emit) {
    const scale = width / (view.end - view.begin);
    const { begin, end, now } = this;
    let drawn = -1,
      from = -1,
      to = -1,
      who = -1,
      longest = 0;
    const flush = () => {
      if (to > from) emit(from, to - from, who);
      drawn = Math.max(drawn, to);
      from = to = -1;
    };
    const stop = level.start[row + 1];
    for (let at = this.firstAlive(level, row, view.begin); at < stop; at += 1) {
      const i = level.order[at];
      if (begin[i] >= view.end) break;
      const left = (begin[i] - view.begin) * scale;
      const right = (Math.min(end[i], now) - view.begin) * scale;
      const x = Math.max(0, Math.floor(left), drawn);
      const past = Math.min(width, Math.max(x + 1, Math.floor(right)));
      if (right <= drawn || right < 0 || past <= x) continue;
      const isNarrow = right - left < 1;
      if (isNarrow && from >= 0 && x < to) {
        // At a place that a narrow one has already: the longer of them gives it its colour.
        if (to - from === 1 && right - left > longest) {
          who = i;
          longest = right - left;
        }
      } else if (isNarrow && from >= 0 && x === to && colourOf[i] === colourOf[who]) {
        to = past;
      } else {
        flush();
        const start = Math.max(x, drawn);
        if (isNarrow) {
          if (past > start) [from, to, who, longest] = [start, past, i, right - left];
        } else if (past > start) {
          emit(start, past - start, i);
          drawn = past;
        }
      }
    }
    flush();
  }

  // Who lies at a place, or within a little of it; the nearest first.
  at(view, width, height, x, y, near = 3) {
    const level = this.levelFor(view, height);
    const row = Math.floor((view.top + (y * (view.bottom - view.top)) / height) / level.bundle);
    if (row < 0 || row >= level.rows) return [];
    const time = view.begin + (x * (view.end - view.begin)) / width;
    const margin = (near * (view.end - view.begin)) / width;
    const found = [];
    for (let at = this.firstAlive(level, row, time - margin); at < level.start[row + 1]; at += 1) {
      const i = level.order[at];
      if (this.begin[i] > time + margin) break;
      if (this.until(i) >= time - margin) found.push(i);
    }
    const away = (i) => Math.max(this.begin[i] - time, time - this.until(i), 0);
    return found.sort((a, b) => away(a) - away(b));
  }

  // The neighbour of a container: the one before or after it on its lane, or the nearest in time on the next
  // lane; itself where there is none.
  neighbour(i, along, across) {
    const { start, order } = this.level(1);
    const lane = this.lane[i];
    if (along) {
      const at = order.indexOf(i, start[lane]) + along;
      return at >= start[lane] && at < start[lane + 1] ? order[at] : i;
    }
    const next = lane + across;
    if (next < 0 || next >= this.count) return i;
    const others = order.subarray(start[next], start[next + 1]);
    const away = (other) => Math.max(this.begin[other] - this.end[i], this.begin[i] - this.end[other], 0);
    return others.reduce((best, other) => (away(other) < away(best) ? other : best), others[0]);
  }
}
