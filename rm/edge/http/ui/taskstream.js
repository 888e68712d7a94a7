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
import { boxOf, Painter, paletteOf, svgOf } from "./streampaint.js";

const LANE = 15,
  TALLEST = 420,
  FOOT = 18,
  GUTTER = 150,
  NEAR_PX = 3;
const LEAST = { time: 50, rows: 1 };
/** @type {Set<TaskStream>} all on a page show the same time */
const STREAMS = new Set();

// The life of a container in words.
function said(one, now) {
  const isReserved = one.state === "RESERVED";
  const near = one.locality ? `, ${one.locality.toLowerCase().replace("_", " ")}` : "";
  const moments = [
    ["reserved", isReserved ? one.started : one.reserved],
    ["allocated", isReserved ? 0 : one.started],
    ["running", one.running],
    ["ended", one.finished],
  ];
  const steps = moments.filter(([, time]) => time).map(([what, time]) => `${what} ${clock(time)}`);
  const state = one.finished ? `exit status ${one.exitStatus}` : one.state.toLowerCase();
  return [
    `${one.id}${one.isAM ? " (ApplicationMaster)" : ""}`,
    `${one.node}, ${plainGib(one.memoryMB)}${andVCores(one.vcores)}`,
    `${one.queue}, ${one.user}, priority ${one.priority}${near}`,
    steps.join(", "),
    `${state} after ${duration((one.finished || now) - one.started)}`,
    one.diagnostics,
  ].filter(Boolean);
}

const shareOf = (value, { begin, end }) => (value - begin) / (end - begin);
const valueAt = (share, { begin, end }) => begin + share * (end - begin);

class TaskStream extends Component {
  constructor(props) {
    super(props);
    /** @type {HTMLElement} */ this.field = null;
    this.state = { chosen: -1, others: 0, place: null, isOpen: false };
    this.frame = 0;
    this.lay(props);
  }

