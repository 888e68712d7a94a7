// Queues changed from the page: stopped, started, given other capacities. What is wrong is refused before anything happens.
import { get, list, post, put } from "./api.js";
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

export function queueActions({ name, queue }, siblings, rights, partition) {
  const why = refusal(rights), isRunning = (queue.state || "RUNNING") === "RUNNING";
  return h("p", { class: "actions" },
    isRunning ? action("Stop", () => setState(name, "STOPPED", "It takes no new applications; those that run end in peace.", "Stop"), why, true)
      : action("Start", () => setState(name, "RUNNING", "It takes applications again.", "Start"), why),
    action("Edit capacities", () => edit(name, siblings, partition), why));
}

async function setState(name, state, consequence, yes) {
  if (await confirm(`${yes} queue ${name}?`, consequence, yes)) await apply(change(name, { state }));
}

// The capacities of siblings make 100 together: all of them are asked for, and changed, at once. What is not set is empty.
async function edit(name, siblings, partition) {
  const set = new Map(list((await get("/scheduler-conf")).property).map((one) => [one.name, one.value]));
  const below = partition ? `accessible-node-labels.${partition}.` : "", parent = name.split(".").slice(0, -1).join(".") || "root";
  const fields = siblings.flatMap((queue) => VALUES.map(([key, text]) => ({ queue, key: below + key, name: `${queue} ${key}`, text: `${queue}: ${text}`,
    value: set.get(`yarn.scheduler.capacity.${queue}.${below}${key}`) ?? "" })));
  const answers = await ask(`Capacities below ${parent}${partition ? ` in partition ${partition}` : ""}`,
    h("p", {}, "In percent, or [memory=…,vcores=…], or 2w. They are validated first; nothing changes if anything is wrong."), fields, "Validate and change");
  if (!answers) return;
  const changed = fields.filter((one) => answers[one.name] !== one.value);
  if (changed.length) await apply({ "update-queue": changed.flatMap((one) => change(one.queue, { [one.key]: answers[one.name] })["update-queue"]) });
}
