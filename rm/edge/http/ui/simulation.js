// A scenario is chosen or written, or a trace of jobs chosen, and played in virtual time by `yarnbox view`;
// then its recording is shown.
import { get, list, post } from "./api.js";
import { html, pushQuery, refresh, select, table, title } from "./dom.js";

const EXAMPLE = `name: two-queues
about: Queue a may use idle capacity of b; the first container of b goes where a has left room.
conf: {yarn.resourcemanager.scheduler.class: capacity}
capacity-scheduler:
  yarn.scheduler.capacity.root.queues: a,b
  yarn.scheduler.capacity.root.a.capacity: 50
  yarn.scheduler.capacity.root.a.user-limit-factor: 2
  yarn.scheduler.capacity.root.b.capacity: 50
nodes:
  - {name: "n%d", count: 2, memory-mb: 4096}
steps:
  - submit: {app: a1, queue: root.a}
  - ask: {app: a1, requests: [{count: 6, memory-mb: 1024}]}
  - heartbeat: {node: n1, times: 4}
  - heartbeat: {node: n2, times: 2}
  - submit: {app: b1, queue: root.b}
  - ask: {app: b1, requests: [{count: 2, memory-mb: 1024}]}
  - heartbeat: {node: n2, times: 2}
`;
const SCHEDULERS = [
  ["", "the one that the file names"],
  ["capacity", "CapacityScheduler"],
  ["fair", "FairScheduler"],
  ["fifo", "FifoScheduler"],
];
const SIZES = [
  ["nodes", "Nodes of 10 GiB and 10 vcores", 200],
  ["jobs", "Number of jobs", 2000],
  ["scale", "Divide bytes by", 1000000],
];
const BEGINNING = { name: "", text: EXAMPLE, scheduler: "", nodes: 4, jobs: 200, scale: 10 };
const kept = { ...BEGINNING, problems: [], isRunning: false };
const isTrace = () => kept.name.endsWith(".tsv");
const keep = (name) => (/** @type {string | number} */ value) => {
  kept[name] = value;
};

export async function simulation(query, runs, done) {
  const { files } = await get("/ui/simulations");
  const wanted = query.get("file");
  if (wanted && wanted !== kept.name && files.includes(wanted)) {
    const { text } = await get(`/ui/simulations/file?name=${encodeURIComponent(wanted)}`);
    Object.assign(kept, { name: wanted, text, problems: [] });
  }
  const choices = [["", "choose one"], ...files.map((one) => [one, one])];
  const choose = (file) => pushQuery("file", file);
  return html`${title("Simulation")}
    <p>
      A scenario describes a cluster and what happens to it. It is played in virtual time, with the same
      scheduler code as the ResourceManager. A SWIM trace (.tsv) is a list of
      jobs, of which the first are played.
    </p>
    ${files.length > 0 && html`<label>File ${select(choices, kept.name, choose, { id: "file" })}</label>`}
    <label>
      ${files.length > 0 ? " or a file" : "A file"} of your own${" "}
      <input type="file" accept=".yaml,.yml,.tsv" onchange=${upload} />
    </label>
    <textarea
      id="scenario"
      rows="22"
      spellcheck=${false}
      aria-label="Scenario"
      value=${kept.text}
      oninput=${(event) => keep("text")(event.target.value)}
    />
    <p class="actions">
      <label>
        Scheduler ${select(SCHEDULERS, kept.scheduler, keep("scheduler"), { id: "scheduler" })}
      </label>
      <button id="simulate" class="primary" disabled=${kept.isRunning} onclick=${() => simulate(done)}>
        ${kept.isRunning ? "Running…" : "Run"}
      </button>
    </p>
    <p class="empty">
      With another scheduler than the file's, queues and weights are converted, and the file's
      expectations are not checked.
    </p>
    ${
      isTrace() &&
      html`<p class="actions">
        ${SIZES.map(
          ([name, what, most]) => html`<label>
            ${what}${" "}
            <input
              type="number"
              name=${name}
              min="1"
              max=${most}
              value=${kept[name]}
              oninput=${(event) => keep(name)(Number(event.target.value))}
            />
          </label>`,
        )}
      </p>`
    }
    <div id="problems" role="alert">
      ${kept.problems.length > 0 && html`<pre class="error">${kept.problems.join("\n")}</pre>`}
    </div>
    ${runs.length > 0 && played(runs)}`;
}

async function upload(event) {
  const [file] = event.target.files;
  if (!file) return;
  Object.assign(kept, { name: file.name, text: await file.text(), problems: [] });
  refresh();
}

async function simulate(done) {
  Object.assign(kept, { isRunning: true, problems: [] });
  refresh();
  const { name, problems, isRunning, ...asked } = kept;
  try {
    const { run } = await post("/ui/simulations", { name: name || "scenario", ...asked });
    kept.isRunning = false;
    await done(run);
  } catch (error) {
    kept.problems = error.problems || [error.message];
  } finally {
    kept.isRunning = false;
    refresh();
  }
}

function played(runs) {
  const last = runs.at(-1);
  const rows = list(runs).map((one) => [
    html`<a href=${`/cluster/run?run=${one.run}`}>${one.run}</a>`,
    one.name,
    one.scheduler,
    one !== last &&
      html`<a href=${`/cluster/compare?runs=${one.run},${last.run}`}>compare with ${last.run}</a>`,
  ]);
  return [html`<h2>Runs</h2>`, table("Runs", ["Run", "Name", "Scheduler", "Compare"], rows, "")];
}
