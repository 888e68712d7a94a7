// One run: what it comes to, and the file that was played with the line that is being played.
import { get, list } from "./api.js";
import { chart, hue } from "./charts.js";
import { Component, duration, empty, facts, h, html, link, percent, queuePage, table, title } from "./dom.js";
import { guide } from "./guide.js";
import { recordedStream } from "./recording.js";

export const span = (ms) =>
  ms === null || ms === undefined ? "N/A" : ms < 60000 ? `${(ms / 1000).toFixed(1)} s` : duration(ms);
export const index = (value) => (value === null || value === undefined ? "N/A" : value.toFixed(3));

/** Of two values 1 says that more is better, -1 that less is, 0 that neither can be said. */
/** @type {[string, (figures: any) => any, (value: any) => string, number][]} */
export const FIGURES = [
  ["Makespan", (f) => f.makespan, span, -1],
  ["Applications that ended", (f) => f.finished, String, 1],
  ["Containers", (f) => f.containers, String, 0],
  ["Containers preempted", (f) => f.preempted, String, -1],
  ["Memory used, on average", (f) => f.averages.memory, percent, 0],
  ["VCores used, on average", (f) => f.averages.vcores, percent, 0],
  ["Fairness between queues, on average", (f) => f.averages.queues, index, 1],
  ["Fairness between applications, on average", (f) => f.averages.apps, index, 1],
];

const isDilated = ({ moments: { at, time } }) => at.at(-1) !== time.at(-1);

export async function run(shown, addressOf, query, demo, runs) {
  const { figures } = shown,
    isScenario = shown.file && shown.kind === "scenario";
  const [{ history }, told] = await Promise.all([
    get("/ui/history/queues?whole=1"),
    guide(shown, demo, runs),
  ]);
  const at = list(history.mark).at(-1)?.time;
  const picture = html`<div>
    ${shares(list(history.queue), list(history.times), list(history.mark), shown.scheduler)}
    <h2>Containers on nodes</h2>
    ${recordedStream(shown.run, 0, { name: shown.name, query, colour: "app", at })}
  </div>`;
  return [
    title(shown.name),
    shown.about && h("p", {}, shown.about),
    failures(shown.failures),
    told,
    isScenario
      ? html`<div class="stage">
          <${Listing} ...${{ ...shown, step: shown.moments.step, addressOf }} />
          ${picture}
        </div>`
      : picture,
    h("h2", {}, "Figures of the whole run"),
    facts([
      ["Scheduler", shown.scheduler],
      ["Applications", figures.apps],
      !figures.isComplete && ["Complete", "No: not all applications ended."],
      ...FIGURES.map(([what, of, unit]) => [what, unit(of(figures))]),
    ]),
    queues(figures),
    html`<details><summary>What these figures mean</summary>${meaning(shown)}</details>`,
    shown.containersOfEvery > 1 &&
      empty(
        `The run had ${shown.containersSeen} containers. The recording keeps those of one in ` +
          `${shown.containersOfEvery} applications; all sums count every container.`,
      ),
  ];
}

function shares(queues, times, marks, scheduler) {
  const isFair = scheduler === "FairScheduler";
  return [
    h("h2", {}, "Queues"),
    chart(
      "Used share of each queue",
      times,
      queues.flatMap((one, i) => [
        { name: one.path, values: one.used, kind: hue(i) },
        {
          name: `${one.path}: ${isFair ? "fair share" : "guaranteed"}`,
          values: isFair ? one.fair : one.guaranteed,
          kind: hue(i),
          dashed: "dashed",
        },
      ]),
      { marks },
    ),
    h("p", { class: "legend" }, `Solid: used. Dashed: ${isFair ? "fair share" : "guaranteed"}.`),
  ];
}

const failures = (found) =>
  found.length > 0 &&
  html`<section class="card">
    <h2>Failed expectations</h2>
    <ul class="error">${found.map((one) => html`<li>${one}</li>`)}</ul>
  </section>`;

function queues(figures) {
  return table(
    "Queues",
    ["Queue", "Applications", "Waited, mean", "Longest wait", "Lived, mean", "Containers", "Preempted"],
    Object.entries(figures.queues).map(([path, one]) => [
      link(queuePage(path), path),
      one.neverServed ? `${one.apps}, ${one.neverServed} never served` : one.apps,
      span(one.wait),
      span(one.longestWait),
      span(one.life),
      one.containers,
      one.preempted,
    ]),
    "No applications were submitted.",
  );
}

const meaning = (shown) => html`
  ${
    isDilated(shown) &&
    html`<p>
      A step or a heartbeat that takes no virtual time counts as one second, so that events can be watched one
      after the other. All times on these pages are of this clock; the virtual time stands beside the slider.
    </p>`
  }
  <p>
    The makespan goes from the first submission to the end of the last application, or to the end of the run.
    An application waits from its submission to its first container other than its AM's.
  </p>
  <p>
    Fairness is Jain's index of what each uses, divided by what max-min fairness (dominant resource fairness,
    where the scheduler compares several resources) would give it for its demand: 1.000 is even, 1/n means
    that one of n has everything. Queues are weighted by their guaranteed capacities or steady fair shares.
  </p>`;

// The file; each line that is played leads to the first moment of it, and the present one is scrolled to.
class Listing extends Component {
  componentDidMount() {
    this.showPresent();
  }

  componentDidUpdate(before) {
    if (before.line !== this.props.line) this.showPresent();
  }

  showPresent() {
    const now = this.place.querySelector(".now");
    if (now) this.place.scrollTop = now.offsetTop - this.place.clientHeight / 2;
  }

  render({ file, step, line, place, addressOf }) {
    const firsts = new Map();
    step.forEach((number, i) => {
      if (!firsts.has(number)) firsts.set(number, i);
    });
    const row = (text, i) => {
      const first = firsts.get(i + 1);
      const isNow = i + 1 === line;
      const kind = isNow ? "now" : first > place ? "later" : "";
      return html`<li class=${kind} aria-current=${isNow ? "step" : null}>
        ${first === undefined ? text : html`<a href=${addressOf(first)}>${text}</a>`}
      </li>`;
    };
    return html`<ol
      class="listing"
      tabindex="0"
      aria-label="The file"
      ref=${(place) => {
        this.place = place || this.place;
      }}
    >
      ${file.trimEnd().split("\n").map(row)}
    </ol>`;
  }
}
