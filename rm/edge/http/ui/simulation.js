// A scenario is chosen or written, or a trace of jobs chosen, and played in virtual time by `yarnbox view`; then its recording is shown.
import { get, list, post } from "./api.js";
import { h, table, title, withQuery } from "./dom.js";

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
const SCHEDULERS = [["", "the one that the file names"], ["capacity", "CapacityScheduler"], ["fair", "FairScheduler"], ["fifo", "FifoScheduler"]];
const SIZES = [["nodes", "Nodes of 10 GiB and 10 vcores", 200], ["jobs", "The first so many jobs", 2000], ["scale", "Bytes divided by", 1000000]];
const kept = { name: "", text: EXAMPLE, scheduler: "", nodes: 4, jobs: 200, scale: 10, problems: [], isRunning: false };
const isTrace = () => kept.name.endsWith(".tsv");

export async function simulation(query, runs, done) {
  const { files } = await get("/ui/simulations"), wanted = query.get("file");
  if (wanted && wanted !== kept.name && files.includes(wanted)) {
    Object.assign(kept, { name: wanted, text: (await get(`/ui/simulations/file?name=${encodeURIComponent(wanted)}`)).text, problems: [] });
  }
  const text = h("textarea", { id: "scenario", rows: 22, spellcheck: "false", "aria-label": "Scenario", oninput: (event) => { kept.text = event.target.value; } });
  text.value = kept.text;
  const problems = h("div", { id: "problems", role: "alert" }), start = h("button", { id: "simulate", class: "primary" }, "Run");
  const sizes = h("p", { class: "actions" }, SIZES.map(([name, what, most]) => h("label", {}, `${what} `, h("input", { type: "number", name, min: 1, max: most, value: kept[name],
    oninput: (event) => { kept[name] = Number(event.target.value); } }))));
  const tell = () => {
    sizes.hidden = !isTrace();
    start.disabled = kept.isRunning;
    start.textContent = kept.isRunning ? "Running…" : "Run";
    problems.replaceChildren(...(kept.problems.length ? [h("pre", { class: "error" }, kept.problems.join("\n"))] : []));
  };
  start.addEventListener("click", () => simulate(done, tell));
  tell();
  return [title("Simulation"), h("p", {}, "A scenario is a cluster and what happens to it; it is played in virtual time against the real schedulers, in an instant. A trace of SWIM (.tsv) is a day of jobs, of which some are played."),
    files.length > 0 && h("label", {}, "File ", h("select", { id: "file", onchange: (event) => {
      history.pushState(null, "", withQuery("file", event.target.value));
      dispatchEvent(new Event("refresh"));
    } }, h("option", { value: "" }, "choose one"), files.map((one) => h("option", { value: one, selected: one === kept.name }, one)))), " ",
    h("label", {}, "or from your disk ", h("input", { type: "file", accept: ".yaml,.yml,.tsv", onchange: (event) => upload(event) })),
    text,
    h("p", { class: "actions" }, h("label", {}, "Scheduler ", h("select", { id: "scheduler", onchange: (event) => { kept.scheduler = event.target.value; } },
      SCHEDULERS.map(([value, name]) => h("option", { value, selected: value === kept.scheduler }, name)))), start),
    h("p", { class: "empty" }, "Another scheduler than a scenario's gets the same queues with the same weights; what the file expects is left out then."),
    sizes, problems, runs.length > 0 && played(runs)];
}

async function upload(event) {
  const [file] = event.target.files;
  if (!file) return;
  Object.assign(kept, { name: file.name, text: await file.text(), problems: [] });
  dispatchEvent(new Event("refresh"));
}

async function simulate(done, tell) {
  Object.assign(kept, { isRunning: true, problems: [] });
  tell();
  try {
    const { run } = await post("/ui/simulations", { text: kept.text, name: kept.name || "scenario", scheduler: kept.scheduler, nodes: kept.nodes, jobs: kept.jobs, scale: kept.scale });
    kept.isRunning = false;
    await done(run);
  } catch (error) {
    kept.problems = error.problems || [error.message];
  } finally {
    kept.isRunning = false;
    tell();
  }
}

function played(runs) {
  return [h("h2", {}, "Runs"), table("Runs", ["Run", "Name", "Scheduler", ""], list(runs).map((one) => [h("a", { href: `/cluster/run?run=${one.run}&at=0` }, one.run), one.name, one.scheduler,
    runs.length > 1 && one !== runs.at(-1) && h("a", { href: `/cluster/compare?runs=${one.run},${runs.at(-1).run}` }, `compare with ${runs.at(-1).run}`)]), "")];
}
