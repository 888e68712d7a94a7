// Lists of things: columns that are chosen, ordered and sorted, rows that are drawn only where one looks
// (by @tanstack/virtual-core), and the whole as a file. columns.js says what a column has.
import { ROOT } from "./api.js";
import { Component, empty, html, replaceQuery, withQuery } from "./dom.js";
import { csv, save } from "./export.js";
import { natural } from "./filtering.js";
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from "./vendor/virtual-core/index.js";

// The library asks its build what it is made for; there is none.
Object.assign(globalThis, { process: { env: { NODE_ENV: "production" } } });

const IS_PHONE = matchMedia("(max-width: 45rem)");
// A row is as high as its texts need: that is measured once it is drawn, and guessed before.
const rowPx = () => (IS_PHONE.matches ? 62 : 31);
const CAPTION_PX = 28;
const WINDOWED = 120,
  MARGIN = 24;

// Columns in which no row has anything are left to the choice.
const isUsed = (column, rows) =>
  column.isFixed || column.isCard || !rows.length || rows.some((one) => !isEmpty(column.value(one)));
const isEmpty = (value) => value === undefined || value === null || value === "";

// The choice stands in the address; the last one made here is used where the address has none.
function chosenColumns({ id, columns, rows, query }, parameter) {
  const byKey = new Map(columns.map((one) => [one.key, one]));
  const usual = columns
    .filter((one) => !one.isOff && isUsed(one, rows))
    .map((one) => one.key)
    .join(",");
  const stored = localStorage.getItem(`columns.${id}`);
  if (!query.has(parameter) && stored && stored !== usual)
    history.replaceState(null, "", withQuery(parameter, stored, true));
  const wanted = (query.get(parameter) || stored || usual).split(",").filter((key) => byKey.has(key));
  return { usual, shown: (wanted.length ? wanted : usual.split(",")).map((key) => byKey.get(key)) };
}

function choose(id, parameter, usual, keys) {
  const value = keys.join(",") === usual ? null : keys.join(",");
  if (value) localStorage.setItem(`columns.${id}`, value);
  else localStorage.removeItem(`columns.${id}`);
  replaceQuery(parameter, value, true);
}

function chooser({ id, columns }, { usual, shown }, parameter) {
  const keys = shown.map((one) => one.key),
    rest = columns.filter((one) => !keys.includes(one.key));
  const set = (next) => choose(id, parameter, usual, next);
  const moved = (from, to) => {
    const next = [...keys];
    next.splice(to, 0, ...next.splice(from, 1));
    set(next);
  };
  const box = (one, isOn) => {
    const flip = () => set(isOn ? keys.filter((key) => key !== one.key) : [...keys, one.key]);
    const isLast = isOn && keys.length === 1;
    return html`<label>
      <input type="checkbox" checked=${isOn} disabled=${isLast} onchange=${flip} /> ${one.name}
    </label>`;
  };
  const mover = (one, from, to, where, arrow) => html`<button
    aria-label=${`${one.name} to the ${where}`}
    disabled=${to < 0 || to >= keys.length}
    onclick=${() => moved(from, to)}
  >
    ${arrow}
  </button>`;
  return html`<details class="columns">
    <summary>Columns</summary>
    <ol>
      ${shown.map(
        (one, i) => html`<li key=${one.key}>
          ${box(one, true)}${mover(one, i, i - 1, "left", "↑")}${mover(one, i, i + 1, "right", "↓")}
        </li>`,
      )}
      ${rest.map((one) => html`<li key=${one.key}>${box(one, false)}</li>`)}
    </ol>
    <button onclick=${() => set(usual.split(","))}>Reset columns</button>
  </details>`;
}

const compare = (a, b) =>
  typeof a === "number" && typeof b === "number" ? a - b : natural.compare(String(a ?? ""), String(b ?? ""));

function sortedRows({ columns, rows, isSorted }, sort) {
  const column = columns.find((one) => one.key === sort.replace(/^-/, ""));
  if (isSorted || !column) return rows;
  const sign = sort.startsWith("-") ? -1 : 1;
  const values = rows.map(column.value);
  const order = [...rows.keys()].sort((a, b) => sign * compare(values[a], values[b]));
  return order.map((i) => rows[i]);
}

