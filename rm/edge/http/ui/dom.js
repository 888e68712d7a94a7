// Elements, texts and amounts. Whatever users wrote goes in as text: nothing is ever parsed as HTML.
import { isRecording, serverNow } from "./api.js";
import htm from "./vendor/htm.js";
import { Component, h, render } from "./vendor/preact.js";

export const html = htm.bind(h);
export { Component, h, render };

export const link = (to, ...text) => h("a", { href: to }, text);
// What is not limited is as much as a Java long can be.
const UNLIMITED = 2 ** 62;
export const plainGib = (mb) => (mb >= UNLIMITED ? "no limit" : `${(mb / 1024).toFixed(1)} GiB`);
export const gib = (mb) => (mb >= UNLIMITED ? "no limit" : h("span", { title: `${mb} MiB` }, plainGib(mb)));
// Vcores are named where the scheduler counts them: what stands around the pages says so, or each run.
let countsVCores = true;
export const countVCores = (known) => {
  countsVCores = known?.countsVCores ?? countsVCores;
};
export const andVCores = (vcores) =>
  countsVCores && vcores < UNLIMITED ? `, ${vcores} ${Number(vcores) === 1 ? "vcore" : "vcores"}` : "";
export const percent = (value) => (typeof value === "number" ? `${value.toFixed(1)} %` : "n/a");
export const state = (name) => h("span", { class: `state ${name}` }, name);
export const empty = (...text) => h("p", { class: "empty" }, text);
/** How people order names: n2 before n10. Made once, because one is dear. */
export const natural = new Intl.Collator(undefined, { numeric: true });
export const orNone = (value) =>
  value === undefined || value === null || value === "" || value === -1 ? "N/A" : value;
// Amounts in texts of the ResourceManager, "<memory:1536, vCores:2>", in the units of the pages.
const inUnits = (text) =>
  String(text ?? "").replace(/<memory:(-?\d+), vCores:(-?\d+)((?:, [^<>]*)?)>/g, (_, mb, vcores, others) =>
    [plainGib(mb), andVCores(vcores), others].join(""),
  );
export const amount = ({ memory, vCores }) => [gib(memory), andVCores(vCores)];

export function duration(ms) {
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

export const EPOCH = 946684800000;
const padded = (number, digits = 2) => String(number).padStart(digits, "0");
const fraction = (ms) => (ms % 1000 ? `.${padded(ms % 1000, 3)}` : "");

export function since(ms) {
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
export function logged(ms) {
  const isToday = isRecording || DATE.format(ms) === DATE.format(serverNow());
  return h("time", { title: exact(ms) }, isToday ? clock(ms) : `${DATE.format(ms)} ${clock(ms)}`);
}

export function moment(ms) {
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

export function bar(share, title) {
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

// A few rows that need no choice of columns; lists that do are grids (grid.js). On a phone a row of many
// columns is a card whose cells say what they are.
const CARDS_FROM = 4;
const wordOf = (column) => column.swatch ?? column.term ?? column;
export function table(name, columns, rows, none) {
  if (!rows.length) return empty(none);
  const isCards = columns.length >= CARDS_FROM;
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${name}>
    <table class=${isCards ? "cards" : null}>
      <caption>${name}</caption>
      <thead><tr>${columns.map((one) => html`<th scope="col">${said(one)}</th>`)}</tr></thead>
      <tbody>
        ${rows.map(
          (row) => html`<tr>
            ${row.map((cell, i) => html`<td data-name=${isCards ? wordOf(columns[i]) : null}>${cell}</td>`)}
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
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
export function withQuery(name, value, keepsPlace = name === "from") {
  const url = new URL(location.href);
  if (value === null || value === "") url.searchParams.delete(name);
  else url.searchParams.set(name, value);
  if (!keepsPlace) url.searchParams.delete("from");
  return url.pathname + url.search;
}

/** Has the page read and drawn anew. */
export const refresh = () => dispatchEvent(new Event("refresh"));

export function replaceQuery(name, value, keepsPlace) {
  history.replaceState(null, "", withQuery(name, value, keepsPlace));
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

// As the ResourceManager says them: a value is a number, words, an amount, something that is shown by its
// kind, or several of these, and may lead somewhere.
export const KINDS = {
  memory: (_, all) => amount(all),
  moment,
  exact,
  duration,
  state,
  share: (value, { said = percent(value) }) => [bar(value, said), " ", said],
  link: (value, { to, kind }) => h("a", { href: to, class: kind || null }, said(value)),
  clock,
  sign: (value, { word }) => h("b", { role: "img", "aria-label": word }, value),
  word: (value, { kind, title }) =>
    h(kind || title ? "span" : "b", { class: kind || null, title }, said(value)),
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
    html`<pre tabindex="0" role="group" aria-label=${label}>${inUnits(value)}</pre>`,
};
export function said(value) {
  if (Array.isArray(value)) return value.map(said);
  const isPlain = typeof value !== "object" || value === null;
  const kind = !isPlain && Object.keys(KINDS).find((one) => value[one] !== undefined);
  return kind ? KINDS[kind](value[kind], value) : inUnits(value);
}
