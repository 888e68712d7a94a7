// Pages of lists: what stands beside their grids, as the ResourceManager says it (rm/web/pages/lists.py).
import { DRAWN } from "./blocks.js";
import { html, replaceQuery, withQuery } from "./dom.js";

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

// Other lists, or other values of what the address names.
function chips(found, { name, key, usual }, query) {
  const present = query.get(key) || usual;
  const chip = ({ text, value, to, isHere = value === present }) => html`<a
    href=${to ? to + location.search : withQuery(key, value === usual ? null : value)}
    aria-current=${isHere ? "true" : null}
  >
    ${text}
  </a>`;
  return html`<nav class="chips" aria-label=${name}>
    ${key && html`<span class="what">${name}</span>`}${found.map(chip)}
  </nav>`;
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

Object.assign(DRAWN, { filter, chips, heat });
