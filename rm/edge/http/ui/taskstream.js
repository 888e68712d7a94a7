// Containers over time on lanes, live, recorded or compared: pan, zoom, and the life of the one pointed at.
// Only what can be seen is drawn, pixel by pixel, so that many thousand containers follow the hand.
import { list } from "./api.js";
import {
  andVCores,
  Component,
  clamped,
  clock,
  duration,
  empty,
  html,
  hued,
  plainGib,
  replaceQuery,
  select,
  tool,
} from "./dom.js";
import { listenToPointers, panned, placeIn, press, zoomed, zoomKeys, zoomTools } from "./gestures.js";
import { grid } from "./grid.js";
import { fileTools } from "./picture.js";
import { colouring, keysOf } from "./streamcolours.js";
import { Lanes } from "./streamlanes.js";
import { Painter, paletteOf, svgOf } from "./streampaint.js";

const LANE = 15,
  TALLEST = 420,
  FOOT = 18,
  GUTTER = 150,
  NEAR_PX = 3,
  BESIDE = 12,
  LEAST_MS = 50;
export const hrefOfApp = (one) => ({ href: `/cluster/app/${one.app}`, what: "the page of its application" });
/** @type {Set<TaskStream>} all on a page show the same time */
const STREAMS = new Set();

const HINT =
  "Arrow keys go from container to container, Enter opens the page of one. Plus and minus zoom time, " +
  "[ and ] the lanes, Shift with arrows pans, 0 shows all.";

// The life of a container in words.
function said(one, now) {
  const moments = [
    ["reserved", one.state === "RESERVED" ? 0 : one.reserved],
    [one.state === "RESERVED" ? "reserved" : "allocated", one.started],
    ["running", one.running],
    ["ended", one.finished],
  ];
  const near = one.locality ? `, ${one.locality.toLowerCase().replace("_", " ")}` : "";
  const state = one.finished ? `exit status ${one.exitStatus}` : one.state.toLowerCase();
  return [
    `${one.id}${one.isAM ? " (ApplicationMaster)" : ""}`,
    `${one.node}, ${plainGib(one.memoryMB)}${andVCores(one.vcores)}`,
    `${one.queue}, ${one.user}, priority ${one.priority}${near}`,
    moments
      .filter(([, time]) => time)
      .map(([what, time]) => `${what} ${clock(time)}`)
      .join(", "),
    `${state} after ${duration((one.finished || now) - one.started)}`,
    one.diagnostics,
  ].filter(Boolean);
}

const isAll = ({ begin, end }, { first, last }) => begin <= first && end >= last;
const allOf = ({ first, last }) => ({ begin: first, end: last });
const timeOf = ({ lanes: { first, last } }) => ({ first, last });
const rowsOf = ({ lanes }) => ({ first: 0, last: lanes.count });

class TaskStream extends Component {
  constructor(props) {
    super(props);
    /** @type {HTMLElement} */ this.field = null;
    /** @type {HTMLCanvasElement} */ this.canvas = null;
    /** @type {HTMLElement} the words beside the pointer, and those for everybody */ this.tip = null;
    /** @type {HTMLElement} */ this.told = null;
    /** @type {HTMLAnchorElement} */ this.way = null;
    this.chosen = -1;
    this.frame = 0;
    this.state = { isOpen: false };
    this.lay(props);
  }

