// Lists of things, as the ResourceManager says them (rm/web/pages/lists.py): columns that are chosen, ordered
// and sorted, rows that are drawn only where one looks (by @tanstack/virtual-core), and the whole as a file.
import { fileAt, ROOT } from "./api.js";
import { columnOf } from "./columns.js";
import { Component, empty, html, natural, replaceQuery, said, withQuery } from "./dom.js";
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

// Columns in which no row has anything are left to the choice.
const isUsed = ({ isFixed, isCard, value }, rows) =>
  isFixed || isCard || !rows.length || rows.some((one) => (value(one) ?? "") !== "");

// The choice stands in the address; the last one made here is used where the address has none.
function chosenColumns({ id, columns, rows, query }, parameter) {
  const keysOf = (text) => text?.split(",").filter((key) => columns.some((one) => one.key === key)) ?? [];
  const usual = columns.filter((one) => !one.isOff && isUsed(one, rows)).map((one) => one.key);
  const stored = localStorage.getItem(`columns.${id}`);
  if (!query.has(parameter) && stored) history.replaceState(null, "", withQuery(parameter, stored, true));
  const keys = [query.get(parameter), stored].map(keysOf).find((some) => some.length) ?? usual;
  const choose = (next) => {
    const kept = String(next) === String(usual) ? "" : String(next);
    localStorage.setItem(`columns.${id}`, kept);
    replaceQuery(parameter, kept, true);
  };
  const chosen = keys.map((key) => columns.find((one) => one.key === key));
  // On a phone a row shows the columns that say isCard, or all where none does.
  const hasCards = chosen.some((one) => one.isCard);
  const shown = chosen.map((one) => ({ ...one, isWide: hasCards && !one.isCard }));
  return { shown, chooser: chooser(columns, keys, choose, usual) };
}

function chooser(columns, keys, choose, usual) {
  const mover = (one, from, to, where, arrow) => html`<button
    aria-label=${`${one.name} to the ${where}`}
    disabled=${!keys[to]}
    onclick=${() => choose(keys.with(from, keys[to]).with(to, one.key))}
  >
    ${arrow}
  </button>`;
  const entry = (one) => {
    const at = keys.indexOf(one.key),
      isOn = at >= 0;
    const flip = () => choose(isOn ? keys.toSpliced(at, 1) : [...keys, one.key]);
    return html`<li key=${one.key}>
      <label>
        <input type="checkbox" checked=${isOn} disabled=${isOn && keys.length === 1} onchange=${flip} />
        ${one.name}
      </label>
      ${isOn && [mover(one, at, at - 1, "left", "↑"), mover(one, at, at + 1, "right", "↓")]}
    </li>`;
  };
  const place = (one) => (keys.includes(one.key) ? keys.indexOf(one.key) : keys.length);
  return html`<details class="columns">
    <summary>Columns</summary>
    <ol>
      ${columns.toSorted((a, b) => place(a) - place(b)).map(entry)}
    </ol>
    <button onclick=${() => choose(usual)}>Reset columns</button>
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

const kindOf = ({ isNumber, isWide }) => `${isNumber ? "count" : ""}${isWide ? " wide" : ""}`;

// The first click sorts numbers from the largest, texts from the first letter.
function head(column, sort, parameter, isLong) {
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
    class=${kindOf(column)}
    aria-sort=${sorted}
  >
    ${column.isFixed ? column.name : name}
  </th>`;
}

const LONG_TEXT = 40;

function cell(column, one) {
  const value = column.value(one);
  const isLong = typeof value === "string" && value.length > LONG_TEXT;
  const kind = `${kindOf(column)}${column.isLine ? " line" : ""}${isLong ? " long" : ""}`;
  return html`<td key=${column.key} class=${kind} data-name=${column.isNumber ? column.name : null}>
    ${column.cell(one)}
  </td>`;
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
      getItemKey: (index) => keyOf(rows[index]),
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

  render({ name, rows, shown, keyOf, heads }) {
    const isLong = this.virtual.options.enabled;
    const width = isLong && !IS_PHONE.matches && shown.reduce((sum, one) => sum + widthOf(one), 0);
    const items = this.virtual.getVirtualItems(),
      total = this.virtual.getTotalSize();
    const above = items.length ? items[0].start - ABOVE_PX : 0,
      below = items.length ? total - (items.at(-1).end - ABOVE_PX) : total;
    const drawn = isLong ? items.map((one) => one.index) : [...rows.keys()];
    const space = (key, height) => html`<tr key=${key} class="space" aria-hidden="true">
      <td colspan=${shown.length} style=${{ height: `${height}px` }}></td>
    </tr>`;
    const measure = isLong ? this.virtual.measureElement : null;
    const line = (i) => html`<tr
      key=${`=${keyOf(rows[i])}`}
      ref=${measure}
      data-index=${i}
      tabindex=${i ? "-1" : "0"}
      aria-rowindex=${i + 2}
    >
      ${shown.map((column) => cell(column, rows[i]))}
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
      <table style=${width ? { width: `${width}px` } : {}} aria-rowcount=${rows.length + 1}>
        <caption>${name}</caption>
        <thead><tr aria-rowindex="1">${heads}</tr></thead>
        <tbody>
          ${isLong && space("above", above)}
          ${drawn.map(line)}
          ${isLong && space("below", below)}
        </tbody>
      </table>
    </div>`;
  }
}

const widthOf = (one) => one.width || (one.isNumber ? 120 : 190);

// All of a table can be had as a file. What it was read from is shown with it: whoever wants the same in a
// program sees how.
function tools({ id, part = id, address, calls = [] }, { shown, chooser }, sort) {
  const columns = shown.map((one) => one.key).join();
  const file = (save) => html`<a download href=${fileAt(address, { save, part, columns, sort })}>
    ${save.toUpperCase()}
  </a>`;
  return html`<div class="tools">
    ${chooser}${address && ["csv", "json"].map(file)}
    ${calls.map((path) => html`<code>GET <a href=${ROOT + path}>${ROOT + path}</a></code>`)}
  </div>`;
}

/** `of` is the field that tells rows apart; rows that are some of a longer list are all at `whole`. */
export function grid(/** @type {any} */ options) {
  const { id, name, query, none, of = "id", isMain = false, order = "" } = options;
  const parameter = (word) => (isMain ? word : `${id}.${word}`),
    sort = query.get(parameter("sort")) || order;
  const all = { ...options, columns: options.columns.map(columnOf) };
  const sorted = sortedRows(all, sort);
  const present = chosenColumns(all, parameter("columns")),
    { shown } = present;
  const bar = tools(options, present, sort);
  if (!sorted.length) return [bar, empty(said(none))];
  const heads = shown.map((one) => head(one, sort, parameter("sort"), sorted.length > WINDOWED));
  const props = { name, rows: sorted, shown, heads, keyOf: (one) => one[of] };
  return [bar, html`<${List} key=${id} ...${props} />`];
}