// The first click sorts numbers from the largest, texts from the first letter.
function head(column, sort, parameter, isLong, cards) {
  const isUp = sort === column.key,
    isDown = sort === `-${column.key}`;
  const next = isDown ? column.key : isUp || column.isNumber ? `-${column.key}` : column.key;
  const sorted = isUp ? "ascending" : isDown ? "descending" : null;
  const name = html`<a href=${withQuery(parameter, next)}>${column.name}</a>
    <span aria-hidden="true">${isDown ? " ▾" : isUp ? " ▴" : ""}</span>`;
  return html`<th
    scope="col"
    key=${column.key}
    data-key=${column.key}
    style=${isLong && !column.takesRest ? { width: `${widthOf(column)}px` } : {}}
    class=${`${column.isNumber ? "count" : ""} ${cards.includes(column.key) ? "" : "wide"}`}
    aria-sort=${sorted}
  >
    ${column.isFixed ? column.name : name}
  </th>`;
}

// On a phone a row shows the columns that say isCard, or else the first three.
function cardKeys(shown) {
  const chosen = shown.filter((one) => one.isCard);
  return (chosen.length ? chosen : shown.slice(0, 3)).map((one) => one.key);
}

const LONG_TEXT = 40;

function line(one, shown, cards, key, index, measure) {
  const tab = index === 0 ? "0" : "-1";
  return html`<tr key=${key} ref=${measure} data-index=${index} tabindex=${tab} aria-rowindex=${index + 2}>
    ${shown.map((column) => {
      const value = column.value(one);
      const isCard = cards.includes(column.key);
      const isLong = typeof value === "string" && value.length > LONG_TEXT;
      const kind = [column.isNumber && "count", !isCard && "wide", column.isLine && "line", isLong && "long"]
        .filter(Boolean)
        .join(" ");
      const name = column.isNumber ? column.name : null;
      return html`<td key=${column.key} class=${kind} data-name=${name}>
        ${column.cell ? column.cell(one) : value}
      </td>`;
    })}
  </tr>`;
}

// Rows are drawn in steps of MARGIN: while one scrolls within a step, nothing is.
function inSteps({ startIndex, endIndex, count }) {
  const first = Math.max(0, Math.floor(startIndex / MARGIN - 1) * MARGIN);
  const past = Math.min(count, Math.ceil(endIndex / MARGIN + 1) * MARGIN);
  return Array.from({ length: past - first }, (_, i) => first + i);
}

/** @type {WeakMap<Element, List>} */
const LISTS = new WeakMap();

/** Brings a row of a list in sight, counted from 0; of a long one it is drawn with the next picture. */
export const reveal = (place, index) => LISTS.get(place)?.virtual.scrollToIndex(index);

// Of a long list only the rows are there that can be seen, and some beside them; two empty ones stand for the
// others.
class List extends Component {
  constructor(props) {
    super(props);
    /** @type {HTMLElement} */ this.place = null;
    this.drawn = [];
    this.total = 0;
    this.headPx = 0;
    this.given = props;
    this.virtual = new Virtualizer(this.options(props));
    this.leave = this.virtual._didMount();
  }

  options({ rows, keyOf }) {
    const { headPx } = this,
      eachPx = rowPx();
    return {
      // Heights belong to rows, wherever they are in the list.
      getItemKey: (index) => keyOf(rows[index]),
      count: rows.length,
      enabled: rows.length > WINDOWED,
      getScrollElement: () => this.place,
      estimateSize: () => eachPx,
      scrollMargin: CAPTION_PX + headPx,
      scrollPaddingStart: headPx,
      initialRect: { width: 0, height: 600 },
      rangeExtractor: inSteps,
      scrollToFn: elementScroll,
      observeElementRect,
      observeElementOffset,
      onChange: () => {
        const { indexes, drawn } = this;
        const isNew = indexes[0] !== drawn[0] || indexes.length !== drawn.length;
        if (isNew || this.virtual.getTotalSize() !== this.total) this.setState({});
      },
    };
  }

  // A list that nobody can see yet has its first rows.
  get indexes() {
    const { count } = this.virtual.options;
    const seen = this.virtual.getVirtualIndexes();
    return seen.length ? seen : inSteps({ startIndex: 0, endIndex: 0, count });
  }

  // How high the rows before the drawn ones are, and those after them.
  spaces() {
    const { scrollMargin } = this.virtual.options;
    const items = this.virtual.getVirtualItems();
    this.total = this.virtual.getTotalSize();
    if (!items.length) return [0, this.total - this.drawn.length * rowPx()];
    return [items[0].start - scrollMargin, this.total - (items.at(-1).end - scrollMargin)];
  }

