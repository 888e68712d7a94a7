// A finished run instead of a living cluster: the bar with the slider of time, and the pages that only runs
// have.
import { get } from "./api.js";
import { blocks } from "./blocks.js";
import {
  clamped,
  countVCores,
  html,
  pushQuery,
  refresh,
  render,
  said,
  select,
  tool,
  withQuery,
} from "./dom.js";

const bar = document.getElementById("timebar");
const asked = (name) => new URLSearchParams(location.search).get(name);
/** What is said of the run that is shown, and by which name the address asked for it. */
let run = null,
  shownRun = null;
let timer = null,
  speed = 4;

const last = () => run.at.length - 1;
// The place of the moment that the address names; without one, the first.
function place() {
  const after = run.at.findIndex((one) => one > Number(asked("at")));
  return after < 0 ? last() : Math.max(0, after - 1);
}

function go(index) {
  const at = run.at[clamped(index, last())];
  history.replaceState(null, "", withQuery("at", at || null));
  draw();
  refresh();
}

function pause() {
  clearInterval(timer);
  timer = null;
}

function play() {
  if (place() >= last()) go(0);
  timer = setInterval(() => {
    if (document.querySelector("dialog[open]")) return;
    if (place() >= last()) toggle();
    else go(place() + 1);
  }, 1000 / speed);
}

function toggle() {
  if (timer) pause();
  else play();
  draw();
}

function setSpeed(value) {
  speed = Number(value);
  if (!timer) return;
  pause();
  play();
}

// Whoever chooses a moment wants to see it.
function seek(index) {
  pause();
  go(index);
}

const ofRun = (does) => () => run?.at && does();
export const KEYS = {
  ArrowLeft: ofRun(() => seek(place() - 1)),
  ArrowRight: ofRun(() => seek(place() + 1)),
  p: ofRun(toggle),
};

function choose(name) {
  pause();
  pushQuery("run", name);
}

function controls() {
  const now = place();
  return html`<span class="keys">
      ${tool("|‹", "To the beginning", () => seek(0))}
      ${tool("‹", "One moment back (left arrow)", () => seek(now - 1))}
      <button id="play" onclick=${toggle}>${timer ? "❚❚ Pause" : "Play"}</button>
      ${tool("›", "One moment on (right arrow)", () => seek(now + 1))}
      ${tool("›|", "To the end", () => seek(last()))}
    </span>
    <input
      id="slider"
      type="range"
      min="0"
      max=${last()}
      value=${now}
      aria-label="Moment of the run"
      aria-valuetext=${run.text[now]}
      oninput=${(event) => seek(Number(event.target.value))}
    />
    <label class="speed">${select(run.speeds, String(speed), setSpeed, { "aria-label": "Speed" })}</label>
    <output id="moment" for="slider">${said(run.said[now])}</output>`;
}

function draw() {
  const { runs, at } = run;
  const picker = () => html`<label>Run ${select(runs, run.run, choose, { id: "whichrun" })}</label>`;
  render([runs.length > 1 && picker(), at && controls()], bar);
}

/** The page, of a run that is known then. */
export async function inRun(read, query) {
  if (!run || shownRun !== query.get("run")) {
    pause();
    run = await get("/ui/recording");
    shownRun = query.get("run");
    countVCores(run);
  }
  draw();
  return run.instead ? blocks(run.instead, query) : read();
}

/** The page, which is not about a moment. */
export function outOfTime(read) {
  pause();
  render(null, bar);
  return read();
}
