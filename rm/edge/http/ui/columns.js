// Columns of lists, as the ResourceManager says them (rm/web/pages/lists.py): each has a key, a name, the
// field that is read, sorted and saved, and a kind, by which it is shown.
import { amount, bar, gib, h, KINDS, link, logged, orNone, percent, said, state } from "./dom.js";

// The ResourceManager says -1 where it does not know.
const orUnknown = (shown) => (value) =>
  value === undefined || value === null || value < 0 ? "N/A" : shown(value);
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
// An address with fields of the row in braces; a field that is an address by itself stays as it is.
const filled = (address, one) =>
  address.replace(/\{([^}]+)\}/g, (found, field) =>
    found === address ? (one[field] ?? "") : encodeURIComponent(one[field]).replaceAll("%3A", ":"),
  );

const SHOWN = {
  ...KINDS,
  plain: said,
  long: folded,
  known: orNone,
  number: (value) => value,
  count: orUnknown((value) => value),
  gib: orUnknown(gib),
  amount: (value, _, one) => (value ? h("span", { title: one.how }, amount(value)) : "N/A"),
  logged,
  percent,
  part: (value, { of }, one) => part(value, one[of], value),
  gibPart: (value, { of }, one) => part(value, one[of], gib(value)),
  trouble: (value, _, one) => h("span", { class: one.isTrouble ? "trouble" : null }, value),
  containerState: (value, _, one) => [state(value), one.isAM && " AM"],
  link(value, { to, word = value }, one) {
    const address = value && filled(to, one);
    return address ? link(address, word) : orNone(value);
  },
};
// What has not happened yet has the time 0: that is no value, neither in a column nor in a file.
const time = (value) => value || null;
const VALUES = { moment: time, logged: time, amount: (value) => value?.memory };

export function columnOf({ kind, read, note, ...more }) {
  const cell = (one) => SHOWN[kind](one[read], more, one);
  const noted = (one) => [cell(one), one[note] && h("small", {}, ` ${one[note]}`)];
  return {
    ...more,
    value: (one) => (VALUES[kind] ? VALUES[kind](one[read]) : one[read]),
    cell: note ? noted : cell,
  };
}
