// The list of applications: a page of it at a time, found, counted and sorted by the ResourceManager.
import { get, list } from "./api.js";
import { columnOf } from "./columns.js";
import { facet, filter, html, title, unfiltered } from "./dom.js";
import { grid, pages } from "./grid.js";

const STATES = ["NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING", "FINISHED", "FAILED", "KILLED"];
const FACETS = [
  ["User", "user"],
  ["Queue", "queue"],
  ["Type", "type"],
];

const A_PAGE = 20,
  A_FILE = 500;
const NONE = "No applications yet. Submit one: yarnbox job pi 4 100000";

export const appGrid = (id, found, query, more = {}) =>
  grid({
    id,
    name: "Applications",
    columns: found.column.map(columnOf),
    rows: list(found.app),
    query,
    none: NONE,
    isSorted: true,
    order: "-id",
    ...more,
  });

// The parameters of the address that are asked for, under the names that they have there.
function question(wanted, query, names, more = {}) {
  const asked = new URLSearchParams({ ...more, ...(wanted && { states: wanted }) });
  for (const [name, theirs] of Object.entries(names)) if (query.get(name)) asked.set(theirs, query.get(name));
  return asked;
}
const OURS = { q: "q", user: "user", queue: "queue", type: "type" };
const HADOOPS = { user: "user", queue: "queue", type: "applicationTypes" };

async function every(asked) {
  const rows = [];
  for (;;) {
    const { found } = await get(`/ui/apps?${asked}&from=${rows.length}&limit=${A_FILE}`),
      more = list(found.app);
    rows.push(...more);
    if (!more.length || rows.length >= found.matching) return rows;
  }
}

function stateChips(wanted, counts) {
  const isHere = (name) => (name === (wanted || "All") ? "page" : null);
  const one = (name, to, number) =>
    html`<a href=${to + location.search} aria-current=${isHere(name)}>${name} ${number || null}</a>`;
  const all = Object.values(counts).reduce((sum, number) => sum + number, 0);
  return html`<nav class="chips" aria-label="States">
    ${one("All", "/cluster/apps", all)}
    ${STATES.map((name) => one(name, `/cluster/apps/${name}`, counts[name]))}
  </nav>`;
}

export async function apps([wanted], query) {
  const from = Number(query.get("from") || 0),
    asked = question(wanted, query, OURS, { sort: query.get("sort") || "-id" }),
    hadoops = question(wanted, query, HADOOPS),
    path = `/ui/apps?${asked}`;
  const { found } = await get(`${path}&from=${from}&limit=${A_PAGE}`),
    facets = found.facets || {};
  const none = found.total ? unfiltered("applications") : NONE;
  /** @param {string[]} facet its name, and the field */
  const facetOf = ([name, key]) => facet(name, key, facets[key] || {}, query.get(key) || "");
  const calls = [`/apps${hadoops.size ? `?${hadoops}` : ""}`, path];
  return html`${title(wanted ? `${wanted} Applications` : "All Applications")}
    ${stateChips(wanted, facets.state || {})}
    <div class="choices">
      ${filter(query, "words, or state:RUNNING user:mei queue:root.etl mem>4096")}${FACETS.map(facetOf)}
    </div>
    ${appGrid("apps", found, query, { isMain: true, none, calls, all: () => every(asked) })}
    ${pages(from, A_PAGE, found.matching)}`;
}