  componentDidMount() {
    LISTS.set(this.place, this);
    this.componentDidUpdate();
  }

  componentDidUpdate() {
    const headPx = this.place.querySelector("thead").offsetHeight;
    if (headPx !== this.headPx) {
      this.headPx = headPx;
      this.virtual.setOptions(this.options(this.props));
    }
    this.virtual._willUpdate();
  }

  componentWillUnmount() {
    this.leave();
  }

  render({ name, rows, shown, cards, keyOf, heads }) {
    // Whoever only scrolls has the options that there are: others would have all rows laid out again.
    if (this.given !== this.props) this.virtual.setOptions(this.options(this.props));
    this.given = this.props;
    const isLong = this.virtual.options.enabled;
    const width = isLong && !IS_PHONE.matches && shown.reduce((sum, one) => sum + widthOf(one), 0);
    this.drawn = isLong ? this.indexes : [...rows.keys()];
    const [above, below] = isLong ? this.spaces() : [];
    const space = (key, height) => html`<tr key=${key} class="space" aria-hidden="true">
      <td colspan=${shown.length} style=${{ height: `${height}px` }}></td>
    </tr>`;
    const measure = isLong ? this.virtual.measureElement : null;
    return html`<div
      class=${isLong ? "scroll window" : "scroll"}
      tabindex="0"
      role="region"
      aria-label=${name}
      ref=${(place) => {
        this.place = place || this.place;
      }}
    >
      <table style=${width ? { width: `${width}px` } : {}} aria-rowcount=${rows.length + 1}>
        <caption>${name}</caption>
        <thead><tr aria-rowindex="1">${heads}</tr></thead>
        <tbody>
          ${isLong && space("above", above)}
          ${this.drawn.map((i) => line(rows[i], shown, cards, `=${keyOf(rows[i])}`, i, measure))}
          ${isLong && space("below", below)}
        </tbody>
      </table>
    </div>`;
  }
}

const widthOf = (one) => one.width || (one.isNumber ? 120 : 190);

// What a table was read from is shown with it: whoever wants the same in a program sees how.
function tools(options, present, parameter, rows) {
  const { id, calls = [], all } = options;
  const { shown } = present;
  const every = async () => (all ? await all() : rows);
  const asCsv = async () => {
    const cells = (await every()).map((row) => shown.map((one) => one.value(row)));
    const heads = shown.map((one) => one.name);
    save(`${id}.csv`, "text/csv", csv(heads, cells));
  };
  const asJson = async () => save(`${id}.json`, "application/json", JSON.stringify(await every(), null, 2));
  return html`<div class="tools">
    ${chooser(options, present, parameter)}
    <button onclick=${asCsv}>CSV</button>
    <button onclick=${asJson}>JSON</button>
    ${calls.map((path) => html`<code>GET <a href=${ROOT + path}>${ROOT + path}</a></code>`)}
  </div>`;
}

export function grid(options) {
  const { id, name, query, none, isMain = false, order = "", keyOf = (one) => one.id } = options;
  const parameter = (word) => (isMain ? word : `${id}.${word}`),
    sort = query.get(parameter("sort")) || order;
  const present = chosenColumns(options, parameter("columns")),
    { shown } = present;
  const sorted = sortedRows(options, sort),
    isLong = sorted.length > WINDOWED;
  const bar = tools(options, present, parameter("columns"), sorted);
  if (!sorted.length) return [bar, typeof none === "string" ? empty(none) : none];
  const cards = cardKeys(shown);
  const heads = shown.map((one) => head(one, sort, parameter("sort"), isLong, cards));
  const props = { name, rows: sorted, shown, cards, keyOf, heads };
  return [bar, html`<${List} key=${id} ...${props} />`];
}

export function pages(from, size, all) {
  if (!all) return null;
  const to = (place) => withQuery("from", place ? String(place) : null);
  const last = Math.min(from + size, all);
  return html`<p class="pages">
    ${`${from + 1} to ${last} of ${all} `}
    ${from > 0 && html`<a href=${to(Math.max(0, from - size))}>previous page</a>`}${" "}
    ${last < all && html`<a href=${to(last)}>next page</a>`}
  </p>`;
}