  componentDidMount() {
    STREAMS.add(this);
    this.painter = new Painter(this.field.querySelector("canvas"));
    this.resizes = new ResizeObserver(() => this.draw());
    this.resizes.observe(this.field);
    listenToPointers(this.field, {
      pan: (dx, dy) => {
        this.pan(-dx / this.size.width);
        this.pan(-dy / this.size.height, "rows");
      },
      pinch: (factor, x) => this.zoom(factor, this.valuesAt({ x, y: 0 }).time),
      tap: (x, y) => this.tap({ x, y }),
    });
    this.field.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  componentWillReceiveProps(next) {
    const isNew = ["containers", "now", "lanes", "colour"].some((one) => next[one] !== this.props[one]);
    if (isNew) this.lay(next);
    this.palette = null; // the system may have chosen other colours
    this.tabled = null;
    this.draw();
  }

  componentWillUnmount() {
    STREAMS.delete(this);
    this.resizes.disconnect();
    cancelAnimationFrame(this.frame);
  }

  // Which part is shown, and who is chosen, stays when newer containers come; where all was shown, all is.
  lay({ containers, now, lanes: { key }, colour, names }) {
    const { scene: before, view } = this;
    const lanes = new Lanes(containers, (one) => one[key], now);
    const all = { time: { begin: lanes.first, end: lanes.last }, rows: { begin: 0, end: lanes.count } };
    const isPart = (axis) =>
      before && (view[axis].begin > before.all[axis].begin || view[axis].end < before.all[axis].end);
    this.view = {
      time: isPart("time") ? view.time : all.time,
      rows: isPart("rows") && before.key === key ? view.rows : all.rows,
    };
    this.scene = { containers, now, key, lanes, all, colours: colouring(colour, containers, names) };
    const id = before?.containers[this.state.chosen]?.id;
    if (id) this.setState({ chosen: containers.findIndex((one) => one.id === id) });
  }

  get size() {
    const gutter = Math.min(GUTTER, Math.floor(this.field.clientWidth / 4));
    const height = Math.max(2 * LANE, Math.min(TALLEST, LANE * this.scene.lanes.count));
    return { gutter, width: this.field.clientWidth - gutter, height, foot: FOOT };
  }

  get picture() {
    this.palette ??= paletteOf(this.scene.colours.looks);
    const { scene, size, view, palette } = this;
    return { ...scene, ...size, ...view, palette, chosen: this.state.chosen, at: this.props.at };
  }

  draw() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      if (this.field.clientWidth) this.painter.draw(this.picture);
    });
  }

  // ---- moving: all streams of a page along the time, each across its rows

  together(axis) {
    return axis === "time" ? [...STREAMS] : [this];
  }

  show(axis, part) {
    for (const one of this.together(axis)) {
      one.view = { ...one.view, [axis]: part };
      one.draw();
    }
  }

  whole(axis) {
    const every = this.together(axis).map((one) => one.scene.all[axis]);
    return {
      begin: Math.min(...every.map(({ begin }) => begin)),
      end: Math.max(...every.map(({ end }) => end)),
    };
  }

  zoom(factor, around, axis = "time") {
    this.show(axis, zoomed(this.view[axis], this.whole(axis), factor, around, LEAST[axis]));
  }

  pan(by, axis = "time") {
    this.show(axis, panned(this.view[axis], this.whole(axis), by));
  }

  stretch(factor) {
    this.zoom(factor, undefined, "rows");
  }

  showAll() {
    this.zoom(Infinity);
    this.stretch(Infinity);
  }

  // The moment and the row at a place of the picture.
  valuesAt({ x, y }) {
    const { gutter, width, height } = this.size;
    const { time, rows } = this.view;
    return { time: valueAt(clamped((x - gutter) / width, 1), time), rows: valueAt(y / height, rows) };
  }

  // A page is scrolled over a picture that nobody has touched; one with the focus, or with Ctrl, is zoomed.
  wheel(event) {
    if (!event.ctrlKey && document.activeElement !== this.field) return;
    event.preventDefault();
    const axis = event.altKey ? "rows" : "time";
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      this.pan((event.deltaX || event.deltaY) / this.size.width);
    else this.zoom(1.002 ** event.deltaY, this.valuesAt(placeIn(this.field, event))[axis], axis);
  }

  // ---- pointing

  /** @param {{ x: number, y: number }} place */
  point(chosen, others = 0, place = boxOf(this.picture, chosen)) {
    this.setState({ chosen, others, place });
    this.draw();
  }

  found({ x, y }) {
    const { gutter, width, height } = this.size;
    if (x < gutter || y > height) return [];
    const { time, rows } = this.valuesAt({ x, y });
    const past = Math.max(Math.floor(rows) + 1, this.valuesAt({ x, y: y + 1 }).rows);
    const within = (ms) => this.scene.lanes.on(Math.floor(rows), past, time - ms, time + ms);
    const near = (NEAR_PX * (this.view.time.end - this.view.time.begin)) / width;
    return [within(0), within(near)].find((some) => some.length) ?? [];
  }

  hover(event) {
    if (event.buttons) return;
    const place = placeIn(this.field, event);
    const [one = -1, ...others] = this.found(place);
    this.field.style.cursor = one < 0 ? "grab" : "pointer";
    this.point(one, others.length, place);
  }

  // A second touch opens the page, as does the click of a mouse, which has pointed before.
  tap(place) {
    const [one = -1, ...others] = this.found(place);
    if (one === this.state.chosen) this.open();
    else this.point(one, others.length, place);
  }

  open() {
    this.field.querySelector("a")?.click();
  }

  // To the first that is seen, and from there to its neighbours; the picture follows.
  step(along, across) {
    const { lanes } = this.scene;
    const { time, rows } = this.view;
    const { chosen } = this.state;
    const isSeen = (i) => lanes.end[i] > time.begin && lanes.lane[i] >= Math.floor(rows.begin);
    const first = () => lanes.order.find(isSeen) ?? lanes.order[0];
    const i = chosen < 0 ? first() : lanes.neighbour(chosen, along, across);
    const lane = lanes.lane[i];
    if (lanes.begin[i] > time.end || lanes.end[i] < time.begin) this.pan(shareOf(lanes.begin[i], time) - 0.5);
    if (lane < rows.begin || lane + 1 > rows.end) this.pan(shareOf(lane, rows) - 0.5, "rows");
    this.point(i);
  }

  keys() {
    return {
      ArrowLeft: () => this.step(-1, 0),
      ArrowRight: () => this.step(1, 0),
      ArrowUp: () => this.step(0, -1),
      ArrowDown: () => this.step(0, 1),
      "Shift ArrowLeft": () => this.pan(-0.25),
      "Shift ArrowRight": () => this.pan(0.25),
      "Shift ArrowUp": () => this.pan(-0.25, "rows"),
      "Shift ArrowDown": () => this.pan(0.25, "rows"),
      Enter: () => this.open(),
      Escape: () => this.point(-1),
      "]": () => this.stretch(0.5),
      "[": () => this.stretch(2),
      ...zoomKeys(this),
    };
  }

  // ---- the page

  render({ name, containers, now, traits, lanes, colour, hrefOf }, { chosen, others, place, isOpen }) {
    const { shown, more } = keysOf(this.scene.colours.looks);
    const what = `${name}: ${containers.length} containers by ${lanes.name} and ${colour.name}`;
    const one = containers[chosen];
    const life = one ? said(one, now) : [];
    if (isOpen) this.tabled ??= this.table(); // it is long, and who is pointed at changes nothing in it
    if (others) life.push(`and ${others} more at this place: zoom in`);
    const choose = (word, parameter, present) => {
      const pairs = traits[parameter].map((one) => [one.key, one.name]);
      const options = select(pairs, present.key, (key) => replaceQuery(parameter, key));
      return html`<label>${word} ${options}</label>${" "}`;
    };
    return html`<figure class="chart stream" aria-label=${what}>
      <p class="legend">
        ${choose("Lanes", "lanes", lanes)}${choose("Colour", "colour", colour)}
        ${shown.map(
          (one) => html`<span class=${`swatch hatch${one.hatch}`} style=${hued(one.hue)}>
            ${one.text} <b>${one.count}</b>
          </span>`,
        )}
        ${more > 0 && `and ${more} more, in the table`}
      </p>
      <div
        class="field"
        tabindex="0"
        role="application"
        aria-roledescription="task stream"
        aria-label=${`${what}. ${traits.hint}`}
        ref=${(place) => {
          this.field = place || this.field;
        }}
        onkeydown=${(event) => press(event, this.keys())}
        onpointermove=${(event) => this.hover(event)}
        onpointerleave=${(event) => event.pointerType === "mouse" && this.point(-1)}
      >
        <canvas></canvas>
        ${one && this.tip(life, place, hrefOf(one))}
      </div>
      <p class="chart-tools"><output>${life.join("; ")}</output>${this.tools()}</p>
      <details ontoggle=${(event) => this.setState({ isOpen: event.currentTarget.open })}>
        <summary>As a table</summary>
        ${isOpen && this.tabled}
      </details>
    </figure>`;
  }

  tip(life, { x, y }, { href, what }) {
    const kind = y > this.size.height / 2 ? "tip above" : "tip";
    const style = { "--x": `${x}px`, "--y": `${y}px` };
    return html`<a class=${kind} ...${{ style, href }} tabindex="-1" aria-hidden="true">
      ${[...life, `Click or Enter: ${what}`].join("\n")}
    </a>`;
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
        () => svgOf(this.picture, name),
        () => [traits.saved, rows()],
      ),
    ];
  }

  // The same as a table: how many containers each lane has had, and of which kinds.
  table() {
    const { containers, key, colours } = this.scene;
    const { name, lanes, query } = this.props;
    const number = (read, name, isCard) => ({
      key: read,
      name,
      kind: "number",
      read,
      isNumber: true,
      isCard,
    });
    const kinds = colours.looks.map(({ text }, i) => number(`of${i}`, text, false));
    const columns = [
      { key: "id", name: lanes.name, kind: "plain", read: "id", isCard: true },
      number("count", "Containers", true),
      ...kinds.filter((_, i) => colours.looks[i].count),
    ];
    const none = Object.fromEntries(kinds.map(({ read }) => [read, 0]));
    const rowOf = ([id, some]) => {
      const row = { id, count: some.length, ...none };
      for (const i of some) row[`of${colours.of[i]}`] += 1;
      return row;
    };
    const rows = [...Map.groupBy(containers.keys(), (i) => containers[i][key])].map(rowOf);
    const about = { id: "stream", name: `${name}: containers by ${lanes.name}`, none: "" };
    return grid({ ...about, columns, rows, query, order: "id" });
  }
}

/**
 * The containers that a server has answered, which may not be all; `usual` is by what they are grouped and
 * coloured where the address says nothing.
 */
export function streamOf(name, { container, isCut, ...answer }, query, { hrefOf, at = 0, ...usual }) {
  const containers = list(container);
  if (!containers.length) return empty("No containers yet.");
  const chosen = (word) => {
    const choices = answer.traits[word];
    const of = (wanted) => choices.find((one) => one.key === wanted);
    return of(query.get(word)) ?? of(usual[word]) ?? choices[0];
  };
  const by = { lanes: chosen("lanes"), colour: chosen("colour") };
  return [
    isCut && empty(`The newest ${containers.length} containers; older ones are left out.`),
    html`<${TaskStream} key=${name} ...${{ name, containers, ...answer, query, hrefOf, at, ...by }} />`,
  ];
}
