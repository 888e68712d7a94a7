// What hands do to a picture of a time: a mouse drags it, two fingers pinch it, a short touch points at
// something.
const A_CLICK_PX = 4,
  LEAST_APART_PX = 20;

const within = (all, from, span) => {
  const begin = Math.max(all.begin, Math.min(all.end - span, from));
  return { begin, end: begin + span };
};
/** A part of all, so many times as long, around a moment; and moved by a share of its length. */
export function zoomed({ begin, end }, all, factor, around = (begin + end) / 2, least = 1) {
  const span = Math.min(all.end - all.begin, Math.max(least, (end - begin) * factor));
  return within(all, around - ((around - begin) * span) / (end - begin), span);
}
export const panned = ({ begin, end }, all, by) => within(all, begin + by * (end - begin), end - begin);

/** Where a pointer is in an element. */
export function placeIn(element, { clientX, clientY }) {
  const { left, top } = element.getBoundingClientRect();
  return { x: clientX - left, y: clientY - top };
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
  const hand = () => {
    const [one, other = one] = down.values();
    const apart = Math.max(LEAST_APART_PX, Math.hypot(one.x - other.x, one.y - other.y));
    return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2, apart };
  };
  place.addEventListener("pointerdown", (event) => {
    if (event.button || !isMine(event)) return;
    if (!down.size) moved = 0;
    down.set(event.pointerId, placeIn(place, event));
    place.setPointerCapture(event.pointerId);
  });
  place.addEventListener("pointermove", (event) => {
    if (!down.has(event.pointerId)) return;
    const before = hand();
    down.set(event.pointerId, placeIn(place, event));
    const { x, y, apart } = hand();
    moved += Math.abs(x - before.x) + Math.abs(y - before.y) + Math.abs(apart - before.apart);
    if (moved <= A_CLICK_PX) return;
    pan(x - before.x, down.size === 1 ? y - before.y : 0);
    if (apart !== before.apart) pinch(before.apart / apart, x);
  });
  const up = (event) => {
    const { x, y } = placeIn(place, event);
    const isClick = down.delete(event.pointerId) && event.type === "pointerup" && moved <= A_CLICK_PX;
    if (isClick) tap?.(x, y, event);
  };
  place.addEventListener("pointerup", up);
  place.addEventListener("pointercancel", up);
}
