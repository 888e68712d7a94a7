// What hands do to a picture of a time: a mouse drags it, two fingers pinch it, a short touch points at
// something, keys and buttons zoom it.
import { tool } from "./dom.js";

const A_CLICK_PX = 4;

const within = ({ first, last }, from, span) => {
  const begin = Math.max(first, Math.min(last - span, from));
  return { begin, end: begin + span };
};
/** A part of all, so many times as long, around a moment; and moved by a share of its length. */
export function zoomed({ begin, end }, all, factor, around = (begin + end) / 2, least = 1) {
  const span = Math.max(least, Math.min(all.last - all.first, (end - begin) * factor));
  return within(all, around - ((around - begin) * span) / (end - begin), span);
}
export const panned = ({ begin, end }, all, by) => within(all, begin + by * (end - begin), end - begin);

export const zoomKeys = ({ zoom, showAll }) => ({ "+": () => zoom(0.5), "-": () => zoom(2), 0: showAll });
export const zoomTools = (what, { zoom, showAll }) => [
  tool("+", `${what}: zoom in`, () => zoom(0.5)),
  tool("−", `${what}: zoom out`, () => zoom(2)),
  tool("All", `${what}: show all`, showAll),
];

/** Does what a key is for: "ArrowLeft", "Shift ArrowLeft", "+". */
export function press(event, keys) {
  const does = keys[event.shiftKey && event.key.length > 1 ? `Shift ${event.key}` : event.key];
  if (!does || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopPropagation();
  does();
}

/**
 * @param {HTMLElement} place
 * @param {{ pan: (dx: number, dy: number) => void, pinch: (factor: number, x: number) => void,
 *   tap?: (x: number, y: number, event: PointerEvent) => void,
 *   isMine?: (event: PointerEvent) => boolean }} does
 */
export function listenToPointers(place, { pan, pinch, tap, isMine = () => true }) {
  const down = new Map();
  let moved = 0;
  const at = (event) => {
    const box = place.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const spread = () => {
    const [one, two] = [...down.values()];
    return { apart: Math.max(20, Math.hypot(one.x - two.x, one.y - two.y)), middle: (one.x + two.x) / 2 };
  };
  place.addEventListener("pointerdown", (event) => {
    if (event.button || !isMine(event)) return;
    if (!down.size) moved = 0;
    down.set(event.pointerId, at(event));
  });
  place.addEventListener("pointermove", (event) => {
    const before = down.get(event.pointerId);
    if (!before) return;
    const now = at(event);
    moved += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
    if (moved > A_CLICK_PX && !place.hasPointerCapture(event.pointerId))
      place.setPointerCapture(event.pointerId);
    if (down.size === 2) {
      const old = spread();
      down.set(event.pointerId, now);
      const { apart, middle } = spread();
      pan(middle - old.middle, 0);
      pinch(old.apart / apart, middle);
    } else {
      down.set(event.pointerId, now);
      if (moved > A_CLICK_PX) pan(now.x - before.x, now.y - before.y);
    }
  });
  const up = (event) => {
    if (!down.delete(event.pointerId) || event.type === "pointercancel") return;
    if (moved <= A_CLICK_PX && tap) tap(at(event).x, at(event).y, event);
  };
  place.addEventListener("pointerup", up);
  place.addEventListener("pointercancel", up);
}
