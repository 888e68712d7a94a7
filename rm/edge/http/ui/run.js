// One run: what it comes to, and the file that was played with the line that is being played.
import { get } from "./api.js";
import { blocks } from "./blocks.js";
import { Component, EPOCH, html, title } from "./dom.js";
import { recordedStream } from "./recording.js";

export async function run(shown, addressOf, query) {
  const { above, beside, below } = await get("/ui/recording/page");
  const at = shown.moments.at[shown.place];
  const stream = { name: shown.name, query, colour: "app", at: EPOCH + at };
  const picture = html`<div>
    ${blocks(beside, query)}
    <h2>Containers on nodes</h2>
    ${recordedStream(shown.run, 0, stream)}
  </div>`;
  const hasFile = shown.file && shown.kind === "scenario";
  const file = hasFile && html`<${Listing} ...${{ ...shown, step: shown.moments.step, addressOf }} />`;
  return [
    title(shown.name),
    blocks(above, query),
    hasFile ? html`<div class="stage">${file}${picture}</div>` : picture,
    blocks(below, query),
  ];
}

// The file; each line that is played leads to the first moment of it, and the present one is scrolled to.
class Listing extends Component {
  componentDidMount() {
    this.showPresent();
  }

  componentDidUpdate(before) {
    if (before.line !== this.props.line) this.showPresent();
  }

  showPresent() {
    const now = this.place.querySelector(".now");
    if (now) this.place.scrollTop = now.offsetTop - this.place.clientHeight / 2;
  }

  render({ file, step, line, place, addressOf }) {
    const firsts = new Map();
    step.forEach((number, i) => {
      if (!firsts.has(number)) firsts.set(number, i);
    });
    const row = (text, i) => {
      const first = firsts.get(i + 1);
      const isNow = i + 1 === line;
      const kind = isNow ? "now" : first > place ? "later" : "";
      return html`<li class=${kind} aria-current=${isNow ? "step" : null}>
        ${first === undefined ? text : html`<a href=${addressOf(first)}>${text}</a>`}
      </li>`;
    };
    return html`<ol
      class="listing"
      tabindex="0"
      aria-label="The file"
      ref=${(place) => {
        this.place = place || this.place;
      }}
    >
      ${file.trimEnd().split("\n").map(row)}
    </ol>`;
  }
}
