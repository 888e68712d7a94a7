// A form as the server says it (rm/web/pages/blocks.py), on a page or in a dialog: its fields, what is sent,
// and what is said where that is refused.
import { send, Unreachable } from "./api.js";
import { Component, html, isRecording, select } from "./dom.js";

const ANSWERER = isRecording ? "yarnbox view" : "The ResourceManager";
const NO_ANSWER = `${ANSWERER} did not answer. Whether it was done shows when it answers again.`;
const UNCHANGED = "No value is other than before.";
/** What was written in forms that have a key: it stays when their page is left. */
const KEPT = new Map();

const written = (form) => Object.fromEntries(new FormData(form));
const input = ({ name, type, min, max, value }) =>
  html`<input ...${{ name, type, min, max, defaultValue: value }} />`;

// A file goes into the fields for its name and its text.
async function upload({ target: { files, form } }) {
  if (!files.length) return;
  form.elements.namedItem("name").value = files[0].name;
  form.elements.namedItem("text").value = await files[0].text();
  form.dispatchEvent(new Event("input"));
}

const FIELDS = {
  hidden: (one) => input({ ...one, type: "hidden" }),
  text: (one) => html`<label>${one.label} ${input(one)}</label>`,
  lines: ({ name, label, value }) =>
    html`<textarea ...${{ name, defaultValue: value }} rows="22" spellcheck=${false} aria-label=${label} />`,
  choice: ({ name, label, choices, value }) =>
    html`<label>${label} ${select(choices, value, null, { name })}</label>`,
  upload: ({ label, accept }) =>
    html`<label>${label} <input type="file" accept=${accept} onchange=${upload} /></label>`,
};

/** `done` is called with the last answer, `leave` by the button `back`, where there is one. */
export class Form extends Component {
  constructor(props) {
    super(props);
    this.state = { isRunning: false, problems: [] };
    this.kept = KEPT.get(props.of) ?? {};
  }

  componentWillUnmount() {
    this.isGone = true;
  }

  // What was to be changed and was not is not sent.
  async answer(given) {
    const { fields = [], calls, body } = this.props;
    const isSame = ({ name, changes, value }) => changes && given[name] === value;
    if (fields.length && fields.every(isSame)) throw new Error(UNCHANGED);
    let last = null;
    for (const [method, path] of calls) last = await send(method, path, { ...body, ...given });
    return last;
  }

  async submit(event) {
    event.preventDefault();
    this.setState({ isRunning: true, problems: [] });
    try {
      const answer = await this.answer(written(event.target));
      if (!this.isGone) this.props.done(answer);
    } catch (error) {
      const message = error instanceof Unreachable ? NO_ANSWER : error.message;
      this.setState({ problems: error.problems ?? [message] });
    } finally {
      this.setState({ isRunning: false });
    }
  }

  render({ of, fields = [], verb, kind, back, leave }, { isRunning, problems }) {
    const field = (one) => FIELDS[one.field]({ ...one, value: this.kept[one.name] ?? one.value });
    return html`<form
      class="form"
      onsubmit=${(event) => this.submit(event)}
      oninput=${(event) => of && KEPT.set(of, written(event.currentTarget))}
    >
      <div class="fields">${fields.map(field)}</div>
      <div role="alert">${problems.length > 0 && html`<pre class="error">${problems.join("\n")}</pre>`}</div>
      <p class="actions">
        ${back && html`<button type="button" onclick=${leave}>${back}</button>`}
        <button class=${kind} disabled=${isRunning}>${isRunning ? "Running…" : verb}</button>
      </p>
    </form>`;
  }
}
