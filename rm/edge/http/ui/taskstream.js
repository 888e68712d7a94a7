// Containers over time on lanes, live, recorded or compared: pan, zoom, and the life of the one pointed at.
// Only what can be seen is drawn, pixel by pixel, so that many thousand containers follow the hand.
import { list } from "./api.js";
import { cellOf, clamped, css, empty, filled, html, hued, tool, withQuery } from "./dom.js";
import { placeIn } from "./gestures.js";
import { colouring, keysOf } from "./streamcolours.js";
import { Lanes } from "./streamlanes.js";
import { paintBars, pixelsOf } from "./streampaint.js";
import { axisOf, drawMarks, TimePlot } from "./timeplot.js";

const LANE = 15,
  TALLEST = 420,
  FRAME = 38,
  GUTTER = 150,
  LABEL = 14,
  CHARACTER = 6.5,
  NEAR_PX = 3;

// Of an application its number, because the beginnings of its id are the same for all.
const shortened = (name) => name.replace(/^application_\d+_/, "… ");

class TaskStream extends TimePlot {
  kind = "chart stream";
  role = { role: "application", "aria-roledescription": "task stream" };
  least = { x: 50, y: 1 };
  state = { chosen: -1, others: 0, place: null };
  hands = { tap: (x, y) => this.tap({ x, y }) };

  componentWillMount() {
    this.lay(this.props);
  }

  componentDidMount() {
    super.componentDidMount();
    this.showRows({ begin: 0, end: this.scene.lanes.count });
    this.place.addEventListener("pointermove", (event) => this.hover(event));
    this.place.addEventListener(
      "pointerleave",
      ({ pointerType }) => pointerType === "mouse" && this.point(-1),
    );
  }

  componentWillReceiveProps(next) {
    if (["containers", "lanes", "colour"].some((one) => next[one] !== this.props[one])) this.lay(next);
  }

  // Where all rows were shown, all are; with other lanes other rows are there.
  componentDidUpdate(before) {
    if (before === this.props) return;
    this.pixels = null; // the system may have chosen other colours
    this.renew();
    const { min, max } = this.plot.scales.y;
    const { count } = this.scene.lanes;
    const isPart = before.lanes.key === this.props.lanes.key && max - min < this.rows;
    this.showRows(isPart ? { begin: min, end: max } : { begin: 0, end: count });
    if (this.plot.height !== this.tall()) this.plot.setSize(this.size());
  }

  // Who is chosen stays so when newer containers come.
  lay({ containers, now, lanes: { key }, colour, names }) {
    const id = this.scene?.containers[this.state.chosen]?.id;
    const lanes = new Lanes(containers, (one) => one[key], now);
    this.scene = { containers, lanes, colours: colouring(colour, containers, names) };
    if (id) this.setState({ chosen: containers.findIndex((one) => one.id === id) });
  }

  tall() {
    return FRAME + Math.max(2 * LANE, Math.min(TALLEST, LANE * this.scene.lanes.count));
  }

  data() {
    const { first, last } = this.scene.lanes;
    return [
      [first, last],
      [null, null],
    ];
  }

  options() {
    const size = ({ width }) => Math.min(GUTTER, Math.floor(width / 4));
    const groupAt = (place) => this.scene.lanes.groups.findLast(({ top }) => top <= place);
    const nameOf = (plot, place) => shortened(groupAt(place).name).slice(0, size(plot) / CHARACTER);
    return {
      cursor: { drag: { x: false, y: false }, points: { show: false } },
      scales: { x: { time: false }, y: { auto: false, dir: -1, range: (_, min, max) => [min, max] } },
      axes: [
        axisOf({
          size,
          grid: { show: false },
          splits: (plot, _axis, min, max) => this.heads(plot, min, max),
          values: (plot, splits) => splits.map((one) => nameOf(plot, one)),
        }),
      ],
      series: [{}, {}],
      hooks: {
        drawClear: [() => this.paint()],
        draw: [() => this.frame(), (plot) => drawMarks(plot, this.props)],
      },
    };
  }

