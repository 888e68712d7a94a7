// The list of applications: a page of it at a time, found, counted and sorted by the ResourceManager.
import { get, list } from "./api.js";
import {
  CARD,
  count,
  lengthOfTime,
  memory,
  OFF,
  ofApp,
  ofQueue,
  progress,
  share,
  states,
  text,
  time,
} from "./columns.js";
import { facet, filter, html, title, unfiltered } from "./dom.js";
import { grid, pages } from "./grid.js";

const STATES = ["NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING", "FINISHED", "FAILED", "KILLED"];
const FACETS = [
  ["User", "user"],
  ["Queue", "queue"],
  ["Type", "type"],
];

// By the names of Hadoop's page.
const tracking = (one) =>
  one.trackingUI && one.trackingUI !== "UNASSIGNED"
    ? html`<a href=${`/proxy/${one.id}/`}>${one.trackingUI}</a>`
    : "Unassigned";

const APP_COLUMNS = [
  ofApp("id", "ID", "id", { ...CARD, width: 270 }),
  text("user", "User"),
  text("name", "Name", "name", CARD),
  ofQueue("queue", "Queue"),
  states("state", "State", "state", CARD),
  states("final", "FinalStatus", "finalStatus", CARD),
  progress("progress", "Progress", "progress", { width: 200 }),
  text("type", "Application Type", "applicationType"),
  text("tag", "Application Tags", "applicationTags", OFF),
  count("priority", "Application Priority"),
  time("started", "StartTime", "startedTime"),
  time("launched", "LaunchTime", "launchTime", OFF),
  time("finished", "FinishTime", "finishedTime"),
  count("containers", "Running Containers", "runningContainers"),
  count("pending", "Pending Containers", "pendingContainers"),
  count("vcores", "Allocated CPU VCores", "allocatedVCores"),
  memory("mem", "Allocated Memory", "allocatedMB"),
  count("gpus", "Allocated GPUs", "allocatedGPUs", OFF),
  count("reservedvcores", "Reserved CPU VCores", "reservedVCores", OFF),
  memory("reservedmem", "Reserved Memory", "reservedMB", OFF),
  count("reservedgpus", "Reserved GPUs", "reservedGPUs", OFF),
  memory("fairshare", "Fair Share", "fairShareMB", OFF),
  share("queueshare", "% of Queue", "queueUsagePercentage"),
  share("clustershare", "% of Cluster", "clusterUsagePercentage"),
  text("tracking", "Tracking UI", "trackingUI", { cell: tracking }),
  count("blacklisted", "Blacklisted Nodes", "blacklistedNodes", OFF),
  lengthOfTime("elapsed", "Elapsed", "elapsedTime", OFF),
];

const A_PAGE = 20,
  A_FILE = 500;
const NONE = "No applications yet. Submit one: yarnbox job pi 4 100000";

export const appGrid = (id, rows, query, more = {}) =>
  grid({
    id,
    name: "Applications",
    columns: APP_COLUMNS,
    rows,
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
    ${appGrid("apps", list(found.app), query, { isMain: true, none, calls, all: () => every(asked) })}
    ${pages(from, A_PAGE, found.matching)}`;
}
