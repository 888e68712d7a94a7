// A question before anything is changed: it names what it is about, and Escape means no. A refusal is shown.
import { post, put, Unreachable } from "./api.js";
import { html, refresh, render, select } from "./dom.js";

const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("dialog"));
const leave = () => dialog.close();
const valuesOf = (form) =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]));

let settle = /** @type {(values: any) => void} */ (() => {});

// The values of the form by the names of its fields; null when it was left, by its button or by Escape. The
// browser tells the end of one dialog when the next may be open already.
function show(heading, body, buttons) {
  settle(null);
  render(null, dialog);
  render(
    html`<form method="dialog"><h2>${heading}</h2>${body}<p class="actions">${buttons}</p></form>`,
    dialog,
  );
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    settle = resolve;
    dialog.onclose = () =>
      dialog.open || resolve(dialog.returnValue ? valuesOf(dialog.firstElementChild) : null);
  });
}

const field = ({ label, name, value, choices = [] }) => {
  const pairs = choices.map((one) => [one, one]);
  return html`<label>
    ${label}
    ${pairs.length ? select(pairs, value, () => {}, { name }) : html`<input name=${name} value=${value} />`}
  </label>`;
};

/** What was chosen or written, by the names of the fields; null when it was left. */
export const ask = (question, explanation, fields, yes, no = "Cancel") =>
  show(
    question,
    [explanation, html`<div class="fields">${fields.map(field)}</div>`],
    [
      html`<button type="button" onclick=${leave}>${no}</button>`,
      html`<button class="danger" value="yes">${yes}</button>`,
    ],
  );

export const tell = (title, ...text) =>
  show(title, html`<div>${text}</div>`, html`<button type="button" onclick=${leave}>Close</button>`);

const NO_ANSWER = "The ResourceManager did not answer. Whether it was done shows when it answers again.";

// What is answered goes into the body of each request; what was to be changed and was not is not sent.
const SEND = { PUT: put, POST: post };
async function perform({ question, consequence, verb, calls, body, field }) {
  const answers = await ask(question, html`<p>${consequence}</p>`, field ? [field] : [], verb);
  if (!answers) return;
  const { name, value, changes } = field ?? {};
  if (changes && answers[name] === String(value)) return;
  if (typeof value === "number") answers[name] = Number(answers[name]);
  for (const [method, path] of calls) await SEND[method](path, { ...body, ...answers });
}

// What may be done to a thing, as the ResourceManager says it (rm/web/pages/actions.py); `acts` are done by
// functions. What may not is there and cannot be pressed, and the reason stands below: once, where it is the
// same for all.
export function actions(offered, acts = {}) {
  const refusals = new Set(offered.map(({ refusal }) => refusal));
  const [only] = refusals;
  const refused = offered.filter(({ refusal }) => refusal);
  return html`<p class="actions">${offered.map((one) => button(one, acts[one.name] ?? perform))}</p>
    ${
      refusals.size === 1
        ? only && html`<p class="how">${only}</p>`
        : refused.map(({ name, refusal }) => html`<p class="how">${name}: ${refusal}</p>`)
    }`;
}

function button(one, act) {
  const { name, refusal, isDangerous } = one;
  if (refusal)
    return html`<button disabled title=${refusal} aria-label=${`${name}: ${refusal}`}>${name}</button>`;
  const press = async () => {
    try {
      await act(one);
    } catch (error) {
      const [what, why] =
        error instanceof Unreachable ? ["no answer", NO_ANSWER] : ["refused", error.message];
      await tell(`${name}: ${what}`, html`<p class="error" role="alert">${why}</p>`);
    }
    refresh();
  };
  return html`<button class=${isDangerous ? "danger" : null} onclick=${press}>${name}</button>`;
}
