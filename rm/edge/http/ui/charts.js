// Series over time, drawn by uPlot: steps as steps, marks with words, values under the cursor, zoom by mouse,
// keys and buttons, the same for all charts of a page; each chart can be had as PNG and CSV.

import { svgOfChart } from "./chartfile.js";
import { Component, clock, css, duration, empty, html, percent, plainGib, tool } from "./dom.js";
import { csv, save, saveBlob } from "./export.js";
import { listenToPointers } from "./gestures.js";
import { SECONDS } from "./streampaint.js";
import uPlot from "./vendor/uplot.js";

const TALL = 200;
const DASHES = { dashed: [6, 4], dotted: [2, 4] };
// Amounts of memory are MiB: round in binary.
// Of what is counted there are no halves.
const COUNT_STEPS = Array.from({ length: 30 }, (_, i) => [1, 2, 5][i % 3] * 10 ** Math.floor(i / 3));
const MIB_STEPS = Array.from({ length: 32 }, (_, power) => 2 ** power);
const NEAR_PX = 6,
  HUES = 6;
const PLOTS = new Set();
const GROUP = uPlot.sync("pages");

export const hue = (number) => `line${number % HUES}`;
export const count = (value) => String(Math.round(value));
export const memory = plainGib;

const ratio = () => devicePixelRatio;
const colourOf = ({ kind }) => css(`--${kind}`);

// The first series lies at the bottom. uPlot draws the topmost one first, so that each fill covers less.
function stacked(series, hidden) {
  const sums = series[0].values.map(() => 0);
  const tops = series.map((one, i) =>
    one.values.map((value, at) => {
      if (hidden.has(i) || value === null) return null;
      sums[at] += value;
      return sums[at];
    }),
  );
  return tops.reverse();
}

function zoomAll(min, max) {
  for (const plot of PLOTS) plot.setScale("x", { min, max });
}

class TimeChart extends Component {
  constructor(props) {
    super(props);
    this.state = { index: null, hidden: new Set() };
  }

  componentDidMount() {
    this.build();
    this.resizes = new ResizeObserver(() =>
      this.plot.setSize({ width: this.place.clientWidth, height: TALL }),
    );
    this.resizes.observe(this.place);
    // The mouse is uPlot's; fingers move and pinch.
    listenToPointers(this.place, {
      pan: (dx) => this.pan(dx),
      pinch: (factor, x) => this.zoom(factor, this.plot.posToVal(x - this.plot.bbox.left / ratio(), "x")),
      isMine: (event) => event.pointerType === "touch",
    });
  }

  componentDidUpdate(before) {
    if (before === this.props) return;
    if (before.series.map((one) => one.name).join() !== this.props.series.map((one) => one.name).join()) {
      this.close();
      this.build();
    } else this.fill();
  }

  componentWillUnmount() {
    this.resizes.disconnect();
    this.close();
  }

  close() {
    PLOTS.delete(this.plot);
    GROUP.unsub(this.plot);
    this.plot.destroy();
  }

  data() {
    const { times, series, isStacked } = this.props;
    return [times, ...(isStacked ? stacked(series, this.state.hidden) : series.map((one) => one.values))];
  }

  // A part that was chosen stays chosen when new samples come.
  fill() {
    const { min, max } = this.plot.scales.x;
    const [old] = this.plot.data;
    const isZoomed = min > old[0] || max < old.at(-1);
    this.plot.setData(this.data(), !isZoomed);
    if (isZoomed) this.plot.setScale("x", { min, max });
  }

