// Series over time, drawn by uPlot: steps as steps, marks with words, values under the cursor, zoom by mouse,
// keys and buttons, the same for all charts of a page; each chart can be had as PNG and CSV.

import { colourOf, hueOf, marksOf, svgOfChart } from "./chartfile.js";
import { Component, clamped, clock, css, duration, empty, html, hued, percent, plainGib } from "./dom.js";
import { listenToPointers, panned, press, zoomed, zoomKeys, zoomTools } from "./gestures.js";
import { fileTools, paint } from "./picture.js";
import { SECONDS } from "./streampaint.js";
import uPlot from "./vendor/uplot.js";

const TALL = 200;
const DASHES = { dashed: [6, 4], dotted: [2, 4] };
// Amounts of memory are MiB: round in binary.
// Of what is counted there are no halves.
const COUNT_STEPS = Array.from({ length: 30 }, (_, i) => [1, 2, 5][i % 3] * 10 ** Math.floor(i / 3));
const MIB_STEPS = Array.from({ length: 32 }, (_, power) => 2 ** power);
const HINT = "Left and right arrow read values, with Shift they pan, plus and minus zoom, 0 shows all.";
const NEAR_PX = 6;
const PLOTS = new Set();
const GROUP = uPlot.sync("pages");

// The units of the axis and of values, and which steps of an axis are round.
const UNITS = {
  percent: { said: percent },
  count: { said: (value) => String(Math.round(value)), steps: COUNT_STEPS },
  memory: { said: plainGib, steps: MIB_STEPS },
  index: { said: (value) => value.toFixed(3) },
};

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

function showAll({ begin, end }) {
  for (const plot of PLOTS) plot.setScale("x", { min: begin, max: end });
}

class TimeChart extends Component {
  constructor(props) {
    super(props);
    this.state = { index: null, hidden: new Set() };
    this.does = { zoom: (factor) => this.zoom(factor), showAll: () => this.zoom(Infinity) };
  }

  componentDidMount() {
    this.build();
    this.resizes = new ResizeObserver(() =>
      this.plot.setSize({ width: this.place.clientWidth, height: TALL }),
    );
    this.resizes.observe(this.place);
    // The mouse is uPlot's; fingers move and pinch.
    listenToPointers(this.place, {
      pan: (dx) => this.pan((-dx * devicePixelRatio) / this.plot.bbox.width),
      pinch: (factor, x) =>
        this.zoom(factor, this.plot.posToVal(x - this.plot.bbox.left / devicePixelRatio, "x")),
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
    const { said, steps } = UNITS[unit];
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
            ...(steps && { incrs: steps }),
            values: (_plot, splits) => splits.map(said),
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

  drawMarks(plot) {
    plot.ctx.save();
    plot.ctx.scale(devicePixelRatio, devicePixelRatio);
    paint(plot.ctx, marksOf(plot, this.props));
    plot.ctx.restore();
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

  // All of it, and the part that is shown.
  get whole() {
    const { times } = this.props;
    return { first: times[0], last: times.at(-1) };
  }

  get part() {
    const { min: begin, max: end } = this.plot.scales.x;
    return { begin, end };
  }

  zoom(factor, around = this.props.times[this.state.index]) {
    showAll(zoomed(this.part, this.whole, factor, around));
  }

  pan(by) {
    showAll(panned(this.part, this.whole, by));
  }

  move(step) {
    const { times } = this.props;
    const from = this.state.index ?? (step > 0 ? -1 : times.length);
    const index = clamped(from + step, times.length - 1);
    this.plot.setCursor({ left: this.plot.valToPos(times[index], "x"), top: TALL / 3 });
  }

  keys() {
    return {
      ArrowLeft: () => this.move(-1),
      ArrowRight: () => this.move(1),
      "Shift ArrowLeft": () => this.pan(-0.25),
      "Shift ArrowRight": () => this.pan(0.25),
      ...zoomKeys(this.does),
    };
  }

  values() {
    const { times, series } = this.props;
    const rows = times.map((time, at) => [clock(time), ...series.map((one) => one.values[at])]);
    return [["time", ...series.map((one) => one.name)], rows];
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
    const present = (one) => (place === null ? "" : UNITS[unit].said(one.values[place] ?? 0));
    const heard = () => series.map((one) => `${one.name} ${present(one)}`).join(", ");
    return html`<figure class="chart" aria-label=${label}>
      <p class="legend">
        ${series.map(
          (one, i) => html`<button
            class=${`swatch ${one.dashed || ""}`}
            style=${hued(hueOf(one))}
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
        aria-label=${`${label}. ${HINT}`}
        onkeydown=${(event) => press(event, this.keys())}
        ref=${(place) => {
          this.place = place || this.place;
        }}
      ></div>
      <p class="chart-tools">
        <output>
          ${this.said()}
          ${(index ?? null) !== null && html`<span class="heard"> · ${heard()}</span>`}
        </output>
        ${zoomTools(what, this.does)}
        ${fileTools(
          what,
          () => svgOfChart(this.plot, this.props, hidden),
          () => this.values(),
        )}
      </p>
    </figure>`;
  }
}

/** Draws what rm/web/pages/blocks.py says of a chart. */
export function chart({ chart: what, times, series, ...how }) {
  if (times.length < 2 || !series.length)
    return empty("No samples yet. The first ones appear within a few seconds.");
  const coloured = series.map((one, i) => ({ hue: i, ...one }));
  return html`<${TimeChart} key=${what} ...${{ what, times, ...USUAL, ...how, series: coloured }} />`;
}
const USUAL = { marks: [], unit: "percent", top: 100 };
