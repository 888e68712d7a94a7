// Why an application waits: the way from the root to the nodes, a line for each thing that was checked.
import { list } from "./api.js";
import { clock, html, inUnits, plural } from "./dom.js";

const MARKS = { true: ["✓", "holds"], false: ["✕", "fails"] };

function step(one) {
  const [mark, word] = MARKS[one.holds];
  return html`<li class=${word}>
    <b role="img" aria-label=${word}>${mark}</b> <b>${one.level}</b>: ${one.checked}
    ${one.numbers && html`<span class="how"> ${inUnits(one.numbers)}</span>`}
    ${!one.holds && one.change && html`<p class="change">To change this: ${one.change}</p>`}
  </li>`;
}

function marked(one) {
  const whom = one.for && ` for ${one.for}`;
  const due = one.killAt > 0 && `; it is killed at ${clock(one.killAt)} or later`;
  return html`<li>
    ${one.isAM && "the ApplicationMaster, "}${one.container}${` (${inUnits(one.resource)} on ${one.node})`}
    ${whom}${due}
  </li>`;
}

const preemption = (marks) => html`<section class="card why">
  <h2>Marked for preemption</h2>
  <ul>${marks.map(marked)}</ul>
</section>`;

const way = ({ asked, step: steps }) => html`<section>
  <h3>${inUnits(asked).replace(/^(\d+) of /, (_, n) => `${plural(Number(n), "container")} of `)}</h3>
  <ol class="path">${list(steps).map(step)}</ol>
</section>`;
const line = (text) => html`<li>${inUnits(text)}</li>`;

export function whyNot(why) {
  const marks = list(why.preemption);
  return [waits(why), marks.length > 0 && preemption(marks)];
}

function waits(why) {
  const paths = list(why.path);
  const reasons = list(why.reasons);
  if (!paths.length && !reasons.length)
    return why.diagnostic ? html`<h2>Why it waits</h2><p class="empty">${why.diagnostic}</p>` : null;
  if (!paths.length && reasons.length === 1) return null; // the state of the application says it already
  const isSaid = paths.some((path) => list(path.step).some((one) => !one.holds));
  return html`<section class="card why">
    <h2>Why it waits</h2>
    ${paths.map(way)}
    ${!isSaid && reasons.length > 0 && html`<ul>${reasons.map(line)}</ul>`}
  </section>`;
}
