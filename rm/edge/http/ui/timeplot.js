// A picture over time, by uPlot: it is zoomed and panned by mouse, fingers, wheel, keys and buttons, together
// with all of its kind on the page. What is in it charts.js and taskstream.js say.
import { Component, css, html, tick, tool } from "./dom.js";
import { fileTools } from "./files.js";
import { listenToPointers, panned, placeIn, zoomed } from "./gestures.js";
import uPlot from "./vendor/uplot.js";

const SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400];
const STEPS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, ...SECONDS.map((one) => 1000 * one)];
const MARKS = { now: "--accent", "node joined": "--used" };
const CHARACTER = 6,
  APART = 16;

/** An axis as those of all pictures are. */
export const axisOf = (more) => ({
  stroke: () => css("--ink"),
  grid: { stroke: () => css("--line"), width: 1 },
  ticks: { show: false },
  ...more,
});
const ALONG = axisOf({ incrs: STEPS_MS, space: 110, size: 30, values: (_, splits) => splits.map(tick) });

/** Moments, with their words where there is room, and the ceiling of what is stacked. */
export function drawMarks(plot, { marks, ceiling }) {
  const { ctx, bbox, scales } = plot;
  const [px, right, bottom] = [devicePixelRatio, bbox.left + bbox.width, bbox.top + bbox.height];
  const line = (colour, width, dashes, ...ends) => {
    Object.assign(ctx, { strokeStyle: css(colour), lineWidth: width * px });
    ctx.setLineDash(dashes.map((one) => one * px));
    ctx.stroke(new Path2D(`M${ends[0]},${ends[1]}L${ends[2]},${ends[3]}`));
  };
  ctx.save();
  let free = bbox.left;
  for (const { time, kind } of marks) {
    if (time < scales.x.min || time > scales.x.max) continue;
    const colour = MARKS[kind] || "--bad";
    const x = plot.valToPos(time, "x", true);
    const end = x + CHARACTER * px * kind.length;
    line(colour, kind === "now" ? 2 : 1, kind === "now" ? [] : [3, 3], x, bbox.top, x, bottom);
    if (x < free || end > right) continue;
    free = end + APART * px;
    Object.assign(ctx, { fillStyle: css(colour), font: `${11 * px}px system-ui, sans-serif` });
    Object.assign(ctx, { textAlign: "left", textBaseline: "alphabetic" });
    ctx.fillText(kind, x + 3 * px, bbox.top + 10 * px);
  }
  const y = ceiling && plot.valToPos(ceiling, "y", true);
  if (ceiling) line("--ink", 2, [8, 4], bbox.left, y, right, y);
  ctx.restore();
}

/** Each kind says its data, its options for uPlot, how tall it is, and what is shown around it. */
export class TimePlot extends /** @type {any} */ (Component) {
  kind = "chart";
  role = { role: "img" };
  /** The least that is shown of each scale that can be zoomed. */ least = { x: 50 };
  /** @type {HTMLElement} */ place = null;
  /** @type {uPlot} */ plot = null;
  /** @type {any} */ hands = { isMine: (event) => event.pointerType === "touch" }; // the mouse is uPlot's

  size() {
    return { width: this.place.clientWidth || 600, height: this.tall() };
  }

