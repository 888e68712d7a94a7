// A finished run instead of a living cluster: the bar with the slider of time, and the pages that only runs have.
import { get, list } from "./api.js";
import { h, since, withQuery } from "./dom.js";
import { compare } from "./compare.js";
import { eventLog } from "./log.js";
import { run } from "./run.js";
import { simulation } from "./simulation.js";

const SPEEDS = [[0.5, "half speed"], [1, "1 moment a second"], [4, "4 a second"], [10, "10 a second"]];
const bar = h("section", { id: "timebar", "aria-label": "Time of the run" });
let header = { runs: [] }, timer = null, speed = Number(localStorage.getItem("speed")) || 4, shownRun, go;

export const chosenRun = () => new URLSearchParams(location.search).get("run") || header.runs[0]?.run;
const moments = () => (header.run ? header.run.moments.at : []);

// The place of the moment that the address names; without one, the last.
export function place() {
  const at = new URLSearchParams(location.search).get("at"), all = moments();
  if (at === null || !all.length) return all.length - 1;
  const after = all.findIndex((one) => one > Number(at));
  return after < 0 ? all.length - 1 : Math.max(0, after - 1);
}

export const current = () => ({ ...header.run, place: place(), line: header.run?.moments.step[place()] });

export function addressOf(index) {
  return withQuery("at", index >= moments().length - 1 ? null : moments()[index]);
}

export function seek(index) {
  history.replaceState(null, "", addressOf(Math.max(0, Math.min(moments().length - 1, index))));
  draw();
  dispatchEvent(new Event("refresh"));
}

export function toggle() {
  if (timer) { clearInterval(timer); timer = null; draw(); return; }
  if (place() >= moments().length - 1) seek(0);
  timer = setInterval(() => {
    if (document.querySelector("dialog[open]")) return;
    if (place() >= moments().length - 1) toggle(); else seek(place() + 1);
  }, 1000 / speed);
  draw();
}

function setSpeed(value) {
  localStorage.setItem("speed", (speed = Number(value)));
  if (timer) { toggle(); toggle(); }
}

const stop = () => { if (timer) toggle(); };
const button = (name, text, action) => h("button", { "aria-label": name, title: name, onclick: action }, text);

// Made once for a run, so that a slider that is being dragged stays what it is; then only brought up to date.
function build() {
  const last = moments().length - 1;
  const runs = header.runs.length > 1 && h("label", {}, "Run ", h("select", { id: "whichrun", onchange: (event) => { stop(); go(withQuery("run", event.target.value)); } },
    header.runs.map((one) => h("option", { value: one.run, selected: one.run === chosenRun() }, `${one.run}: ${one.name} (${one.scheduler.replace("Scheduler", "")})`))));
  bar.replaceChildren(...[runs,
    header.run && h("span", { class: "keys" }, button("To the beginning", "|‹", () => { stop(); seek(0); }),
      button("One moment back (left arrow)", "‹", () => { stop(); seek(place() - 1); }),
      h("button", { id: "play", onclick: toggle }), button("One moment on (right arrow)", "›", () => { stop(); seek(place() + 1); }),
      button("To the end", "›|", () => { stop(); seek(last); })),
    header.run && h("input", { id: "slider", type: "range", min: 0, max: last, step: 1, "aria-label": "Moment of the run",
      oninput: (event) => { stop(); seek(Number(event.target.value)); } }),
    header.run && h("label", { class: "speed" }, h("select", { "aria-label": "Speed", onchange: (event) => setSpeed(event.target.value) },
      SPEEDS.map(([value, text]) => h("option", { value, selected: value === speed }, text)))),
    header.run && h("output", { id: "moment", for: "slider" })].filter(Boolean));
}

function draw() {
  bar.hidden = /^\/cluster\/(compare|simulation)$/.test(location.pathname);
  const slider = document.getElementById("slider");
  if (!slider) return;
  const { moments: { at, time, step }, file } = header.run, index = place(), line = step[index];
  const text = line && file.split("\n")[line - 1]?.trim().replace(/^- /, "");
  slider.value = index;
  slider.setAttribute("aria-valuetext", `${since(at[index])}, ${text || "as described"}`);
  document.getElementById("play").textContent = timer ? "❚❚ Pause" : "Play";
  document.getElementById("moment").replaceChildren(h("b", {}, since(at[index])), ` · ${index + 1} of ${at.length}`,
    at[at.length - 1] !== time[time.length - 1] ? ` · virtual time ${since(time[index])}` : "",
    file && header.run.kind === "scenario" ? h("code", { title: line ? `line ${line} of the file` : "" }, line ? text : "the cluster as it is described") : "");
}

export async function reload() {
  header = await get("/ui/recording");
  shownRun = chosenRun();
  build();
  draw();
}

async function events(_, query) {
  const { event, leftOut } = await get("/ui/recording/events");
  return [...await eventLog(list(event), query),
    leftOut > 0 && h("p", { class: "empty" }, `The recording kept the first events; ${leftOut} later ones were left out.`)];
}

// Pages of a run that is not loaded yet wait for it.
const ofRun = (view) => async (words, query) => {
  if (chosenRun() !== shownRun) { stop(); await reload(); }
  draw();
  if (!header.run) return [h("h1", {}, "Nothing was recorded yet"),
    h("p", {}, "Play a scenario on the page ", h("a", { href: "/cluster/simulation" }, "Simulation"), ", or name a recording: yarnbox view RECORDING")];
  return view(words, query);
};

export async function begin(pages, views, goTo) {
  go = goTo;
  document.head.append(h("link", { rel: "stylesheet", href: "/static/recorded.css" }));
  document.getElementById("bar").after(bar);
  document.getElementById("lost").textContent = "yarnbox view does not answer any more: start it again.";
  for (const name of Object.keys(views)) views[name] = ofRun(views[name]);
  Object.assign(views, { events: ofRun(events), run: ofRun(() => run(current(), addressOf)), compare: ofRun((_, query) => compare(query, header.runs)),
    simulation: (_, query) => { draw(); return simulation(query, header.runs, async (made) => { await reload(); go(`/cluster/run?run=${made}&at=0`); }); } });
  pages.splice(0, 1, ["/cluster/run", "Run", "r"], ["/cluster", "Cluster", "c"]);
  pages.push(["/cluster/compare", "Compare", "v"], ["/cluster/simulation", "Simulation", "m"]);
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    stop();
    seek(place() + (event.key === "ArrowLeft" ? -1 : 1));
  });
  await reload();
}
