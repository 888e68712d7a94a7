// The shell: addresses to pages, when to look again and what is said meanwhile, keys, the dark mode.

import { get, kept, serverNow, Unreachable } from "./api.js";
import { blocks, page } from "./blocks.js";
import { exact, html, isRecording, render } from "./dom.js";
import { help, listenToKeys } from "./keys.js";

const recorded = isRecording ? await import("./recorded.js") : null;
const main = document.getElementById("main"),
  banner = document.getElementById("lost");

// A page that takes long to read and draw is shown less often, and none is shown anew while somebody scrolls.
const EVERY_MS = 1000,
  RESTS = 8,
  MOST_REST_MS = 15_000,
  SCROLL_MS = 400;
// So long may what is shown be behind, and an answer take.
const LATE_MS = 5000,
  SILENT_MS = 10_000;
/** What stands around the pages, as rm/web/pages/shell.py says it. */
let shell = null;
let shown = { path: "", at: performance.now() };
/** Since when a page is being read, and whether it is to be read again then. */
let readingSince = 0,
  isStale = false;
let isPaused = false,
  restsUntil = 0;

// ---- around the pages

const addressed = () => location.pathname + location.search;
const wordsOf = (path) => path.split("/").slice(2);
const sectionOf = (path) => shell?.page.find(({ has }) => (wordsOf(path)[0] ?? "") in has);

function status() {
  if (isPaused) return "paused";
  if (document.hidden) return "paused in background";
  if (!banner.hidden) return "no answer";
  const late = performance.now() - shown.at;
  return late > LATE_MS ? `behind by ${Math.round(late / 1000)} s` : "live";
}

function bar() {
  if (!shell) return;
  const here = sectionOf(location.pathname)?.to;
  const isHere = (to) => (location.pathname === to ? "page" : here === to ? "true" : null);
  render(
    html`<a class="brand" href="/cluster">yarnbox</a>
      <nav aria-label="Pages">
        ${shell.page.map(({ to, name }) => html`<a href=${to} aria-current=${isHere(to)}>${name}</a>`)}
      </nav>
      ${!recorded && html`<button id="pill" aria-live="polite" onclick=${pause}>${status()}</button>`}
      <button aria-label="Keys" onclick=${() => help(shell.key)}>?</button>
      <button id="dark" aria-label="Light or dark" onclick=${toggle}>◐</button>`,
    document.getElementById("bar"),
  );
}

async function begin() {
  shell = await get("/ui/shell");
  listenToKeys(shell, go, { t: toggle, p: pause, ...recorded?.KEYS });
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  document.getElementById("foot").textContent = shell.foot.replace("{zone}", zone);
}

function pause() {
  isPaused = !isPaused;
  look();
}

function toggle() {
  const { dataset } = document.documentElement;
  const usual = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  dataset.theme = (dataset.theme || usual) === "dark" ? "light" : "dark";
  localStorage.setItem("theme", dataset.theme);
  draw();
}

// ---- the page that the address names

async function pageOf(path) {
  const [name = "", word = ""] = wordsOf(path);
  try {
    if (!shell) await begin();
    const section = sectionOf(path);
    if (!section) return html`<h1>Page not found</h1><a href="/cluster">Cluster</a>`;
    const query = new URLSearchParams(location.search);
    const instead = await recorded?.barOf(section, query);
    return instead ? blocks(instead, query) : await page(section.has[name].replace("*", word), query);
  } catch (error) {
    if (error instanceof Unreachable) throw error;
    return refusal(sectionOf(path), error);
  }
}

// What a page is about may be there no longer.
function refusal(section, { status, message }) {
  const missing = [400, 404].includes(status) && section?.missing;
  return html`${missing ? blocks(missing) : html`<h1>This page cannot be shown</h1>`}
    <p class="error" role="alert">${message}</p>`;
}

async function draw() {
  isStale = readingSince > 0;
  if (isStale) return;
  readingSince = performance.now();
  const here = addressed();
  try {
    const page = await pageOf(location.pathname);
    if (here === addressed()) show(page, here);
    lost(false);
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    lost(true);
  } finally {
    const now = performance.now();
    restsUntil = now + Math.min(MOST_REST_MS, RESTS * (now - readingSince));
    readingSince = 0;
    if (isStale) draw();
  }
}

function show(page, here) {
  const path = location.pathname,
    isNew = path !== shown.path;
  render(html`<div key=${path}>${page}</div>`, main);
  document.title = `${main.querySelector("h1")?.textContent || "yarnbox"} · yarnbox`;
  if (isNew) scrollTo(0, 0);
  if (isNew && shown.path) goToHeading();
  shown = { path, at: performance.now() };
  document.getElementById("from").textContent = `What is shown is from ${exact(serverNow())}.`;
  bar();
  main.dataset.ready = here;
}

// What was focused has gone with its page: whoever hears pages is told of the new one, and Tab begins there.
function goToHeading() {
  const heading = main.querySelector("h1");
  if (!heading || document.activeElement !== document.body) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

// What is shown stays, and is said to be old.
function lost(value) {
  banner.hidden = !value;
  main.classList.toggle("old", value);
}

function go(to) {
  const url = kept(to);
  if (!sectionOf(url.pathname)) {
    location.assign(url); // the server may know where that is
    return;
  }
  history.pushState(null, "", url);
  draw();
}

// ---- when to look again

// A cluster is looked at again and again while somebody sees it; a recording changes with its address alone,
// and is asked again only when it did not answer.
function look() {
  if (readingSince && performance.now() - readingSince > SILENT_MS) lost(true);
  const isWanted = recorded ? !banner.hidden : !isPaused && !document.hidden;
  const isQuiet = performance.now() > restsUntil && !document.querySelector("dialog[open]");
  if (!readingSince && isWanted && isQuiet) draw();
  bar();
}

document.addEventListener("click", (event) => {
  const to = /** @type {Element} */ (event.target).closest?.("a[href^='/cluster']");
  if (!to || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(to.getAttribute("href"));
});
const scrolled = () => {
  restsUntil = Math.max(restsUntil, performance.now() + SCROLL_MS);
};
addEventListener("scroll", scrolled, { capture: true, passive: true });
document.addEventListener("visibilitychange", look);
addEventListener("popstate", draw);
addEventListener("refresh", draw);
for (const colours of ["(prefers-color-scheme: dark)", "(prefers-contrast: more)", "(forced-colors: active)"])
  matchMedia(colours).addEventListener("change", draw);
document.documentElement.dataset.theme = localStorage.getItem("theme") || "";
setInterval(look, EVERY_MS);
draw();
