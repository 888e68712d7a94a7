// Containers as numbers: on which lane each lies, which bars the picture of a part of them has, and who lies
// where. Knows no page and no canvas: streampaint.js draws.
import { natural } from "./dom.js";
import TinyQueue from "./vendor/tinyqueue.js";

const GAP_FROM = 5;
// The lanes that are free, and those that are not, by when they will be.
const newGroup = (name) => ({
  name,
  lanes: 0,
  free: new TinyQueue(),
  busy: new TinyQueue([], (one, other) => one.end - other.end),
});

export class Lanes {
  /** Each container lies on the topmost lane of its group that is free when it begins. */
  constructor(containers, groupOf, now) {
    this.begin = Float64Array.from(containers, (one) => one.started);
    this.end = Float64Array.from(containers, (one) => Math.max(one.started, one.finished || now));
    this.lane = new Int32Array(containers.length);
    this.order = Int32Array.from(
      [...containers.keys()].sort((one, other) => this.begin[one] - this.begin[other]),
    );
    const byName = new Map();
    const groups = containers.map((one) => {
      const name = groupOf(one);
      if (!byName.has(name)) byName.set(name, newGroup(name));
      return byName.get(name);
    });
    for (const i of this.order) {
      const { free, busy } = groups[i];
      while (busy.peek()?.end <= this.begin[i]) free.push(busy.pop().lane);
      this.lane[i] = free.pop() ?? groups[i].lanes++;
      if (containers[i].finished) busy.push({ end: this.end[i], lane: this.lane[i] });
    }
    this.groups = [...byName.values()].sort((one, other) => natural.compare(one.name, other.name));
    this.count = 0;
    for (const group of this.groups) {
      group.top = this.count;
      this.count += group.lanes;
    }
    for (const i of this.order) this.lane[i] += groups[i].top;
    this.first = this.begin[this.order[0]];
    this.last = this.end.reduce((last, end) => Math.max(last, end), this.first + 1000);
  }

  /**
   * The bars of what is visible, no two at one place: emit(x, y, width, height, container). The container
   * that began first hides others at its place: narrow ones, and those of other lanes where lanes are low.
   */
  bars(time, rows, width, height, emit) {
    const wide = width / (time.max - time.min);
    const tall = height / (rows.max - rows.min);
    const reach = new Int32Array(height);
    for (const i of this.order) {
      if (this.begin[i] >= time.max) break;
      if (this.end[i] < time.min) continue;
      const lane = this.lane[i] - rows.min;
      const y = Math.max(0, Math.floor(lane * tall));
      const below = Math.min(height, Math.max(y + 1, Math.floor((lane + 1) * tall)));
      if (below <= y || lane + 1 <= 0) continue;
      const left = Math.max(0, Math.floor((this.begin[i] - time.min) * wide));
      const right = Math.floor((this.end[i] - time.min) * wide);
      const x = Math.max(left, reach[y]);
      const past = Math.min(width, Math.max(left + 1, right));
      if (past <= x) continue;
      reach[y] = past;
      emit(x, y, withGap(past - x), withGap(below - y), i);
    }
  }

  /** Who lies on some lanes and lives in a part of the time, by beginning. */
  on(first, past, begin = -Infinity, end = Infinity) {
    const lives = (i) => this.begin[i] <= end && this.end[i] >= begin;
    return [...this.order.filter((i) => this.lane[i] >= first && this.lane[i] < past && lives(i))];
  }

  /** The one before or after a container on its lane, or the one that began last by then on the lane above or
   * below; itself where there is none. */
  neighbour(i, along, across) {
    const lane = this.lane[i] + across;
    const others = this.on(lane, lane + 1);
    const before = others.findLastIndex((one) => this.begin[one] <= this.begin[i]);
    return others[Math.max(0, along ? others.indexOf(i) + along : before)] ?? i;
  }
}

// Where there is room, a little of the ground parts a bar from the next.
const withGap = (size) => (size >= GAP_FROM ? size - 1 : size);
