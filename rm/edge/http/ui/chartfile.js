// A chart as a picture: what is seen of it, with a legend below.
import { html } from "./dom.js";
import { line, picture, word } from "./picture.js";

const ROW = 16,
  CHARACTER = 7;
const dashes = { dashed: "6 4", dotted: "2 4" };
const dashOf = ({ dashed }) => ({ "stroke-dasharray": dashes[dashed] });

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

/** What the plot shows now; `colourOf` a series, `css` a variable of the style sheet. */
export function svgOfChart(plot, { what, series, marks, ceiling, isStacked }, hidden, colourOf, css) {
  const [left, top, wide, tall] = ["left", "top", "width", "height"].map(
    (side) => plot.bbox[side] / devicePixelRatio,
  );
  const [right, bottom, below] = [left + wide, top + tall, top + tall + 2 * ROW];
  const xOf = (time) => left + plot.valToPos(time, "x");
  const yOf = (value) => top + plot.valToPos(value, "y");
  const [times, ...values] = plot.data;
  const { min, max } = plot.scales.x;
  // The topmost of what is stacked was drawn first, so that each fill covers less.
  const seen = (isStacked ? [...series].reverse() : series)
    .map((one, i) => ({ one, values: values[i], colour: colourOf(one) }))
    .filter(({ one }) => !hidden.has(series.indexOf(one)));
  const upright = (time, stroke, more) => line(xOf(time), top, xOf(time), bottom, stroke, more);
  const level = (value, stroke, more) => line(left, yOf(value), right, yOf(value), stroke, more);
  const grid = [
    plot.axes[0]._splits.map((time, i) => [
      upright(time, css("--line")),
      word(xOf(time), bottom + 14, plot.axes[0]._values[i], "middle"),
    ]),
    plot.axes[1]._splits.map((value, i) => [
      level(value, css("--line")),
      word(left - 6, yOf(value) + 4, plot.axes[1]._values[i], "end"),
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
  let free = 0;
  const marked = marks
    .filter(({ time }) => time >= min && time <= max)
    .map(({ time, kind, text }) => {
      const hasRoom = xOf(time) > free;
      if (hasRoom) free = xOf(time) + CHARACTER * kind.length;
      return html`<g>
        <title>${`${kind} ${text}`}</title>
        ${upright(time, css("--bad"), { "stroke-dasharray": "3 3" })}
        ${hasRoom && word(xOf(time) + 3, top + 10, kind)}
      </g>`;
    });
  const legend = seen.map(({ one, colour }, row) => [
    line(left, below + ROW * row, left + 18, below + ROW * row, colour, {
      "stroke-width": 3,
      ...dashOf(one),
    }),
    word(left + 24, below + ROW * row + 4, one.name),
  ]);
  const most = ceiling && level(ceiling, css("--ink"), { "stroke-dasharray": "8 4" });
  const defs = html`<clipPath id="field">
    <rect x=${left} y=${top} width=${wide} height=${tall} />
  </clipPath>`;
  const height = below + ROW * (seen.length + 0.5);
  const shapes = [grid, paths, marked, most, legend];
  return picture(what, plot.width, height, css("--ink"), css("--field"), defs, shapes);
}