  build() {
    const { series, unit, top, isStacked, ceiling } = this.props;
    const drawn = isStacked ? [...series].reverse() : series;
    const axis = {
      stroke: () => css("--ink"),
      grid: { stroke: () => css("--line"), width: 1 },
      ticks: { show: false },
    };
    /** @returns {[number, number]} */
    const most = (_plot, _low, high) => [0, Math.max(top, ceiling || 0, high || 0) * 1.05 || 1];
    this.plot = new uPlot(
      {
        width: this.place.clientWidth || 600,
        height: TALL,
        padding: [8, 28, 0, 0],
        legend: { show: false },
        cursor: { sync: { key: GROUP.key }, drag: { x: true, y: false }, focus: { prox: 24 }, y: false },
        focus: { alpha: 0.35 },
        scales: { x: { time: false }, y: { range: most } },
        axes: [
          {
            ...axis,
            incrs: SECONDS.map((one) => 1000 * one),
            space: 90,
            size: 30,
            values: (_plot, splits) => splits.map(clock),
          },
          {
            ...axis,
            size: 66,
            ...(unit === memory && { incrs: MIB_STEPS }),
            ...(unit === count && { incrs: COUNT_STEPS }),
            values: (_plot, splits) => splits.map(unit),
          },
        ],
        series: [
          {},
          ...drawn.map((one) => ({
            label: one.name,
            stroke: () => colourOf(one),
            fill: isStacked ? () => `color-mix(in srgb, ${colourOf(one)} 45%, ${css("--field")})` : null,
            width: 1.6,
            dash: DASHES[one.dashed],
            paths: uPlot.paths.stepped({ align: 1 }),
            points: { show: false },
          })),
        ],
        hooks: {
          setCursor: [
            (plot) => plot.cursor.idx !== this.state.index && this.setState({ index: plot.cursor.idx }),
          ],
          draw: [(plot) => this.drawMarks(plot)],
        },
      },
      this.data(),
      this.place,
    );
    PLOTS.add(this.plot);
  }

  // A line for each mark, with its word where there is room for it; and the ceiling of what is stacked.
  drawMarks(plot) {
    const { ctx, bbox } = plot;
    const { marks, ceiling } = this.props;
    const line = (from, to, dash) => {
      ctx.setLineDash(dash);
      ctx.beginPath();
      ctx.moveTo(...from);
      ctx.lineTo(...to);
      ctx.stroke();
    };
    ctx.save();
    ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
    ctx.textBaseline = "top";
    ctx.textAlign = "left";
    let free = 0;
    for (const { time, kind } of marks) {
      const x = plot.valToPos(time, "x", true);
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.strokeStyle = css(kind === "now" ? "--accent" : kind === "node joined" ? "--used" : "--bad");
      ctx.fillStyle = ctx.strokeStyle;
      ctx.lineWidth = kind === "now" ? 2 * devicePixelRatio : 1;
      line([x, bbox.top], [x, bbox.top + bbox.height], kind === "now" ? [] : [3, 3]);
      const { width } = ctx.measureText(kind);
      if (x > free && x + width < bbox.left + bbox.width) {
        ctx.fillText(kind, x + 3, bbox.top);
        free = x + width + 8;
      }
    }
    if (ceiling) {
      const y = plot.valToPos(ceiling, "y", true);
      ctx.strokeStyle = css("--ink");
      ctx.lineWidth = 2;
      line([bbox.left, y], [bbox.left + bbox.width, y], [8, 4]);
    }
    ctx.restore();
  }

  toggle(i) {
    const hidden = new Set(this.state.hidden);
    if (!hidden.delete(i)) hidden.add(i);
    this.setState({ hidden }, () => {
      if (this.props.isStacked) this.plot.setData(this.data(), false);
      const place = this.props.isStacked ? this.props.series.length - i : i + 1;
      this.plot.setSeries(place, { show: !hidden.has(i) });
    });
  }

  zoom(factor, around) {
    const { times } = this.props;
    const { min, max } = this.plot.scales.x;
    const middle = around ?? times[this.state.index] ?? (min + max) / 2;
    const begin = Math.max(times[0], middle - (middle - min) * factor);
    zoomAll(begin, Math.max(begin + 1, Math.min(times.at(-1), middle + (max - middle) * factor)));
  }

  pan(dx) {
    const { times } = this.props;
    const { min, max } = this.plot.scales.x;
    const by = (-dx * (max - min)) / (this.plot.bbox.width / ratio());
    const begin = Math.max(times[0], Math.min(times.at(-1) - (max - min), min + by));
    zoomAll(begin, begin + max - min);
  }

  move(step) {
    const { times } = this.props;
    const from = this.state.index ?? (step > 0 ? -1 : times.length);
    const index = Math.max(0, Math.min(times.length - 1, from + step));
    this.plot.setCursor({ left: this.plot.valToPos(times[index], "x"), top: TALL / 3 });
  }

