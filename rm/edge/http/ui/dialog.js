// A question before anything is changed: it names what it is about, and Escape means no. A refusal is shown.
import { html, render, select } from "./dom.js";

// `body` is given what closes the dialog with an answer; the answer of Escape is nothing.
function open(body) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("dialog"));
  return new Promise((resolve) => {
    let answer = null;
    const close = (value) => {
      answer = value;
      dialog.close();
    };
    render(null, dialog);
    render(body(close), dialog);
    dialog.onclose = () => resolve(answer);
    dialog.showModal();
  });
}

const valuesOf = (form) =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]));

// The values of the form by the names of its fields; null when it was left.
const form = (question, fields, yes, no = "Cancel") =>
  open((close) => {
    const submit = (event) => {
      event.preventDefault();
      close(valuesOf(event.target));
    };
    return html`<form onsubmit=${submit}>
      <h2>${question}</h2>
      ${fields}
      <p class="actions">
        <button type="button" onclick=${() => close(null)}>${no}</button>
        <button class="danger">${yes}</button>
      </p>
    </form>`;
  });

// "yes", or what was chosen or written where a value is asked for; nothing when it was left.
export async function confirm(question, consequence, yes, value, choices) {
  const named = { name: "value", "aria-label": consequence };
  const pairs = choices?.map((one) => [one, one]);
  const field = pairs?.length
    ? select(pairs, value, () => {}, named)
    : value !== undefined && html`<input ...${named} value=${value} />`;
  const values = await form(question, [html`<p>${consequence}</p>`, field], yes);
  return values && (values.value ?? "yes");
}

// Several answers at once, by the names of their fields; null when it was left.
export const ask = (question, explanation, fields, yes, no) =>
  form(
    question,
    html`${explanation}
      <div class="fields">
        ${fields.map(
          (one) =>
            html`<label>
            ${one.text}<input name=${one.name} value=${one.value} aria-label=${one.text} />
          </label>`,
        )}
      </div>`,
    yes,
    no,
  );

export const tell = (title, ...text) =>
  open(
    (close) => html`<h2>${title}</h2>
      <div>${text}</div>
      <p class="actions"><button onclick=${() => close(null)}>Close</button></p>`,
  );

// Why an action is not for whoever asks; nothing where it is.
export const refusalOf = (rights, isAllowed, why) =>
  !rights.actions ? "yarn.resourcemanager.webapp.ui-actions.enabled is false." : isAllowed ? "" : why;
export const notForUsers = (rights) =>
  refusalOf(rights, rights.isAdmin, `${rights.user} is not an administrator.`);

// A button for something that changes the cluster. With a reason against it, it is there and cannot be
// pressed.
export function action(name, act, refusal = "", isDangerous = false) {
  const press = async () => {
    try {
      await act();
    } catch (error) {
      await tell(`${name}: refused`, html`<p class="error" role="alert">${error.message}</p>`);
    }
    dispatchEvent(new Event("refresh"));
  };
  if (!refusal) return html`<button class=${isDangerous ? "danger" : null} onclick=${press}>${name}</button>`;
  return html`<span class="refused" title=${refusal}>
    <button disabled aria-label=${`${name}: ${refusal}`}>${name}</button><small> ${refusal}</small>
  </span>`;
}
