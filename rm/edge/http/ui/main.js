// The shell: addresses to pages, the stream that says when to look again, keys, the dark mode.

import { contact, events, get, giveUp, KEPT, serverNow, Unreachable } from "./api.js";
import { app } from "./app.js";
import { apps } from "./apps.js";
import { overview } from "./cluster.js";
import { countVCores, exact, html, isRecording, render } from "./dom.js";
import { help, listenToKeys } from "./keys.js";
import { showMeanings } from "./means.js";
import * as nodes from "./nodes.js";
import { scheduler } from "./queues.js";
import { explain } from "./terms.js";
import * as views from "./views.js";

const PAGES = [
  ["/cluster", "Cluster", "c"],
  ["/cluster/nodes", "Nodes", "n"],
  ["/cluster/apps", "Applications", "a"],
  ["/cluster/scheduler", "Scheduler", "s"],
  ["/cluster/nodelabels", "Labels", "l"],
  ["/cluster/events", "Events", "e"],
  ["/cluster/conf", "Configuration", "k"],
  ["/cluster/cluster", "About", "b"],
];
// The page in the bar to which others belong.
const SECTIONS = {
  node: "nodes",
  app: "apps",
  appattempt: "apps",
  container: "apps",
  "errors-and-warnings": "events",
};
// Attempts and containers are shown with their application: container_e01_1_0002_01_000003 is one of
// application_1_0002.
const ofApp = (id) =>
  `application_${id
    .replace(/^(appattempt|container)(_e\d+)?_/, "")
    .split("_")
    .slice(0, 2)
    .join("_")}`;
const ofAttempt = ([id], query) => app([ofApp(id)], query);
const VIEWS = {
  "": overview,
  nodes: nodes.nodes,
  node: nodes.node,
  apps,
  app,
  appattempt: ofAttempt,
  container: ofAttempt,
  scheduler,
  nodelabels: views.labels,
  conf: views.conf,
  cluster: views.about,
  events: (_, query) => liveLog(query, "all"),
  "errors-and-warnings": (_, query) => liveLog(query, "trouble"),
};
// It asks for nothing, and would not notice otherwise that nobody answers.
function liveLog(query, usual) {
  if (isCut) throw new Unreachable();
  return views.eventLog(log, query, { usual, ...(!hasBegun && { none: "Reading the events …" }) });
}
const main = document.getElementById("main"),
  banner = document.getElementById("lost");
const log = [],
  MOST_EVENTS = 5000;
const recorded = isRecording ? await import("./recorded.js") : null;
// A page that takes long to read and draw is shown less often, and none is shown anew while somebody scrolls.
const RESTS = 8,
  MOST_REST_MS = 15_000,
  SCROLL_MS = 400;
const LATE_MS = 5000;
// While nothing happens, the stream says so as often.
const QUIET_MS = 3000,
  SILENT_MS = 10_000;
// A recording says nothing by itself, and may have much to work out: it is asked anew after a longer while.
const MOST_PATIENCE_MS = 60_000;
let shownAt = performance.now(),
  unshownAt = Number.POSITIVE_INFINITY,
  isPaused = false,
  isDue = true,
  isBusy = false,
  begunAt = 0,
  isCut = false,
  hasBegun = false,
  drawn = "",
  drawnAt = 0,
  restsUntil = 0,
  scrolledAt = 0,
  status = "…";

function tellStatus(value) {
  if (status === value) return;
  status = value;
  bar();
}

function pause(value) {
  isPaused = value;
  tellStatus(isPaused ? "paused" : "live");
  if (!isPaused) draw();
}

const wordsOf = (path) =>
  path
    .replace(/^\/cluster\/?/, "")
    .split("/")
    .filter(Boolean)
    .map(decodeURIComponent);

