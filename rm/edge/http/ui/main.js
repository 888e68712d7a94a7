// The shell: addresses to pages, the stream that says when to look again, keys, the dark mode.
import { KEPT, Unreachable, events, get } from "./api.js";
import { app } from "./app.js";
import { apps } from "./apps.js";
import { h, isRecording, link } from "./dom.js";
import { help, listenToKeys } from "./keys.js";
import { eventLog } from "./log.js";
import * as nodes from "./nodes.js";
import { patch } from "./patch.js";
import { scheduler } from "./queues.js";
import * as views from "./views.js";

const PAGES = [["/cluster", "Cluster", "c"], ["/cluster/nodes", "Nodes", "n"], ["/cluster/apps", "Applications", "a"],
  ["/cluster/scheduler", "Scheduler", "s"], ["/cluster/nodelabels", "Labels", "l"], ["/cluster/events", "Events", "e"],
  ["/cluster/conf", "Configuration", "k"], ["/cluster/cluster", "About", "b"]];
// Attempts and containers are shown with their application: container_e01_1_0002_01_000003 is one of application_1_0002.
const ofApp = (id) => `application_${id.replace(/^(appattempt|container)(_e\d+)?_/, "").split("_").slice(0, 2).join("_")}`;
const ofAttempt = ([id], query) => app([ofApp(id)], query);
const VIEWS = { "": views.overview, nodes: nodes.nodes, node: nodes.node, apps, app, appattempt: ofAttempt, container: ofAttempt,
  scheduler, nodelabels: views.labels, conf: views.conf, cluster: views.about, events: (_, query) => eventLog(log, query),
  "errors-and-warnings": (_, query) => eventLog(log, query, "trouble") };
const main = document.getElementById("main");
const pill = h("button", { id: "pill", onclick: () => pause(!isPaused), "aria-live": "polite" }, "…");
const log = [], MOST_EVENTS = 5000;
const recorded = isRecording ? await import("./recorded.js") : null;
// A page that takes long to read and draw is shown less often, and none is shown anew while somebody scrolls.
const RESTS = 8, SCROLL_MS = 400;
const LATE_MS = 8000;
let shownAt = performance.now(), isPaused = false, isDue = true, isBusy = false, drawn = "", restsUntil = 0, scrolledAt = 0;

function pause(value) {
  isPaused = value;
  pill.textContent = isPaused ? "paused" : "live";
  if (!isPaused) draw();
}

function bar() {
  document.getElementById("bar").replaceChildren(h("a", { class: "brand", href: "/cluster" }, "yarnbox"),
    h("nav", { "aria-label": "Pages" }, PAGES.map(([to, name]) =>
      h("a", { href: to, "aria-current": location.pathname === to ? "page" : null }, name))), recorded ? "" : pill,
    h("button", { "aria-label": "Keys", onclick: () => help(PAGES) }, "?"), h("button", { id: "dark", "aria-label": "Light or dark", onclick: toggle }, "◐"));
}

// The zone of all times, and who is asking, are said once, at the foot.
async function foot() {
  const rights = await get("/ui/rights").catch(() => null), zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  document.getElementById("foot").replaceChildren(recorded ? "Times count from the beginning of the run." : `Times are those of ${zone}.`, rights?.user ? ` Logged in as: ${rights.user}.` : "", " Press ? for the keys.");
}

function toggle() {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  localStorage.setItem("theme", (root.dataset.theme = isDark ? "light" : "dark"));
}

async function draw() {
  if (isBusy) { isDue = true; return; }
  isBusy = true; isDue = false;
  const begun = performance.now();
  const here = location.pathname + location.search;
  const [name = "", ...words] = location.pathname.replace(/^\/cluster\/?/, "").split("/").filter(Boolean).map(decodeURIComponent);
  try {
    const view = VIEWS[name];
    const shown = view ? await view(words, new URLSearchParams(location.search)) : [h("h1", {}, "There is no such page"), link("/cluster", "Cluster")];
    if (here === location.pathname + location.search) show(shown, here);
    lost(false);
  } catch (error) {
    if (error instanceof Unreachable) lost(true);
    else show([h("h1", {}, "This cannot be shown"), h("p", { class: "error", role: "alert" }, error.message)], here);
  } finally {
    isBusy = false;
    restsUntil = performance.now() + RESTS * (performance.now() - begun);
    if (here !== location.pathname + location.search) draw();
  }
}

// What is shown stays, and is said to be old.
function lost(value) {
  document.getElementById("lost").hidden = !value;
  main.classList.toggle("old", value);
}

function show(shown, here) {
  const isNew = drawn !== location.pathname;
  if (isNew) main.replaceChildren();
  patch(main, shown.flat(Infinity).filter(Boolean).map((one) => (one instanceof Node ? one : document.createTextNode(one))));
  document.title = `${main.querySelector("h1")?.textContent || "yarnbox"} · yarnbox`;
  if (isNew) { bar(); scrollTo(0, 0); }
  drawn = location.pathname;
  shownAt = performance.now();
  main.dataset.ready = here;
}

function go(to) {
  const url = new URL(to, location.href), query = new URLSearchParams(location.search);
  for (const name of KEPT) if (query.has(name) && !url.searchParams.has(name)) url.searchParams.set(name, query.get(name));
  history.pushState(null, "", url);
  draw();
}

document.addEventListener("click", (event) => {
  const to = event.target.closest?.("a[href^='/cluster']");
  if (!to || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(to.getAttribute("href"));
});
listenToKeys(PAGES, go, { p: () => (recorded ? recorded.toggle() : pause(!isPaused)), t: toggle });
addEventListener("scroll", () => { scrolledAt = performance.now(); }, { capture: true, passive: true });
addEventListener("popstate", draw);
addEventListener("refresh", draw);
document.documentElement.dataset.theme = localStorage.getItem("theme") || "";
// Browsers allow six connections to one host: a tab that nobody sees holds none, and catches up when it is seen again.
let stream = null, lastEvent = "";
function listen() {
  stream?.close();
  stream = document.hidden ? null : events(lastEvent);
  if (!isPaused && !stream) pill.textContent = "asleep";
  if (!stream) return;
  stream.onopen = () => { if (!isPaused) pill.textContent = "live"; };
  stream.onerror = () => { if (!isPaused) pill.textContent = "reconnecting"; };
  stream.onmessage = (message) => {
    lastEvent = message.lastEventId;
    log.push({ ...JSON.parse(message.data), number: lastEvent });
    if (log.length > MOST_EVENTS) log.shift();
    isDue = true;
  };
}
// What is shown is at most a few seconds old, or says how old it is; people who scroll or answer a question wait for it.
function age() {
  if (isPaused || document.hidden) return;
  const late = performance.now() - Math.max(shownAt, restsUntil);
  pill.textContent = late > LATE_MS ? `behind by ${Math.round(late / 1000)} s` : stream?.readyState === EventSource.OPEN ? "live" : "reconnecting";
}
const isQuiet = () => performance.now() > Math.max(restsUntil, scrolledAt + SCROLL_MS) && !document.querySelector("dialog[open]");
const look = () => { if (!isPaused && !document.hidden && isQuiet()) draw(); };
if (recorded) await recorded.begin(PAGES, VIEWS, go);
else {
  document.addEventListener("visibilitychange", listen);
  listen();
  setInterval(() => { if (isDue) look(); age(); }, 1000);
  setInterval(look, 3000);
}
bar();
foot();
draw();
