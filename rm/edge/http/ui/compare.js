// Two runs on the same axes.
import { get } from "./api.js";
import { blocks } from "./blocks.js";
import { empty, h, html, pushQuery, select, title } from "./dom.js";

// The report of `yarnbox whatif`, as its own code drew it.
const report = () => h("iframe", { class: "report", title: "What if", src: "/ws/v1/cluster/ui/what-if" });

export async function compare(query, runs, hasReport) {
  if (hasReport && runs.length < 2) return [title("Compare"), report()];
  if (runs.length < 2)
    return [
      title("Compare"),
      empty("There is only one run. Open two recordings (yarnbox view ONE OTHER), or play another one."),
    ];
  const { runs: chosen, block } = await get(`/ui/comparison?runs=${query.get("runs") || ""}`);
  const [first, second] = chosen;
  return [
    title("Compare"),
    hasReport && report(),
    runs.length > 2 && [
      picker("First", runs, first, (name) => `${name},${second}`),
      picker("Second", runs, second, (name) => `${first},${name}`),
    ],
    blocks(block, query),
  ];
}

function picker(what, runs, present, runsOf) {
  const choices = runs.map((one) => [one.run, one.title]);
  return html`<label>${what} ${select(choices, present, (run) => pushQuery("runs", runsOf(run)))} </label>`;
}
