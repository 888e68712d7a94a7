// What a page consists of, as the ResourceManager says it (rm/web/pages/blocks.py): one part below the other.
import { chart } from "./charts.js";
import { columnOf } from "./columns.js";
import { facts, factsOf, h, html, said, table } from "./dom.js";
import { grid } from "./grid.js";

const classOf = (kind) => ({ class: kind || null });
const item = (one) => html`<li ...${classOf(one.kind)}>${said(one.item ?? one)}</li>`;
/** How each kind of part is drawn. Pages that have more kinds add them. */
export const DRAWN = {
  heading: (text, { level }) => h(`h${level}`, {}, said(text)),
  paragraph: (text, { kind, label }) => html`<p ...${classOf(kind)} aria-label=${label}>${said(text)}</p>`,
  items: (found, { kind }) => html`<ul ...${classOf(kind)}>${found.map(item)}</ul>`,
  facts: (found) => facts(factsOf(found)),
  section: (parts, { kind }, query) => html`<section ...${classOf(kind)}>${blocks(parts, query)}</section>`,
  folded: (parts, { summary }, query) =>
    html`<details><summary>${summary}</summary>${blocks(parts, query)}</details>`,
  table: (rows, { name, columns, none }) =>
    table(
      name,
      columns,
      rows.map((row) => row.map(said)),
      none,
    ),
  chart: (_, one) => chart(one),
  grid: (rows, { columns, of, ...options }, query) =>
    grid({ ...options, rows, query, columns: columns.map(columnOf), keyOf: (one) => one[of] }),
};

/** @returns {any} */
export const blocks = (found, query) =>
  found.map((one) => {
    const kind = Object.keys(DRAWN).find((name) => name in one);
    return DRAWN[kind](one[kind], one, query);
  });
