// A finished run instead of a living cluster: the bar with the slider of time, as cluster/viewer/timebar.py
// says it.
import { get } from "./api.js";
import { blocks } from "./blocks.js";
import { clamped, html, render, replaceQuery, said, select, tool } from "./dom.js";

const bar = document.getElementById("timebar");
const asked = (name) => new URLSearchParams(location.search).get(name);
/** What is said of the run that is shown; the address asked for it by the name `asked`. */ let run = null;
/** @type {ReturnType<typeof setTimeout> | null} while it is played */
let timer = null;
let speed = 4;

const last = () => run.at.length - 1;
// The place of the moment that the address names; without one, the first.
const place = () =>
  Math.max(
    0,
    run.at.findLastIndex((one) => one <= Number(asked("at"))),
  );

function go(index) {
  replaceQuery("at", run.at[clamped(index, last())] || null);
  draw();
}

function pause() {
  clearTimeout(timer);
  timer = null;
}

function play() {
  timer = setTimeout(play, 1000 / speed);
  if (document.querySelector("dialog[open]")) return;
  if (place() < last()) go(place() + 1);
  else toggle();
}

function toggle() {
  if (timer) pause();
  else {
    if (place() === last()) go(0);
    timer = setTimeout(play, 1000 / speed);
  }
  draw();
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
    <label class="speed">
      ${select(run.speeds, String(speed), (value) => (speed = Number(value)), { "aria-label": "Speed" })}
    </label>
    <output id="moment" for="slider">${said(run.said[now])}</output>`;
}

function draw() {
  render([blocks(run.block), run.at && controls()], bar);
}

/** Draws the bar of what is shown. Where there is no such run, these parts stand instead of the page. */
export async function barOf({ isTimeless }, query) {
  const asked = query.get("run"),
    isOther = run?.asked !== asked;
  if (isTimeless || isOther) pause();
  if (isTimeless) return render(null, bar);
  if (isOther) run = { ...(await get("/ui/recording")), asked };
  draw();
  return run.instead;
}
