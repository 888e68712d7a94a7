// The picture of a task stream: pixels on a canvas, or shapes in a file. Both are made of the same bars.
import { css, html, tick } from "./dom.js";
import { paint, picture, rect, word } from "./picture.js";
import { keysOf } from "./streamcolours.js";

export const SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400];
const STEPS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, ...SECONDS.map((one) => 1000 * one)];
const LABEL = 12,
  ROOM_FOR_A_TIME = 90,
  LEGEND_ROW = 18,
  HATCHED_FROM = 4,
  LEAST = 3,
  CHARACTER = 6.5;
// Which pixels of a bar have the colour of the ground.
const HATCHES = [() => false, (x, y) => (x + y) % 4 === 0, (x, y) => (x + 3 * y) % 4 === 0, (x) => x % 4 < 2];
const ANGLES = [0, 45, -45, 0];

const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
// A colour as it lies in the memory of a picture.
function pixelOf(colour) {
  probe.fillStyle = colour;
  probe.fillRect(0, 0, 1, 1);
  return new Uint32Array(probe.getImageData(0, 0, 1, 1).data.buffer)[0];
}

/** The colours of the style sheet of which a picture with these looks consists, by their names. */
export function paletteOf(looks) {
  const names = ["--field", "--ink", "--line", "--accent", ...new Set(looks.map((one) => one.hue))];
  const colours = names.map((name) => [name, css(name)]);
  const pixels = colours.map(([name, colour]) => [name, pixelOf(colour)]);
  return { ...Object.fromEntries(colours), pixels: Object.fromEntries(pixels) };
}

// Round moments, so many that each has room for its time.
export function timeSteps({ begin, end }, width) {
  const wanted = (end - begin) / Math.max(2, width / ROOM_FOR_A_TIME);
  const step = STEPS_MS.find((one) => one >= wanted) ?? STEPS_MS.at(-1);
  const found = [];
  for (let at = Math.ceil(begin / step) * step; at < end; at += step) found.push(at);
  return found;
}

// Of an application its number, because the beginnings of its id are the same for all.
const shortened = (name) => name.replace(/^application_\d+_/, "… ");

// Where groups begin, with the names of as many as have room, as far as there is room for them.
function headsOf({ lanes, rows, gutter, width, height, palette }) {
  const tall = height / (rows.end - rows.begin);
  const shapes = [];
  let free = 0;
  for (const group of lanes.groups) {
    const y = Math.max(0, (group.top - rows.begin) * tall);
    const isSeen = (group.top + group.lanes - rows.begin) * tall > y;
    if (!isSeen || y < free || y + LABEL > height + 2) continue;
    free = y + LABEL;
    const name = shortened(group.name).slice(0, gutter / CHARACTER);
    shapes.push(word(4, y + LABEL - 1, name, palette["--ink"]), rect(gutter, y, width, 1, palette["--line"]));
  }
  return shapes;
}

const xIn = ({ time, gutter, width }, moment) =>
  gutter + ((moment - time.begin) * width) / (time.end - time.begin);

/** Where a container is seen in the picture, or would be beside it. */
export function boxOf(scene, i) {
  const { lanes, rows, gutter, width, height } = scene;
  const tall = height / (rows.end - rows.begin);
  const within = (x) => Math.max(gutter - LEAST, Math.min(gutter + width, x));
  const [x, end] = [lanes.begin[i], lanes.end[i]].map((moment) => within(xIn(scene, moment)));
  const y = (lanes.lane[i] - rows.begin) * tall;
  return { x, y, wide: Math.max(LEAST, end - x), tall: Math.max(LEAST, tall) };
}