  componentDidMount() {
    const { axes, hooks, cursor, ...options } = this.options();
    const whole = {
      ...this.size(),
      legend: { show: false },
      padding: /** @type {any} */ ([8, 28, 0, 0]),
      cursor: { sync: { key: this.kind }, y: false, ...cursor },
      axes: [ALONG, ...axes],
      hooks: { draw: [(plot) => drawMarks(plot, this.props)], ...hooks },
      ...options,
    };
    this.plot = new uPlot(whole, this.data(), this.place);
    this.resizes = new ResizeObserver(() => this.plot.setSize(this.size()));
    this.resizes.observe(this.place);
    const { over } = this.plot;
    listenToPointers(over, {
      pan: (dx, dy) => {
        this.pan(-dx / over.clientWidth);
        if (this.least.y) this.pan(-dy / over.clientHeight, "y");
      },
      pinch: (factor, x) => this.zoom(factor, this.plot.posToVal(x, "x")),
      ...this.hands,
    });
    over.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  componentWillUnmount() {
    this.resizes.disconnect();
    this.plot.destroy();
  }

  // A part that was chosen stays chosen when newer values come.
  renew() {
    const { min, max } = this.plot.scales.x;
    const [old] = this.plot.data;
    const isZoomed = min > old[0] || max < old.at(-1);
    this.plot.setData(this.data(), !isZoomed);
    if (isZoomed) this.plot.setScale("x", { min, max });
  }

  // ---- moving: the time of all of its kind, and its own rows

  show(scale, change) {
    const { min, max } = this.plot.scales[scale];
    const plots = scale === "x" ? uPlot.sync(this.kind).plots : [this.plot];
    const part = change({ begin: min, end: max }, this.whole(scale, plots));
    for (const plot of plots) plot.setScale(scale, { min: part.begin, max: part.end });
  }

  whole(_scale, plots) {
    const ends = plots.map(({ data: [times] }) => [times[0], times.at(-1)]);
    return {
      begin: Math.min(...ends.map(([begin]) => begin)),
      end: Math.max(...ends.map(([, end]) => end)),
    };
  }

  // Around the moment under the cursor, if there is one.
  zoom(factor, around = undefined, scale = "x") {
    const { left } = this.plot.cursor;
    if (scale === "x" && left >= 0) around ??= this.plot.posToVal(left, "x");
    this.show(scale, (part, all) => zoomed(part, all, factor, around, this.least[scale]));
  }

  pan(by, scale = "x") {
    this.show(scale, (part, all) => panned(part, all, by));
  }

  showAll() {
    for (const scale in this.least) this.zoom(Infinity, undefined, scale);
  }

  // A page is scrolled over a picture that nobody has touched; one with the focus, or with Ctrl, is zoomed.
  wheel(event) {
    if (!event.ctrlKey && document.activeElement !== this.place) return;
    event.preventDefault();
    const scale = event.altKey && this.least.y ? "y" : "x";
    const { x, y } = placeIn(this.plot.over, event);
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      this.pan((event.deltaX || event.deltaY) / this.plot.over.clientWidth);
    else this.zoom(1.002 ** event.deltaY, this.plot.posToVal(scale === "x" ? x : y, scale), scale);
  }

  keys() {
    return {
      "Shift ArrowLeft": () => this.pan(-0.25),
      "Shift ArrowRight": () => this.pan(0.25),
      "+": () => this.zoom(0.5),
      "-": () => this.zoom(2),
      0: () => this.showAll(),
    };
  }

  press(event) {
    const does = this.keys()[event.shiftKey && event.key.length > 1 ? `Shift ${event.key}` : event.key];
    if (!does || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    does();
  }

  // ---- the page

  render({ address }) {
    const { what, name = what, hint, legend, told, tip, tools, more } = this.shown();
    const keep = (place) => {
      this.place = place || this.place;
    };
    return html`<figure class=${this.kind} aria-label=${what}>
      <p class="legend">${legend}</p>
      <div
        class="plot"
        tabindex="0"
        ...${this.role}
        aria-label=${`${what}. ${hint}`}
        ref=${keep}
        onkeydown=${(event) => this.press(event)}
      >
        ${tip}
      </div>
      <p class="chart-tools">
        <output>${told}</output>
        ${tool("+", `${name}: zoom in`, () => this.zoom(0.5))}
        ${tool("−", `${name}: zoom out`, () => this.zoom(2))}
        ${tool("All", `${name}: show all`, () => this.showAll())}
        ${tools}${fileTools(name, address, (kind) => this.asked(kind))}${more}
      </p>
    </figure>`;
  }
}
