// Series over time, drawn by uPlot: steps as steps, marks with words, values under the cursor, zoom by mouse,
// keys and buttons, the same for all charts of a page; each chart can be had as SVG, PNG and CSV.

import { colourOf, DASHES, hueOf, marksOf, svgOfChart } from "./chartfile.js";
import { Component, clamped, clock, css, empty, html, hued } from "./dom.js";
import { listenToPointers, panned, press, zoomed, zoomKeys, zoomTools } from "./gestures.js";
import { fileTools, paint } from "./picture.js";
import { SECONDS } from "./streampaint.js";
import uPlot from "./vendor/uplot.js";

const TALL = 200;
const HINT = "Left and right arrow read values, with Shift they pan, plus and minus zoom, 0 shows all.";
const NEAR_PX = 6;
const GROUP = uPlot.sync("pages");

class TimeChart extends Component {
  constructor(props) {
    super(props);
    this.state = { index: null, hidden: new Set() };
  }

  componentDidMount() {
    this.plot = new uPlot(this.options(), this.data(), this.place);
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

  // A part that was chosen stays chosen when new samples come.
  componentDidUpdate(before, { hidden }) {
    if (before === this.props && hidden === this.state.hidden) return;
    const { min, max } = this.plot.scales.x;
    const [old] = this.plot.data;
    const isZoomed = min > old[0] || max < old.at(-1);
    this.plot.setData(this.data(), !isZoomed);
    if (isZoomed) this.plot.setScale("x", { min, max });
  }

  componentWillUnmount() {
    this.resizes.disconnect();
    this.plot.destroy();
  }

  // What is stacked begins at the bottom. uPlot draws the topmost one first, so that each fill covers less.
  data() {
    const { times, series, isStacked } = this.props;
    const sums = times.map(() => 0);
    const heightOf = (value, at) => {
      sums[at] += value;
      return sums[at];
    };
    const lines = series.map(({ values }, i) => {
      if (this.state.hidden.has(i)) return times.map(() => null);
      return isStacked ? values.map((value, at) => (value === null ? null : heightOf(value, at))) : values;
    });
    return [times, ...(isStacked ? lines.reverse() : lines)];
  }

  said(value) {
    return `${value.toFixed(this.props.digits)}${this.props.suffix}`;
  }

  options() {
    const { series, top, isStacked, ceiling = 0 } = this.props;
    const axis = {
      stroke: () => css("--ink"),
      grid: { stroke: () => css("--line"), width: 1 },
      ticks: { show: false },
    };
    const fillOf = (one) => `color-mix(in srgb, ${colourOf(one)} 45%, ${css("--field")})`;
    /** @returns {[number, number]} */
    const most = (_plot, _low, high) => [0, Math.max(top, ceiling, high || 0) * 1.05 || 1];
    return {
      width: this.place.clientWidth || 600,
      height: TALL,
      padding: /** @type {any} */ ([8, 28, 0, 0]),
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
          values: (_plot, splits) => splits.map((one) => this.said(one)),
        },
      ],
      series: [
        {},
        ...(isStacked ? series.toReversed() : series).map((one) => ({
          label: one.name,
          stroke: () => colourOf(one),
          fill: isStacked ? () => fillOf(one) : null,
          width: 1.6,
          dash: DASHES[one.dashed],
          paths: uPlot.paths.stepped({ align: 1 }),
          points: { show: false },
        })),
      ],
      hooks: {
        setCursor: [({ cursor }) => cursor.idx !== this.state.index && this.setState({ index: cursor.idx })],
        draw: [(plot) => this.drawMarks(plot)],
      },
    };
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
    this.setState({ hidden });
  }

  // All charts of a page show the same part, which is made of the present one and of all there is.
  show(change) {
    const { times } = this.props;
    const { min, max } = this.plot.scales.x;
    const part = change({ begin: min, end: max }, { begin: times[0], end: times.at(-1) });
    for (const plot of GROUP.plots) plot.setScale("x", { min: part.begin, max: part.end });
  }

  zoom(factor, around = this.props.times[this.state.index]) {
    this.show((part, all) => zoomed(part, all, factor, around));
  }

  pan(by) {
    this.show((part, all) => panned(part, all, by));
  }

  showAll() {
    this.zoom(Infinity);
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
      ...zoomKeys(this),
    };
  }

  values() {
    const { times, series } = this.props;
    const rows = times.map((time, at) => [clock(time), ...series.map((one) => one.values[at])]);
    return [["time", ...series.map((one) => one.name)], rows];
  }

  // The moment under the cursor, the marks that lie there, and, for those who hear the page, all values.
  told(index, presentOf) {
    const { times, marks, series } = this.props;
    const { min, max } = this.plot.scales.x;
    const near = (NEAR_PX * (max - min)) / this.plot.bbox.width;
    const found = marks.filter((one) => one.kind !== "now" && Math.abs(one.time - times[index]) <= near);
    const words = [clock(times[index]), ...found.map((one) => `${one.kind} ${one.text}`)];
    const values = series.map((one) => `${one.name} ${presentOf(one)}`);
    return html`${words.join(" · ")}<span class="heard"> · ${values.join(", ")}</span>`;
  }

  // While nobody points, values are those of the present moment.
  render({ what, series, present }, { index, hidden }) {
    const at = index ?? present;
    const presentOf = (one) => (at === null ? "" : this.said(one.values[at] ?? 0));
    const keep = (place) => {
      this.place = place || this.place;
    };
    const key = (one, i) => html`<button
      class=${`swatch ${one.dashed || ""}`}
      style=${hued(hueOf(one))}
      aria-pressed=${String(!hidden.has(i))}
      onclick=${() => this.toggle(i)}
    >
      ${one.name} <b>${presentOf(one)}</b>
    </button>`;
    return html`<figure class="chart" aria-label=${what}>
      <p class="legend">${series.map(key)}</p>
      <div
        class="plot"
        tabindex="0"
        role="img"
        aria-label=${`${what}. ${HINT}`}
        onkeydown=${(event) => press(event, this.keys())}
        ref=${keep}
      ></div>
      <p class="chart-tools">
        <output>${(index ?? null) !== null && this.told(index, presentOf)}</output>
        ${zoomTools(what, this)}
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
export function chart({ chart: what, times, series, marks = [], ...how }) {
  if (times.length < 2 || !series.length)
    return empty("No samples yet. The first ones appear within a few seconds.");
  const coloured = series.map((one, i) => ({ hue: i, ...one }));
  const key = [what, ...series.map((one) => one.name)].join();
  return html`<${TimeChart} key=${key} ...${{ what, times, marks, ...how, series: coloured }} />`;
}
