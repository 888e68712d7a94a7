// Elements, texts and amounts. Whatever users wrote goes in as text: nothing is ever parsed as HTML.
import { isRecording, serverNow } from "./api.js";
import htm from "./vendor/htm.js";
import { Component, h, render } from "./vendor/preact.js";

export const html = htm.bind(h);
export { Component, h, render };

const link = (to, ...text) => h("a", { href: to }, text);
// What is not limited is as much as a Java long can be.
const gib = (mb) =>
  mb >= 2 ** 62 ? "no limit" : h("span", { title: `${mb} MiB` }, `${(mb / 1024).toFixed(1)} GiB`);
const percent = (value) => (typeof value === "number" ? `${value.toFixed(1)} %` : "n/a");
const state = (name) => h("span", { class: `state ${name}` }, name);
export const empty = (...text) => h("p", { class: "empty" }, text);
/** How people order names: n2 before n10. Made once, because one is dear. */
export const natural = new Intl.Collator(undefined, { numeric: true });
const orNone = (value) =>
  value === undefined || value === null || value === "" || value === -1 ? "N/A" : value;

function duration(ms) {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (seconds < 172800) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
}

// A colour of the style sheet as the browser computes it: one list there has those of light and dark.
const sample = document.createElement("i");
sample.hidden = true;
sample.className = "sample";
export function css(name) {
  if (!sample.isConnected) document.documentElement.append(sample);
  sample.style.color = `var(${name})`;
  return getComputedStyle(sample).color;
}

/** The hue of a swatch: one of the colours of the style sheet. */
export const hued = (name) => ({ "--hue": `var(${name})` });

// A moment is said as how long ago it was; the tooltip has the moment itself, the foot of the page the zone.
// A recording does not know the time of day: its pages say how long after its beginning something was.
export { isRecording };

const EPOCH = 946684800000;
const padded = (number, digits = 2) => String(number).padStart(digits, "0");
const fraction = (ms) => (ms % 1000 ? `.${padded(ms % 1000, 3)}` : "");

function since(ms) {
  const seconds = Math.floor(ms / 1000),
    minutes = Math.floor(seconds / 60);
  return `${Math.floor(minutes / 60)}:${padded(minutes % 60)}:${padded(seconds % 60)}${fraction(ms)}`;
}

// Made once: a format is dear, and a list has many moments.
const CLOCK = new Intl.DateTimeFormat([], { timeStyle: "medium", hourCycle: "h23" });
const DATE = new Intl.DateTimeFormat();
const EXACT = new Intl.DateTimeFormat([], { dateStyle: "medium", timeStyle: "long", hourCycle: "h23" });
export const clock = (ms) => (isRecording ? since(ms - EPOCH) : CLOCK.format(ms));
// A moment on an axis, which may be between two seconds.
export const tick = (ms) => (isRecording ? clock(ms) : clock(ms) + fraction(ms));
export const exact = (ms) => (isRecording ? `${ms - EPOCH} ms` : EXACT.format(ms));

/** A moment as logs have it, to be found there: the date where it is not that of today. */
function logged(ms) {
  const isToday = isRecording || DATE.format(ms) === DATE.format(serverNow());
  return h("time", { title: exact(ms) }, isToday ? clock(ms) : `${DATE.format(ms)} ${clock(ms)}`);
}

function moment(ms) {
  if (!ms || ms < 0) return "N/A";
  if (isRecording) return h("time", { title: exact(ms) }, clock(ms));
  const past = serverNow() - ms;
  return h(
    "time",
    { datetime: new Date(ms).toISOString(), title: exact(ms) },
    past < -999 ? `in ${duration(-past)}` : `${duration(Math.max(0, past))} ago`,
  );
}

/** The value, or the end of 0 to `most` that it is beyond. */
export const clamped = (value, most) => Math.max(0, Math.min(most, value));

function bar(share, title) {
  const width = `${clamped(share, 100)}%`;
  return h(
    "span",
    { class: "bar", role: "img", "aria-label": title, title },
    h("span", { style: { width } }),
  );
}

// A word that is explained where it stands: to whoever points at it, hears it, or presses it.
function explained(word, title) {
  const show = () => {
    document.getElementById("means").textContent = title;
  };
  return h("dfn", {}, h("button", { type: "button", popovertarget: "means", title, onclick: show }, word));
}

// A small button, whose sign is explained to those who do not know it.
export const tool = (sign, label, does) =>
  html`<button aria-label=${label} title=${label} onclick=${does}>${sign}</button>`;

// A list to choose from: pairs of a value and its text; `chosen`, if any, is given the value.
export const select = (choices, present, chosen, more = {}) =>
  html`<select ...${more} onchange=${chosen && ((event) => chosen(event.target.value))}>
    ${choices.map(
      ([value, text]) => html`<option value=${value} selected=${value === present}>${text}</option>`,
    )}
  </select>`;

