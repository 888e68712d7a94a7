// Containers over time on lanes, live, recorded or compared: pan, zoom, and the life of the one pointed at.
// Only what can be seen is drawn, pixel by pixel, so that many thousand containers follow the hand.
import { list } from "./api.js";
import { CARD, lengthOfTime, number, text } from "./columns.js";
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
import { listenToPointers, panned, press, zoomed, zoomKeys, zoomTools } from "./gestures.js";
import { grid } from "./grid.js";
import { fileTools } from "./picture.js";
import { COLOURINGS, colouring, keysOf, recolour } from "./streamcolours.js";
import { Lanes } from "./streamlanes.js";
import { Painter, paletteOf, svgOf } from "./streampaint.js";

const LANE = 15,
  TALLEST = 420,
  FOOT = 18,
  GUTTER = 150;
const LEAST_MS = 50,
  MANY = 5000;
// What takes long lets others have their turn: pictures, keys, the wheel.
const rest = () => new Promise((done) => setTimeout(done));
/** @type {Record<string, { name: string, of: (one: any) => string }>} */
const GROUPINGS = {
  node: { name: "node", of: (one) => one.node },
  app: { name: "application", of: (one) => one.app },
  queue: { name: "queue", of: (one) => one.queue },
  user: { name: "user", of: (one) => one.user },
};
export const hrefOfApp = (one) => ({ href: `/cluster/app/${one.app}`, what: "the page of its application" });
// All on a page show the same time.
const STREAMS = new Set();

const HINT =
  "Arrow keys go from container to container, Enter opens the page of one. Plus and minus zoom time, " +
  "[ and ] the lanes, Shift with arrows pans, 0 shows all.";

function lived(one) {
  const moments = [
    ["reserved", one.reserved],
    [one.state === "RESERVED" ? "reserved" : "allocated", one.started],
    ["running", one.running],
    ["ended", one.finished],
  ].filter(([what, time], i, all) => time && !(i === 0 && all[1][0] === what));
  return moments.map(([what, time]) => `${what} ${clock(time)}`).join(", ");
}

// The life of a container in words.
function said(one, now) {
  const near = one.locality ? `, ${one.locality.toLowerCase().replace("_", " ")}` : "";
  return [
    `${one.id}${one.isAM ? " (ApplicationMaster)" : ""}`,
    `${one.node}, ${plainGib(one.memoryMB)}${andVCores(one.vcores)}`,
    `${one.queue}, ${one.user}, priority ${one.priority}${near}`,
    lived(one),
    `${one.finished ? `exit status ${one.exitStatus}` : one.state.toLowerCase()} after ` +
      duration((one.finished || now) - one.started),
    one.diagnostics,
  ].filter(Boolean);
}

class TaskStream extends Component {
  constructor(props) {
    super(props);
    /** @type {HTMLElement} */ this.field = null;
    /** @type {HTMLCanvasElement} */ this.canvas = null;
    /** @type {HTMLElement} the words beside the pointer, and those for everybody */ this.tip = null;
    /** @type {HTMLElement} */ this.told = null;
    /** @type {HTMLAnchorElement} */ this.way = null;
    this.does = { zoom: (factor) => this.zoom(factor), showAll: () => this.showAll() };
    this.view = null;
    this.isAllTime = true;
    this.isAllLanes = true;
    this.chosen = undefined;
    this.frame = 0;
    this.scene = null;
    this.state = { legend: null, isOpen: false };
  }

