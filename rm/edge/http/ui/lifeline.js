// The life of an application as a line: each step with its moment, each stretch with how long it took.
import { duration, exact, html } from "./dom.js";

// Where no steps were recorded, the application's own times stand for them.
const known = (one) =>
  [
    ["submitted", one.startedTime],
    ["AM launched", one.launchTime],
    ["finished", one.finishedTime],
  ].map(([step, time]) => ({ step, time }));

export function lifeLine(one, moments, now) {
  const steps = (moments.length ? moments : known(one))
    .filter((step) => step.time > 0)
    .sort((a, b) => a.time - b.time);
  if (!steps.length) return null;
  const over = one.finishedTime || now;
  const step = ({ step, time }, i) => {
    const isLast = i + 1 === steps.length;
    const length = Math.max(0, (isLast ? over : steps[i + 1].time) - time);
    const span = isLast && one.finishedTime ? exact(time) : `${duration(length)}${isLast ? " so far" : ""}`;
    return html`<li style=${{ flexGrow: String(1 + Math.log10(1 + length / 1000)) }}>
      <b>${step}</b><time datetime=${new Date(time).toISOString()} title=${exact(time)}>${span}</time>
    </li>`;
  };
  return html`<ol class="lifeline" aria-label="Life line">${steps.map(step)}</ol>`;
}
