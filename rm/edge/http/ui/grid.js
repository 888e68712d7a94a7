// Lists of things: columns that are chosen, ordered and sorted, rows that are drawn only where one looks, and the whole
// as a file. A column has a key, a name, a value (which is sorted and exported) and, where more is shown, a cell.
import { ROOT } from "./api.js";
import { empty, h, link, withQuery } from "./dom.js";
import { csv, save } from "./export.js";
import { patch } from "./patch.js";

export const ROW_PX = 34;
const WINDOWED = 120, MARGIN = 24, SPARE = 6;

// The choice of columns stands in the address; the last one made here is used where the address has none.
function chosenColumns(id, columns, query, parameter) {
  const byKey = new Map(columns.map((one) => [one.key, one]));
  const usual = columns.filter((one) => !one.isOff).map((one) => one.key).join(",");
  const stored = localStorage.getItem(`columns.${id}`);
  if (!query.has(parameter) && stored && stored !== usual) history.replaceState(null, "", keepPlace(parameter, stored));
  const wanted = (query.get(parameter) || stored || usual).split(",").filter((key) => byKey.has(key));
  return { usual, shown: (wanted.length ? wanted : usual.split(",")).map((key) => byKey.get(key)) };
}

// A choice of columns does not begin a list anew.
function keepPlace(parameter, value) {
  const url = new URL(location.href);
  if (value === null) url.searchParams.delete(parameter); else url.searchParams.set(parameter, value);
  return url.pathname + url.search;
}

function choose(id, parameter, usual, keys) {
  const value = keys.join(",") === usual ? null : keys.join(",");
  if (value) localStorage.setItem(`columns.${id}`, value); else localStorage.removeItem(`columns.${id}`);
  history.replaceState(null, "", keepPlace(parameter, value));
  dispatchEvent(new Event("refresh"));
}

function chooser({ id, columns }, { usual, shown }, parameter) {
  const keys = shown.map((one) => one.key), rest = columns.filter((one) => !keys.includes(one.key));
  const set = (next) => choose(id, parameter, usual, next);
  const moved = (from, to) => { const next = [...keys]; next.splice(to, 0, ...next.splice(from, 1)); set(next); };
  const box = (one, isOn) => h("label", {}, h("input", { type: "checkbox", checked: isOn, disabled: isOn && keys.length === 1,
    onchange: () => set(isOn ? keys.filter((key) => key !== one.key) : [...keys, one.key]) }), " ", one.name);
  return h("details", { class: "columns" }, h("summary", {}, "Columns"), h("ol", {},
    shown.map((one, i) => h("li", { key: one.key }, box(one, true),
      h("button", { "aria-label": `${one.name} further to the left`, disabled: i === 0, onclick: () => moved(i, i - 1) }, "↑"),
      h("button", { "aria-label": `${one.name} further to the right`, disabled: i === shown.length - 1, onclick: () => moved(i, i + 1) }, "↓"))),
    rest.map((one) => h("li", { key: one.key }, box(one, false)))),
  h("button", { onclick: () => set(usual.split(",")) }, "The usual columns"));
}

const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b
  : String(a ?? "").localeCompare(String(b ?? ""), undefined, { numeric: true }));

function sortedRows({ columns, rows, isSorted }, sort) {
  const column = columns.find((one) => one.key === sort.replace(/^-/, ""));
  if (isSorted || !column) return rows;
  const sign = sort.startsWith("-") ? -1 : 1;
  return [...rows].sort((a, b) => sign * compare(column.value(a), column.value(b)));
}

// The first click sorts numbers from the largest, texts from the first letter.
function head(column, sort, parameter, isLong) {
  const isUp = sort === column.key, isDown = sort === `-${column.key}`;
  const next = isDown ? column.key : isUp || column.isNumber ? `-${column.key}` : column.key;
  return h("th", { scope: "col", key: column.key, style: isLong ? { width: `${widthOf(column)}px` } : {}, class: column.isNumber ? "count" : null,
    "aria-sort": isUp ? "ascending" : isDown ? "descending" : null },
  column.isFixed ? column.name : [link(withQuery(parameter, next), column.name), h("span", { "aria-hidden": "true" }, isDown ? " ▾" : isUp ? " ▴" : "")]);
}

function line(one, shown, keyOf, index) {
  return h("tr", { key: keyOf(one), tabindex: index === 0 ? "0" : "-1", "aria-rowindex": index + 2 }, shown.map((column) =>
    h("td", { class: column.isNumber ? "count" : null }, column.cell ? column.cell(one) : column.value(one))));
}

