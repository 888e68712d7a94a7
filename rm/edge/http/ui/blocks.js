// What a page consists of, as the ResourceManager says it (rm/web/pages/blocks.py): one part below the other.
import { get, list } from "./api.js";
import { chart } from "./charts.js";
import { containersOf } from "./containers.js";
import { actions } from "./dialog.js";
import { exact, facts, h, html, pushQuery, refresh, replaceQuery, said, select, withQuery } from "./dom.js";
import { Form } from "./form.js";
import { grid, table } from "./grid.js";
import { streamOf } from "./taskstream.js";

const classOf = (kind) => ({ class: kind || null });
// The entry that is the present one is scrolled to.
function showPresent(entry) {
  if (entry) entry.parentElement.scrollTop = entry.offsetTop - entry.parentElement.clientHeight / 2;
}
const item = (one) =>
  html`<li ...${classOf(one.kind)} ...${one.isNow ? { "aria-current": "step", ref: showPresent } : {}}>
    ${said(one.item ?? one)}
  </li>`;
const filter = (hint, _, query) => html`<label class="filter">
  Filter${" "}
  <input
    id="filter"
    type="search"
    value=${query.get("q") || ""}
    placeholder=${hint}
    title=${hint}
    oninput=${(event) => replaceQuery("q", event.target.value)}
  />
</label>`;
const step = (one) => html`<li style=${{ flexGrow: String(one.weight) }}>
  <b>${one.step}</b>
  <time datetime=${new Date(one.time).toISOString()} title=${exact(one.time)}>${said(one.said)}</time>
</li>`;
const px = (value) => (value === null ? null : `${value}%`);
const mark = ({ kind, left, width }) =>
  html`<span class=${kind} style=${{ left: px(left), width: px(width) }}></span>`;
const bar = (into) => (one) =>
  html`<li key=${one.key}>
  <a
    href=${withQuery(into, one.isOpen ? null : one.key)}
    aria-current=${one.isOpen ? "true" : null}
    aria-expanded=${String(one.isOpen)}
  >
    <span class="name" style=${{ paddingLeft: `${one.depth * 1.2}rem` }}>${said(one.name)}</span>
    <span class="queuebar">${one.mark.map(mark)}</span>
    <span class="number">${said(one.said)}</span>
  </a>
</li>`;
function goOn({ to }) {
  history.pushState(null, "", to);
  refresh();
}
/** How each kind of part is drawn. */
const DRAWN = {
  heading: (text, { level }) => h(`h${level}`, {}, said(text)),
  paragraph: (text, { kind, label }) => html`<p ...${classOf(kind)} aria-label=${label}>${said(text)}</p>`,
  alert: (text, { kind }) => html`<p ...${classOf(kind)} role="alert">${said(text)}</p>`,
  filter,
  chips: (links, { name, what }) => html`<nav class="chips" aria-label=${name}>
    ${what && html`<span class="what">${what}</span>`}${said(links)}
  </nav>`,
  items: (found, { kind }) => html`<ul ...${classOf(kind)}>${found.map(item)}</ul>`,
  listing: (lines, { label }) =>
    html`<ol class="listing" tabindex="0" aria-label=${label}>${lines.map(item)}</ol>`,
  facts: (found) => facts(found),
  text: (text, { label }) => said({ text, label }),
  section: (parts, { kind, label }, query) =>
    html`<section ...${classOf(kind)} aria-label=${label || null}>${blocks(parts, query)}</section>`,
  folded: (parts, { summary, kind }, query) =>
    html`<details ...${classOf(kind)}><summary>${summary}</summary>${blocks(parts, query)}</details>`,
  table: (rows, options) => table(rows, options),
  chart: (_, one) => chart(one),
  bars: (rows, { into }) => html`<ul class="queues">${rows.map(bar(into))}</ul>`,
  lifeline: (steps) => html`<ol class="lifeline" aria-label="Life line">${steps.map(step)}</ol>`,
  actions: (offered, { reasons }) => actions(offered, reasons),
  included: (_, { read }, query) => blocks(read.block, query),
  stream: (name, { read, choices, ...how }, query) =>
    streamOf(name, read, { ...how, query, choices: blocks(choices, query) }),
  choose: (choices, { name, into, present, kind }) =>
    html`<label ...${classOf(kind)}>
      ${name} ${select(choices, present, (value) => pushQuery(into, value))}
    </label>`,
  report: (title, { at }) => h("iframe", { class: "report", title, src: at }),
  form: (fields, { key, ...options }) =>
    html`<${Form} key=${key} of=${key} ...${{ fields, ...options }} kind="primary" done=${goOn} />`,
  // style.css has the box scrolled from its end.
  tail: (text, { name }) => html`<div class="tail" tabindex="0" role="log" aria-live="off" aria-label=${name}>
    <pre>${text}</pre>
  </div>`,
  grid: (rows, { read, chooser, ...options }, query) =>
    grid({
      ...options,
      query,
      chooser: blocks(chooser, query),
      rows: typeof rows === "string" ? list(read[rows]) : rows,
    }),
};

/** @returns {any} */
export const blocks = (found, query = new URLSearchParams()) =>
  found.map((one) => {
    const kind = Object.keys(DRAWN).find((name) => name in one);
    return DRAWN[kind](one[kind], one, query);
  });

const CONTAINERS = "/ui/containers?";
const answerOf = async (source) => /** @type {any} */ (Object.values(await get(source))[0]);
const read = (source) => (source.startsWith(CONTAINERS) ? containersOf(source) : answerOf(source));
const within = ({ section, folded }) => section ?? folded ?? [];
const every = (parts) => parts.flatMap((one) => [one, ...every(within(one))]);

// Each part has what it shows, which stands beside it or is read from its source, each once; and from which
// address below ROOT that is.
async function fill(answer, address) {
  const reading = async ([source, some]) => {
    const found = source ? await read(source) : answer;
    if (source && found.block) await fill(found, source);
    for (const one of some) Object.assign(one, { read: found, address: source ?? address });
  };
  await Promise.all([...Map.groupBy(every(answer.block), (one) => one.source)].map(reading));
}

/** The page that is said at an address. */
export async function page(address, query) {
  const asked = `${address}${address.includes("?") ? "&" : "?"}${query}`;
  const answer = await answerOf(asked);
  await fill(answer, asked);
  return blocks(answer.block, query);
}