  componentDidMount() {
    STREAMS.add(this);
    this.painter = new Painter(this.canvas);
    this.arrange();
    this.resizes = new ResizeObserver(() => this.draw());
    this.resizes.observe(this.field);
    listenToPointers(this.field, {
      pan: (dx, dy) => this.pan(-dx / this.size().width, -dy / this.size().height),
      pinch: (factor, x) => this.zoom(factor, this.timeAt(x)),
      tap: (x, y, event) => this.tap(x, y, event),
      isMine: () => Boolean(this.scene),
    });
    this.field.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  componentDidUpdate(before) {
    if (before === this.props) return;
    this.palette = null; // the system may have chosen other colours
    this.arrange();
  }

  componentWillUnmount() {
    STREAMS.delete(this);
    this.resizes.disconnect();
    cancelAnimationFrame(this.frame);
    this.building = null;
  }

  // News are taken into what is shown. Where it has to be laid anew, it is shown until that is done.
  async arrange() {
    const { containers, now, lanes, colour, names, news } = this.props;
    const { scene } = this;
    const isSame = scene?.containers === containers && scene.grouping === lanes && scene.colour === colour;
    if (isSame && scene.version === news?.version && scene.now === now) {
      this.draw();
      return;
    }
    const changed = scene?.version === news?.version ? [] : news?.changed;
    const isNext = isSame && news && news.version - scene.version <= 1;
    if (isNext && scene.lanes.update(changed, now) && recolour(scene.colours, containers, changed)) {
      this.show({ ...scene, now, version: news.version });
      return;
    }
    const building = {};
    this.building = building;
    const { of } = GROUPINGS[lanes];
    const isLong = containers.length > MANY;
    const made = isLong ? await Lanes.laid(containers, of, now, rest) : new Lanes(containers, of, now);
    if (this.building !== building) return;
    const colours = colouring(colour, containers, names);
    this.show({ containers, now, grouping: lanes, colour, version: news?.version, lanes: made, colours });
  }

  // What was chosen, and who is pointed at, stays when newer containers come.
  show(scene) {
    const before = this.scene;
    this.building = null;
    this.scene = scene;
    if (this.chosen !== undefined && before.containers !== scene.containers) {
      const { id } = before.containers[this.chosen];
      const found = scene.containers.findIndex((one) => one.id === id);
      this.chosen = found < 0 ? undefined : found;
    }
    const all = { begin: this.lanes.first, end: this.lanes.last };
    if (!this.view || before?.grouping !== scene.grouping || this.isAllLanes) {
      this.isAllLanes = true;
      this.view = { ...all, ...this.view, top: 0, bottom: this.lanes.count };
    }
    if (this.isAllTime) this.view = { ...this.view, ...all };
    this.draw();
    this.setState({ legend: scene });
  }

  get lanes() {
    return this.scene.lanes;
  }

  size() {
    const gutter = Math.min(GUTTER, this.field.clientWidth / 4);
    const height = Math.max(2 * LANE, Math.min(TALLEST, LANE * this.lanes.count));
    return { gutter, width: this.field.clientWidth - gutter, height };
  }

  draw() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      if (!this.scene || !this.field.clientWidth) return;
      this.palette ||= paletteOf(this.scene.colours.looks);
      this.painter.draw({ ...this.picture(), chosen: this.chosen }, this.palette);
    });
  }

  picture() {
    const { lanes, view } = this;
    const { looks, of } = this.scene.colours;
    return { lanes, view, looks, lookOf: of, at: this.props.at, foot: FOOT, ...this.size() };
  }

  timeAt(x) {
    const { gutter, width } = this.size();
    const { begin, end } = this.view;
    return begin + (clamped(x - gutter, width) * (end - begin)) / width;
  }

  // ---- moving

  showTime({ begin, end }) {
    for (const one of STREAMS) {
      if (!one.scene) continue;
      const { first, last } = one.lanes;
      one.isAllTime = begin <= first && end >= last;
      one.view = { ...one.view, begin, end };
      one.draw();
    }
  }

  showLanes(top, bottom) {
    const { count } = this.lanes;
    const tall = Math.max(1, Math.min(count, bottom - top));
    const from = clamped(top, count - tall);
    this.isAllLanes = tall === count;
    this.view = { ...this.view, top: from, bottom: from + tall };
    this.draw();
  }

  // The whole of all streams on the page.
  whole() {
    const all = [...STREAMS].filter((one) => one.scene).map((one) => one.lanes);
    return {
      first: Math.min(...all.map((one) => one.first)),
      last: Math.max(...all.map((one) => one.last)),
    };
  }

  pan(byTime, byLanes) {
    const { top, bottom } = this.view;
    if (byTime) this.showTime(panned(this.view, this.whole(), byTime));
    if (byLanes) this.showLanes(top + byLanes * (bottom - top), bottom + byLanes * (bottom - top));
  }

  zoom(factor, around) {
    this.showTime(zoomed(this.view, this.whole(), factor, around, LEAST_MS));
  }

  stretch(factor, around = (this.view.top + this.view.bottom) / 2) {
    const { top, bottom } = this.view;
    this.showLanes(around - (around - top) * factor, around + (bottom - around) * factor);
  }

  showAll() {
    this.zoom(Infinity);
    this.showLanes(0, this.lanes.count);
  }

  // A page is scrolled over a picture that nobody has touched; one with the focus, or with Ctrl, is zoomed.
  wheel(event) {
    if (!this.scene || (!event.ctrlKey && document.activeElement !== this.field)) return;
    event.preventDefault();
    const box = this.field.getBoundingClientRect();
    const { width, height } = this.size();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      this.pan((event.deltaX || event.deltaY) / width, 0);
    else if (event.altKey) {
      const { top, bottom } = this.view;
      this.stretch(1.002 ** event.deltaY, top + ((event.clientY - box.top) * (bottom - top)) / height);
    } else this.zoom(1.002 ** event.deltaY, this.timeAt(event.clientX - box.left));
  }

  // ---- pointing

  found(x, y) {
    const { gutter, width, height } = this.size();
    return x < gutter || y > height ? [] : this.lanes.at(this.view, width, height, x - gutter, y);
  }

  hover(event) {
    if (event.buttons || event.pointerType === "touch") return;
    const box = this.field.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const [one, ...others] = this.found(x, y);
    this.field.style.cursor = one === undefined ? "grab" : "pointer";
    this.point(one, others.length, x, y);
  }

  tap(x, y, event) {
    const [one, ...others] = this.found(x, y);
    const isKnown = one !== undefined && (event.pointerType === "mouse" || this.chosen === one);
    this.point(one, others.length, x, y);
    if (isKnown) this.open(one);
  }

  point(one, others = 0, x, y) {
    if (one !== this.chosen) this.draw();
    this.chosen = one;
    const { hrefOf } = this.props;
    const { containers, now } = this.scene;
    this.tip.hidden = one === undefined;
    if (one === undefined) {
      this.told.textContent = "";
      return;
    }
    const lines = said(containers[one], now);
    if (others) lines.push(`and ${others} more at this place: zoom in`);
    this.told.textContent = lines.join("; ");
    this.tip.textContent = [...lines, `Click or Enter: ${hrefOf(containers[one]).what}`].join("\n");
    const { width, gutter, height } = this.size();
    const place = x === undefined ? this.placeOf(one) : { x, y };
    const isRight = place.x > gutter + width / 2;
    const isLow = place.y > height / 2;
    this.tip.style.left = isRight ? "auto" : `${place.x + 12}px`;
    this.tip.style.right = isRight ? `${gutter + width - place.x + 12}px` : "auto";
    this.tip.style.top = isLow ? "auto" : `${place.y + 14}px`;
    this.tip.style.bottom = isLow ? `${height + FOOT - place.y + 6}px` : "auto";
  }

  placeOf(i) {
    const { gutter, width, height } = this.size();
    const { begin, end, top, bottom } = this.view;
    const x = ((this.lanes.begin[i] - begin) * width) / (end - begin);
    const y = ((this.lanes.lane[i] + 0.5 - top) * height) / (bottom - top);
    return { x: gutter + clamped(x, width), y: clamped(y, height) };
  }

  open(one) {
    this.way.href = this.hrefOf(one).href;
    this.way.click();
  }

  hrefOf(i) {
    return this.props.hrefOf(this.scene.containers[i]);
  }

  // ---- keys

  step(along, across) {
    const { lanes, view } = this;
    if (this.chosen === undefined) {
      const inView = (i) => lanes.end[i] > view.begin && lanes.lane[i] >= Math.floor(view.top);
      const { order } = lanes.level(1);
      this.point(order.find(inView) ?? order[0]);
    } else this.point(lanes.neighbour(this.chosen, along, across));
    this.bringIn(this.chosen);
    this.point(this.chosen);
  }

  // What is chosen by keys is in the picture.
  bringIn(i) {
    const { begin, end, top, bottom } = this.view;
    const lane = this.lanes.lane[i];
    if (this.lanes.begin[i] > end || this.lanes.end[i] < begin)
      this.pan((this.lanes.begin[i] - (begin + end) / 2) / (end - begin), 0);
    if (lane < top || lane + 1 > bottom) this.showLanes(lane - (bottom - top) / 2, lane + (bottom - top) / 2);
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
      Enter: () => this.chosen !== undefined && this.open(this.chosen),
      Escape: () => this.point(undefined),
      "]": () => this.stretch(0.5),
      "[": () => this.stretch(2),
      ...zoomKeys(this.does),
    };
  }

  values() {
    const fields = ["id", "app", "node", "queue", "user", "priority", "locality", "memoryMB", "vcores"];
    fields.push("state", "started", "finished", "exitStatus", "diagnostics");
    return [fields, this.props.containers.map((one) => fields.map((field) => one[field]))];
  }

  // ---- the page

  render({ name, containers, lanes, colour }, { legend, isOpen }) {
    const { shown, more } = keysOf(legend?.colours.looks ?? []);
    const by = `${GROUPINGS[lanes].name} and ${COLOURINGS[colour].name}`;
    const what = `${name}: ${containers.length} containers by ${by}`;
    const keep = (place, of) => {
      this[of] = place || this[of];
    };
    const choose = (word, parameter, choices, present) => {
      const pairs = Object.entries(choices).map(([key, one]) => [key, one.name]);
      const options = select(pairs, present, (value) => replaceQuery(parameter, value));
      return html`<label>${word} ${options}</label>`;
    };
    return html`<figure class="chart stream" aria-label=${what}>
      <p class="legend">
        ${choose("Lanes", "lanes", GROUPINGS, lanes)} ${choose("Colour", "colour", COLOURINGS, colour)}${" "}
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
        ref=${(place) => keep(place, "field")}
        onkeydown=${(event) => this.scene && press(event, this.keys())}
        onpointermove=${(event) => this.scene && this.hover(event)}
        onpointerleave=${(event) => event.pointerType === "mouse" && this.point(undefined)}
      >
        <canvas ref=${(place) => keep(place, "canvas")}></canvas>
        <div class="tip" hidden aria-hidden="true" ref=${(place) => keep(place, "tip")}></div>
        <a hidden tabindex="-1" href="/cluster" ref=${(place) => keep(place, "way")}>its page</a>
      </div>
      <p class="chart-tools">
        <output ref=${(place) => keep(place, "told")}></output>
        ${legend && this.tools()}
      </p>
      ${
        legend &&
        html`<details ontoggle=${(event) => this.setState({ isOpen: event.currentTarget.open })}>
          <summary>As a table</summary>
          ${isOpen && this.table(legend)}
        </details>`
      }
    </figure>`;
  }

  tools() {
    const { name } = this.props;
    return [
      zoomTools(name, this.does),
      tool("↕", `${name}: taller lanes`, () => this.stretch(0.5)),
      tool("⇳", `${name}: more lanes`, () => this.stretch(2)),
      fileTools(
        `${name} containers`,
        () => svgOf(this.picture(), name),
        () => this.values(),
      ),
    ];
  }

  // The same as a table: how many containers each lane has had, and of which kinds.
  table({ containers, now, grouping, colours: { looks, of } }) {
    const { name: what, of: laneOf } = GROUPINGS[grouping];
    const rows = new Map();
    containers.forEach((one, i) => {
      const id = laneOf(one);
      if (!rows.has(id)) rows.set(id, { id, count: 0, ms: 0, looks: looks.map(() => 0) });
      const row = rows.get(id);
      row.count += 1;
      row.ms += (one.finished || now) - one.started;
      row.looks[of[i]] += 1;
    });
    const kinds = looks.flatMap((look, i) =>
      look.count ? [number(`of${look.key}`, look.text, (one) => one.looks[i])] : [],
    );
    const columns = [
      text("id", what, "id", CARD),
      number("count", "Containers", "count", CARD),
      lengthOfTime("ms", "Time of all", "ms", CARD),
      ...kinds,
    ];
    const { name, query } = this.props;
    const about = { id: "stream", name: `${name}: containers by ${what}`, none: "No containers yet." };
    return grid({ ...about, columns, rows: [...rows.values()], query, order: "id" });
  }
}

/**
 * @param {{ name: string, containers: any[], now: number, query: URLSearchParams, lanes?: string,
 *   colour?: string, at?: number, names?: Record<string, string>,
 *   hrefOf: (one: any) => { href: string, what: string },
 *   news?: { version: number, changed: number[] } }} options
 */
export function taskStream({ lanes = "node", colour = "state", query, ...others }) {
  if (!others.containers.length) return empty("No containers yet.");
  const chosen = (word, known, usual) => (query.get(word) in known ? query.get(word) : usual);
  const props = {
    ...others,
    query,
    lanes: chosen("lanes", GROUPINGS, lanes),
    colour: chosen("colour", COLOURINGS, colour),
  };
  return html`<${TaskStream} key=${others.name} ...${props} />`;
}

/** That of what a ResourceManager has answered, which may not be all. */
export const streamOf = (name, { container, now, isCut, news, names }, query, more) => {
  const containers = list(container);
  return [
    isCut && empty(`The newest ${containers.length} containers; older ones are left out.`),
    taskStream({ name, containers, now, news, names, query, ...more }),
  ];
};
