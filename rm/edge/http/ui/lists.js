// Pages of lists: what stands beside their grids, as the ResourceManager says it (rm/web/pages/lists.py).
import { DRAWN } from "./blocks.js";
import { choice, facet, filter, html, withQuery } from "./dom.js";

const chip = ({ to, text, isHere }) =>
  html`<a href=${to + location.search} aria-current=${isHere ? "page" : null}>${text}</a>`;

function pages(count, { from, size }) {
  if (!count) return null;
  const to = (place) => withQuery("from", place ? String(place) : null);
  const last = Math.min(from + size, count);
  return html`<p class="pages">
    ${`${from + 1} to ${last} of ${count} `}
    ${from > 0 && html`<a href=${to(Math.max(0, from - size))}>previous page</a>`}${" "}
    ${last < count && html`<a href=${to(last)}>next page</a>`}
  </p>`;
}

const square = ({ to, kind, title, text }) =>
  html`<a key=${to} class=${`square ${kind}`} href=${to} title=${title}>${text}</a>`;
const heat = (groups, { isSmall }) => html`<div class="heat">
  ${groups.map(
    (one) => html`<section key=${one.name}>
      <h3>${one.name} <small>${one.count}</small></h3>
      <div class=${isSmall ? "squares small" : "squares"}>${one.square.map(square)}</div>
    </section>`,
  )}
</div>`;

Object.assign(DRAWN, {
  filter: (hint, _, query) => filter(query, hint),
  facet: (counts, { key, name }, query) => facet(name, key, counts, query.get(key) || ""),
  choice: (values, { key, name, usual }, query) => choice(name, key, values, query.get(key) || usual, usual),
  chips: (found, { name }) => html`<nav class="chips" aria-label=${name}>${found.map(chip)}</nav>`,
  pages,
  heat,
});
