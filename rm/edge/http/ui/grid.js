// Tables and lists, as the ResourceManager says them (rm/web/pages/blocks.py): rows come in their order, with
// the columns that are shown, and are drawn only where one looks (by @tanstack/virtual-core).
import { fileAt, ROOT } from "./api.js";
import { Component, cellOf, empty, html, replaceQuery, said, withQuery } from "./dom.js";
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
const ABOVE_PX = 60;
const WINDOWED = 120,
  MARGIN = 24;

const kindOf = (/** @type {any} */ { isNumber, isWide }) =>
  `${isNumber ? "count" : ""}${isWide ? " wide" : ""}`;

const ARROWS = { ascending: " ▴", descending: " ▾" };
function head({ key, name, order, next, width, ...column }, sortBy, isLong) {
  return html`<th
    scope="col"
    key=${key}
    data-key=${key}
    style=${isLong && !column.takesRest ? { width: `${width}px` } : {}}
    class=${kindOf(column)}
    aria-sort=${order}
  >
    ${next ? html`<a href=${withQuery(sortBy, next)}>${name}</a>` : said(name)}
    <span aria-hidden="true">${ARROWS[order]}</span>
  </th>`;
}

const LONG_TEXT = 40;
function cell(column, row) {
  const value = row[column.read];
  const isLong = typeof value === "string" && value.length > LONG_TEXT;
  const kind = `${kindOf(column)}${column.isLine ? " line" : ""}${isLong ? " long" : ""}`;
  return html`<td key=${column.key} class=${kind} data-name=${column.label}>${cellOf(column, row)}</td>`;
}

// Of a long list only the rows are there that can be seen, and some beside them; two empty ones stand for the
// others.
class List extends Component {
  constructor(props) {
    super(props);
    /** @type {HTMLElement} */ this.place = null;
    this.virtual = new Virtualizer(this.options(props));
    this.leave = this.virtual._didMount();
  }

  options({ rows, keyOf }) {
    const eachPx = rowPx();
    return {
      // Heights belong to rows, wherever they are in the list.
      getItemKey: (index) => keyOf(rows[index], index),
      count: rows.length,
      enabled: rows.length > WINDOWED,
      getScrollElement: () => this.place,
      estimateSize: () => eachPx,
      scrollMargin: ABOVE_PX,
      overscan: MARGIN,
      initialRect: { width: 0, height: 600 },
      scrollToFn: elementScroll,
      observeElementRect,
      observeElementOffset,
      onChange: () => this.setState({}),
    };
  }

  // Whoever only scrolls has the options that there are: others would have all rows laid out again.
  componentWillReceiveProps(props) {
    this.virtual.setOptions(this.options(props));
  }

  componentDidMount() {
    this.virtual._willUpdate();
  }

  componentDidUpdate() {
    this.virtual._willUpdate();
  }

  componentWillUnmount() {
    this.leave();
  }

  render({ name, kind, rows, columns, keyOf, sortBy }) {
    const isLong = this.virtual.options.enabled;
    const width = isLong && !IS_PHONE.matches && columns.reduce((sum, one) => sum + one.width, 0);
    const items = this.virtual.getVirtualItems(),
      total = this.virtual.getTotalSize();
    const above = items.length ? items[0].start - ABOVE_PX : 0,
      below = items.length ? total - (items.at(-1).end - ABOVE_PX) : total;
    const drawn = isLong ? items.map((one) => one.index) : [...rows.keys()];
    const space = (key, height) => html`<tr key=${key} class="space" aria-hidden="true">
      <td colspan=${columns.length} style=${{ height: `${height}px` }}></td>
    </tr>`;
    const measure = isLong ? this.virtual.measureElement : null;
    const line = (i) => html`<tr
      key=${`=${keyOf(rows[i], i)}`}
      ref=${measure}
      data-index=${i}
      tabindex=${i ? "-1" : "0"}
      aria-rowindex=${i + 2}
    >
      ${columns.map((column) => cell(column, rows[i]))}
    </tr>`;
    return html`<div
      class=${isLong ? "scroll window" : "scroll"}
      tabindex="0"
      role="region"
      aria-label=${name}
      onreveal=${({ detail }) => this.virtual.scrollToIndex(detail)}
      ref=${(place) => {
        this.place = place || this.place;
      }}
    >
      <table class=${kind} style=${width ? { width: `${width}px` } : {}} aria-rowcount=${rows.length + 1}>
        <caption>${name}</caption>
        <thead><tr aria-rowindex="1">${columns.map((one) => head(one, sortBy, isLong))}</tr></thead>
        <tbody>
          ${isLong && space("above", above)}
          ${drawn.map(line)}
          ${isLong && space("below", below)}
        </tbody>
      </table>
    </div>`;
  }
}

// On a phone a row of many columns is a card whose cells say what they are.
const CARDS_FROM = 4;
const wordOf = (name) => name.swatch ?? name.term ?? name;

/** A few rows, each a list of what is said in its cells. */
export function table(rows, { name, columns, none }) {
  if (!rows.length) return empty(none);
  const kind = columns.length < CARDS_FROM ? null : "cards";
  const shown = columns.map((one, i) => ({
    key: i,
    name: one,
    read: i,
    kind: "plain",
    label: kind && wordOf(one),
  }));
  return html`<${List} ...${{ name, kind, rows, columns: shown, keyOf: (_, i) => i }} />`;
}

// All of a table can be had as a file. What it was read from is shown with it: whoever wants the same in a
// program sees how.
function tools({ id, address, chooser, calls = [] }) {
  const file = (save) => html`<a download href=${fileAt(address, { save, part: id })}>
    ${save.toUpperCase()}
  </a>`;
  return html`<div class="tools">
    ${chooser}${address && ["csv", "json"].map(file)}
    ${calls.map((path) => html`<code>GET <a href=${ROOT + path}>${ROOT + path}</a></code>`)}
  </div>`;
}

// The last choice of columns is used where the address has none.
function recall({ id, chooseBy, chosen, query }) {
  const name = `columns.${id}`,
    stored = localStorage.getItem(name);
  if (query.has(chooseBy)) localStorage.setItem(name, chosen);
  else if (stored) replaceQuery(chooseBy, stored);
}

/** A list whose columns can be chosen and sorted; `of` is the field that tells rows apart. */
export function grid(/** @type {any} */ options) {
  const { id, rows, none, of = "id" } = options;
  if (options.chooseBy) recall(options);
  const props = { ...options, kind: "list", keyOf: (one) => one[of] };
  return [tools(options), rows.length ? html`<${List} key=${id} ...${props} />` : empty(said(none))];
}
