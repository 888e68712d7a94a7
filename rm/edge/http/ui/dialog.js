// A question before anything is changed, as the ResourceManager says it (rm/web/pages/actions.py): it names
// what it is about, and Escape means no. A refusal is shown, and can be mended.
import { blocks } from "./blocks.js";
import { html, refresh, render } from "./dom.js";
import { Form } from "./form.js";

const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("dialog"));
const leave = () => dialog.close();

// What was focused on the page is focused again when it is closed.
function show(shown) {
  leave();
  render(shown, dialog);
  dialog.showModal();
  dialog.scrollTop = 0; // the first thing that takes the focus may be long
}

export function tell(title, ...text) {
  show(html`<h2>${title}</h2>${text}<p class="actions"><button onclick=${leave}>Close</button></p>`);
}

// An answer may bring a further question. Those before it stay as they are, and Back leads to them.
function ask(asked) {
  const done = ({ next }) => {
    if (next && dialog.open) return ask([...asked, next]);
    leave();
    refresh();
  };
  const before = (i) => (i ? ask(asked.slice(0, i)) : leave());
  const one = ({ question, parts = [], back = "Cancel", ...form }, i) => html`<section
    key=${i}
    hidden=${i < asked.length - 1}
  >
    <h2>${question}</h2>
    ${blocks(parts)}
    <${Form} ...${{ ...form, back, done }} kind="danger" leave=${() => before(i)} />
  </section>`;
  show(asked.map(one));
}

// What may not be done is there and cannot be pressed.
function button(action) {
  const { name, refusal, isDangerous } = action;
  const press = () => {
    render(null, dialog);
    ask([action]);
  };
  return html`<button
    class=${isDangerous ? "danger" : null}
    disabled=${Boolean(refusal)}
    title=${refusal || null}
    aria-label=${refusal ? `${name}: ${refusal}` : null}
    onclick=${press}
  >
    ${name}
  </button>`;
}

/** What may be done to a thing, and why the rest may not. */
export const actions = (offered, reasons) => html`<p class="actions">${offered.map(button)}</p>
  ${reasons.map((one) => html`<p class="how">${one}</p>`)}`;
