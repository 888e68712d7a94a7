// A form on a page, as the server says it (rm/web/pages/blocks.py). What was written or chosen stays while
// the page is read anew or left.
import { post } from "./api.js";
import { html, refresh, select } from "./dom.js";

const KEPT = new Map();

async function upload([file], values) {
  if (!file) return;
  Object.assign(values, { name: file.name, text: await file.text() });
  refresh();
}

/** @type {Record<string, (one: any, value: any, keep: (text: string) => void, values: any) => any>} */
const FIELDS = {
  text: ({ label, name, type, min, max }, value, keep) => html`<label>
    ${label} <input ...${{ name, type, min, max, value }} oninput=${(event) => keep(event.target.value)} />
  </label>`,
  lines: ({ label }, value, keep) => html`<textarea
    rows="22"
    spellcheck=${false}
    aria-label=${label}
    value=${value}
    oninput=${(event) => keep(event.target.value)}
  />`,
  choice: ({ label, choices }, value, keep) => html`<label>${label} ${select(choices, value, keep)}</label>`,
  upload: ({ label, accept }, _, __, values) => html`<label>
    ${label} <input type="file" accept=${accept} onchange=${(event) => upload(event.target.files, values)} />
  </label>`,
};

/** A field, which keeps what is written among the values. */
export function fieldOf(one, values) {
  const { name, field, value } = one;
  const keep = (text) => {
    values[name] = text;
  };
  return FIELDS[field](one, values[name] ?? value, keep, values);
}

/** What the fields say before anything is written. */
export const usualOf = (fields) => Object.fromEntries(fields.map(({ name, value }) => [name, value]));

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
  const press = () => send(kept, call, { ...usualOf(fields), ...body });
  return html`<div class="form">
    ${fields.map((one) => fieldOf(one, kept.values))}
    <button class="primary" disabled=${kept.isRunning} onclick=${press}>
      ${kept.isRunning ? "Running…" : verb}
    </button>
    <div role="alert">
      ${kept.problems.length > 0 && html`<pre class="error">${kept.problems.join("\n")}</pre>`}
    </div>
  </div>`;
}