// Only the rows that can be seen are there, and some beside them; two empty ones stand for the others. While one scrolls
// nothing is done until the last of those comes near, and rows that are there stay.
function paintWindow(rows, shown, keyOf, heads) {
  return (place, isScroll = false) => {
    const room = Math.ceil((place.clientHeight || 600) / ROW_PX), seen = Math.max(0, Math.min(rows.length - room, Math.floor(place.scrollTop / ROW_PX)));
    const [from, to] = place.painted || [0, 0], isNear = (seen - from < SPARE && from > 0) || (to - seen - room < SPARE && to < rows.length);
    if (isScroll && !isNear) return;
    const first = Math.max(0, seen - MARGIN), last = Math.min(rows.length, seen + room + MARGIN), body = place.querySelector("tbody");
    const kept = new Map(isScroll ? [...body.children].map((one) => [one.key, one]) : []);
    const space = (key, count) => h("tr", { key, class: "space", "aria-hidden": "true" }, h("td", { colspan: shown.length, style: { height: `${count * ROW_PX}px` } }));
    if (!isScroll) patch(place.querySelector("thead tr"), heads());
    patch(body, [space("above", first), ...rows.slice(first, last).map((one, i) => kept.get(keyOf(one)) || line(one, shown, keyOf, first + i)), space("below", rows.length - last)]);
    place.painted = [first, last];
  };
}

const widthOf = (one) => one.width || (one.isNumber ? 120 : 190);

// What a table was read from is shown with it: whoever wants the same in a program sees how.
function tools(options, present, parameter, rows) {
  const { id, calls = [], all } = options, { shown } = present;
  const every = async () => (all ? await all() : rows);
  const asCsv = async () => save(`${id}.csv`, "text/csv", csv(shown.map((one) => one.name), (await every()).map((row) => shown.map((one) => one.value(row)))));
  const asJson = async () => save(`${id}.json`, "application/json", JSON.stringify(await every(), null, 2));
  return h("div", { class: "tools" }, chooser(options, present, parameter), h("button", { onclick: asCsv }, "CSV"), h("button", { onclick: asJson }, "JSON"),
    calls.map((path) => h("code", {}, "GET ", h("a", { href: ROOT + path }, ROOT + path))));
}

export function grid(options) {
  const { id, name, rows, query, none, isMain = false, order = "", keyOf = (one) => one.id } = options;
  const parameter = (word) => (isMain ? word : `${id}.${word}`), sort = query.get(parameter("sort")) || order;
  const present = chosenColumns(id, options.columns, query, parameter("columns")), { shown } = present;
  const sorted = sortedRows(options, sort), isLong = sorted.length > WINDOWED;
  const bar = tools(options, present, parameter("columns"), sorted);
  if (!sorted.length) return [bar, typeof none === "string" ? empty(none) : none];
  const heads = () => shown.map((one) => head(one, sort, parameter("sort"), isLong));
  const whole = h("table", { style: isLong ? { width: `${shown.reduce((sum, one) => sum + widthOf(one), 0)}px` } : {}, "aria-rowcount": sorted.length + 1 }, h("caption", {}, name),
    h("thead", {}, h("tr", { "aria-rowindex": 1 }, heads())), h("tbody", {}, isLong ? null : sorted.map((one, i) => line(one, shown, keyOf, i))));
  if (!isLong) return [bar, h("div", { class: "scroll", key: `grid ${id}` }, whole)];
  return [bar, h("div", { class: "scroll window", tabindex: "0", role: "region", "aria-label": name, key: `window ${id}`,
    paint: paintWindow(sorted, shown, keyOf, heads), onscroll: (event) => paintSoon(event.currentTarget) }, whole)];
}

// At most once for each picture that the screen shows.
function paintSoon(place) {
  if (place.isDue) return;
  place.isDue = true;
  requestAnimationFrame(() => { place.isDue = false; if (place.isConnected) place.paint(place, true); });
}

export function pages(query, from, size, all) {
  const to = (place) => keepPlace("from", place ? String(place) : null);
  return all > 0 && h("p", { class: "pages" }, `${from + 1} to ${Math.min(from + size, all)} of ${all}`,
    from > 0 && [" ", link(to(Math.max(0, from - size)), "newer")], from + size < all && [" ", link(to(from + size), "further")]);
}

