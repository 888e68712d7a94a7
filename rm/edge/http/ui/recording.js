// The containers of a run as its recording has them, at its end: rows of places in a list of texts.
import { get, Unreachable } from "./api.js";
import { refresh } from "./dom.js";

// A run does not change: what was read once is kept.
const KNOWN = new Map();

function unpacked({ fields, named, texts, row, ...more }) {
  const isNamed = fields.map((field) => named.includes(field));
  const values = (one) => fields.map((field, i) => [field, isNamed[i] ? texts[one[i]] : one[i]]);
  return { ...more, container: row.map((one) => Object.fromEntries(values(one))) };
}

async function load(source) {
  try {
    KNOWN.set(source, unpacked((await get(source)).containers));
  } catch (error) {
    if (error instanceof Unreachable) KNOWN.delete(source);
    else KNOWN.set(source, { fault: error.message });
  }
  refresh();
}

/** What is known of it. Pages do not wait: many containers take a while to come. */
export function containersOfRun(source) {
  if (!KNOWN.has(source)) {
    KNOWN.set(source, { fault: "Reading the containers of the run …" });
    load(source);
  }
  return KNOWN.get(source);
}
