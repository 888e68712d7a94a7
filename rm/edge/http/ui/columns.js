// Columns of lists. Each has a key, a name, a value, which is sorted and exported, and, where more is shown,
// a cell. `read` is the name of a field, or a function of the row; it is the key where nothing is said.
import { amount, bar, duration, gib, h, link, moment, orNone, percent, queuePage, state } from "./dom.js";

/** @typedef {string | ((one: any) => any)} Read */
/** @param {(value: any) => object} kind what a column of this kind has, by what it reads of a row */
const columnsOf =
  (kind) =>
  (/** @type {string} */ key, /** @type {string} */ name, /** @type {Read} */ read = key, more = {}) => {
    const value = typeof read === "string" ? (one) => one[read] : read;
    return { key, name, value, ...kind(value), ...more };
  };
/** @param {(value: any) => any} shown a number, as people read it */
const numbersAs = (shown) => columnsOf((value) => ({ isNumber: true, cell: (one) => shown(value(one)) }));
// The ResourceManager says -1 where it does not know.
const isKnown = (value) => value !== undefined && value !== null && !(value < 0);

export const OFF = { isOff: true };
export const CARD = { isCard: true };
export const text = columnsOf(() => ({}));
// Of a long text the beginning, and all of it on request: in its column it would be many lines high.
const LONG = 120,
  BEGINNING = 60;
const folded = (value) =>
  h("details", {}, h("summary", {}, value.slice(0, BEGINNING), " …"), h("pre", {}, value));
export const longText = columnsOf((value) => ({
  width: 320,
  cell: (one) => (value(one)?.length > LONG ? folded(value(one)) : value(one)),
}));
const orNoneText = columnsOf((value) => ({ cell: (one) => orNone(value(one)) }));
export const states = columnsOf((value) => ({ cell: (one) => state(value(one) ?? "") }));
export const number = columnsOf(() => ({ isNumber: true }));
export const count = numbersAs((value) => (isKnown(value) ? value : "N/A"));
export const memory = numbersAs((value) => (isKnown(value) ? gib(value) : "N/A"));
// What has not happened yet has the time 0: that is no value, neither in a column nor in a file.
export const time = columnsOf((value) => ({
  isNumber: true,
  value: (one) => value(one) || null,
  cell: (one) => moment(value(one)),
}));
export const lengthOfTime = numbersAs(duration);
export const share = numbersAs(percent);
export const progress = numbersAs((value) => [bar(value, percent(value)), " ", percent(value)]);

const linked = (/** @type {(value: any, one: any) => string} */ to) =>
  columnsOf((value) => ({
    cell: (one) => {
      const address = value(one) && to(value(one), one);
      return address ? link(address, value(one)) : orNone(value(one));
    },
  }));
export const ofQueue = linked(queuePage);
export const ofNode = linked((id) => `/cluster/node/${id}`);
export const ofApp = linked((id) => `/cluster/app/${id}`);
const ofLabel = linked((label) => `/cluster/nodes?by=label&q=${encodeURIComponent(`label:"${label}"`)}`);
// Of anything that has a page, by how its name looks.
/** @type {[RegExp, (name: string) => string][]} */
const PAGES = [
  [/^application_/, (id) => `/cluster/app/${id}`],
  [/^(appattempt|container)_/, (id) => `/cluster/${id.split("_")[0]}/${id}`],
  [/^root(\.|$)/, queuePage],
  [/^[\w.-]+:\d+$/, (id) => `/cluster/node/${id}`],
];
// A recording writes "its name (its id)".
export const ofAnything = linked((name) => {
  const id = name.match(/\(([^()]+)\)$/)?.[1] ?? name;
  return PAGES.find(([looks]) => looks.test(id))?.[1](id);
});
/** A link out of these pages, where there is something to see. */
export const away = (key, name, to, word) => ({
  key,
  name,
  value: (one) => to(one) || "",
  cell: (one) => (to(one) ? h("a", { href: to(one) }, word(one)) : "N/A"),
});
export const logs = (to) => ({ ...away("logs", "Logs", to, () => "Logs"), isFixed: true });
export const containerState = states("state", "Container State", "state", {
  ...CARD,
  cell: (one) => [state(one.state), one.isAM && " AM"],
});
const amounts = columnsOf((value) => ({
  isNumber: true,
  value: (one) => value(one)?.memory,
  cell: (one) => (value(one) ? h("span", { title: one.how }, amount(value(one))) : "N/A"),
}));

const logsAt = (_key, _name, read) => logs((one) => one[read]);
const tracking = columnsOf((value) => ({
  cell: (one) =>
    value(one) && value(one) !== "UNASSIGNED" ? link(`/proxy/${one.id}/`, value(one)) : "Unassigned",
}));
const OF_ANY = { text, longText, orNoneText, states, number, count, memory, time, amounts };
const MORE = { lengthOfTime, share, progress, tracking, logs: logsAt };
const KINDS = { ...OF_ANY, ...MORE, ofQueue, ofNode, ofApp, ofLabel };
/** A column as the ResourceManager says it (rm/web/pages/blocks.py). */
export const columnOf = ({ key, name, kind, read, ...more }) => KINDS[kind](key, name, read, more);