  // Where the names of groups stand: at the first row that is seen of each, as far as there is room.
  heads(plot, min, max) {
    const row = (max - min) / plot.over.clientHeight;
    let free = min - LABEL * row;
    const seen = this.scene.lanes.groups.filter(({ top, lanes }) => top < max && top + lanes > min);
    const places = seen.map(({ top, lanes }) => Math.max(top, min) + Math.min(lanes / 2, LABEL * row * 0.5));
    return places.filter((at) => {
      const hasRoom = at >= free && at < max;
      if (hasRoom) free = at + LABEL * row;
      return hasRoom;
    });
  }

  paint() {
    this.pixels ??= pixelsOf(this.scene.colours.looks);
    this.image = paintBars(this.plot, this.scene, this.pixels, this.image);
  }

  // Around the one that is chosen, as far as it is seen.
  frame() {
    const { ctx, bbox } = this.plot;
    const { begin, end, lane } = this.scene.lanes;
    const { chosen } = this.state;
    if (chosen < 0) return;
    const placed = (value, scale, from, size) =>
      from + clamped(this.plot.valToPos(value, scale, true) - from, size);
    const [x, past] = [begin, end].map((of) => placed(of[chosen], "x", bbox.left, bbox.width));
    const [y, below] = [0, 1].map((one) => placed(lane[chosen] + one, "y", bbox.top, bbox.height));
    Object.assign(ctx, { strokeStyle: css("--ink"), lineWidth: 2 * devicePixelRatio });
    ctx.strokeRect(x - 1, y, Math.max(3, past - x) + 2, Math.max(3, below - y));
  }

  // ---- moving

  showRows({ begin, end }) {
    this.rows = this.scene.lanes.count;
    this.plot.setScale("y", { min: begin, max: end });
  }

  whole(scale, plots) {
    return scale === "y" ? { begin: 0, end: this.scene.lanes.count } : super.whole(scale, plots);
  }

  // ---- pointing

  point(chosen, others = 0, place = this.placeOf(chosen)) {
    this.setState({ chosen, others, place: chosen < 0 ? null : place });
    this.plot.redraw(false);
  }

  placeOf(chosen) {
    const { begin, lane } = this.scene.lanes;
    const x = Math.max(0, this.plot.valToPos(begin[chosen], "x"));
    return { x, y: this.plot.valToPos(lane[chosen], "y") };
  }

  found({ x, y }) {
    const { plot } = this;
    if (x < 0 || y < 0 || y > plot.over.clientHeight) return [];
    const [time, near] = [x, x + NEAR_PX].map((one) => plot.posToVal(one, "x"));
    const [row, past] = [y, y + 1].map((one) => plot.posToVal(one, "y"));
    const first = Math.floor(row);
    const within = (ms) => this.scene.lanes.on(first, Math.max(first + 1, past), time - ms, time + ms);
    return [within(0), within(near - time)].find((some) => some.length) ?? [];
  }

  hover(event) {
    if (event.buttons) return;
    const place = placeIn(this.plot.over, event);
    const [one = -1, ...others] = this.found(place);
    this.plot.over.style.cursor = one < 0 ? "grab" : "pointer";
    this.point(one, others.length, place);
  }

  // A second touch opens the page, as does the click of a mouse, which has pointed before.
  tap(place) {
    const [one = -1, ...others] = this.found(place);
    if (one === this.state.chosen) this.open();
    else this.point(one, others.length, place);
  }

  open() {
    this.place.querySelector("a")?.click();
  }

  // To the first that is seen, and from there to its neighbours; the picture follows.
  step(along, across) {
    const { lanes } = this.scene;
    const { x, y } = /** @type {any} */ (this.plot.scales);
    const { chosen } = this.state;
    const isSeen = (i) => lanes.end[i] > x.min && lanes.lane[i] >= Math.floor(y.min);
    const first = () => lanes.order.find(isSeen) ?? lanes.order[0];
    const i = chosen < 0 ? first() : lanes.neighbour(chosen, along, across);
    const [begin, end, lane] = [lanes.begin[i], lanes.end[i], lanes.lane[i]];
    const middle = (value, { min, max }) => (value - min) / (max - min) - 0.5;
    if (begin > x.max || end < x.min) this.pan(middle(begin, x));
    if (lane < y.min || lane + 1 > y.max) this.pan(middle(lane, y), "y");
    this.point(i);
  }

