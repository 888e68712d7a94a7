// What is drawn beside the series of a chart, and the whole as a picture, with a legend below.
import { css, html } from "./dom.js";
import { line, picture, word } from "./picture.js";

const ROW = 16,
  CHARACTER = 6;
export const DASHES = { dashed: [6, 4], dotted: [2, 4] };
const dashOf = ({ dashed }) => ({ "stroke-dasharray": DASHES[dashed]?.join(" ") });
const MARKS = { now: "--accent", "node joined": "--used" };

const AREA = { "fill-opacity": 0.45, "shape-rendering": "crispEdges" };

const HUES = 6;
export const hueOf = ({ hue }) => `--line${hue % HUES}`;
export const colourOf = (one) => css(hueOf(one));

// Where the series lie, in pixels of the page.
function fieldOf(plot) {
  const [left, top, wide, tall] = ["left", "top", "width", "height"].map(
    (side) => plot.bbox[side] / devicePixelRatio,
  );
  const xOf = (time) => left + plot.valToPos(time, "x");
  const yOf = (value) => top + plot.valToPos(value, "y");
  return { left, top, wide, tall, right: left + wide, bottom: top + tall, xOf, yOf };
}

/** A line for each mark, with its word where there is room for it; and the ceiling of what is stacked. */
export function marksOf(plot, { marks, ceiling }) {
  const { left, top, right, bottom, xOf, yOf } = fieldOf(plot);
  const { min, max } = plot.scales.x;
  let free = left;
  const upright = ({ time, kind, text }) => {
    const x = xOf(time);
    const end = x + CHARACTER * kind.length;
    const colour = css(MARKS[kind] || "--bad");
    const how = kind === "now" ? { "stroke-width": 2 } : { "stroke-dasharray": "3 3" };
    const hasRoom = x >= free && end < right;
    if (hasRoom) free = end + ROW;
    return html`<g>
      <title>${`${kind} ${text}`}</title>
      ${line(x, top, x, bottom, colour, how)}
      ${hasRoom && word(x + 3, top + 10, kind, colour)}
    </g>`;
  };
  const heavy = { "stroke-width": 2, "stroke-dasharray": "8 4" };
  return [
    marks.filter(({ time }) => time >= min && time <= max).map(upright),
    ceiling && line(left, yOf(ceiling), right, yOf(ceiling), css("--ink"), heavy),
  ];
}

// Steps hold until the next moment; where nothing is known there is a gap. Below them lie areas.
function pathsOf(times, values, { xOf, yOf, bottom }) {
  const [steps, areas] = [[], []];
  values.forEach((value, i) => {
    if ((value ?? null) === null) return;
    const [x, end, y] = [xOf(times[i]), xOf(times[i + 1] ?? times[i]), yOf(value)].map((one) =>
      one.toFixed(1),
    );
    const isBegun = (values[i - 1] ?? null) !== null;
    steps.push(`${isBegun ? "V" : `M${x},`}${y}H${end}`);
    areas.push(`M${x},${y}H${end}V${bottom}H${x}Z`);
  });
  return [steps.join(""), areas.join("")];
}

/** What the plot shows now. */
export function svgOfChart(plot, props, hidden) {
  const { what, series, isStacked } = props;
  const field = fieldOf(plot);
  const { left, top, wide, tall, right, bottom, xOf, yOf } = field;
  const [ink, soft] = [css("--ink"), css("--line")];
  const [times, ...lines] = plot.data;
  const [along, up] = plot.axes;
  // The topmost of what is stacked is drawn first, so that each fill covers less.
  const drawn = isStacked ? series.toReversed() : series;
  const seen = drawn
    .map((one, i) => ({ one, values: lines[i], colour: colourOf(one) }))
    .filter(({ one }) => !hidden.has(series.indexOf(one)));
  const grid = [
    along._splits.map((time, i) => [
      line(xOf(time), top, xOf(time), bottom, soft),
      word(xOf(time), bottom + 14, along._values[i], ink, "middle"),
    ]),
    up._splits.map((value, i) => [
      line(left, yOf(value), right, yOf(value), soft),
      word(left - 6, yOf(value) + 4, up._values[i], ink, "end"),
    ]),
  ];
  const paths = seen.map(({ one, values, colour }) => {
    const [steps, areas] = pathsOf(times, values, field);
    return html`<g clip-path="url(#field)" fill="none" stroke-width="1.6">
      ${isStacked && html`<path d=${areas} fill=${colour} ...${AREA} />`}
      <path d=${steps} stroke=${colour} ...${dashOf(one)} />
    </g>`;
  });
  const legend = seen.map(({ one, colour }, row) => {
    const y = bottom + (2 + row) * ROW;
    return [
      line(left, y, left + 18, y, colour, { "stroke-width": 3, ...dashOf(one) }),
      word(left + 24, y + 4, one.name, ink),
    ];
  });
  const defs = html`<clipPath id="field">
    <rect x=${left} y=${top} width=${wide} height=${tall} />
  </clipPath>`;
  const shapes = [grid, paths, marksOf(plot, props), legend];
  return picture(what, plot.width, bottom + ROW * (seen.length + 2.5), css("--field"), defs, shapes);
}
