// Lists of things: columns that are chosen, ordered and sorted, rows that are drawn only where one looks,
// and the whole as a file. A column has a key, a name, a value (which is sorted and exported) and, where
// more is shown, a cell.
import { ROOT } from "./api.js";
import { Component, empty, html, withQuery } from "./dom.js";
import { csv, save } from "./export.js";

const IS_PHONE = matchMedia("(max-width: 45rem)");
export const rowPx = () => (IS_PHONE.matches ? 62 : 34);
const WINDOWED = 120,
  MARGIN = 24,
  SPARE = 6;

// The choice of columns stands in the address; the last one made here is used where the address has none.
function chosenColumns(id, columns, query, parameter) {
  const byKey = new Map(columns.map((one) => [one.key, one]));
  const usual = columns
    .filter((one) => !one.isOff)
    .map((one) => one.key)
    .join(",");
  const stored = localStorage.getItem(`columns.${id}`);
  if (!query.has(parameter) && stored && stored !== usual)
    history.replaceState(null, "", keepPlace(parameter, stored));
  const wanted = (query.get(parameter) || stored || usual).split(",").filter((key) => byKey.has(key));
  return { usual, shown: (wanted.length ? wanted : usual.split(",")).map((key) => byKey.get(key)) };
}

// A choice of columns does not begin a list anew.
function keepPlace(parameter, value) {
  const url = new URL(location.href);
  if (value === null) url.searchParams.delete(parameter);
  else url.searchParams.set(parameter, value);
  return url.pathname + url.search;
}

function choose(id, parameter, usual, keys) {
  const value = keys.join(",") === usual ? null : keys.join(",");
  if (value) localStorage.setItem(`columns.${id}`, value);
  else localStorage.removeItem(`columns.${id}`);
  history.replaceState(null, "", keepPlace(parameter, value));
  dispatchEvent(new Event("refresh"));
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
  typeof a === "number" && typeof b === "number"
    ? a - b
    : String(a ?? "").localeCompare(String(b ?? ""), undefined, { numeric: true });

function sortedRows({ columns, rows, isSorted }, sort) {
  const column = columns.find((one) => one.key === sort.replace(/^-/, ""));
  if (isSorted || !column) return rows;
  const sign = sort.startsWith("-") ? -1 : 1;
  return [...rows].sort((a, b) => sign * compare(column.value(a), column.value(b)));
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
    style=${isLong ? { width: `${widthOf(column)}px` } : {}}
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

function line(one, shown, cards, key, index) {
  return html`<tr key=${key} tabindex=${index === 0 ? "0" : "-1"} aria-rowindex=${index + 2}>
    ${shown.map((column) => {
      const value = column.value(one);
      const isCard = cards.includes(column.key);
      const title = typeof value === "string" && value.length > LONG_TEXT ? value : null;
      const kind = [column.isNumber && "count", !isCard && "wide", column.isLine && "line"]
        .filter(Boolean)
        .join(" ");
      return html`<td key=${column.key} class=${kind} title=${title}>
        ${column.cell ? column.cell(one) : value}
      </td>`;
    })}
  </tr>`;
}

// Of a long list only the rows are there that can be seen, and some beside them; two empty ones stand for the
// others. While one scrolls nothing is drawn until the last of those comes near.
class LongList extends Component {
  constructor(props) {
    super(props);
    this.state = { seen: 0 };
  }

  scroll(place) {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      const seen = Math.floor(place.scrollTop / rowPx());
      this.room = Math.ceil((place.clientHeight || 600) / rowPx());
      const [first, last] = this.drawn;
      const isNear =
        (seen - first < SPARE && first > 0) || (last - seen - this.room < SPARE && last < this.count);
      if (isNear) this.setState({ seen });
    });
  }

  render({ name, rows, shown, cards, keyOf, heads, width }, { seen }) {
    const room = this.room || 30;
    const from = Math.max(0, Math.min(rows.length - room, seen));
    const first = Math.max(0, from - MARGIN);
    const last = Math.min(rows.length, from + room + MARGIN);
    this.drawn = [first, last];
    this.count = rows.length;
    const space = (key, count) => html`<tr key=${key} class="space" aria-hidden="true">
      <td colspan=${shown.length} style=${{ height: `${count * rowPx()}px` }}></td>
    </tr>`;
    return html`<div
      class="scroll window"
      tabindex="0"
      role="region"
      aria-label=${name}
      onscroll=${(event) => this.scroll(event.currentTarget)}
    >
      <table style=${IS_PHONE.matches ? {} : { width: `${width}px` }} aria-rowcount=${rows.length + 1}>
        <caption>${name}</caption>
        <thead><tr aria-rowindex="1">${heads}</tr></thead>
        <tbody>
          ${[
            space("above", first),
            ...rows.slice(first, last).map((one, i) => line(one, shown, cards, `=${keyOf(one)}`, first + i)),
            space("below", rows.length - last),
          ]}
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
  const present = chosenColumns(id, options.columns, query, parameter("columns")),
    { shown } = present;
  const sorted = sortedRows(options, sort),
    isLong = sorted.length > WINDOWED;
  const bar = tools(options, present, parameter("columns"), sorted);
  if (!sorted.length) return [bar, typeof none === "string" ? empty(none) : none];
  const cards = cardKeys(shown);
  const heads = shown.map((one) => head(one, sort, parameter("sort"), isLong, cards));
  if (isLong) {
    const width = shown.reduce((sum, one) => sum + widthOf(one), 0);
    return [
      bar,
      html`<${LongList} key=${id} ...${{ name, rows: sorted, shown, cards, keyOf, heads, width }} />`,
    ];
  }
  return [
    bar,
    html`<div class="scroll" key=${id} tabindex="0" role="region" aria-label=${name}>
      <table aria-rowcount=${sorted.length + 1}>
        <caption>${name}</caption>
        <thead><tr aria-rowindex="1">${heads}</tr></thead>
        <tbody>${sorted.map((one, i) => line(one, shown, cards, keyOf(one), i))}</tbody>
      </table>
    </div>`,
  ];
}

export function pages(from, size, all) {
  if (!all) return null;
  const to = (place) => keepPlace("from", place ? String(place) : null);
  const last = Math.min(from + size, all);
  return html`<p class="pages">
    ${`${from + 1} to ${last} of ${all} `}
    ${from > 0 && html`<a href=${to(Math.max(0, from - size))}>previous page</a>`}${" "}
    ${last < all && html`<a href=${to(last)}>next page</a>`}
  </p>`;
}
