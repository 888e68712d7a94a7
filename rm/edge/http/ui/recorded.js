// A finished run instead of a living cluster: the bar with the slider of time, and the pages that only runs
// have.
import { get } from "./api.js";
import { page } from "./blocks.js";
import { clamped, countVCores, html, refresh, render, select, since, withQuery } from "./dom.js";
import { simulation } from "./simulation.js";

const SPEEDS = [
  [0.5, "half speed"],
  [1, "1 moment a second"],
  [4, "4 a second"],
  [10, "10 a second"],
];
const bar = Object.assign(document.createElement("section"), { id: "timebar", ariaLabel: "Time of the run" });
let header = { runs: [] },
  timer = null,
  speed = Number(localStorage.getItem("speed")) || 4,
  shownRun = null,
  go;

const chosenRun = () => new URLSearchParams(location.search).get("run") || header.runs[0]?.run;
const moments = () => (header.run ? header.run.moments.at : []);

// The place of the moment that the address names; without one, the first.
function place() {
  const at = new URLSearchParams(location.search).get("at"),
    all = moments();
  if (at === null) return 0;
  const after = all.findIndex((one) => one > Number(at));
  return after < 0 ? all.length - 1 : Math.max(0, after - 1);
}

function addressOf(index) {
  return withQuery("at", index <= 0 ? null : moments()[index]);
}

function seek(index) {
  history.replaceState(null, "", addressOf(clamped(index, moments().length - 1)));
  draw();
  refresh();
}

export const KEYS = {
  ArrowLeft: () => jump(place() - 1),
  ArrowRight: () => jump(place() + 1),
  p: () => toggle(),
};

function toggle() {
  if (timer) {
    clearInterval(timer);
    timer = null;
    draw();
    return;
  }
  if (place() >= moments().length - 1) seek(0);
  timer = setInterval(() => {
    if (document.querySelector("dialog[open]")) return;
    if (place() >= moments().length - 1) toggle();
    else seek(place() + 1);
  }, 1000 / speed);
  draw();
}

function setSpeed(value) {
  speed = Number(value);
  localStorage.setItem("speed", value);
  if (timer) {
    toggle();
    toggle();
  }
}

const stop = () => {
  if (timer) toggle();
};
const button = (name, text, to) =>
  html`<button aria-label=${name} title=${name} onclick=${() => jump(to())}>${text}</button>`;

function jump(index) {
  stop();
  seek(index);
}

function runs() {
  const choose = (run) => {
    stop();
    go(withQuery("run", run));
  };
  const choices = header.runs.map((one) => [one.run, one.title]);
  return html`<label>Run ${select(choices, chosenRun(), choose, { id: "whichrun" })}</label>`;
}

function controls() {
  const { at, time, step } = header.run.moments;
  const { file, kind } = header.run;
  const last = at.length - 1;
  const index = place();
  const line = step[index];
  const text = line
    ? file.split("\n")[line - 1]?.trim().replace(/^- /, "")
    : "the cluster as it is described";
  return html`<span class="keys">
      ${button("To the beginning", "|‹", () => 0)}
      ${button("One moment back (left arrow)", "‹", () => place() - 1)}
      <button id="play" onclick=${toggle}>${timer ? "❚❚ Pause" : "Play"}</button>
      ${button("One moment on (right arrow)", "›", () => place() + 1)}
      ${button("To the end", "›|", () => last)}
    </span>
    <input
      id="slider"
      type="range"
      min="0"
      max=${last}
      step="1"
      value=${index}
      aria-label="Moment of the run"
      aria-valuetext=${`${since(at[index])}, ${text}`}
      oninput=${(event) => jump(Number(event.target.value))}
    />
    <label class="speed">${select(SPEEDS, speed, setSpeed, { "aria-label": "Speed" })}</label>
    <output id="moment" for="slider">
      <b>${since(at[index])}</b>${` · ${index + 1} of ${at.length}`}
      ${at.at(-1) !== time.at(-1) && ` · virtual time ${since(time[index])}`}
      ${file && kind === "scenario" && html`<code title=${`line ${line} of the file`}>${text}</code>`}
    </output>`;
}

function draw() {
  bar.hidden = /^\/cluster\/(compare|simulation)$/.test(location.pathname);
  render([header.runs.length > 1 && runs(), header.run && controls()], bar);
}

async function reload() {
  header = await get("/ui/recording");
  countVCores(header.run);
  shownRun = chosenRun();
  draw();
}

// The address may be of another `yarnbox view`.
const noSuchRun = (why) => html`<h1>Run not found</h1>
  <p role="alert">Here ${why}. <a href="/cluster/run?run=&at=0">The first run</a></p>`;

// Pages of a run that is not loaded yet wait for it.
const ofRun =
  (view, needsRun = true) =>
  async (words, query) => {
    if (chosenRun() !== shownRun) {
      stop();
      try {
        await reload();
      } catch (error) {
        if (error.status === 404) return noSuchRun(error.message);
        throw error;
      }
    }
    draw();
    if (needsRun && !header.run)
      return html`<h1>No run to show</h1>
      <p>
        Play a scenario on the page <a href="/cluster/simulation">Simulation</a>, or open a recording:
        <code> yarnbox view RECORDING</code>
      </p>`;
    return view(words, query);
  };

export async function begin(views, goTo) {
  go = goTo;
  const style = { rel: "stylesheet", href: "/static/recorded.css" };
  document.head.append(Object.assign(document.createElement("link"), style));
  document.getElementById("bar").after(bar);
  document.getElementById("lost").textContent = "yarnbox view does not answer any more: start it again.";
  for (const name of Object.keys(views)) views[name] = ofRun(views[name]);
  Object.assign(views, {
    run: ofRun(page(() => "/ui/recording/page")),
    compare: ofRun(
      page((_, query) => `/ui/comparison?runs=${query.get("runs") || ""}`),
      false,
    ),
    simulation: (_, query) => {
      draw();
      return simulation(query, async (made) => {
        await reload();
        go(`/cluster/run?run=${made}&at=0`);
      });
    },
  });
  await reload().catch(() => {}); // the page that is drawn now asks again, and says why
}
