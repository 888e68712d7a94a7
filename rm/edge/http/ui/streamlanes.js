// Containers as numbers: on which lane each lies, and of which bars the picture of a part of them consists.
// Knows no page and no canvas: taskstream.js draws.

const THIN = 2;

// The smallest of many numbers again and again: a binary heap of pairs, by their first.
class Heap {
  constructor() {
    this.pairs = [];
  }

  get least() {
    return this.pairs.length ? this.pairs[0][0] : Infinity;
  }

  push(pair) {
    const { pairs } = this;
    let at = pairs.push(pair) - 1;
    while (at > 0 && pairs[(at - 1) >> 1][0] > pair[0]) {
      pairs[at] = pairs[(at - 1) >> 1];
      at = (at - 1) >> 1;
    }
    pairs[at] = pair;
  }

  pop() {
    const { pairs } = this;
    const [first] = pairs;
    const last = pairs.pop();
    if (!pairs.length) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= pairs.length) break;
      if (below + 1 < pairs.length && pairs[below + 1][0] < pairs[below][0]) below += 1;
      if (pairs[below][0] >= last[0]) break;
      pairs[at] = pairs[below];
      at = below;
    }
    pairs[at] = last;
    return first;
  }
}

const natural = new Intl.Collator(undefined, { numeric: true });

export class Lanes {
  // Each container lies on the topmost lane of its group that is free when it begins.
  constructor(containers, groupOf, now) {
    const count = containers.length;
    this.containers = containers;
    this.begin = Float64Array.from(containers, (one) => one.started);
    this.end = Float64Array.from(containers, (one) => Math.max(one.started, one.finished || now));
    this.order = Int32Array.from({ length: count }, (_, i) => i).sort(
      (a, b) => this.begin[a] - this.begin[b],
    );
    this.lane = new Int32Array(count);
    const open = new Map();
    for (const i of this.order) {
      const name = groupOf(containers[i]);
      if (!open.has(name)) open.set(name, { name, members: 0, lanes: 0, busy: new Heap(), free: new Heap() });
      this.take(open.get(name), i);
    }
    this.groups = [...open.values()].sort((a, b) => natural.compare(a.name, b.name));
    let top = 0;
    for (const group of this.groups) {
      group.top = top;
      top += group.lanes;
    }
    this.count = top;
    for (let i = 0; i < count; i += 1) this.lane[i] += open.get(groupOf(containers[i])).top;
    this.first = count ? this.begin[this.order[0]] : now;
    this.last = this.end.reduce((last, one) => Math.max(last, one), this.first + 1000);
    this.levels = new Map();
  }

  take(group, i) {
    while (group.busy.least <= this.begin[i]) group.free.push([group.busy.pop()[1]]);
    const lane = group.free.pairs.length ? group.free.pop()[0] : group.lanes++;
    group.busy.push([this.end[i], lane]);
    group.members += 1;
    this.lane[i] = lane;
  }

  // So many lanes together make a row: who lies on it, by beginning, and up to when those before reach.
  level(bundle) {
    const known = this.levels.get(bundle);
    if (known) return known;
    const rows = Math.ceil(this.count / bundle);
    const start = new Int32Array(rows + 1);
    for (const lane of this.lane) start[Math.floor(lane / bundle) + 1] += 1;
    for (let row = 0; row < rows; row += 1) start[row + 1] += start[row];
    const next = start.slice();
    const order = new Int32Array(this.order.length);
    const reach = new Float64Array(this.order.length);
    for (const i of this.order) {
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
    const { begin, end } = this;
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
      const right = (end[i] - view.begin) * scale;
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
      if (this.end[i] >= time - margin) found.push(i);
    }
    const away = (i) => Math.max(this.begin[i] - time, time - this.end[i], 0);
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
