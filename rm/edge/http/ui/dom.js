// Elements and texts. Whatever users wrote goes in as a text node: nothing is ever parsed as HTML.
const SVG = "http://www.w3.org/2000/svg";

export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

// `key` tells elements of a list apart when a page is shown anew (patch.js); `paint` fills an element itself.
// What listens is kept beside the element, so that a later page can put its own in its place.
function fill(element, attributes, children) {
  element.handlers = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) listen(element, name.slice(2), value);
    else if (name === "key" || name === "paint") element[name] = value;
    else if (name === "style") Object.assign(element.style, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.isLive = Boolean(element.paint) || Object.keys(element.handlers).length > 0;
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
    element.isLive ||= child.isLive;
  }
  return element;
}

export function listen(element, type, handler) {
  if (!element.handlers[type]) element.addEventListener(type, (event) => element.handlers[type](event));
  element.handlers[type] = handler;
}

export const link = (to, ...text) => h("a", { href: to }, text);
export const plainGib = (mb) => `${(mb / 1024).toFixed(1)} GiB`;
export const gib = (mb) => h("span", { title: `${mb} MiB` }, plainGib(mb));
export const percent = (value) => (typeof value === "number" ? `${value.toFixed(1)} %` : "n/a");
export const state = (name) => h("span", { class: `state ${name}` }, name);
export const title = (text) => h("h1", {}, text);
export const empty = (...text) => h("p", { class: "empty" }, text);
export const partitionName = (label) => label || "<DEFAULT_PARTITION>";
export const orNone = (value) => (value === undefined || value === null || value === "" || value === -1 ? "N/A" : value);
export const amount = (value) => [gib(value.memory), `, ${value.vCores} vcores`];

export function duration(ms) {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (seconds < 172800) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
}

// A moment is said as how long ago it was; the tooltip has the moment itself, the foot of the page the zone.
// A recording does not know the time of day: its pages say how long after its beginning something was.
export const isRecording = document.documentElement.dataset.source === "recording";
const EPOCH = 946684800000;
const two = (number) => String(number).padStart(2, "0");

export function since(ms) {
  const seconds = Math.floor(ms / 1000), rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return `${Math.floor(seconds / 3600)}:${rest}${ms % 1000 ? `.${String(ms % 1000).padStart(3, "0")}` : ""}`;
}

const OF_CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit" };
export const clock = (ms) => (isRecording ? since(ms - EPOCH) : new Date(ms).toLocaleTimeString([], OF_CLOCK));
export const exact = (ms) => (isRecording ? `${ms - EPOCH} ms` : `${new Date(ms).toLocaleDateString()} ${clock(ms)}`);

export function moment(ms) {
  if (!ms || ms < 0) return "N/A";
  if (isRecording) return h("time", { title: exact(ms) }, clock(ms));
  const past = Date.now() - ms;
  return h("time", { datetime: new Date(ms).toISOString(), title: exact(ms) },
    past < -999 ? `in ${duration(-past)}` : `${duration(Math.max(0, past))} ago`);
}

export function bar(share, title) {
  const width = `${Math.max(0, Math.min(100, share))}%`;
  return h("span", { class: "bar", role: "img", "aria-label": title, title }, h("span", { style: { width } }));
}

export function tile(name, value, to, chart) {
  return h("div", { class: "tile" }, h("b", {}, to ? link(to, value) : value), h("span", {}, name), chart);
}

// A few rows that need no choice of columns; lists that do are grids (grid.js).
export function table(name, columns, rows, none) {
  if (!rows.length) return empty(none);
  return h("div", { class: "scroll" }, h("table", {}, h("caption", {}, name),
    h("thead", {}, h("tr", {}, columns.map((one) => h("th", { scope: "col" }, one)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell) => h("td", {}, cell)))))));
}

// A choice that stands in the address: one link for each value, the present one marked.
export function choice(what, name, values, present, fallback) {
  return h("nav", { class: "chips", "aria-label": what }, h("span", { class: "what" }, what), values.map(([value, text]) =>
    h("a", { href: withQuery(name, value === fallback ? null : value), "aria-current": value === present ? "true" : null }, text)));
}

// The same for many values, in one line: a list to choose from. Counts stand beside the values.
export function facet(what, name, counts, present) {
  const values = Object.entries(counts).sort(([a, m], [b, n]) => n - m || a.localeCompare(b));
  if (present && !(present in counts)) values.unshift([present, 0]);
  return h("label", { class: "facet" }, what, " ", h("select", { onchange: (event) => replaceQuery(name, event.target.value) },
    h("option", { value: "" }, "all"), values.map(([value, number]) =>
      h("option", { value, selected: value === present }, `${value || "(none)"} (${number})`))));
}

// The present address with one part changed; a list begins anew when anything but its place in it changes.
export function withQuery(name, value) {
  const url = new URL(location.href);
  if (value === null || value === "") url.searchParams.delete(name);
  else url.searchParams.set(name, value);
  if (name !== "from") url.searchParams.delete("from");
  return url.pathname + url.search;
}

export function replaceQuery(name, value) {
  history.replaceState(null, "", withQuery(name, value));
  dispatchEvent(new Event("refresh"));
}

export function filter(query, what) {
  return h("label", { class: "filter" }, "Filter ", h("input", { id: "filter", type: "search", value: query.get("q") || "",
    placeholder: what, oninput: (event) => replaceQuery("q", event.target.value) }));
}

export function facts(pairs) {
  return h("dl", {}, pairs.filter(Boolean).map(([name, value, how]) => h("div", {}, h("dt", {}, name), h("dd", {}, value),
    how && h("dd", { class: "how" }, how))));
}
