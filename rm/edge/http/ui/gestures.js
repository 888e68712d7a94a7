// What a mouse and fingers do to a picture: one drags it, two pinch it, and a short touch points at
// something.
const A_CLICK_PX = 4;

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
