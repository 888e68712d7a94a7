// The containers of a run as its recording has them, at its end: rows of places in a list of names.
import { get } from "./api.js";
import { DRAWN } from "./blocks.js";
import { Component, EPOCH, empty, html } from "./dom.js";
import { taskStream } from "./taskstream.js";

// A run does not change: what was read once is kept, by run and by the moment that counts as the beginning.
const KNOWN = new Map();

const stateOf = (one) => {
  if (one.finished !== null) return "COMPLETE";
  if (one.running !== null) return "RUNNING";
  return one.started !== null ? "ALLOCATED" : "RESERVED";
};

function unpacked({ fields, named, names, row, now, apps }, begin) {
  const isNamed = fields.map((field) => named.includes(field));
  const at = (time) => (time === null ? 0 : EPOCH + time - begin);
  const containers = row.map((values) => {
    const one = Object.fromEntries(
      fields.map((field, i) => [field, isNamed[i] ? names[values[i]] : values[i]]),
    );
    return {
      ...one,
      isAM: Boolean(one.isAM),
      state: stateOf(one),
      reserved: at(one.reserved),
      started: at(one.started ?? one.reserved),
      running: at(one.running),
      finished: at(one.finished),
    };
  });
  return { containers, now: at(now), names: apps };
}

async function containersOf(run, begin) {
  const key = `${run} ${begin}`;
  if (!KNOWN.has(key))
    KNOWN.set(key, unpacked((await get(`/ui/recording/containers?run=${run}`)).containers, begin));
  return KNOWN.get(key);
}

// The task stream of a run. The page does not wait for it: many containers take a while to come.
class RecordedStream extends Component {
  componentDidMount() {
    this.load();
  }

  componentDidUpdate({ run, begin }) {
    if (run !== this.props.run || begin !== this.props.begin) this.load();
  }

  async load() {
    const { run, begin } = this.props;
    try {
      this.setState({ held: await containersOf(run, begin), fault: "" });
    } catch (error) {
      this.setState({ held: null, fault: error.message });
    }
  }

  // An application is shown at the present moment, or at the first one at which it had the container.
  hrefOf({ app, started }) {
    const { run, begin, at = 0 } = this.props;
    const moment = Math.max(at, started) - EPOCH + begin;
    return { href: `/cluster/app/${app}?run=${run}&at=${moment}`, what: "the page of its application" };
  }

  render({ run, begin, ...others }, { held, fault }) {
    if (fault) return html`<p class="error" role="alert">${fault}</p>`;
    return held
      ? taskStream({ ...held, ...others, hrefOf: (one) => this.hrefOf(one) })
      : empty("Reading the containers of the run …");
  }
}

export const recordedStream = (run, begin, options) =>
  html`<${RecordedStream} key=${`stream ${run}`} ...${{ run, begin, ...options }} />`;
DRAWN.stream = (run, { begin, ...options }, query) => recordedStream(run, begin, { ...options, query });
