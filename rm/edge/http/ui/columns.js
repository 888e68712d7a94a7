// Columns of lists, as the ResourceManager says them (rm/web/pages/lists.py): each has a key, a name, the
// field that is read, sorted and saved, and a kind, by which it is shown.
import {
  amount,
  bar,
  duration,
  gib,
  h,
  link,
  logged,
  moment,
  orNone,
  percent,
  queuePage,
  said,
  state,
} from "./dom.js";

// The ResourceManager says -1 where it does not know.
const orUnknown = (shown) => (value) =>
  value === undefined || value === null || value < 0 ? "N/A" : shown(value);
const linked = (addressOf) => (value, one) => {
  const address = value && addressOf(value, one);
  return address ? link(address, value) : orNone(value);
};
// Of anything that has a page, by how its name looks.
/** @type {[RegExp, (name: string) => string][]} */
const PAGES = [
  [/^application_/, (id) => `/cluster/app/${id}`],
  [/^(appattempt|container)_/, (id) => `/cluster/${id.split("_")[0]}/${id}`],
  [/^root(\.|$)/, queuePage],
  [/^[\w.-]+:\d+$/, (id) => `/cluster/node/${id}`],
];
// A recording writes "its name (its id)".
function pageOf(name) {
  const id = name.match(/\(([^()]+)\)$/)?.[1] ?? name;
  return PAGES.find(([looks]) => looks.test(id))?.[1](id);
}
// Of a long text the beginning, and all of it on request: in its column it would be many lines high.
const LONG = 120,
  BEGINNING = 60;
const folded = (value) =>
  value?.length > LONG
    ? h("details", {}, h("summary", {}, value.slice(0, BEGINNING), " …"), h("pre", {}, value))
    : value;
function part(value, whole, shown) {
  const share = whole ? (100 * value) / whole : 0;
  return [bar(share, percent(share)), " ", shown];
}

const SHOWN = {
  text: said,
  longText: folded,
  orNoneText: orNone,
  states: (value) => state(value ?? ""),
  containerState: (value, one) => [state(value), one.isAM && " AM"],
  number: (value) => value,
  count: orUnknown((value) => value),
  memory: orUnknown(gib),
  amounts: (value, one) => (value ? h("span", { title: one.how }, amount(value)) : "N/A"),
  time: moment,
  logged,
  trouble: (value, one) => h("span", { class: one.isTrouble ? "trouble" : null }, value),
  lengthOfTime: duration,
  share: percent,
  progress: (value) => part(value, 100, percent(value)),
  partOf: (value, one, { of }) => part(value, one[of], value),
  memoryPartOf: (value, one, { of }) => part(value, one[of], gib(value)),
  ofQueue: linked(queuePage),
  ofNode: linked((id) => `/cluster/node/${id}`),
  ofApp: linked((id) => `/cluster/app/${id}`),
  ofLabel: linked((label) => `/cluster/nodes?by=label&q=${encodeURIComponent(`label:"${label}"`)}`),
  ofAnything: linked(pageOf),
  tracking: (value, one) =>
    value && value !== "UNASSIGNED" ? link(`/proxy/${one.id}/`, value) : "Unassigned",
  // A link out of these pages, where there is something to see.
  away: (value, _, { word = value, under }) =>
    value ? h("a", { href: under ? `//${value}${under}` : value }, word) : "N/A",
};
// What has not happened yet has the time 0: that is no value, neither in a column nor in a file.
const VALUES = { time: (value) => value || null, amounts: (value) => value?.memory };

export function columnOf({ kind, read, note, ...more }) {
  const cell = (one) => SHOWN[kind](one[read], one, more);
  const noted = (one) => [cell(one), one[note] && h("small", {}, ` ${one[note]}`)];
  return {
    ...more,
    value: (one) => (VALUES[kind] ? VALUES[kind](one[read]) : one[read]),
    cell: note ? noted : cell,
  };
}
