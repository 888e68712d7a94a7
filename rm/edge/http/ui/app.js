// One application: what it is, its life, its attempts, requests and containers, and what may be done to it.
import { get, list } from "./api.js";
import { blocks } from "./blocks.js";
import { containerGrid, containersOf } from "./containers.js";
import { actions } from "./dialog.js";
import {
  duration,
  empty,
  exact,
  facts,
  factsOf,
  html,
  inUnits,
  isRecording,
  said,
  state,
  table,
  title,
} from "./dom.js";
import { logTail } from "./logtail.js";
import { streamOf } from "./taskstream.js";

export const isOver = (one) => ["FINISHED", "FAILED", "KILLED"].includes(one.state);

export async function app([id], query) {
  const [{ app: one }, containers, { app: told }, { why }] = await Promise.all([
    get(`/apps/${id}`),
    containersOf(`app=${id}`),
    get(`/ui/app/${id}`),
    get(`/ui/why/${id}`),
  ]);
  const held = list(containers.container);
  const isForgotten = isOver(one) && !held.length && one.memorySeconds > 0;
  return html`${title(one.name)}
    <p class="id">${one.id}</p>
    ${status(one, told, why)} ${told.actions && actions(told.actions)}
    ${lifeLine(one, list(told.moment), containers.now)} ${!isOver(one) && blocks(why.block, query)}
    <h2>Containers over nodes and time</h2>
    ${isForgotten ? empty(FORGOTTEN) : streamOf(one.id, containers, query, { hrefOf: nodeOf })}
    ${facts(factsOf(list(told.fact)))}
    ${!isRecording && held.length > 0 && [html`<h2>Logs</h2>`, logTail(one.id, held)]}
    ${blocks(told.asked, query)}
    ${
      !isForgotten &&
      html`<h2>Locality</h2>
        ${localities(held)}
        <h2>Containers</h2>
        ${containerGrid(held, containers.now, query, {
          call: `app=${one.id}`,
          none: "No containers have been allocated to this application.",
        })}`
    }`;
}

const FORGOTTEN =
  "Its containers ended before the ResourceManager was last started, which does not keep them. " +
  "Logs that were collected are there: yarn logs -applicationId ID";

const nodeOf = (container) => ({ href: `/cluster/node/${container.node}`, what: "the page of its node" });

// What it is and why it is so, in one place: the state, what it holds and still asks for, the first reason
// why it waits or what its end said.
function status(one, told, why) {
  const reason = inUnits(why.foremost || list(why.reasons)[0] || why.diagnostic);
  const kind = one.finalStatus === "FAILED" ? "FAILED" : one.state;
  return html`<section class=${`card status is-${kind}`} aria-label="State">
    <p class="headline">${state(one.state)} ${told.sentence}</p>
    ${!isOver(one) && html`<p>${said(told.holds)}</p>`}
    ${told.isWaiting && reason && html`<p><b>Why it waits:</b> ${reason}</p>`}
    ${
      isOver(one) &&
      one.finalStatus !== one.state &&
      html`<p>Final status reported by its AM: ${state(one.finalStatus)}</p>`
    }
    ${isOver(one) && one.diagnostics && said({ text: one.diagnostics })}
    ${told.preempted && html`<p>${told.preempted}</p>`}
  </section>`;
}

// The life of an application as a line: each step with its moment, each stretch with how long it took.
function lifeLine(one, steps, now) {
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

// How near to where they were asked for containers came: Hadoop's table of three by three.
const KINDS = [
  ["NODE_LOCAL", "Node Local"],
  ["RACK_LOCAL", "Rack Local"],
  ["OFF_SWITCH", "Off Switch"],
];

function localities(held) {
  const counts = Object.fromEntries(KINDS.map(([kind]) => [kind, {}]));
  let known = 0;
  for (const { locality, requested } of held) {
    if (!locality || !requested) continue;
    known += 1;
    counts[locality][requested] = (counts[locality][requested] || 0) + 1;
  }
  if (!held.length) return empty("No containers have been allocated yet.");
  if (!known)
    return empty("Not known: these containers were allocated before the ResourceManager was restarted.");
  // Nothing is nearer than it was asked for: those places of the table are empty where they are zero.
  const cell = (got, wanted, i) =>
    counts[got][wanted] || (KINDS.findIndex(([one]) => one === got) < i ? "" : 0);
  return table(
    `Total Allocated Containers: ${known}`,
    ["Containers", ...KINDS.map(([, name]) => `${name} Request`)],
    KINDS.map(([got, name]) => [
      `Num ${name} Containers (satisfied by)`,
      ...KINDS.map(([wanted], i) => cell(got, wanted, i)),
    ]),
    "",
  );
}
