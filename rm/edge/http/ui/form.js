// A form on a page, as the server says it (rm/web/pages/blocks.py). What was written or chosen stays while
// the page is read anew or left.
import { post } from "./api.js";
import { html, refresh, select } from "./dom.js";

const KEPT = new Map();

async function upload([file], kept) {
  if (!file) return;
  Object.assign(kept.values, { name: file.name, text: await file.text() });
  refresh();
}

/** @type {Record<string, (one: any, value: any, keep: (event: any) => void, kept: any) => any>} */
const FIELDS = {
  upload: ({ label, accept }, _, __, kept) => html`<label>
    ${label} <input type="file" accept=${accept} onchange=${(event) => upload(event.target.files, kept)} />
  </label>`,
  lines: ({ label }, value, keep) => html`<textarea
    rows="22"
    spellcheck=${false}
    aria-label=${label}
    value=${value}
    oninput=${keep}
  />`,
  choice: ({ label, choices }, value, keep) => html`<label>
    ${label} ${select(choices, value, (chosen) => keep({ target: { value: chosen } }))}
  </label>`,
  number: ({ label, most }, value, keep) => html`<label>
    ${label} <input type="number" min="1" max=${most} value=${value} oninput=${keep} />
  </label>`,
};

async function send(kept, call, body) {
  Object.assign(kept, { isRunning: true, problems: [] });
  refresh();
  try {
    const { to } = await post(call, { ...body, ...kept.values });
    history.pushState(null, "", to);
  } catch (error) {
    kept.problems = error.problems || [error.message];
  } finally {
    kept.isRunning = false;
    refresh();
  }
}

export function form(fields, { key, call, verb, body }) {
  if (!KEPT.has(key)) KEPT.set(key, { values: {}, problems: [], isRunning: false });
  const kept = KEPT.get(key);
  const shown = fields.map((one) => {
    const { name, field, value } = one;
    const keep = (event) => {
      kept.values[name] = event.target.value;
    };
    return FIELDS[field](one, kept.values[name] ?? value, keep, kept);
  });
  const usual = Object.fromEntries(fields.map(({ name, value }) => [name, value]));
  const press = () => send(kept, call, { ...usual, ...body });
  return html`<div class="form">
    ${shown}
    <button class="primary" disabled=${kept.isRunning} onclick=${press}>
      ${kept.isRunning ? "Running…" : verb}
    </button>
    <div role="alert">
      ${kept.problems.length > 0 && html`<pre class="error">${kept.problems.join("\n")}</pre>`}
    </div>
  </div>`;
}
