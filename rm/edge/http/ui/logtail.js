// The end of a container's log, as it grows. The ResourceManager fetches it from the node.
import { get, list } from "./api.js";
import { Component, empty, html, select } from "./dom.js";

const EVERY_MS = 1500,
  SIZE = 32 * 1024;

class LogTail extends Component {
  constructor(props) {
    super(props);
    this.state = { isOpen: false, container: "", file: "", isFollowing: true, log: null, fault: "" };
  }

  componentWillUnmount() {
    clearTimeout(this.timer);
    this.isGone = true;
  }

  chosen() {
    const { containers } = this.props;
    return containers.find((one) => one.id === this.state.container) || containers[0];
  }

  async look() {
    clearTimeout(this.timer);
    const { isOpen, file, isFollowing } = this.state;
    if (!isOpen) return;
    const one = this.chosen();
    const query = { container: one.id, node: one.node, size: String(SIZE), ...(file && { file }) };
    const next = { log: null, fault: "" };
    try {
      Object.assign(next, await get(`/ui/container-logs?${new URLSearchParams(query)}`));
    } catch (error) {
      next.fault = error.message;
    }
    // What was asked for before another was chosen is not shown.
    if (this.isGone || one.id !== this.chosen().id || file !== this.state.file) return;
    this.show(next);
    if (isFollowing && !(one.isOver && next.log)) this.wait();
  }

  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (document.hidden ? this.wait() : this.look()), EVERY_MS);
  }

  // Whoever has scrolled up reads on where they are.
  show(next) {
    const { place } = this;
    const isAtEnd = !place || place.scrollTop + place.clientHeight >= place.scrollHeight - 4;
    this.setState(next, () => {
      if (isAtEnd && this.place) this.place.scrollTop = this.place.scrollHeight;
    });
  }

  choose(values) {
    this.setState(values, () => this.look());
  }

  render(_, { isOpen, log, fault }) {
    const toggle = (event) => {
      const isNow = event.currentTarget.open;
      if (isNow !== isOpen) this.choose({ isOpen: isNow });
    };
    return html`<details class="logtail" open=${isOpen} ontoggle=${toggle}>
      <summary>Follow the log of a container</summary>
      ${isOpen && this.choices()} ${fault && html`<p class="error" role="alert">${fault}</p>`}
      ${isOpen && log && this.end(log)}
    </details>`;
  }

  choices() {
    const { file, isFollowing, log } = this.state;
    const containers = this.props.containers.map(({ id, text }) => [id, text]);
    const files = list(log?.files).map(({ name, text }) => [name, text]);
    const other = (id) => this.choose({ container: id, file: "", log: null });
    const follow = (event) => this.choose({ isFollowing: event.target.checked });
    return html`<p class="actions">
      <label>Container ${select(containers, this.chosen().id, other)}</label>
      <label>File ${select(files, file || log?.file, (name) => this.choose({ file: name }))}</label>
      <label><input type="checkbox" checked=${isFollowing} onchange=${follow} /> Follow</label>
    </p>`;
  }

  end(log) {
    if (!list(log.files).length) return empty("The container has written no logs yet.");
    const keep = (place) => {
      this.place = place;
    };
    const name = `The end of ${log.file} of ${this.chosen().id}`;
    return html`<pre class="tail" tabindex="0" role="log" aria-live="off" aria-label=${name} ref=${keep}>
${log.text || "(empty)"}</pre>`;
  }
}

export const logTail = (app, containers) => html`<${LogTail} key=${`log ${app}`} containers=${containers} />`;
