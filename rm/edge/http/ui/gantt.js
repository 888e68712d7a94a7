// Containers over time: a lane for each, or so many as they need, in groups; what became of each by colour, hatch and cross.
import { END, FOOT, WIDTH, figure, hatch, scale, timeAxis } from "./charts.js";
import { clock, duration, empty, h, s } from "./dom.js";

const LANE = 15, OWN_LANES = 60, NAME_LENGTH = 22;
const GIVEN_BACK = "Container released by application", PREEMPTED = -102, ABORTED = -100, NODE_LOST = /\*lost\* node/;
const KINDS = [["alive", "running"], ["done", "ended well"], ["released", "given back unused"], ["ended", "ended otherwise"],
  ["preempted", "preempted ✕"], ["lost", "lost ✕"], ["reserved", "reserved"], ["am", "ApplicationMaster"]];

export function kindOf(one) {
  if (one.state === "RESERVED") return "reserved";
  if (one.state !== "COMPLETE") return "alive";
  if (one.exitStatus === 0) return "done";
  if (one.diagnostics === GIVEN_BACK) return "released";
  if (one.exitStatus === PREEMPTED) return "preempted";
  return one.exitStatus === ABORTED && NODE_LOST.test(one.diagnostics) ? "lost" : "ended";
}

function said(one, now) {
  const over = one.finished ? `exit status ${one.exitStatus}` : one.state.toLowerCase();
  return `${one.id}${one.isAM ? " (ApplicationMaster)" : ""}\n${one.node}, ${one.memoryMB} MiB, ${one.vcores} vcores, ${one.queue}\n` +
    `${clock(one.started)}, ${duration((one.finished || now) - one.started)}, ${over}${one.diagnostics ? `\n${one.diagnostics}` : ""}`;
}

// Each container in the first lane of its group that is free when it begins; few have a lane each.
function lanes(containers, groupOf, now) {
  const groups = new Map(), isShared = containers.length > OWN_LANES;
  for (const one of [...containers].sort((a, b) => a.started - b.started)) {
    const name = groupOf(one);
    if (!groups.has(name)) groups.set(name, []);
    const free = isShared && groups.get(name).find((lane) => (lane.at(-1).finished || now) <= one.started);
    if (free) free.push(one); else groups.get(name).push([one]);
  }
  return [...groups].sort(([a], [b]) => a.localeCompare(b, undefined, { numeric: true }));
}

export const spanOf = (containers, now) => {
  const begin = Math.min(...containers.map((one) => one.started));
  return [begin, Math.max(begin + 1000, ...containers.map((one) => one.finished || now))];
};

export function gantt(containers, now, groupOf, { name = "containers", hueOf } = {}) {
  if (!containers.length) return empty("No containers yet.");
  const [begin, end] = spanOf(containers, now), x = scale(begin, end), groups = lanes(containers, groupOf, now), drawn = [];
  let row = 0;
  for (const [group, members] of groups) {
    drawn.push(s("text", { x: 4, y: row * LANE + 12 }, group.length > NAME_LENGTH ? `${group.slice(0, NAME_LENGTH - 1)}…` : group, s("title", {}, group)),
      s("line", { x1: 0, x2: END, y1: row * LANE, y2: row * LANE }));
    for (const lane of members) {
      for (const one of lane) drawn.push(box(one, row, x, now, hueOf ? hueOf(one) : ""));
      row += 1;
    }
  }
  const height = row * LANE;
  return [h("p", { class: "legend" }, KINDS.filter(([kind]) => !hueOf || kind !== "alive").map(([kind, text]) => h("span", { class: `swatch ${kind}` }, text))),
    figure(`${name} containers`, `${containers.length} containers on ${groups.length} lanes within ${duration(end - begin)}`,
      [timeAxis(begin, end, height, x), drawn], { height: height + FOOT, width: WIDTH, kind: "gantt" })];
}

function box(one, row, x, now, hue) {
  const from = x(one.started), width = Math.max(2, x(one.finished || now) - from), y = row * LANE + 2, kind = kindOf(one);
  const place = { x: from, y, width, height: LANE - 4, rx: 2 };
  return s("g", { class: "container" }, s("rect", { ...place, class: `${kind} ${hue} ${one.isAM ? "am" : ""}` }, s("title", {}, said(one, now))),
    kind === "reserved" && s("rect", { ...place, class: "hatched", fill: hatch(1) }),
    ["preempted", "lost"].includes(kind) && s("path", { class: "cross", d: `M${from + width - 8},${y + 2}l7,7m0,-7l-7,7` }));
}
