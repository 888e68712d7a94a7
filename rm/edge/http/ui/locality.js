// How near to where they were asked for containers came: Hadoop's table of three by three.
import { empty, html } from "./dom.js";

const KINDS = [
  ["NODE_LOCAL", "Node Local"],
  ["RACK_LOCAL", "Rack Local"],
  ["OFF_SWITCH", "Off Switch"],
];

export function localities(held) {
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
  const count = (got, wanted) => counts[got][wanted] || 0;
  // Nothing is nearer than it was asked for: those places of the table are empty where they are zero.
  const cell = (got, wanted, i) => {
    const isNearer = KINDS.findIndex(([one]) => one === got) < i;
    return html`<td class="count">${isNearer ? count(got, wanted) || "" : count(got, wanted)}</td>`;
  };
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Locality">
    <table class="small">
      <caption>Total Allocated Containers: ${known}</caption>
      <thead><tr><td></td>${KINDS.map(([, name]) => html`<th scope="col">${name} Request</th>`)}</tr></thead>
      <tbody>
        ${KINDS.map(
          ([got, name]) => html`<tr>
            <th scope="row">Num ${name} Containers (satisfied by)</th>
            ${KINDS.map(([wanted], i) => cell(got, wanted, i))}
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
