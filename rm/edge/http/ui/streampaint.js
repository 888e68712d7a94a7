// The bars of a task stream, as pixels.
import { css } from "./dom.js";

const HATCHED_FROM = 4;
// Which pixels of a bar have the colour of the ground.
const HATCHES = [() => false, (x, y) => (x + y) % 4 === 0, (x, y) => (x + 3 * y) % 4 === 0, (x) => x % 4 < 2];

// A colour of the style sheet as it lies in the memory of a picture.
function pixelOf(name) {
  const [red, green, blue] = css(name).match(/\d+/g).map(Number);
  return new Uint32Array(new Uint8ClampedArray([red, green, blue, 255]).buffer)[0];
}

/** The ground, and the colours of some looks. */
export const pixelsOf = (looks) => ({
  ground: pixelOf("--field"),
  hues: looks.map(({ hue }) => pixelOf(hue)),
});

/** Draws what is seen of the containers, into the image of before where it has the size. */
export function paintBars({ ctx, bbox, scales }, { lanes, colours }, { ground, hues }, before) {
  const { looks, of } = colours;
  const [width, height] = [Math.round(bbox.width), Math.round(bbox.height)];
  const isSame = before?.width === width && before.height === height;
  const image = isSame ? before : ctx.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  pixels.fill(ground);
  lanes.bars(scales.x, scales.y, width, height, (left, top, wide, tall, i) => {
    const { hatch } = looks[of[i]];
    const isHatched = hatch > 0 && Math.min(wide, tall) >= HATCHED_FROM;
    for (let row = top; row < top + tall; row += 1) {
      const from = row * width + left;
      pixels.fill(hues[of[i]], from, from + wide);
      for (let at = 0; isHatched && at < wide; at += 1)
        if (HATCHES[hatch](left + at, row)) pixels[from + at] = ground;
    }
  });
  ctx.putImageData(image, Math.round(bbox.left), Math.round(bbox.top));
  return image;
}