  keys() {
    return {
      ArrowLeft: () => this.step(-1, 0),
      ArrowRight: () => this.step(1, 0),
      ArrowUp: () => this.step(0, -1),
      ArrowDown: () => this.step(0, 1),
      "Shift ArrowUp": () => this.pan(-0.25, "y"),
      "Shift ArrowDown": () => this.pan(0.25, "y"),
      Enter: () => this.open(),
      Escape: () => this.point(-1),
      "]": () => this.zoom(0.5, undefined, "y"),
      "[": () => this.zoom(2, undefined, "y"),
      ...super.keys(),
    };
  }

  // ---- the page

  // What has happened to the chosen container, as far as it has.
  life() {
    const { containers, traits } = this.props;
    const { chosen, others } = this.state;
    const one = containers[chosen];
    if (!one) return null;
    const has = ({ kind, read }) => one[read] || (one[read] === 0 && kind !== "logged");
    const said = traits.life.filter(has).map((column) => html`${column.name} ${cellOf(column, one)}; `);
    return [said, others > 0 && `and ${others} more at this place: zoom in; `];
  }

  asked(kind) {
    const { name, lanes, colour, at } = this.props;
    const { x, y } = this.plot.scales;
    const part = { begin: x.min, end: x.max, first: y.min, last: y.max, present: at || [] };
    return kind === "svg" ? { name, lanes: lanes.key, colour: colour.key, ...part } : {};
  }

  shown() {
    const { name, containers, traits, lanes, colour, choices, query } = this.props;
    const { shown, more } = keysOf(this.scene.colours.looks);
    const what = `${name}: ${containers.length} containers by ${lanes.name} and ${colour.name}`;
    const legend = [
      choices,
      shown.map(
        (one) => html`<span class=${`swatch hatch${one.hatch}`} style=${hued(one.hue)}>
          ${one.text} <b>${one.count}</b>
        </span>`,
      ),
      more > 0 && `and ${more} more, in the table`,
    ];
    const isOpen = query.get("table") === "open";
    return {
      what,
      name: `${name} containers`,
      hint: traits.hint,
      legend,
      told: this.life(),
      tip: this.state.place && this.tip(this.state),
      tools: [
        tool("↕", `${name}: taller lanes`, () => this.zoom(0.5, undefined, "y")),
        tool("⇳", `${name}: more lanes`, () => this.zoom(2, undefined, "y")),
      ],
      more: html`<a href=${withQuery("table", isOpen ? null : "open")} aria-expanded=${isOpen}>
        As a table
      </a>`,
    };
  }

  tip({ chosen, place: { x, y } }) {
    const { containers, to, what } = this.props;
    const { clientHeight, offsetLeft, offsetTop } = this.plot.over;
    const href = filled(to, containers[chosen]);
    const style = { "--x": `${offsetLeft + x}px`, "--y": `${offsetTop + y}px` };
    const kind = y > clientHeight / 2 ? "tip above" : "tip";
    return html`<a class=${kind} ...${{ style, href }} tabindex="-1" aria-hidden="true">
      ${this.life()}Click or Enter: ${what}
    </a>`;
  }
}

/** The containers that a server has answered, which may not be all. */
export function streamOf(name, { container, isCut, ...answer }, how) {
  const containers = list(container);
  if (!containers.length) return empty("No containers yet.");
  const marks = how.at ? [{ time: how.at, kind: "now", text: "" }] : [];
  return [
    isCut && empty(`The newest ${containers.length} containers; older ones are left out.`),
    html`<${TaskStream} key=${name} ...${{ ...answer, ...how, name, containers, marks }} />`,
  ];
}