  press(event) {
    const keys = {
      ArrowLeft: () => this.move(-1),
      ArrowRight: () => this.move(1),
      "+": () => this.zoom(0.5),
      "-": () => this.zoom(2),
      0: () => zoomAll(this.props.times[0], this.props.times.at(-1)),
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
  }

  asPng() {
    const { canvas } = this.plot.ctx;
    const copy = Object.assign(document.createElement("canvas"), {
      width: canvas.width,
      height: canvas.height,
    });
    const ctx = copy.getContext("2d");
    ctx.fillStyle = css("--field");
    ctx.fillRect(0, 0, copy.width, copy.height);
    ctx.drawImage(canvas, 0, 0);
    copy.toBlob((blob) => saveBlob(`${this.fileName()}.png`, blob));
  }

  asSvg() {
    const text = svgOfChart(this.plot, this.props, this.state.hidden, (one) => colourOf(one), css);
    save(`${this.fileName()}.svg`, "image/svg+xml", text);
  }

  asCsv() {
    const { times, series } = this.props;
    const rows = times.map((time, at) => [clock(time), ...series.map((one) => one.values[at])]);
    save(`${this.fileName()}.csv`, "text/csv", csv(["time", ...series.map((one) => one.name)], rows));
  }

  fileName() {
    return this.props.what.replace(/[^\w.-]+/g, "-");
  }

  // Whose values stand in the legend while nobody points: the moment of the page, or the newest that is
  // known. Of whole runs that are compared there is none.
  present() {
    const { times, series, marks, isWhole } = this.props;
    if (isWhole) return null;
    const now = marks.find((one) => one.kind === "now")?.time ?? Infinity;
    return times.findLastIndex(
      (time, i) => time <= now && series.some(({ values }) => (values[i] ?? null) !== null),
    );
  }

  // What marks lie under the cursor, in words.
  said() {
    const { times, marks } = this.props;
    const { index } = this.state;
    if (index === null || index === undefined || !this.plot) return "";
    const near = (NEAR_PX * (this.plot.scales.x.max - this.plot.scales.x.min)) / this.plot.bbox.width;
    const found = marks.filter((one) => one.kind !== "now" && Math.abs(one.time - times[index]) <= near);
    return [clock(times[index]), ...found.map((one) => `${one.kind} ${one.text}`)].join(" · ");
  }

  render({ what, times, series, unit }, { index, hidden }) {
    const label = `${what}, ${duration(times.at(-1) - times[0])}`;
    const place = index ?? this.present();
    const present = (one) => (place === null ? "" : unit(one.values[place] ?? 0));
    const end = () => zoomAll(times[0], times.at(-1));
    return html`<figure class="chart" aria-label=${label}>
      <p class="legend">
        ${series.map(
          (one, i) => html`<button
            class=${`swatch ${one.kind} ${one.dashed || ""}`}
            aria-pressed=${String(!hidden.has(i))}
            onclick=${() => this.toggle(i)}
          >
            ${one.name} <b>${present(one)}</b>
          </button>`,
        )}
      </p>
      <div
        class="plot"
        tabindex="0"
        role="img"
        aria-label=${`${label}. Left and right arrow read values, plus and minus zoom, 0 shows all.`}
        onkeydown=${(event) => this.press(event)}
        ref=${(place) => {
          this.place = place || this.place;
        }}
      ></div>
      <p class="chart-tools">
        <output>${this.said()}</output>
        ${tool("+", `${what}: zoom in`, () => this.zoom(0.5))}
        ${tool("−", `${what}: zoom out`, () => this.zoom(2))} ${tool("All", `${what}: show all`, end)}
        ${tool("SVG", `${what} as SVG`, () => this.asSvg())}
        ${tool("PNG", `${what} as PNG`, () => this.asPng())}
        ${tool("CSV", `${what} as CSV`, () => this.asCsv())}
      </p>
    </figure>`;
  }
}

const chart = (what, times, series, options) =>
  times.length < 2 || !series.length
    ? empty("No samples yet. The first ones appear within a few seconds.")
    : html`<${TimeChart} key=${what} ...${{ what, times, series, ...USUAL, ...options }} />`;
const USUAL = { marks: [], unit: percent, top: 100 };

// Series have a name, values (one for each moment, null where unknown), a kind ("line0" to "line5": the hue),
// and may be dashed or dotted. `top` is the least that the axis reaches; `isWhole` is for runs that are over.
export const lines = (what, times, series, marks = [], unit = percent, top = 100, isWhole = false) =>
  chart(what, times, series, { marks, unit, top, isWhole });

// The same stacked. `ceiling` is a line that they should stay below.
/** @param {{ marks?: any[], unit?: (value: number) => string, top?: number, ceiling?: number }} options */
export const areas = (what, times, series, options) =>
  chart(what, times, series, { ...options, isStacked: true });