// What stands over and beside the bars: groups, moments, the present one, who is chosen.
function frameOf(scene) {
  const { time, gutter, width, height, at, chosen, palette } = scene;
  const xOf = (moment) => xIn(scene, moment);
  const upright = (x, wide, colour) => rect(x, 0, wide, height, colour);
  const step = (moment) => {
    const x = xOf(moment);
    const hasRoom = x > gutter + 30 && x < gutter + width - 30;
    const label = hasRoom && word(x, height + 14, tick(moment), palette["--ink"], "middle");
    return [upright(x, 1, palette["--line"]), label];
  };
  /** @type {any[]} */ const shapes = [headsOf(scene), timeSteps(time, width).map(step)];
  if (at >= time.begin && at < time.end) shapes.push(upright(xOf(at), 2, palette["--accent"]));
  const { x, y, wide, tall } = boxOf(scene, chosen);
  const isSeen = x < gutter + width && x + wide > gutter && y < height && y + tall > 0;
  const edge = { stroke: palette["--ink"], "stroke-width": 2 };
  if (isSeen) shapes.push(rect(x - 1, y - 1, wide + 2, tall + 1, "none", edge));
  return shapes;
}

export class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.ctx = canvas.getContext("2d", { alpha: false });
  }

  draw(scene) {
    const { gutter, width, height, foot, palette } = scene;
    const { canvas, ctx } = this;
    const [ratio, whole] = [devicePixelRatio, gutter + width];
    const [wide, tall] = [Math.round(whole * ratio), Math.round((height + foot) * ratio)];
    if (canvas.width !== wide) canvas.width = wide;
    if (canvas.height !== tall) canvas.height = tall;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint(ctx, rect(0, 0, whole, height + foot, palette["--field"]));
    const image = this.bars(scene, Math.round(width * ratio), Math.round(height * ratio));
    ctx.putImageData(image, Math.round(gutter * ratio), 0);
    paint(ctx, frameOf(scene));
  }

  bars({ lanes, time, rows, colours: { looks, of }, palette }, width, height) {
    if (this.image?.width !== width || this.image.height !== height)
      this.image = this.ctx.createImageData(width, height);
    const pixels = new Uint32Array(this.image.data.buffer);
    const ground = palette.pixels["--field"];
    const hues = looks.map(({ hue }) => palette.pixels[hue]);
    pixels.fill(ground);
    lanes.bars(time, rows, width, height, (x, y, wide, tall, i) => {
      const { hatch } = looks[of[i]];
      const isHatched = hatch > 0 && Math.min(wide, tall) >= HATCHED_FROM;
      for (let row = y; row < y + tall; row += 1) {
        const from = row * width + x;
        pixels.fill(hues[of[i]], from, from + wide);
        for (let at = 0; isHatched && at < wide; at += 1)
          if (HATCHES[hatch](x + at, row)) pixels[from + at] = ground;
      }
    });
    return this.image;
  }
}

/** The present part as a picture, with the words of its colours. */
export function svgOf(scene, name) {
  const { lanes, time, rows, colours, gutter, width, height, foot, palette } = scene;
  const { looks, of } = colours;
  const [ink, field] = [palette["--ink"], palette["--field"]];
  const hueOf = (i) => (looks[i].hatch ? `url(#look${i})` : palette[looks[i].hue]);
  const bars = [];
  lanes.bars(time, rows, Math.floor(width), Math.floor(height), (x, y, wide, tall, i) =>
    bars.push(rect(gutter + x, y, wide, tall, hueOf(of[i]))),
  );
  const { shown, more } = keysOf(looks);
  const legend = shown.map((one, row) => {
    const y = height + foot + LEGEND_ROW * row;
    return [
      rect(4, y + 4, 11, 11, hueOf(looks.indexOf(one))),
      word(22, y + 14, `${one.text}: ${one.count}`, ink),
    ];
  });
  const tall = height + foot + LEGEND_ROW * (1 + shown.length + (more > 0 ? 1 : 0));
  if (more > 0) legend.push(word(22, tall - 22, `and ${more} more`, ink));
  const hatches = looks.map(({ hue, hatch, count }, i) => {
    const stripes = [rect(0, 0, 4, 4, palette[hue]), rect(0, 0, hatch === 3 ? 2 : 1, 4, field)];
    const how = { width: 4, height: 4, patternUnits: "userSpaceOnUse" };
    const turned = `rotate(${ANGLES[hatch]})`;
    const pattern = html`<pattern id=${`look${i}`} ...${how} patternTransform=${turned}>${stripes}</pattern>`;
    return hatch > 0 && count > 0 && pattern;
  });
  return picture(name, gutter + width, tall, field, hatches, [bars, frameOf(scene), legend]);
}
