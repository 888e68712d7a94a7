// Series over time: steps as steps, what is stacked as areas, values under the cursor, series that can be
// switched off.
import { clamped, clock, css, empty, html, hued } from "./dom.js";
import { axisOf, TimePlot } from "./timeplot.js";
import uPlot from "./vendor/uplot.js";

const TALL = 200;
const HINT = "Left and right arrow read values, with Shift they pan, plus and minus zoom, 0 shows all.";
const NEAR_PX = 6;
const HUES = 6;
const DASHES = { dashed: [6, 4], dotted: [2, 4] };
const hueOf = ({ hue }) => `--line${hue % HUES}`;

class TimeChart extends TimePlot {
  tall = () => TALL;
  state = { index: null, /** @type {string[]} */ hidden: [] };

  componentDidUpdate(before, { hidden }) {
    if (before !== this.props || hidden !== this.state.hidden) this.renew();
  }

  // What is stacked begins at the bottom. uPlot draws the topmost one first, so that each fill covers less.
  data() {
    const { times, series, isStacked } = this.props;
    const sums = times.map(() => 0);
    const heightOf = (value, at) => {
      sums[at] += value;
      return sums[at];
    };
    const lines = series.map(({ name, values }) => {
      if (this.state.hidden.includes(name)) return times.map(() => null);
      return isStacked ? values.map((value, at) => (value === null ? null : heightOf(value, at))) : values;
    });
    return [times, ...(isStacked ? lines.reverse() : lines)];
  }

  said(value) {
    return `${value.toFixed(this.props.digits)}${this.props.suffix}`;
  }

  options() {
    const { series, top, isStacked, ceiling = 0 } = this.props;
    const colourOf = (one) => css(hueOf(one));
    const fillOf = (one) => `color-mix(in srgb, ${colourOf(one)} 45%, ${css("--field")})`;
    /** @returns {[number, number]} */
    const most = (_plot, _low, high) => [0, Math.max(top, ceiling, high || 0) * 1.05 || 1];
    const line = (one) => ({
      label: one.name,
      stroke: () => colourOf(one),
      fill: isStacked ? () => fillOf(one) : null,
      width: 1.6,
      dash: DASHES[one.dashed],
      paths: uPlot.paths.stepped({ align: 1 }),
      points: { show: false },
    });
    return {
      cursor: { drag: { x: true, y: false }, focus: { prox: 24 } },
      focus: { alpha: 0.35 },
      scales: { x: { time: false }, y: { range: most } },
      axes: [axisOf({ size: 66, values: (_, splits) => splits.map((one) => this.said(one)) })],
      series: [{}, ...(isStacked ? series.toReversed() : series).map(line)],
      hooks: {
        setCursor: [({ cursor }) => cursor.idx !== this.state.index && this.setState({ index: cursor.idx })],
      },
    };
  }

  toggle(name) {
    const { hidden } = this.state;
    const rest = hidden.filter((one) => one !== name);
    this.setState({ hidden: rest.length < hidden.length ? rest : [...hidden, name] });
  }

  move(step) {
    const { times } = this.props;
    const from = this.state.index ?? (step > 0 ? -1 : times.length);
    const index = clamped(from + step, times.length - 1);
    this.plot.setCursor({ left: this.plot.valToPos(times[index], "x"), top: TALL / 3 });
  }

  keys() {
    return { ArrowLeft: () => this.move(-1), ArrowRight: () => this.move(1), ...super.keys() };
  }

  asked(kind) {
    const { min: begin, max: end } = this.plot.scales.x;
    const part = this.props.what;
    return kind === "svg" ? { part, begin, end, without: this.state.hidden } : { part };
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
  shown() {
    const { what, series, present } = this.props;
    const { index, hidden } = this.state;
    const at = index ?? present;
    const presentOf = (one) => (at === null ? "" : this.said(one.values[at] ?? 0));
    const key = (one) => html`<button
      class=${`swatch ${one.dashed || ""}`}
      style=${hued(hueOf(one))}
      aria-pressed=${String(!hidden.includes(one.name))}
      onclick=${() => this.toggle(one.name)}
    >
      ${one.name} <b>${presentOf(one)}</b>
    </button>`;
    const told = (index ?? null) !== null && this.told(index, presentOf);
    return { what, hint: HINT, legend: series.map(key), told };
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
