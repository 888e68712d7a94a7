// The cluster at a glance: a sentence, what is waiting and why, use over time by queue, nodes,
// applications; and folded, every figure of Hadoop's page by its name.
import { get, list } from "./api.js";
import { appGrid } from "./apps.js";
import { blocks } from "./blocks.js";
import { html, title } from "./dom.js";
import { GROUPS, heat, MEASURES, START_A_NODE } from "./nodes.js";

const IDLE = "No applications are running or waiting. Submit one: yarnbox job pi 4 100000";
const CALLS = [
  "/ui/cluster",
  "/ui/apps?states=ACCEPTED,RUNNING&limit=20",
  "/ui/charts/cluster?minutes=60",
  "/ui/nodes",
];

export async function overview(_, query) {
  const [{ cluster }, apps, { charts }, nodes] = await Promise.all(CALLS.map(get));
  const rows = list(nodes.nodes.node);
  return html`${title("Cluster")}
    <p class="headline">${cluster.headline}</p>
    ${!cluster.hasNodes && START_A_NODE && html`<p>${START_A_NODE}</p>`}
    ${keyFigures(cluster.figure, apps.found.facets.state ?? {})}
    ${blocks(cluster.waiting, query)}
    ${
      cluster.hasNodes &&
      html`${blocks(charts.block, query)}
        <h2>Nodes</h2>
        ${heat(rows, GROUPS.rack, MEASURES.memory)}`
    }
    <h2>Running and waiting applications</h2>
    ${appGrid("apps", apps.found, query, {
      calls: ["/apps?states=ACCEPTED,RUNNING"],
      none: IDLE,
      isSorted: false,
    })}
    <details>
      <summary>All figures</summary>
      ${blocks(cluster.all, query)}
    </details>`;
}

// Applications are counted by their states, as the lists do that these figures lead to: the metrics count one
// as running as soon as its AM has a container.
function keyFigures(others, { RUNNING: running = 0, ACCEPTED: waiting = 0 }) {
  const counted = (state, value, word) => ({
    to: `/cluster/apps/${state}`,
    value,
    text: `${value === 1 ? "application" : "applications"} ${word}`,
  });
  const found = [counted("RUNNING", running, "running"), counted("ACCEPTED", waiting, "waiting"), ...others];
  return html`<ul class="figures">
    ${found.map(
      ({ to, value, text, isTrouble }) =>
        html`<li class=${isTrouble ? "trouble" : ""}><a href=${to}><b>${value}</b> ${text}</a></li>`,
    )}
  </ul>`;
}
