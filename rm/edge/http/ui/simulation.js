// A scenario is chosen or written, or a trace of jobs chosen, and played in virtual time by `yarnbox view`;
// then its recording is shown.
import { get, list, post } from "./api.js";
import { html, pushQuery, refresh, select, table, title } from "./dom.js";

// What was written or chosen here, and how it went.
const kept = { name: "", text: null, scheduler: "", problems: [], isRunning: false };
const isTrace = () => kept.name.endsWith(".tsv");
const keep = (name) => (/** @type {string | number} */ value) => {
  kept[name] = value;
};

export async function simulation(query, runs, done) {
  const { files, schedulers, sizes, example } = await get("/ui/simulations");
  kept.text ??= example;
  const named = schedulers.map((one) => [one, `${one[0].toUpperCase()}${one.slice(1)}Scheduler`]);
  named.unshift(["", "the one that the file names"]);
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
        Scheduler ${select(named, kept.scheduler, keep("scheduler"), { id: "scheduler" })}
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
        ${sizes.map(
          ({ name, text, usual, most }) => html`<label>
            ${text}${" "}
            <input
              type="number"
              name=${name}
              min="1"
              max=${most}
              value=${kept[name] ?? usual}
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
