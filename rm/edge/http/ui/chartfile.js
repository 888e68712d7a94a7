// What is drawn beside the series of a chart, and the whole as a picture, with a legend below.
import { css, html } from "./dom.js";
import { line, picture, word } from "./picture.js";

const ROW = 16,
  CHARACTER = 6;
const DASHES = { dashed: "6 4", dotted: "2 4" };
const dashOf = ({ dashed }) => ({ "stroke-dasharray": DASHES[dashed] });
const MARKS = { now: "--accent", "node joined": "--used" };

const HUES = 6;
export const hueOf = ({ hue }) => `--line${hue % HUES}`;
export const colourOf = (one) => css(hueOf(one));

// Where the series lie, in pixels of the page.
function fieldOf({ bbox }) {
  const [left, top, wide, tall] = ["left", "top", "width", "height"].map(
    (side) => bbox[side] / devicePixelRatio,
  );
  return { left, top, wide, tall, right: left + wide, bottom: top + tall };
}

/** A line for each mark, with its word where there is room for it; and the ceiling of what is stacked. */
export function marksOf(plot, { marks, ceiling }) {
  const { left, top, right, bottom } = fieldOf(plot);
  const { min, max } = plot.scales.x;
  let free = left;
  const upright = ({ time, kind, text }) => {
    const x = left + plot.valToPos(time, "x");
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
  const y = ceiling && top + plot.valToPos(ceiling, "y");
  return [
    marks.filter(({ time }) => time >= min && time <= max).map(upright),
    ceiling && line(left, y, right, y, css("--ink"), { "stroke-width": 2, "stroke-dasharray": "8 4" }),
  ];
}

// Steps hold until the next moment; where nothing is known there is a gap. What is stacked is closed below.
function outline(times, values, xOf, yOf, bottom) {
  const words = [];
  let begun = null;
  const end = (x) => {
    if (begun !== null && bottom !== null) words.push(`H${x}V${bottom}H${begun}Z`);
    begun = null;
  };
  values.forEach((value, i) => {
    const x = xOf(times[i]).toFixed(1);
    if (value === null || value === undefined) {
      end(x);
      return;
    }
    words.push(`${begun === null ? "M" : "H"}${x}${begun === null ? "," : "V"}${yOf(value).toFixed(1)}`);
    begun ??= x;
  });
  end(xOf(times.at(-1)).toFixed(1));
  return words.join("");
}

/** What the plot shows now. */
export function svgOfChart(plot, props, hidden) {
  const { what, series, isStacked } = props;
  const { left, top, wide, tall, right, bottom } = fieldOf(plot);
  const [ink, soft] = [css("--ink"), css("--line")];
  const xOf = (time) => left + plot.valToPos(time, "x");
  const yOf = (value) => top + plot.valToPos(value, "y");
  const [times, ...values] = plot.data;
  // The topmost of what is stacked was drawn first, so that each fill covers less.
  const seen = (isStacked ? [...series].reverse() : series)
    .map((one, i) => ({ one, values: values[i], colour: colourOf(one) }))
    .filter(({ one }) => !hidden.has(series.indexOf(one)));
  const grid = [
    plot.axes[0]._splits.map((time, i) => [
      line(xOf(time), top, xOf(time), bottom, soft),
      word(xOf(time), bottom + 14, plot.axes[0]._values[i], ink, "middle"),
    ]),
    plot.axes[1]._splits.map((value, i) => [
      line(left, yOf(value), right, yOf(value), soft),
      word(left - 6, yOf(value) + 4, plot.axes[1]._values[i], ink, "end"),
    ]),
  ];
  const paths = seen.map(
    ({ one, values, colour }) => html`<path
      d=${outline(times, values, xOf, yOf, isStacked ? bottom : null)}
      stroke=${colour}
      stroke-width="1.6"
      ...${dashOf(one)}
      fill=${isStacked ? colour : "none"}
      fill-opacity="0.45"
      clip-path="url(#field)"
    />`,
  );
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
  const height = bottom + ROW * (seen.length + 2.5);
  return picture(what, plot.width, height, css("--field"), defs, [grid, paths, marksOf(plot, props), legend]);
}
