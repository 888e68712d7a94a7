// Charts over time, drawn as SVG: containers on nodes, shares of queues, figures of the cluster.
import { duration, gib, h, percent, s, timeOfDay } from "./dom.js";

const LEFT = 150, WIDTH = 900, RIGHT = 12, LANE = 15;
const END = WIDTH - RIGHT;
const STEPS_S = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400];

const clock = (ms) => timeOfDay(ms, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const scale = (begin, end) => (ms) => LEFT + ((END - LEFT) * (ms - begin)) / Math.max(1, end - begin);

// Lines at round moments, at most eight, each with its time of day.
function timeAxis(begin, end, height, x) {
  const step = 1000 * (STEPS_S.find((one) => (end - begin) / (1000 * one) <= 8) || 86400);
  const ticks = [];
  for (let at = Math.ceil(begin / step) * step; at <= end; at += step) ticks.push(at);
  // Beside the edges there is no room for half a label.
  return ticks.map((at) => [s("line", { x1: x(at), x2: x(at), y1: 0, y2: height }),
    x(at) > LEFT + 30 && x(at) < END - 30 && s("text", { x: x(at), y: height + 13, "text-anchor": "middle" }, clock(at))]);
}

const GIVEN_BACK = "Container released by application";

function kindOf(one) {
  if (one.state === "RESERVED") return "reserved";
  if (one.state !== "COMPLETE") return "alive";
  if (one.exitStatus === 0) return "done";
  if (one.diagnostics === GIVEN_BACK) return "released";
  return one.exitStatus === -102 ? "preempted" : "ended";
}

const KINDS = [["alive", "running"], ["done", "ended well"], ["released", "given back unused"], ["ended", "ended otherwise"], ["preempted", "preempted"], ["reserved", "reserved"]];

function said(one, now) {
  const over = one.finished ? `exit status ${one.exitStatus}` : one.state.toLowerCase();
  const span = duration((one.finished || now) - one.started);
  return `${one.id}${one.isAM ? " (ApplicationMaster)" : ""}\n${one.node}, ${one.memoryMB} MiB, ${one.vcores} vcores\n` +
    `${clock(one.started)}, ${span}, ${over}${one.diagnostics ? `\n${one.diagnostics}` : ""}`;
}

// Each container in the first lane of its group that is free when it begins.
function lanes(containers, groupOf, now) {
  const groups = new Map();
  for (const one of [...containers].sort((a, b) => a.started - b.started)) {
    const name = groupOf(one);
    if (!groups.has(name)) groups.set(name, []);
    const free = groups.get(name).find((lane) => (lane.at(-1).finished || now) <= one.started);
    if (free) free.push(one); else groups.get(name).push([one]);
  }
  return [...groups].sort(([a], [b]) => a.localeCompare(b, undefined, { numeric: true }));
}

export function gantt(containers, now, groupOf, hueOf) {
  if (!containers.length) return h("p", { class: "empty" }, "No containers yet.");
  const begin = Math.min(...containers.map((one) => one.started));
  const end = Math.max(begin + 1000, ...containers.map((one) => one.finished || now));
  const x = scale(begin, end), groups = lanes(containers, groupOf, now), drawn = [];
  let row = 0;
  for (const [name, members] of groups) {
    drawn.push(s("text", { x: 4, y: row * LANE + 12 }, name.length > 22 ? `${name.slice(0, 21)}…` : name, s("title", {}, name)),
      s("line", { x1: 0, x2: END, y1: row * LANE, y2: row * LANE }));
    for (const lane of members) {
      for (const one of lane) drawn.push(box(one, row, x, now, hueOf ? hueOf(one) : ""));
      row += 1;
    }
  }
  const height = row * LANE;
  return [h("p", { class: "legend" }, KINDS.map(([kind, name]) => h("span", { class: `swatch ${kind}` }, name)),
    h("span", { class: "swatch am" }, "ApplicationMaster")),
  h("div", { class: "scroll" }, s("svg", { class: "gantt", viewBox: `0 0 ${WIDTH} ${height + 18}`, role: "img",
    "aria-label": `${containers.length} containers on ${groups.length} nodes within ${duration(end - begin)}` },
  timeAxis(begin, end, height, x), drawn))];
}

function box(one, row, x, now, hue) {
  const from = x(one.started), width = Math.max(2, x(one.finished || now) - from), y = row * LANE + 2, kind = kindOf(one);
  const cross = kind === "preempted" && s("path", { class: "cross", d: `M${from + width - 7},${y + 2}l7,7m0,-7l-7,7` });
  return s("g", { class: "container" }, s("rect", { x: from, y, width, height: LANE - 4, rx: 2,
    class: `${kind} ${hue} ${one.isAM ? "am" : ""}` }, s("title", {}, said(one, now))), cross);
}

// Lines over the same moments. Each: name, values, class, and whether it is dashed.
export function lines(what, times, series, marks = [], unit = percent, top = 100) {
  if (times.length < 2) return h("p", { class: "empty" }, "The first samples are on their way.");
  const height = 170, begin = times[0], end = times.at(-1), x = scale(begin, end);
  const most = Math.max(top, ...series.flatMap((one) => one.values.filter((value) => value !== null)));
  const y = (value) => height - ((height - 8) * value) / (most || 1);
  const points = (values) => values.flatMap((value, i) => (value === null ? [] : [`${x(times[i]).toFixed(1)},${y(value).toFixed(1)}`])).join(" ");
  return [h("p", { class: "legend" }, series.filter((one) => !one.dashed).map((one) =>
    h("span", { class: `swatch ${one.kind}` }, one.name, " ", h("b", {}, unit(one.values.findLast((value) => value !== null) ?? 0))))),
  h("div", { class: "scroll" }, s("svg", { class: "timeline", viewBox: `0 0 ${WIDTH} ${height + 18}`, role: "img",
    "aria-label": `${what}, ${duration(end - begin)}` },
  timeAxis(begin, end, height, x),
  [0, 0.5, 1].map((part) => [s("line", { x1: LEFT, x2: END, y1: y(most * part), y2: y(most * part) }),
    s("text", { x: LEFT - 6, y: y(most * part) + 4, "text-anchor": "end" }, unit(most * part))]),
  marks.filter((one) => one.time >= begin).map((one) => s("line", { class: `mark ${one.kind.replaceAll(" ", "-")}`, x1: x(one.time),
    x2: x(one.time), y1: 0, y2: height }, s("title", {}, `${clock(one.time)} ${one.kind}: ${one.text}`))),
  series.map((one) => s("polyline", { class: `${one.kind}${one.dashed ? " dashed" : ""}`, points: points(one.values) },
    s("title", {}, one.name)))))];
}

export const hue = (number) => `line${number % 6}`;
export const count = (value) => String(Math.round(value));
export const memory = (value) => gib(value).textContent;
