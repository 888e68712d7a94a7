// What may be done to an application: always shown, disabled with the reason where it may not be.
import { list, put } from "./api.js";
import { actions, confirm, refusalOf } from "./dialog.js";

export function appActions(one, rights) {
  const foreign =
    `The application belongs to ${one.user}. ${rights.user} administers neither the cluster nor the ` +
    "queue (acl_administer_queue).";
  const why = refusalOf(rights, rights.mayModify, foreign);
  const unmovable = why || (rights.mayMove ? "" : `The ${rights.scheduler} cannot move applications.`);
  return actions([
    ["Kill Application", () => kill(one), why, true],
    ["Move to another queue", () => move(one, list(rights.queues)), unmovable],
    ["Change its priority", () => prioritize(one, rights.maxPriority), why],
  ]);
}

async function kill(one) {
  const consequence = "All its containers are stopped. This cannot be undone.";
  if (await confirm(`Kill ${one.name} (${one.id})?`, consequence, "Kill"))
    await put(`/apps/${one.id}/state`, { state: "KILLED" });
}

async function move(one, queues) {
  const queue = await confirm(`Move ${one.name} (${one.id})`, "To which queue?", "Move", one.queue, queues);
  if (queue && queue !== one.queue) await put(`/apps/${one.id}/queue`, { queue });
}

async function prioritize(one, most) {
  const priority = await confirm(
    `Priority of ${one.name} (${one.id})`,
    `From 0 to ${most}; higher goes first.`,
    "Change",
    String(one.priority),
  );
  if (priority && priority !== String(one.priority))
    await put(`/apps/${one.id}/priority`, { priority: Number(priority) });
}
