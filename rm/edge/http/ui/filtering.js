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

// `texts` and `numbers` have a function of a row for each field. The answer is a test of rows.
export function matcher(text, texts, numbers = {}) {
  const tests = [];
  const lower = (key, row) => String(texts[key](row) ?? "").toLowerCase();
  for (const found of (text || "").toLowerCase().match(WORDS) || []) {
    const whole = found.replaceAll('"', ""),
      at = whole.indexOf(":"),
      key = whole.slice(0, Math.max(0, at)),
      value = whole.slice(at + 1);
    const compared = whole.match(COMPARED);
    if (at > 0 && Object.hasOwn(texts, key)) {
      if (value) tests.push((row) => holdsText(key, value, lower(key, row)));
    } else if (compared && Object.hasOwn(numbers, compared[1])) {
      const [, name, sign, bound] = compared;
      tests.push((row) => OPERATORS[sign](numbers[name](row), Number(bound)));
    } else if (whole)
      tests.push((row) => Object.keys(texts).some((name) => lower(name, row).includes(whole)));
  }
  return (row) => tests.every((test) => test(row));
}

/** The same by the columns of a list, whose keys are the names of the fields. */
export function matcherOf(text, columns) {
  const those = (isNumber) =>
    Object.fromEntries(
      columns.filter((one) => Boolean(one.isNumber) === isNumber).map((one) => [one.key, one.value]),
    );
  return matcher(text, those(false), those(true));
}

// How many rows there are of each value of a field.
export function counts(rows, read) {
  const found = {};
  for (const row of rows) found[read(row)] = (found[read(row)] || 0) + 1;
  return found;
}
