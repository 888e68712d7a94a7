// Keys: pages by `g` and a letter, the filter by `/`, rows of tables by arrows, and `?` for all of this.
import { tell } from "./dialog.js";
import { facts } from "./dom.js";

/** `keys` are what the server says of them (rm/web/pages/shell.py). */
export const help = (keys) => tell("Keys", facts(keys));

const STEPS = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };

// Moves the focus among the rows; in a long list those that are not drawn yet are scrolled to first.
function move(event) {
  const row = event.target.closest("tbody tr"),
    step = STEPS[event.key];
  if (!row || step === undefined) return false;
  event.preventDefault();
  const place = row.closest(".window"),
    body = row.parentNode,
    last = Number(row.closest("table").getAttribute("aria-rowcount")) || body.children.length + 1;
  const index = Math.max(2, Math.min(last, Number(row.getAttribute("aria-rowindex")) + step));
  const focus = () => {
    const rows = [...body.children];
    const found = rows.find((one) => Number(one.getAttribute("aria-rowindex")) === index) || rows[index - 2];
    found?.focus();
  };
  place?.dispatchEvent(new CustomEvent("reveal", { detail: index - 2 }));
  // Rows of a long list are drawn with the next picture (grid.js).
  if (place) requestAnimationFrame(() => requestAnimationFrame(focus));
  else focus();
  return true;
}

function press(event) {
  const row = event.key === "Enter" && event.target.matches("tbody tr") && event.target.querySelector("a");
  if (row) row.click();
  return Boolean(row);
}

// `go` opens a page; `does` has a function for each further key.
export function listenToKeys({ page: pages, key: keys }, go, does) {
  let waitsForG = false;
  document.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.key === "Escape" && target.id === "filter") target.blur();
    if (target.closest("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey)
      return;
    if (move(event) || press(event)) return;
    const page = waitsForG && pages.find(({ key }) => key === event.key);
    waitsForG = event.key === "g";
    if (page) go(page.to);
    else if (event.key === "?") help(keys);
    else if (event.key === "/") {
      event.preventDefault();
      document.getElementById("filter")?.focus();
    } else if (Object.hasOwn(does, event.key)) {
      event.preventDefault();
      does[event.key]();
    }
  });
}
