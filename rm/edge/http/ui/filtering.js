// The language of the filter box, as the ResourceManager reads it for applications: words that have to
// occur somewhere, `state:RUNNING` for one field, `mem>4096` for numbers; all must hold, and nothing typed
// is wrong.
const WORDS = /(?:[^\s"]|"[^"]*")+/g;
const COMPARED = /^([a-z]+)(<=|>=|<|>|=)(-?\d+(?:\.\d+)?)$/;
const OPERATORS = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "=": (a, b) => a === b,
};
const WHOLE = ["state", "final"];

/** How people order names: n2 before n10. Made once, because one is dear. */
export const natural = new Intl.Collator(undefined, { numeric: true });

const isWithin = (path, queue) =>
  queue === path || queue === path.split(".").at(-1) || path.startsWith(`${queue}.`);

function holdsText(key, wanted, has) {
  if (key === "queue") return isWithin(has, wanted);
  if (WHOLE.includes(key)) return wanted.split("|").includes(has);
  return has.includes(wanted);
}

/** A test of rows by the columns of a list, whose keys are the names of the fields. */
export function matcher(text, columns) {
  const texts = columns.filter((one) => !one.isNumber);
  const lower = (column, row) => String(column.value(row) ?? "").toLowerCase();
  const tests = [];
  for (const found of (text || "").toLowerCase().match(WORDS) || []) {
    const whole = found.replaceAll('"', "");
    const [, key, value] = whole.match(/^([^:]+):(.*)$/) ?? [];
    const [, name, sign, bound] = whole.match(COMPARED) ?? [];
    const column = texts.find((one) => one.key === key);
    const number = columns.find((one) => one.isNumber && one.key === name);
    if (column) {
      if (value) tests.push((row) => holdsText(key, value, lower(column, row)));
    } else if (number) tests.push((row) => OPERATORS[sign](number.value(row), Number(bound)));
    else if (whole) tests.push((row) => texts.some((one) => lower(one, row).includes(whole)));
  }
  return (row) => tests.every((test) => test(row));
}

// How many rows there are of each value of a field.
export function counts(rows, read) {
  const found = {};
  for (const row of rows) found[read(row)] = (found[read(row)] || 0) + 1;
  return found;
}
