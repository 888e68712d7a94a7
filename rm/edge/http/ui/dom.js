// Elements and texts. Whatever users wrote goes in as a text node: nothing is ever parsed as HTML.
const SVG = "http://www.w3.org/2000/svg";

export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(element.style, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

export const link = (to, ...text) => h("a", { href: to }, text);
export const gib = (mb) => h("span", { title: `${mb} MiB` }, `${(mb / 1024).toFixed(1)} GiB`);
export const percent = (value) => (typeof value === "number" ? `${value.toFixed(1)} %` : "n/a");
export const state = (name) => h("span", { class: `state ${name}` }, name);
export const title = (text) => h("h1", {}, text);
export const partitionName = (label) => label || "<DEFAULT_PARTITION>";
export const orNone = (value) => (value === undefined || value === "" || value === -1 ? "N/A" : value);

// A recording does not know the time of day: its pages say how long after its beginning something was.
export const isRecording = document.documentElement.dataset.source === "recording";
const EPOCH = 946684800000;
const two = (number) => String(number).padStart(2, "0");

export function since(ms) {
  const seconds = Math.floor(ms / 1000), rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return `${Math.floor(seconds / 3600)}:${rest}${ms % 1000 ? `.${String(ms % 1000).padStart(3, "0")}` : ""}`;
}

export const timeOfDay = (ms, style) => (isRecording ? since(ms - EPOCH) : new Date(ms).toLocaleTimeString([], style));

export function moment(ms) {
  if (!ms) return "N/A";
  return h("time", { datetime: isRecording ? null : new Date(ms).toISOString(), title: isRecording ? `${ms - EPOCH} ms` : new Date(ms).toString() },
    timeOfDay(ms));
}

export function duration(ms) {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

export function bar(share, title) {
  const width = `${Math.max(0, Math.min(100, share))}%`;
  return h("span", { class: "bar", role: "img", "aria-label": title, title }, h("span", { style: { width } }));
}

export function tile(name, value, to) {
  return h("div", { class: "tile" }, h("b", {}, to ? link(to, value) : value), h("span", {}, name));
}

export function table(name, columns, rows, empty) {
  if (!rows.length) return h("p", { class: "empty" }, empty);
  return h("div", { class: "scroll" }, h("table", {}, h("caption", {}, name),
    h("thead", {}, h("tr", {}, columns.map((one) => h("th", { scope: "col" }, one)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell) => h("td", {}, cell)))))));
}

// A choice that stands in the address: one link for each value, the present one marked.
export function choice(what, name, values, present, fallback) {
  return h("nav", { class: "chips", "aria-label": what }, h("span", { class: "what" }, what), values.map(([value, text]) =>
    h("a", { href: withQuery(name, value === fallback ? null : value), "aria-current": value === present ? "true" : null }, text)));
}

export function withQuery(name, value) {
  const url = new URL(location.href);
  if (value === null || value === "") url.searchParams.delete(name);
  else url.searchParams.set(name, value);
  if (name !== "from") url.searchParams.delete("from");
  return url.pathname + url.search;
}

export function filter(query, what) {
  return h("label", { class: "filter" }, "Filter ", h("input", {
    id: "filter", type: "search", value: query.get("q") || "", placeholder: what,
    oninput: (event) => {
      history.replaceState(null, "", withQuery("q", event.target.value));
      dispatchEvent(new Event("refresh"));
    } }));
}

export function facts(pairs) {
  return h("dl", {}, pairs.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}
