// Queues changed from the page: stopped, started, given other capacities. What is wrong is refused before anything happens.
import { post, put } from "./api.js";
import { action, ask, confirm } from "./dialog.js";
import { h } from "./dom.js";

const VALUES = [["capacity", "Capacity"], ["maximum-capacity", "Maximum capacity"]];
const change = (name, params) => ({ "update-queue": [{ "queue-name": name, params: { entry: Object.entries(params).map(([key, value]) => ({ key, value })) } }] });

async function apply(body) {
  await post("/scheduler-conf/validate", body);
  await put("/scheduler-conf", body);
}

function refusal(rights) {
  if (!rights.actions) return "yarn.resourcemanager.webapp.ui-actions.enabled is false.";
  if (!rights.isAdmin) return `${rights.user} is no administrator.`;
  return rights.queuesAreFixed;
}

export function queueActions({ name, queue }, siblings, rights) {
  const why = refusal(rights), isRunning = (queue.state || "RUNNING") === "RUNNING";
  return h("p", { class: "actions" },
    isRunning ? action("Stop", () => setState(name, "STOPPED", "It takes no new applications; those that run end in peace.", "Stop"), why, true)
      : action("Start", () => setState(name, "RUNNING", "It takes applications again.", "Start"), why),
    action("Edit capacities", () => edit(name, siblings), why));
}

async function setState(name, state, consequence, yes) {
  if (await confirm(`${yes} queue ${name}?`, consequence, yes)) await apply(change(name, { state }));
}

// The capacities of siblings make 100 together: all of them are asked for, and changed, at once.
async function edit(name, siblings) {
  const parent = name.split(".").slice(0, -1).join(".") || "root";
  const fields = siblings.flatMap((one) => VALUES.map(([key, text]) => ({ name: `${one.name} ${key}`, text: `${one.name}: ${text}`, value: one.values[key] })));
  const answers = await ask(`Capacities below ${parent}`, h("p", {}, "In percent, or [memory=…,vcores=…], or 2w. They are validated first; nothing changes if anything is wrong."), fields, "Validate and change");
  if (!answers) return;
  const changed = siblings.map((one) => ({ name: one.name, params: Object.fromEntries(VALUES.map(([key]) => [key, answers[`${one.name} ${key}`]]).filter(([key, value]) => value !== one.values[key])) }))
    .filter((one) => Object.keys(one.params).length);
  if (changed.length) await apply({ "update-queue": changed.flatMap((one) => change(one.name, one.params)["update-queue"]) });
}
