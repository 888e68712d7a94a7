// Keys: pages by `g` and a letter, the filter by `/`, rows of tables by arrows, and `?` for all of this.
import { tell } from "./dialog.js";
import { facts, isRecording } from "./dom.js";
import { reveal } from "./grid.js";

const OTHERS = [
  ["/", "filter"],
  ["p", "pause or resume"],
  ["↑ ↓", "rows of a table; also Page Up, Page Down, Home, End"],
  ...(isRecording ? [["← →", "one moment back, one moment on"]] : []),
  ["Enter", "open the row"],
  ["t", "light or dark"],
  ["?", "this help"],
  ["Esc", "close a dialog, leave the filter"],
];

export const help = (pages) =>
  tell("Keys", facts([...pages.map(([, name, key]) => [`g, then ${key}`, name]), ...OTHERS]));

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
    found?.focus({ preventScroll: Boolean(place) });
  };
  if (place) reveal(place, index - 2);
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

// `go` opens a page; `keys` has a function for each key of its own.
export function listenToKeys(pages, go, keys) {
  let waitsForG = false;
  document.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.key === "Escape" && target.id === "filter") target.blur();
    if (target.closest("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey)
      return;
    if (move(event) || press(event)) return;
    const page = waitsForG && pages.find(([, , key]) => key === event.key);
    waitsForG = event.key === "g";
    if (page) go(page[0]);
    else if (event.key === "?") help(pages);
    else if (event.key === "/") {
      event.preventDefault();
      document.getElementById("filter")?.focus();
    } else if (Object.hasOwn(keys, event.key)) {
      event.preventDefault();
      keys[event.key]();
    }
  });
}
