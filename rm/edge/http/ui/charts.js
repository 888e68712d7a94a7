// Charts over time, drawn as SVG: lines, stacked areas, the small lines of tiles, rings. Each can be had as a file.
import { clock, duration, empty, gib, h, percent, s } from "./dom.js";
import { save, svgText } from "./export.js";

export const LEFT = 150, WIDTH = 900, RIGHT = 12, FOOT = 18;
export const END = WIDTH - RIGHT;
const STEPS_S = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400];
const HUES = 6, TALL = 170;
// Colour is never alone: each hue has a hatch of its own.
const HATCHES = ["", "M0,6L6,0", "M0,0L6,6", "M0,3H6", "M3,0V6", "M0,0L6,6M0,6L6,0"];

export const hue = (number) => `line${number % HUES}`;
export const hatch = (number) => `url(#hatch${number % HUES})`;
export const count = (value) => String(Math.round(value));
export const memory = (value) => gib(value).textContent;
export const scale = (begin, end) => (ms) => LEFT + ((END - LEFT) * (ms - begin)) / Math.max(1, end - begin);

export const hatches = () => s("defs", {}, HATCHES.map((d, i) => s("pattern", { id: `hatch${i}`, width: 6, height: 6, patternUnits: "userSpaceOnUse" },
  d && s("path", { d, class: "hatch" }))));

