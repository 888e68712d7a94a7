// Shows what a marked word (dfn, made by dom.js) means, beside it, while one points at it or is on it.
const GAP = 6;
const note = Object.assign(document.createElement("div"), { id: "means", hidden: true });
note.setAttribute("role", "tooltip");

function show(event) {
  const word = /** @type {Element} */ (event.target).closest?.("dfn[data-means]");
  note.hidden = !word;
  if (!word) return;
  note.textContent = word.getAttribute("data-means");
  const at = word.getBoundingClientRect();
  const left = Math.max(GAP, Math.min(at.left, innerWidth - note.offsetWidth - GAP));
  const isBelow = at.bottom + GAP + note.offsetHeight < innerHeight;
  note.style.left = `${left}px`;
  note.style.top = `${isBelow ? at.bottom + GAP : at.top - GAP - note.offsetHeight}px`;
}

export function showMeanings() {
  document.body.append(note);
  document.addEventListener("pointerover", show);
  document.addEventListener("focusin", show);
  addEventListener(
    "scroll",
    () => {
      note.hidden = true;
    },
    { capture: true, passive: true },
  );
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") note.hidden = true;
  });
}