function bar() {
  const [name = ""] = wordsOf(location.pathname);
  const section = ["/cluster", SECTIONS[name] ?? name].filter((word) => word).join("/");
  const isHere = (to) => (location.pathname === to ? "page" : section === to ? "true" : null);
  const press = () => pause(!isPaused);
  const pill = html`<button id="pill" aria-live="polite" onclick=${press}>${status}</button>`;
  render(
    html`<a class="brand" href="/cluster">yarnbox</a>
      <nav aria-label="Pages">
        ${PAGES.map(([to, name]) => html`<a href=${to} aria-current=${isHere(to)}>${name}</a>`)}
      </nav>
      ${!recorded && pill}
      <button aria-label="Keys" onclick=${() => help(PAGES)}>?</button>
      <button id="dark" aria-label="Light or dark" onclick=${toggle}>◐</button>`,
    document.getElementById("bar"),
  );
}

// The zone of all times, and who is asking, are said once, at the foot. What every page needs is read here.
async function foot() {
  const [rights, words] = await Promise.all(
    ["/ui/rights", "/ui/terms"].map((path) => get(path).catch(() => null)),
  );
  countVCores(rights);
  explain(words?.term ?? {});
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  render(
    html`${recorded ? "Times count from the beginning of the run." : `Times are in ${zone}.`}
      ${rights?.user ? ` Logged in as: ${rights.user}.` : ""} Press ? for the keys.`,
    document.getElementById("foot"),
  );
}

function toggle() {
  const root = document.documentElement;
  const isDark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  localStorage.setItem("theme", root.dataset.theme);
  draw();
}

const THINGS = { app: "Application", appattempt: "Attempt", container: "Container", node: "Node" };

function refusal(name, error) {
  if (![400, 404].includes(error.status) || !THINGS[name])
    return html`<h1>This page cannot be shown</h1><p class="error" role="alert">${error.message}</p>`;
  const list = name === "node" ? ["nodes", "All nodes"] : ["apps", "All applications"];
  const missing = isRecording
    ? "It does not exist at this moment of the run."
    : "It may belong to an earlier cluster.";
  const why = error.status === 404 ? missing : `${error.message}.`;
  return html`<h1>${THINGS[name]} not found</h1>
    <p role="alert">${why} <a href=${`/cluster/${list[0]}`}>${list[1]}</a></p>`;
}

async function draw() {
  if (isBusy) {
    isDue = true;
    return;
  }
  isBusy = true;
  isDue = false;
  unshownAt = Number.POSITIVE_INFINITY;
  begunAt = performance.now();
  const here = location.pathname + location.search;
  const [name = "", ...words] = wordsOf(location.pathname);
  try {
    const view = VIEWS[name];
    const shown = view
      ? await view(words, new URLSearchParams(location.search))
      : html`<h1>Page not found</h1><a href="/cluster">Cluster</a>`;
    if (here === location.pathname + location.search) show(shown, here);
    lost(false);
  } catch (error) {
    if (error instanceof Unreachable) lost(true);
    else show(refusal(name, error), here);
  } finally {
    isBusy = false;
    const rest = Math.min(MOST_REST_MS, RESTS * (performance.now() - begunAt));
    restsUntil = performance.now() + rest;
    if (here !== location.pathname + location.search) draw();
  }
}

// What is shown stays, and is said to be old.
function lost(value) {
  banner.hidden = !value;
  const when = banner.querySelector("span");
  if (when) when.textContent = drawnAt ? `What is shown is from ${exact(drawnAt)}.` : "";
  main.classList.toggle("old", value);
}

