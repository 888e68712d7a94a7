// A scenario is chosen or written, or a trace of jobs chosen, and played in virtual time by `yarnbox view`;
// then its recording is shown.
import { get, post } from "./api.js";
import { blocks } from "./blocks.js";
import { html, pushQuery, refresh, select } from "./dom.js";

// What was written or chosen here, and how it went.
const kept = { name: "", text: null, scheduler: "", problems: [], isRunning: false };
const isTrace = () => kept.name.endsWith(".tsv");
const keep = (name) => (/** @type {string | number} */ value) => {
  kept[name] = value;
};

export async function simulation(query, done) {
  const { files, schedulers, sizes, example, above, below, runs } = await get("/ui/simulations");
  kept.text ??= example;
  const wanted = query.get("file");
  if (wanted && wanted !== kept.name && files.includes(wanted)) {
    const { text } = await get(`/ui/simulations/file?name=${encodeURIComponent(wanted)}`);
    Object.assign(kept, { name: wanted, text, problems: [] });
  }
  const choices = [["", "choose one"], ...files.map((one) => [one, one])];
  const choose = (file) => pushQuery("file", file);
  return html`${blocks(above, query)}
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
        Scheduler ${select(schedulers, kept.scheduler, keep("scheduler"), { id: "scheduler" })}
      </label>
      <button id="simulate" class="primary" disabled=${kept.isRunning} onclick=${() => simulate(done)}>
        ${kept.isRunning ? "Running…" : "Run"}
      </button>
    </p>
    ${blocks(below, query)}
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
    ${blocks(runs, query)}`;
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