// The present address with one part changed; a list begins anew when anything but its place in it, or its
// columns, changes.
export function withQuery(name, value) {
  const url = new URL(location.href);
  if (!/(^|\.)(from|columns)$/.test(name))
    for (const one of [...url.searchParams.keys()]) if (/(^|\.)from$/.test(one)) url.searchParams.delete(one);
  if (value === null || value === "") url.searchParams.delete(name);
  else url.searchParams.set(name, value);
  return url.pathname + url.search;
}

/** Has the page read and drawn anew. */
export const refresh = () => dispatchEvent(new Event("refresh"));

export function replaceQuery(name, value) {
  history.replaceState(null, "", withQuery(name, value));
  refresh();
}

/** The same as a step of its own, which the browser's Back undoes. */
export function pushQuery(name, value) {
  history.pushState(null, "", withQuery(name, value));
  refresh();
}

export const facts = (found) => html`<dl>
  ${found.map(
    ({ name, means, value, how, to }) => html`<div>
      <dt>${means ? explained(name, means) : name}</dt>
      <dd>${to ? link(to, said(value)) : said(value)}</dd>
      ${how && html`<dd class="how">${said(how)}</dd>`}
    </div>`,
  )}
</dl>`;

// What the ResourceManager does not know is -1.
const orUnknown = (shown) => (value) => (value >= 0 ? shown(value) : "N/A");
function part(value, whole, shown) {
  const share = whole ? (100 * value) / whole : 0;
  return [bar(share, percent(share)), " ", shown];
}
// Of a long text the beginning, and all of it on request: in its column it would be many lines high.
const LONG = 120,
  BEGINNING = 60;
const folded = (value) =>
  value?.length > LONG
    ? h("details", {}, h("summary", {}, value.slice(0, BEGINNING), " …"), h("pre", {}, value))
    : value;
/** An address with fields of the row in braces; a field that is an address by itself stays as it is. */
export const filled = (address, row) =>
  address.replace(/\{([^}]+)\}/g, (found, field) =>
    found === address ? (row[field] ?? "") : encodeURIComponent(row[field]).replaceAll("%3A", ":"),
  );
function led(value, { to, ask, word = value, kind, title, label, isHere }, row) {
  const href = ask ? withQuery(...ask) : row ? value && filled(to, row) : to;
  if (!href) return orNone(value);
  const current = isHere ? "true" : null;
  return h("a", { href, class: kind, title, "aria-label": label, "aria-current": current }, said(word));
}

// How a value is shown, by its kind: one that is said has that as the key before it, and further fields; a
// cell has those of its column, and its row.
const KINDS = {
  plain: said,
  number: said,
  long: folded,
  known: orNone,
  count: orUnknown((value) => value),
  gib: orUnknown(gib),
  amount: (value) => (value ? said(value) : "N/A"),
  percent,
  part: (value, { of }, row) => part(value, row[of], value),
  gibPart: (value, { of }, row) => part(value, row[of], gib(value)),
  share: (value, { said = percent(value) }) => [bar(value, said), " ", said],
  moment,
  logged,
  exact,
  duration,
  clock,
  state,
  containerState: (value, _, row) => [state(value), row.isAM && " AM"],
  link: led,
  sign: (value, { word }) => h("b", { role: "img", "aria-label": word }, value),
  word: (value, { kind, title }) =>
    h(kind || title ? "span" : "b", { class: kind || null, title }, said(value)),
  trouble: (value, _, row) => h("span", { class: row.isTrouble ? "trouble" : null }, value),
  together: (value) => h("span", {}, said(value)),
  small: (value) => h("small", {}, said(value)),
  code: (value) => h("code", {}, value),
  swatch: (value, { hue }) => h("span", { class: "swatch", style: hued(`--line${hue}`) }, value),
  term: (value, { means }) => explained(value, means),
  lines: (value) =>
    h(
      "div",
      { class: "lines" },
      value.map((one) => h("p", {}, said(one))),
    ),
  text: (value, { label = "Diagnostics" }) =>
    html`<pre tabindex="0" role="group" aria-label=${label}>${value}</pre>`,
};

const NAMES = Object.keys(KINDS);

/** A number, words, something that is shown by its kind, or several of these. */
export function said(value) {
  if (Array.isArray(value)) return value.map((one) => said(one));
  const isPlain = typeof value !== "object" || value === null;
  const kind = !isPlain && NAMES.find((one) => value[one] !== undefined);
  return kind ? KINDS[kind](value[kind], value) : String(value ?? "");
}

/** What a row has in a column. */
export function cellOf({ kind, read, note, ...how }, row) {
  const shown = KINDS[kind](row[read], how, row);
  return note && row[note] ? [shown, h("small", {}, ` ${row[note]}`)] : shown;
}
