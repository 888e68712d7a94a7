// A question before anything is changed, as the ResourceManager says it (rm/web/pages/actions.py): it names
// what it is about, and Escape means no. A refusal is shown, and asked again.
import { post, put, Unreachable } from "./api.js";
import { blocks } from "./blocks.js";
import { html, refresh, render } from "./dom.js";
import { fieldOf, usualOf } from "./form.js";

const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("dialog"));
const leave = () => dialog.close();

let settle = /** @type {(isAgreed: boolean) => void} */ (() => {});

// Whether it was agreed to; it can be left by its button or by Escape. The browser tells the end of one
// dialog when the next may be open already.
function show(heading, body, buttons) {
  settle(false);
  render(null, dialog);
  render(
    html`<form method="dialog"><h2>${heading}</h2>${body}<p class="actions">${buttons}</p></form>`,
    dialog,
  );
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    settle = resolve;
    dialog.onclose = () => dialog.open || resolve(dialog.returnValue !== "");
  });
}

export const tell = (title, ...text) =>
  show(title, html`<div>${text}</div>`, html`<button type="button" onclick=${leave}>Close</button>`);

const fault = (text) => text && html`<p class="error" role="alert">${text}</p>`;
/** What is answered, by the names of the fields; null when it was left. */
export async function ask(
  { question, parts = [], fields = [], verb, back = "Cancel" },
  before = {},
  why = "",
) {
  const values = { ...before };
  const isAgreed = await show(
    question,
    [
      blocks(parts, new URLSearchParams()),
      fault(why),
      html`<div class="fields">${fields.map((one) => fieldOf(one, values))}</div>`,
    ],
    [
      html`<button type="button" onclick=${leave}>${back}</button>`,
      html`<button class="danger" value="yes">${verb}</button>`,
    ],
  );
  return isAgreed ? values : null;
}

const SEND = { PUT: put, POST: post };
const UNCHANGED = "No value is other than before.";

// Whether it was done. What was to be changed and was not is not sent.
async function perform(action) {
  const { fields = [], calls, body } = action;
  const before = usualOf(fields);
  const isSame = (given) => fields.every(({ name, changes }) => changes && given[name] === before[name]);
  for (let given = before, why = ""; ; ) {
    given = await ask(action, given, why);
    if (!given) return false;
    try {
      if (fields.length && isSame(given)) throw new Error(UNCHANGED);
      let answer = null;
      for (const [method, path] of calls) answer = await SEND[method](path, { ...body, ...given });
      if (!answer.next || (await perform(answer.next))) return true;
      why = "";
    } catch (error) {
      if (error instanceof Unreachable) throw error;
      why = error.message;
    }
  }
}

const NO_ANSWER = "The ResourceManager did not answer. Whether it was done shows when it answers again.";

// What may be done to a thing. What may not is there and cannot be pressed, and the reason stands below:
// once, where it is the same for all.
export function actions(offered) {
  const refusals = new Set(offered.map(({ refusal }) => refusal));
  const [only] = refusals;
  const refused = offered.filter(({ refusal }) => refusal);
  return html`<p class="actions">${offered.map(button)}</p>
    ${
      refusals.size === 1
        ? only && html`<p class="how">${only}</p>`
        : refused.map(({ name, refusal }) => html`<p class="how">${name}: ${refusal}</p>`)
    }`;
}

function button(one) {
  const { name, refusal, isDangerous } = one;
  if (refusal)
    return html`<button disabled title=${refusal} aria-label=${`${name}: ${refusal}`}>${name}</button>`;
  const press = async () => {
    try {
      await perform(one);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      await tell(`${name}: no answer`, fault(NO_ANSWER));
    }
    refresh();
  };
  return html`<button class=${isDangerous ? "danger" : null} onclick=${press}>${name}</button>`;
}
