// One run: what it comes to, and the file that was played with the line that is being played.
import { get, list } from "./api.js";
import { hue, lines } from "./charts.js";
import { gantt } from "./gantt.js";
import { duration, facts, h, link, percent, table, title } from "./dom.js";

export const span = (ms) => (ms === null || ms === undefined ? "N/A" : ms < 60000 ? `${(ms / 1000).toFixed(1)} s` : duration(ms));
export const index = (value) => (value === null || value === undefined ? "N/A" : value.toFixed(3));

const isDilated = ({ moments: { at, time } }) => at.at(-1) !== time.at(-1);

export async function run(shown, addressOf) {
  const { figures } = shown, isScenario = shown.file && shown.kind === "scenario";
  const [{ history }, { containers }] = await Promise.all([get("/ui/history/queues"), get("/ui/recording/containers")]);
  const picture = h("div", {}, shares(list(history.queue), list(history.times), list(history.mark), shown.scheduler), boxes(containers));
  return [title(shown.name), shown.about && h("p", {}, shown.about), failures(shown.failures),
    isScenario ? h("div", { class: "stage" }, listing(shown, addressOf), picture) : picture,
    h("h2", {}, "What the whole run comes to"),
    facts([["Scheduler", shown.scheduler], ["Makespan", [span(figures.makespan), !figures.isComplete && " (not all applications ended)"]],
      ["Applications", `${figures.apps}, of which ${figures.finished} ended`], ["Containers", figures.containers], ["Preempted", figures.preempted],
      ["Memory used, on average", percent(figures.averages.memory)],
      ["Fairness between queues", index(figures.averages.queues)], ["Fairness between applications", index(figures.averages.apps)]]),
    queues(figures),
    h("details", {}, h("summary", {}, "What these figures mean"), meaning(shown)),
    shown.containersOfEvery > 1 && h("p", { class: "empty" }, `Of ${shown.containersSeen} containers, those of one in ${shown.containersOfEvery} applications were kept; all sums are of all of them.`)];
}

function shares(queues, times, marks, scheduler) {
  const isFair = scheduler === "FairScheduler";
  return [h("h2", {}, "Queues"), lines("Used share of each queue", times, queues.flatMap((one, i) => [{ name: one.path, values: one.used, kind: hue(i) },
    { name: `${one.path}: ${isFair ? "fair share" : "guaranteed"}`, values: isFair ? one.fair : one.guaranteed, kind: hue(i), dashed: "dashed" }]), marks),
  h("p", { class: "legend" }, `Solid: used. Dashed: ${isFair ? "fair share" : "guaranteed"}.`)];
}

// Of a run with too many containers for one picture the pages of its nodes and applications show them.
function boxes({ container, now, isWhole, names }) {
  const all = list(container), apps = [...new Set(all.map((one) => one.app))];
  return isWhole && [h("h2", {}, "Containers on nodes"),
    apps.length > 0 && h("p", { class: "legend" }, "Applications: ", apps.map((one) => h("a", { class: `swatch ${hue(apps.indexOf(one))}`, href: `/cluster/app/${one}` }, names[one] || one))),
    gantt(all, now, (one) => one.node, { name: "run", hueOf: (one) => hue(apps.indexOf(one.app)) })];
}

const failures = (found) => found.length > 0 && h("section", { class: "card" }, h("h2", {}, "What did not hold"),
  h("ul", { class: "error" }, found.map((one) => h("li", {}, one))));

function queues(figures) {
  return table("Queues", ["Queue", "Applications", "Waited, mean", "Longest wait", "Lived, mean", "Containers", "Preempted"],
    Object.entries(figures.queues).map(([path, one]) => [link(`/cluster/scheduler?queue=${encodeURIComponent(path)}`, path),
      one.neverServed ? `${one.apps}, ${one.neverServed} never served` : one.apps, span(one.wait), span(one.longestWait), span(one.life), one.containers, one.preempted]),
    "No application was submitted.");
}

export function meaning(shown) {
  return [isDilated(shown) && h("p", {}, "A step or a heartbeat that takes no virtual time counts as one second, so that one can watch things happen one after the other. "
      + "All times on these pages are of this clock; beside the slider stands the virtual time, too."),
    h("p", {}, "The makespan goes from the first submission to the end of the last application, or to the end of the run. An application has waited from its submission to its first container, that of its AM left out."),
    h("p", {}, "Fairness is Jain's index of what each has over what progressive filling (max-min fairness; dominant resource fairness where the scheduler minds several resources) "
      + "would give it for what it asks: 1.000 is even, 1/n is one has all. Between queues it is weighted by their guaranteed capacities or steady fair shares.")];
}

// Each line that is played leads to the first moment of it.
function listing({ file, moments: { step }, line, place }, addressOf) {
  const firsts = new Map();
  step.forEach((number, i) => { if (!firsts.has(number)) firsts.set(number, i); });
  return h("ol", { class: "listing", tabindex: 0, "aria-label": "The file", onshown: (event) => toPresent(event.currentTarget) }, file.trimEnd().split("\n").map((text, i) => {
    const number = i + 1, isNow = number === line, first = firsts.get(number);
    return h("li", { class: isNow ? "now" : first !== undefined && first > place ? "later" : "", "aria-current": isNow ? "step" : null },
      first === undefined ? text : h("a", { href: addressOf(first) }, text));
  }));
}

function toPresent(listing) {
  const now = listing.querySelector(".now");
  if (now) listing.scrollTop = now.offsetTop - listing.clientHeight / 2;
}
