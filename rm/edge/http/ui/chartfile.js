// A chart as a picture that needs no style sheet: what is seen of it, with its words.
import { clock } from "./dom.js";
import { escaped, timeSteps } from "./streampaint.js";

const MOST_STEPS = 5,
  ROW = 16;
const DASHES = { dashed: "6 4", dotted: "2 4" };

const rounded = (number) => Math.round(number * 10) / 10;

// From nothing to the top in round steps: of memory, which is MiB, in powers of two.
function heights(most, isBinary) {
  const rounds = isBinary ? [1, 2, 4, 8] : [1, 2, 5, 10];
  const base = isBinary
    ? 16 ** Math.floor(Math.log(most) / Math.log(16) - 1)
    : 10 ** Math.floor(Math.log10(most) - 1);
  const steps = rounds.flatMap((one) => [one * base, one * base * rounds.at(-1)]).sort((a, b) => a - b);
  const step = steps.find((one) => most / one <= MOST_STEPS) || most;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

// Steps hold until the next moment; where nothing is known there is a gap.
function outline(plot, values, xOf, yOf, bottom) {
  const [times] = plot.data;
  const lines = [];
  let begun = null;
  let before = null;
  values.forEach((value, i) => {
    if (value === null || value === undefined) {
      if (begun !== null && bottom !== null) lines.push(`H${before}V${bottom}H${begun}Z`);
      begun = null;
      return;
    }
    const x = rounded(xOf(times[i]));
    lines.push(begun === null ? `M${x},${rounded(yOf(value))}` : `H${x}V${rounded(yOf(value))}`);
    begun ??= x;
    before = x;
  });
  if (begun !== null && bottom !== null) lines.push(`H${before}V${bottom}H${begun}Z`);
  return lines.join("");
}

/** What the plot shows now, with a legend below; `colourOf` a series, `css` a variable of the style sheet. */
export function svgOfChart(plot, { what, series, marks, unit, ceiling, isStacked }, hidden, colourOf, css) {
  const [left, top] = [plot.bbox.left / devicePixelRatio, plot.bbox.top / devicePixelRatio];
  const [wide, tall] = [plot.bbox.width / devicePixelRatio, plot.bbox.height / devicePixelRatio];
  const xOf = (time) => left + plot.valToPos(time, "x");
  const yOf = (value) => top + plot.valToPos(value, "y");
  const shapes = [];
  const line = (x1, y1, x2, y2, stroke, more = "") =>
    shapes.push(
      `<line x1="${rounded(x1)}" y1="${rounded(y1)}" x2="${rounded(x2)}" y2="${rounded(y2)}" ` +
        `stroke="${stroke}" ${more}/>`,
    );
  const text = (x, y, words, anchor) =>
    shapes.push(`<text x="${rounded(x)}" y="${rounded(y)}" text-anchor="${anchor}">${escaped(words)}</text>`);
  const { min, max } = plot.scales.x;
  for (const time of timeSteps({ begin: min, end: max }, wide)) {
    line(xOf(time), top, xOf(time), top + tall, css("--line"));
    text(xOf(time), top + tall + 14, clock(time), "middle");
  }
  for (const value of heights(plot.scales.y.max, unit(1024) === "1.0 GiB")) {
    line(left, yOf(value), left + wide, yOf(value), css("--line"));
    text(left - 6, yOf(value) + 4, unit(value), "end");
  }
  // The topmost of what is stacked was drawn first, so that each fill covers less.
  const drawn = isStacked ? [...series].reverse() : series;
  const seen = drawn
    .map((one, i) => ({ one, values: plot.data[i + 1] }))
    .filter(({ one }) => !hidden.has(series.indexOf(one)));
  for (const { one, values } of seen) {
    const path = outline(plot, values, xOf, yOf, isStacked ? rounded(top + tall) : null);
    const dash = DASHES[one.dashed] ? `stroke-dasharray="${DASHES[one.dashed]}"` : "";
    const fill = isStacked ? `fill="${colourOf(one)}" fill-opacity="0.45"` : 'fill="none"';
    shapes.push(
      `<path d="${path}" stroke="${colourOf(one)}" stroke-width="1.6" ${dash} ${fill} ` +
        'clip-path="url(#field)"/>',
    );
  }
  for (const { time, kind, text: about } of marks.filter((one) => one.time >= min && one.time <= max)) {
    line(xOf(time), top, xOf(time), top + tall, css("--bad"), 'stroke-dasharray="3 3"');
    shapes.push(`<text x="${rounded(xOf(time) + 3)}" y="${top + 10}">${escaped(kind)}`);
    shapes.push(`<title>${escaped(`${kind} ${about}`)}</title></text>`);
  }
  if (ceiling) line(left, yOf(ceiling), left + wide, yOf(ceiling), css("--ink"), 'stroke-dasharray="8 4"');
  const below = top + tall + 2 * ROW;
  seen.forEach(({ one }, row) => {
    const y = below + ROW * row;
    const dash = DASHES[one.dashed] ? `stroke-dasharray="${DASHES[one.dashed]}"` : "";
    line(left, y, left + 18, y, colourOf(one), `stroke-width="3" ${dash}`);
    text(left + 24, y + 4, one.name, "start");
  });
  const height = below + ROW * (seen.length + 0.5);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${plot.width}" height="${height}" ` +
    `font-family="system-ui, sans-serif" font-size="11" fill="${css("--ink")}">` +
    `<title>${escaped(what)}</title><defs><clipPath id="field">` +
    `<rect x="${left}" y="${top}" width="${wide}" height="${tall}"/></clipPath></defs>` +
    `<rect width="100%" height="100%" fill="${css("--field")}"/>${shapes.join("")}</svg>\n`
  );
}