// A drawing with its name for who cannot see it, and a button that gives it as a file.
export function figure(name, what, drawn, { width = WIDTH, height, kind = "timeline" }) {
  const svg = s("svg", { class: kind, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": what }, hatches(), drawn);
  const file = `${name.replace(/[^\w.-]+/g, "-")}.svg`;
  return h("figure", {}, h("div", { class: "scroll" }, svg),
    h("button", { class: "file", "aria-label": `${name} as SVG`, onclick: (event) => save(file, "image/svg+xml", svgText(event.target.closest("figure").querySelector("svg"))) }, "SVG"));
}

// Lines at round moments, at most eight, each with its time of day.
export function timeAxis(begin, end, height, x) {
  const step = 1000 * (STEPS_S.find((one) => (end - begin) / (1000 * one) <= 8) || 86400);
  const ticks = [];
  for (let at = Math.ceil(begin / step) * step; at <= end; at += step) ticks.push(at);
  // Beside the edges there is no room for half a label.
  return ticks.map((at) => [s("line", { x1: x(at), x2: x(at), y1: 0, y2: height }),
    x(at) > LEFT + 30 && x(at) < END - 30 && s("text", { x: x(at), y: height + 13, "text-anchor": "middle" }, clock(at))]);
}

const level = (most, height) => (value) => height - ((height - 8) * value) / (most || 1);

const grid = (most, y, unit) => [0, 0.5, 1].map((part) => [s("line", { x1: LEFT, x2: END, y1: y(most * part), y2: y(most * part) }),
  s("text", { x: LEFT - 6, y: y(most * part) + 4, "text-anchor": "end" }, unit(most * part))]);

const upright = (marks, begin, x, height) => marks.filter((one) => one.time >= begin).map((one) =>
  s("line", { class: `mark ${one.kind.replaceAll(" ", "-")}`, x1: x(one.time), x2: x(one.time), y1: 0, y2: height },
    s("title", {}, `${clock(one.time)} ${one.kind}: ${one.text}`)));

const legend = (series, unit) => h("p", { class: "legend" }, series.map((one) =>
  h("span", { class: `swatch ${one.kind} ${one.dashed || ""}` }, one.name, " ", h("b", {}, unit(one.values.findLast((value) => value !== null) ?? 0)))));

const trace = (values, times, x, y) => values.flatMap((value, i) => (value === null ? [] : [`${x(times[i]).toFixed(1)},${y(value).toFixed(1)}`])).join(" ");

// Lines over the same moments. Each: name, values, class, and how it is dashed ("dashed", "dotted") if it is.
export function lines(what, times, series, marks = [], unit = percent, top = 100) {
  if (times.length < 2) return empty("The first samples are on their way.");
  const begin = times[0], end = times.at(-1), x = scale(begin, end);
  const most = Math.max(top, ...series.flatMap((one) => one.values.filter((value) => value !== null))), y = level(most, TALL);
  return [legend(series, unit), figure(what, `${what}, ${duration(end - begin)}`, [timeAxis(begin, end, TALL, x), grid(most, y, unit), upright(marks, begin, x, TALL),
    series.map((one) => s("polyline", { class: `${one.kind} ${one.dashed || ""}`, points: trace(one.values, times, x, y) }, s("title", {}, one.name)))],
  { height: TALL + FOOT })];
}

// The same stood on one another. `ceiling` is a line that they should stay below; `isStep`: values hold until the next moment.
export function areas(what, times, series, { marks = [], unit = percent, top = 100, ceiling = null, isStep = false } = {}) {
  if (times.length < 2) return empty("The first samples are on their way.");
  const begin = times[0], end = times.at(-1), x = scale(begin, end), below = times.map(() => 0), drawn = [];
  const sums = times.map((_, i) => series.reduce((sum, one) => sum + (one.values[i] || 0), 0)), most = Math.max(top, ceiling || 0, ...sums), y = level(most, TALL);
  const edge = (heights) => heights.flatMap((height, i) => [...(isStep && i ? [`${x(times[i]).toFixed(1)},${y(heights[i - 1]).toFixed(1)}`] : []),
    `${x(times[i]).toFixed(1)},${y(height).toFixed(1)}`]);
  series.forEach((one, i) => {
    const floor = edge(below).reverse();
    one.values.forEach((value, at) => { below[at] += value || 0; });
    const points = [...edge(below), ...floor].join(" ");
    drawn.push(s("polygon", { class: `area ${one.kind}`, points }, s("title", {}, one.name)), s("polygon", { class: "hatched", fill: hatch(i), points }));
  });
  return [legend(series, unit), figure(what, `${what}, ${duration(end - begin)}`, [timeAxis(begin, end, TALL, x), grid(most, y, unit), drawn, upright(marks, begin, x, TALL),
    ceiling !== null && s("line", { class: "ceiling", x1: LEFT, x2: END, y1: y(ceiling), y2: y(ceiling) }, s("title", {}, `capacity ${unit(ceiling)}`))],
  { height: TALL + FOOT })];
}

// The line of a tile: its course alone, without axes.
export function spark(name, values) {
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return null;
  const most = Math.max(...known) || 1, points = values.flatMap((value, i) => (value === null ? []
    : [`${((120 * i) / (values.length - 1)).toFixed(1)},${(24 - (22 * value) / most).toFixed(1)}`])).join(" ");
  return s("svg", { class: "spark", viewBox: "0 0 120 26", preserveAspectRatio: "none", role: "img", "aria-label": `${name}, the last hour` }, s("polyline", { class: "line0", points }));
}

// A ring of parts of a whole; what is left of the whole is its ground.
export function donut(name, parts, whole, unit) {
  const radius = 60, around = 2 * Math.PI * radius, turn = "rotate(-90 90 90)";
  let at = 0;
  const arcs = parts.map((one, i) => {
    const length = whole ? (around * one.value) / whole : 0, ring = { cx: 90, cy: 90, r: radius, transform: turn, "stroke-dasharray": `${length} ${around - length}`, "stroke-dashoffset": -at };
    at += length;
    return [s("circle", { ...ring, class: `ring ${hue(i)}` }, s("title", {}, `${one.name}: ${unit(one.value)}`)),
      s("circle", { ...ring, class: "ring over-ring", stroke: hatch(i) })];
  });
  const used = parts.reduce((sum, one) => sum + one.value, 0);
  return h("div", { class: "donut" }, figure(name, `${name}: ${parts.map((one) => `${one.name} ${unit(one.value)}`).join(", ") || "nothing"}`,
    [s("circle", { cx: 90, cy: 90, r: radius, class: "ring ground" }), arcs, s("text", { x: 90, y: 88, "text-anchor": "middle", class: "big" }, percent(whole ? (100 * used) / whole : 0)),
      s("text", { x: 90, y: 104, "text-anchor": "middle" }, `of ${unit(whole)}`)], { width: 180, height: 180, kind: "ringed" }),
  h("ul", { class: "legend" }, parts.map((one, i) => h("li", {}, h("span", { class: `swatch ${hue(i)}` }, one.name, " ", h("b", {}, unit(one.value)))))));
}