// What was focused has gone with its page: whoever hears pages is told of the new one, and Tab begins there.
function goToHeading() {
  const heading = main.querySelector("h1");
  if (!heading || document.activeElement !== document.body) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

function show(shown, here) {
  const isNew = drawn !== location.pathname;
  render(html`<div key=${location.pathname}>${shown}</div>`, main);
  document.title = `${main.querySelector("h1")?.textContent || "yarnbox"} · yarnbox`;
  if (isNew) {
    bar();
    scrollTo(0, 0);
    if (drawn) goToHeading();
  }
  drawn = location.pathname;
  shownAt = performance.now();
  drawnAt = serverNow();
  main.dataset.ready = here;
}

function go(to) {
  const url = new URL(to, location.href),
    query = new URLSearchParams(location.search);
  for (const name of KEPT)
    if (query.has(name) && !url.searchParams.has(name)) url.searchParams.set(name, query.get(name));
  history.pushState(null, "", url);
  draw();
}

document.addEventListener("click", (event) => {
  const to = /** @type {Element} */ (event.target).closest?.("a[href^='/cluster']");
  if (!to || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(to.getAttribute("href"));
});
showMeanings();
listenToKeys(PAGES, go, { t: toggle, p: () => pause(!isPaused), ...recorded?.KEYS });
addEventListener(
  "scroll",
  () => {
    scrolledAt = performance.now();
  },
  { capture: true, passive: true },
);
addEventListener("popstate", draw);
addEventListener("refresh", draw);
for (const colours of ["(prefers-color-scheme: dark)", "(prefers-contrast: more)", "(forced-colors: active)"])
  matchMedia(colours).addEventListener("change", draw);
document.documentElement.dataset.theme = localStorage.getItem("theme") || "";
// Browsers allow six connections to one host: a tab that nobody sees holds none, and catches up when it is
// seen again.
let stream = null,
  lastEvent = "";
function listen() {
  stream?.close();
  stream = document.hidden ? null : events(lastEvent);
  if (!isPaused && !stream) tellStatus("paused in background");
  if (!stream) return;
  stream.onopen = () => connected(true);
  stream.onerror = () => connected(false);
  stream.addEventListener("quiet", () => {
    heard();
    isDue ||= !hasBegun;
    hasBegun = true;
  });
  stream.onmessage = (message) => {
    heard();
    unshownAt = Math.min(unshownAt, contact.at);
    lastEvent = message.lastEventId;
    log.push({ ...JSON.parse(message.data), number: lastEvent });
    if (log.length > MOST_EVENTS) log.shift();
    isDue = true;
  };
}
function heard() {
  contact.at = performance.now();
}
function connected(value) {
  heard();
  isCut = !value;
  isDue = true;
  restsUntil = 0;
  if (!isPaused) tellStatus(value ? "live" : "reconnecting");
}
// What is shown lacks nothing that happened more than a few seconds ago, or says for how long it has: also
// while the page rests, somebody scrolls, or the ResourceManager neither answers nor says that it is quiet.
function age() {
  if (isPaused || document.hidden) return;
  if (performance.now() - contact.at > SILENT_MS) askAnew();
  const complete = Math.min(Math.max(shownAt, restsUntil), unshownAt, contact.at + QUIET_MS);
  const late = performance.now() - complete;
  const isOpen = stream?.readyState === EventSource.OPEN;
  if (!banner.hidden) tellStatus("no answer");
  else
    tellStatus(late > LATE_MS ? `behind by ${Math.round(late / 1000)} s` : isOpen ? "live" : "reconnecting");
}
// Whoever takes connections and says nothing may be stopped for ever: all is asked for again.
function askAnew() {
  lost(true);
  giveUp();
  listen();
  connected(false);
}
const isQuiet = () =>
  performance.now() > Math.max(restsUntil, scrolledAt + SCROLL_MS) && !document.querySelector("dialog[open]");
const look = () => {
  if (!isPaused && !document.hidden && isQuiet()) draw();
};
function watchRecording() {
  const waited = isBusy ? performance.now() - begunAt : 0;
  if (waited > SILENT_MS) lost(true);
  if (waited > MOST_PATIENCE_MS) giveUp();
  else if (!isBusy && !banner.hidden) draw();
}
if (recorded) {
  await recorded.begin(PAGES, VIEWS, go);
  setInterval(watchRecording, 1000);
} else {
  document.addEventListener("visibilitychange", listen);
  listen();
  setInterval(() => {
    if (isDue) look();
    age();
  }, 1000);
  setInterval(look, 3000);
}
bar();
await foot();
draw();
