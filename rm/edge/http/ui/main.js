// The shell: addresses to pages, the stream that says when to look again, keys, the dark mode.
import { KEPT, Unreachable, events } from "./api.js";
import * as applications from "./apps.js";
import { h, isRecording, link } from "./dom.js";
import { eventLog } from "./log.js";
import * as nodes from "./nodes.js";
import { scheduler } from "./queues.js";
import * as views from "./views.js";

const PAGES = [["/cluster", "Cluster", "c"], ["/cluster/nodes", "Nodes", "n"], ["/cluster/apps", "Applications", "a"],
  ["/cluster/scheduler", "Scheduler", "s"], ["/cluster/nodelabels", "Labels", "l"], ["/cluster/events", "Events", "e"],
  ["/cluster/conf", "Configuration", "k"], ["/cluster/cluster", "About", "b"]];
// Attempts and containers are shown with their application: container_e01_1_0002_01_000003 is one of application_1_0002.
const ofApp = (id) => `application_${id.replace(/^(appattempt|container)(_e\d+)?_/, "").split("_").slice(0, 2).join("_")}`;
const VIEWS = { "": views.overview, nodes: nodes.nodes, node: nodes.node, apps: applications.apps, app: applications.app, appattempt: ([id]) => applications.app([ofApp(id)]), container: ([id]) => applications.app([ofApp(id)]),
  scheduler, nodelabels: views.labels, conf: views.conf, cluster: views.about, events: (_, query) => eventLog(log, query) };
const main = document.getElementById("main");
const pill = h("button", { id: "pill", onclick: () => pause(!isPaused), "aria-live": "polite" }, "…");
const log = [], MOST_EVENTS = 5000;
const recorded = isRecording ? await import("./recorded.js") : null;
let isPaused = false, isDue = true, isBusy = false, drawn = "", waitsForG = false;

function pause(value) {
  isPaused = value;
  pill.textContent = isPaused ? "paused" : "live";
  if (!isPaused) draw();
}

function bar() {
  document.getElementById("bar").replaceChildren(h("a", { class: "brand", href: "/cluster" }, "yarnbox"),
    h("nav", { "aria-label": "Pages" }, PAGES.map(([to, name]) =>
      h("a", { href: to, "aria-current": location.pathname === to ? "page" : null }, name))), recorded ? "" : pill,
    h("button", { id: "dark", "aria-label": "Light or dark", onclick: toggle }, "◐"));
}

function toggle() {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  localStorage.setItem("theme", (root.dataset.theme = isDark ? "light" : "dark"));
}

async function draw() {
  if (isBusy) { isDue = true; return; }
  isBusy = true; isDue = false;
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
  } finally { isBusy = false; }
}

// What is shown stays, and is said to be old.
function lost(value) {
  document.getElementById("lost").hidden = !value;
  main.classList.toggle("old", value);
}

function show(shown, here) {
  const field = document.activeElement;
  const kept = field && field.id === "filter" ? [field.selectionStart, field.value] : null;
  const isNew = drawn !== location.pathname;
  const scrolled = [...main.querySelectorAll(".scroll")].map((one) => one.scrollLeft);
  const opened = [...main.querySelectorAll("details")].map((one) => one.open);
  const focused = !kept && main.contains(field) ? [field.tagName, field.getAttribute("href") || field.textContent] : null;
  main.replaceChildren(...shown.flat(Infinity).filter(Boolean));
  if (!isNew) main.querySelectorAll("details").forEach((one, i) => { one.open = opened[i] || false; });
  if (focused) [...main.querySelectorAll(focused[0])].find((one) => (one.getAttribute("href") || one.textContent) === focused[1])?.focus({ preventScroll: true });
  main.querySelectorAll(".scroll").forEach((one, i) => { one.scrollLeft = scrolled[i] || 0; });
  document.title = `${main.querySelector("h1")?.textContent || "yarnbox"} · yarnbox`;
  if (kept) { const again = document.getElementById("filter"); if (again) { again.value = kept[1]; again.focus(); again.setSelectionRange(kept[0], kept[0]); } }
  if (isNew) { bar(); scrollTo(0, 0); }
  drawn = location.pathname;
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
document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
  const page = waitsForG && PAGES.find(([, , key]) => key === event.key);
  waitsForG = event.key === "g";
  if (page) go(page[0]);
  else if (event.key === "p") recorded ? recorded.toggle() : pause(!isPaused);
  else if (event.key === "/") { event.preventDefault(); document.getElementById("filter")?.focus(); }
});
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
    log.push(JSON.parse(message.data));
    if (log.length > MOST_EVENTS) log.shift();
    isDue = true;
  };
}
const look = () => { if (!isPaused && !document.hidden && !document.querySelector("dialog[open]")) draw(); };
if (recorded) await recorded.begin(PAGES, VIEWS, go);
else {
  document.addEventListener("visibilitychange", listen);
  listen();
  setInterval(() => { if (isDue) look(); }, 1000);
  setInterval(look, 3000);
}
bar();
draw();
