// Two runs on the same axes: figures beside one another, then series over the same time.
import { get } from "./api.js";
import { chart, count } from "./charts.js";
import { bar, EPOCH, empty, h, html, hued, percent, pushQuery, select, table, title } from "./dom.js";
import { recordedStream } from "./recording.js";
import { FIGURES, index, span } from "./run.js";

const COLOURS = ["line0", "line1"];
/** @type {[string, string, (value: any) => string, number][]} */
const CHARTS = [
  ["Memory used, of the cluster", "memory", percent, 100],
  ["Fairness between queues", "fairness-queues", index, 1],
  ["Fairness between applications", "fairness-apps", index, 1],
  ["Containers", "containers", count, 4],
  ["Memory pending, of the cluster", "pending", percent, 100],
  ["Containers preempted so far", "preempted", count, 1],
  ["Applications without a container", "appsPending", count, 2],
];

// The report of `yarnbox whatif`, as its own code drew it.
const report = () => h("iframe", { class: "report", title: "What if", src: "/ws/v1/cluster/ui/what-if" });

export async function compare(query, runs, hasReport) {
  if (hasReport && runs.length < 2) return [title("Compare"), report()];
  if (runs.length < 2)
    return [
      title("Compare"),
      empty("There is only one run. Open two recordings (yarnbox view ONE OTHER), or play another one."),
    ];
  const asked = (query.get("runs") || "").split(",").filter((name) => runs.some((one) => one.run === name));
  const [first, second] = asked.length === 2 ? asked : [runs[0].run, runs[1].run];
  const { times, runs: found, differences } = await get(`/ui/comparison?runs=${first},${second}`);
  const names = found.map((one) => one.title);
  const moments = times.map((time) => EPOCH + time);
  const pair = (what, of, unit, top) => {
    const series = found.map((one, i) => ({
      name: names[i],
      values: of(one) || times.map(() => null),
      kind: COLOURS[i],
    }));
    const drawn = chart(what, moments, series, { unit, top, isWhole: true });
    return html`<section><h2>${what}</h2>${drawn}</section>`;
  };
  const queues = [...new Set(found.flatMap((one) => Object.keys(one.series.queue)))];
  return [
    title("Compare"),
    hasReport && report(),
    runs.length > 2 && [
      picker("First", runs, first, (name) => `${name},${second}`),
      picker("Second", runs, second, (name) => `${first},${name}`),
    ],
    found.every((one) => one.name === found[0].name) && html`<p class="id">Both runs: ${found[0].name}</p>`,
    changes(differences, names),
    figures(found, names),
    waiting(found, names),
    html`<p class="legend">Time begins with the first submission of each run.</p>
      <h2>Containers on nodes</h2>`,
    found.map(
      (one, i) =>
        html`<h3>${names[i]}</h3>
          ${recordedStream(one.run, one.begin, { name: names[i], query, colour: "queue" })}`,
    ),
    html`<div class="charts">
      ${CHARTS.map(([what, name, unit, top]) => pair(what, (one) => one.series[name], unit, top))}
      ${queues.map((path) =>
        pair(`Memory used by ${path}`, (one) => one.series.queue[path]?.used, percent, 100),
      )}
    </div>`,
  ];
}

function picker(what, runs, present, runsOf) {
  const choices = runs.map((one) => [one.run, one.title]);
  return html`<label>${what} ${select(choices, present, (run) => pushQuery("runs", runsOf(run)))} </label>`;
}

const UNITS = { ms: span, count: String, percent, index };

// Against the first run; of nothing there is no part.
const signed = (change) => (change === null ? "from 0" : `${change > 0 ? "+" : ""}${percent(100 * change)}`);

// What got worse comes first, the largest change on top.
function changes(differences, names) {
  return [
    html`<h2>What changed</h2>`,
    table(
      `From ${names[0]} to ${names[1]}`,
      ["Change", "Figure", "Queue", ...names],
      differences.map(({ what, queue, unit, values, change, isWorse }) => [
        html`<b class=${isWorse ? "trouble" : "better"}>${isWorse ? "worse" : "better"}</b>${" "}
          ${signed(change)}`,
        what,
        queue || "all",
        ...values.map(UNITS[unit]),
      ]),
      "No figure of the two runs differs by 5 % or more; times below a second do not count.",
    ),
  ];
}

const heads = (first, names) => [
  first,
  ...names.map((name, i) => html`<span class="swatch" style=${hued(`--${COLOURS[i]}`)}>${name}</span>`),
];

function figures(found, names) {
  // A makespan that ends with the run says nothing of its jobs.
  const areComplete = found.every((one) => one.figures.isComplete);
  const row = ([what, of, unit, better]) => {
    const values = found.map((one) => of(one.figures));
    const isBetter = (value) =>
      (areComplete || what !== "Makespan") &&
      values.some((other) => better * (value - other) > 0 && unit(other) !== unit(value));
    const mark = html`<small class="better"> better</small>`;
    return [what, ...values.map((value) => [unit(value), value !== null && isBetter(value) && mark])];
  };
  return table("Figures", heads("Figure", names), FIGURES.map(row), "");
}

function waiting(found, names) {
  const queues = [...new Set(found.flatMap((one) => Object.keys(one.figures.queues)))];
  const all = found.flatMap((one) => Object.values(one.figures.queues));
  const longest = Math.max(1, ...all.map((queue) => queue.longestWait || 0));
  const cell = (queue) =>
    queue
      ? html`${bar((100 * queue.wait) / longest, span(queue.wait))} ${span(queue.wait)}
          <small>
            ${` longest ${span(queue.longestWait)}`}
            ${queue.neverServed > 0 && `, ${queue.neverServed} never served`}
          </small>`
      : "N/A";
  return table(
    "How long applications waited for their first container, by queue",
    heads("Queue", names),
    queues.map((path) => [path, ...found.map((one) => cell(one.figures.queues[path]))]),
    "No applications were submitted.",
  );
}
