// Queues changed from the page: stopped, started, given other capacities. What is wrong is refused before
// anything happens.
import { get, list, post, put, Unreachable } from "./api.js";
import { actions, ask } from "./dialog.js";
import { html, inUnits, table } from "./dom.js";

const VALUES = [
  ["capacity", "Capacity"],
  ["maximum-capacity", "Maximum capacity"],
];
const change = (name, params) => ({
  "update-queue": [
    { "queue-name": name, params: { entry: Object.entries(params).map(([key, value]) => ({ key, value })) } },
  ],
});

export const queueActions = ({ actions: offered, chosen }, partition) =>
  actions(offered, { "Edit capacities": () => edit(chosen.path, chosen.sibling, partition) });

// The capacities of siblings make 100 together: all of them are asked for, and changed, at once. What is
// not set is empty.
async function edit(name, siblings, partition) {
  const set = new Map(list((await get("/scheduler-conf")).property).map((one) => [one.name, one.value]));
  const below = partition ? `accessible-node-labels.${partition}.` : "",
    parent = name.split(".").slice(0, -1).join(".") || "root";
  const fields = siblings.flatMap((queue) =>
    VALUES.map(([key, text]) => ({
      queue,
      key: below + key,
      name: `${queue} ${key}`,
      label: `${queue}: ${text}`,
      value: set.get(`yarn.scheduler.capacity.${queue}.${below}${key}`) ?? "",
    })),
  );
  let fault = "";
  let answers = Object.fromEntries(fields.map((one) => [one.name, one.value]));
  for (;;) {
    answers = await ask(
      `Capacities below ${parent}${partition ? ` in partition ${partition}` : ""}`,
      html`<p>
          A percentage, a weight (2w), or resources ([memory=…,vcores=…]). What would change is shown before
          anything does.
        </p>
        ${fault && html`<p class="error" role="alert">${fault}</p>`}`,
      fields.map((one) => ({ ...one, value: answers[one.name] })),
      "Show the effect",
    );
    if (!answers) return;
    const changed = fields.filter((one) => answers[one.name] !== one.value);
    if (!changed.length) {
      fault = "No value is other than before.";
      continue;
    }
    const body = {
      "update-queue": changed.flatMap(
        (one) => change(one.queue, { [one.key]: answers[one.name] })["update-queue"],
      ),
    };
    try {
      const { effect } = await post("/ui/queue-effect", body);
      if (await agreed(effect)) {
        await put("/scheduler-conf", body);
        return;
      }
      fault = "";
    } catch (error) {
      if (error instanceof Unreachable) throw error;
      fault = error.message;
    }
  }
}

// What would be different, by the calculation of `yarnbox check-conf`: whether that is wanted.
async function agreed({ difference, finding }) {
  const rows = list(difference).map(({ queue, quantity, before, after, change }) => [
    queue,
    quantity,
    ...[before, after, change].map(inUnits),
  ]);
  return ask(
    "What would change",
    html`<p>On a cluster of the present size. Running containers stay; preemption may follow.</p>
      ${table("Effect", ["Queue", "Quantity", "Now", "Then", "Change"], rows, "No quantity changes.")}
      ${
        list(finding).length > 0 &&
        html`<p><b>What looks wrong then:</b></p>
          <ul>
            ${list(finding).map((one) => html`<li><code>${one.property}</code>: ${inUnits(one.text)}</li>`)}
          </ul>`
      }`,
    [],
    "Change the queues",
    "Back",
  );
}