  componentDidMount() {
    STREAMS.add(this);
    this.painter = new Painter(this.canvas);
    this.resizes = new ResizeObserver(() => this.draw());
    this.resizes.observe(this.field);
    listenToPointers(this.field, {
      pan: (dx, dy) => this.pan(-dx / this.size.width, -dy / this.size.height),
      pinch: (factor, x) => this.zoom(factor, this.momentAt(x)),
      tap: (x, y, event) => this.tap(x, y, event),
    });
    this.field.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  componentWillReceiveProps(next) {
    const { containers, now, lanes, colour } = this.props;
    const isSame = next.containers === containers && next.now === now;
    if (!isSame || next.lanes.key !== lanes.key || next.colour.key !== colour.key) this.lay(next);
    this.palette = null; // the system may have chosen other colours
    this.draw();
  }

  componentWillUnmount() {
    STREAMS.delete(this);
    this.resizes.disconnect();
    cancelAnimationFrame(this.frame);
  }

  // Which part is shown, and who is chosen, stays when newer containers come; where all was shown, all is.
  lay({ containers, now, lanes: grouping, colour, names }) {
    const before = this.scene;
    const lanes = new Lanes(containers, (one) => one[grouping.key], now);
    const scene = { containers, now, grouping, lanes, colours: colouring(colour, containers, names) };
    const id = before?.containers[this.chosen]?.id;
    this.chosen = id === undefined ? -1 : containers.findIndex((one) => one.id === id);
    if (!before || isAll(this.time, timeOf(before))) this.time = allOf(timeOf(scene));
    if (before?.grouping.key !== grouping.key || isAll(this.rows, rowsOf(before)))
      this.rows = allOf(rowsOf(scene));
    this.scene = scene;
  }

  get size() {
    const gutter = Math.min(GUTTER, Math.floor(this.field.clientWidth / 4));
    const height = Math.max(2 * LANE, Math.min(TALLEST, LANE * this.scene.lanes.count));
    return { gutter, width: this.field.clientWidth - gutter, height, foot: FOOT };
  }

  draw() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      if (this.field.clientWidth) this.painter.draw(this.picture());
    });
  }

  picture() {
    this.palette ??= paletteOf(this.scene.colours.looks);
    const { time, rows, chosen, palette } = this;
    return { ...this.scene, ...this.size, time, rows, chosen, palette, at: this.props.at };
  }

  momentAt(x) {
    const { gutter, width } = this.size;
    const { begin, end } = this.time;
    return begin + (clamped(x - gutter, width) * (end - begin)) / width;
  }

  laneAt(y) {
    const { begin, end } = this.rows;
    return begin + (y * (end - begin)) / this.size.height;
  }

  // ---- moving

  showTime(time) {
    for (const one of STREAMS) {
      one.time = time;
      one.draw();
    }
  }

  showRows(rows) {
    this.rows = rows;
    this.draw();
  }

  // The whole of all streams on the page.
  get whole() {
    const all = [...STREAMS].map((one) => timeOf(one.scene));
    return {
      first: Math.min(...all.map(({ first }) => first)),
      last: Math.max(...all.map(({ last }) => last)),
    };
  }

  pan(byTime, byRows) {
    if (byTime) this.showTime(panned(this.time, this.whole, byTime));
    if (byRows) this.showRows(panned(this.rows, rowsOf(this.scene), byRows));
  }

  zoom(factor, around) {
    this.showTime(zoomed(this.time, this.whole, factor, around, LEAST_MS));
  }

  stretch(factor, around) {
    this.showRows(zoomed(this.rows, rowsOf(this.scene), factor, around));
  }

  showAll() {
    this.zoom(Infinity);
    this.stretch(Infinity);
  }

  // A page is scrolled over a picture that nobody has touched; one with the focus, or with Ctrl, is zoomed.
  wheel(event) {
    if (!event.ctrlKey && document.activeElement !== this.field) return;
    event.preventDefault();
    const { x, y } = placeIn(this.field, event);
    const factor = 1.002 ** event.deltaY;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      this.pan((event.deltaX || event.deltaY) / this.size.width, 0);
    else if (event.altKey) this.stretch(factor, this.laneAt(y));
    else this.zoom(factor, this.momentAt(x));
  }

  // ---- pointing

  found({ x, y }) {
    const { gutter, width, height } = this.size;
    if (x < gutter || y > height) return [];
    const margin = (NEAR_PX * (this.time.end - this.time.begin)) / width;
    const lane = Math.floor(this.laneAt(y));
    return this.scene.lanes.at(this.momentAt(x), margin, lane, Math.max(lane + 1, this.laneAt(y + 1)));
  }

  hover(event) {
    if (event.buttons || event.pointerType === "touch") return;
    const place = placeIn(this.field, event);
    const [one = -1, ...others] = this.found(place);
    this.field.style.cursor = one < 0 ? "grab" : "pointer";
    this.point(one, others.length, place);
  }

  tap(x, y, event) {
    const [one = -1, ...others] = this.found({ x, y });
    const isKnown = one >= 0 && (event.pointerType === "mouse" || this.chosen === one);
    this.point(one, others.length, { x, y });
    if (isKnown) this.open();
  }

  point(i, others = 0, place = this.placeOf(i)) {
    this.chosen = i;
    this.draw();
    const { containers, now } = this.scene;
    const one = containers[i];
    const lines = one ? said(one, now) : [];
    if (others) lines.push(`and ${others} more at this place: zoom in`);
    this.told.textContent = lines.join("; ");
    this.tip.hidden = !one;
    if (!one) return;
    this.tip.textContent = [...lines, `Click or Enter: ${this.props.hrefOf(one).what}`].join("\n");
    const left = clamped(place.x + BESIDE, this.field.clientWidth - this.tip.offsetWidth);
    const translate = place.y > this.size.height / 2 ? `0 calc(-100% - ${BESIDE}px)` : `0 ${BESIDE}px`;
    Object.assign(this.tip.style, { left: `${left}px`, top: `${place.y}px`, translate });
  }

  placeOf(i) {
    const { lanes } = this.scene;
    const { gutter, width, height } = this.size;
    const { time, rows } = this;
    const x = ((lanes.begin[i] - time.begin) * width) / (time.end - time.begin);
    const y = ((lanes.lane[i] + 0.5 - rows.begin) * height) / (rows.end - rows.begin);
    return { x: gutter + clamped(x, width), y: clamped(y, height) };
  }

  open() {
    const one = this.scene.containers[this.chosen];
    if (!one) return;
    this.way.href = this.props.hrefOf(one).href;
    this.way.click();
  }

  // ---- keys

  // To the first that is seen, and from there to its neighbours; the picture follows.
  step(along, across) {
    const { lanes } = this.scene;
    const { time, rows } = this;
    const isSeen = (i) => lanes.end[i] > time.begin && lanes.lane[i] >= Math.floor(rows.begin);
    const i =
      this.chosen < 0
        ? (lanes.order.find(isSeen) ?? lanes.order[0])
        : lanes.neighbour(this.chosen, along, across);
    const half = (rows.end - rows.begin) / 2;
    if (lanes.begin[i] > time.end || lanes.end[i] < time.begin)
      this.pan((lanes.begin[i] - (time.begin + time.end) / 2) / (time.end - time.begin), 0);
    if (lanes.lane[i] < rows.begin || lanes.lane[i] + 1 > rows.end)
      this.pan(0, (lanes.lane[i] - rows.begin - half) / (2 * half));
    this.point(i);
  }

  keys() {
    return {
      ArrowLeft: () => this.step(-1, 0),
      ArrowRight: () => this.step(1, 0),
      ArrowUp: () => this.step(0, -1),
      ArrowDown: () => this.step(0, 1),
      "Shift ArrowLeft": () => this.pan(-0.25, 0),
      "Shift ArrowRight": () => this.pan(0.25, 0),
      "Shift ArrowUp": () => this.pan(0, -0.25),
      "Shift ArrowDown": () => this.pan(0, 0.25),
      Enter: () => this.open(),
      Escape: () => this.point(-1),
      "]": () => this.stretch(0.5),
      "[": () => this.stretch(2),
      ...zoomKeys(this),
    };
  }

  // ---- the page

  render({ name, containers, traits, lanes, colour }, { isOpen }) {
    const { shown, more } = keysOf(this.scene.colours.looks);
    const what = `${name}: ${containers.length} containers by ${lanes.name} and ${colour.name}`;
    const keep = (of) => (place) => {
      this[of] = place || this[of];
    };
    const choose = (word, parameter, choices, present) => {
      const pairs = choices.map((one) => [one.key, one.name]);
      const options = select(pairs, present.key, (key) => replaceQuery(parameter, key));
      return html`<label>${word} ${options}</label>`;
    };
    return html`<figure class="chart stream" aria-label=${what}>
      <p class="legend">
        ${choose("Lanes", "lanes", traits.lanes, lanes)}${" "}
        ${choose("Colour", "colour", traits.colours, colour)}${" "}
        ${shown.map(
          (one) => html`<span class=${`swatch hatch${one.hatch}`} style=${hued(one.hue)}>
            ${one.text} <b>${one.count}</b>
          </span>`,
        )}
        ${
          containers.some((one) => one.isAM) &&
          html`<span class="swatch am">ApplicationMaster: dark edge</span>`
        }
        ${more > 0 && `and ${more} more, in the table`}
      </p>
      <div
        class="field"
        tabindex="0"
        role="application"
        aria-roledescription="task stream"
        aria-label=${`${what}. ${HINT}`}
        ref=${keep("field")}
        onkeydown=${(event) => press(event, this.keys())}
        onpointermove=${(event) => this.hover(event)}
        onpointerleave=${(event) => event.pointerType === "mouse" && this.point(-1)}
      >
        <canvas ref=${keep("canvas")}></canvas>
        <div class="tip" hidden aria-hidden="true" ref=${keep("tip")}></div>
        <a hidden tabindex="-1" href="/cluster" ref=${keep("way")}>its page</a>
      </div>
      <p class="chart-tools"><output ref=${keep("told")}></output>${this.tools()}</p>
      <details ontoggle=${(event) => this.setState({ isOpen: event.currentTarget.open })}>
        <summary>As a table</summary>
        ${isOpen && this.table()}
      </details>
    </figure>`;
  }

  tools() {
    const { name, traits, containers } = this.props;
    const rows = () => containers.map((one) => traits.saved.map((field) => one[field]));
    return [
      zoomTools(name, this),
      tool("↕", `${name}: taller lanes`, () => this.stretch(0.5)),
      tool("⇳", `${name}: more lanes`, () => this.stretch(2)),
      fileTools(
        `${name} containers`,
        () => svgOf(this.picture(), name),
        () => [traits.saved, rows()],
      ),
    ];
  }

  // The same as a table: how many containers each lane has had, and of which kinds.
  table() {
    const { containers, now, grouping, colours } = this.scene;
    const { looks, of } = colours;
    const rows = new Map();
    const none = Object.fromEntries(looks.map((look) => [`of${look.key}`, 0]));
    containers.forEach((one, i) => {
      const id = one[grouping.key];
      if (!rows.has(id)) rows.set(id, { id, count: 0, ms: 0, ...none });
      const row = rows.get(id);
      row.count += 1;
      row.ms += (one.finished || now) - one.started;
      row[`of${looks[of[i]].key}`] += 1;
    });
    const number = (read, name, kind = "number") => ({ key: read, name, kind, read, isNumber: true });
    const columns = [
      { key: "id", name: grouping.name, kind: "text", read: "id", isCard: true },
      { ...number("count", "Containers"), isCard: true },
      { ...number("ms", "Time of all", "lengthOfTime"), isCard: true },
      ...looks.filter((look) => look.count).map((look) => number(`of${look.key}`, look.text)),
    ];
    const { name, query } = this.props;
    const about = { id: "stream", name: `${name}: containers by ${grouping.name}`, none: "" };
    return grid({ ...about, columns, rows: [...rows.values()], query, order: "id" });
  }
}

/**
 * @param {{ name: string, containers: any[], now: number, query: URLSearchParams, traits: any,
 *   lanes?: string, colour?: string, at?: number, names?: Record<string, string>,
 *   hrefOf: (one: any) => { href: string, what: string } }} options
 */
export function taskStream({ lanes = "node", colour = "state", ...others }) {
  const { name, containers, query, traits } = others;
  if (!containers.length) return empty("No containers yet.");
  const chosen = (word, choices, usual) =>
    choices.find((one) => one.key === query.get(word)) ?? choices.find((one) => one.key === usual);
  const props = {
    lanes: chosen("lanes", traits.lanes, lanes),
    colour: chosen("colour", traits.colours, colour),
  };
  return html`<${TaskStream} key=${name} ...${others} ...${props} />`;
}

/** That of what a ResourceManager has answered, which may not be all. */
export const streamOf = (name, { container, now, isCut, traits, names }, query, more) => {
  const containers = list(container);
  return [
    isCut && empty(`The newest ${containers.length} containers; older ones are left out.`),
    taskStream({ name, containers, now, traits, names, query, ...more }),
  ];
};
