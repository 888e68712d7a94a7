// The picture of a task stream: pixels on a canvas, or shapes in a file. Both are made of the same bars.
import { css, html, tick } from "./dom.js";
import { paint, picture, rect, word } from "./picture.js";
import { keysOf } from "./streamcolours.js";

export const SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400];
const LABEL = 12,
  ROOM_FOR_A_TIME = 90,
  GAP_FROM = 5,
  EDGE_FROM = 6;

// Bit by bit: eight rows of eight pixels, of which those that are set are pale.
const PATTERNS = [null, [0], [0], [0]];
for (let row = 0; row < 8; row += 1) {
  PATTERNS[1][row] = 0x11 << (row % 4);
  PATTERNS[2][row] = (0x88 >> (row % 4)) & 0xff;
  PATTERNS[3][row] = 0x33;
}

// Any colour of CSS as its red, green and blue.
const probe = document.createElement("canvas").getContext("2d");
function rgbOf(colour) {
  probe.fillStyle = "#000";
  probe.fillStyle = colour;
  const number = Number.parseInt(String(probe.fillStyle).slice(1, 7), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

const mixed = (one, other, part) => one.map((value, i) => Math.round(value * part + other[i] * (1 - part)));
// As bytes lie in the memory of a picture: red first.
const asPixel = ([red, green, blue]) => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
const asText = (rgb) => `rgb(${rgb.join(" ")})`;

export function paletteOf(looks) {
  const field = rgbOf(css("--field"));
  const ink = rgbOf(css("--ink"));
  const known = new Map();
  for (const { hue } of looks) {
    if (known.has(hue)) continue;
    const rgb = rgbOf(css(hue));
    known.set(hue, { rgb, pale: mixed(rgb, field, 0.35), edge: mixed(ink, rgb, 0.85) });
  }
  return {
    field,
    ink,
    line: rgbOf(css("--line")),
    accent: rgbOf(css("--accent")),
    hues: looks.map((one) => known.get(one.hue).rgb),
    pales: looks.map((one) => known.get(one.hue).pale),
    edges: looks.map((one) => known.get(one.hue).edge),
  };
}

// Round moments, so many that each has room for its time.
export function timeSteps({ begin, end }, width) {
  const most = Math.max(2, width / ROOM_FOR_A_TIME);
  const wanted = (end - begin) / most;
  const below = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((one) => one >= wanted);
  const step = below || 1000 * (SECONDS.find((one) => 1000 * one >= wanted) || 86400);
  const found = [];
  for (let at = Math.ceil(begin / step) * step; at < end; at += step) found.push(at);
  return found;
}

// Of an application its number, because the beginnings of its id are the same for all.
const shortened = (name) => name.replace(/^application_\d+_/, "… ");

// Where the names of the groups stand: as many as have room, each at the middle of what is seen of it.
function namesOf(lanes, { top, bottom }, height) {
  const tall = height / (bottom - top);
  const found = [];
  let free = 0;
  for (const group of lanes.groups) {
    const from = Math.max(0, (group.top - top) * tall);
    const to = Math.min(height, (group.top + group.lanes - top) * tall);
    if (to <= from) continue;
    const y = Math.max(free + LABEL / 2, Math.min((from + to) / 2, from + LABEL));
    const isFirst = group.top >= top;
    if (y - LABEL / 2 >= free && y + LABEL / 2 <= height + 2 && y <= Math.max(to, from + LABEL)) {
      found.push({ name: shortened(group.name), y, edge: isFirst ? from : null });
      free = y + LABEL / 2;
    } else if (to - from >= GAP_FROM && isFirst) found.push({ name: "", y, edge: from });
  }
  return found;
}

const namesAs = (names, ink) => names.map(({ name, y }) => name && word(4, y + 4, name, ink));

// What stands around the bars and over them: where groups begin, moments, the present one, who is chosen.
function frame({ lanes, view, gutter, width, height, at, chosen }, names, colours) {
  const [line, ink] = [asText(colours.line), asText(colours.ink)];
  const xOf = (time) => gutter + ((time - view.begin) * width) / (view.end - view.begin);
  const upright = (x, wide, colour) => rect(x, 0, wide, height, colour);
  return [
    names.map(({ edge }) => edge && rect(gutter, edge, width, 1, line)),
    timeSteps(view, width).map((time) => {
      const x = xOf(time);
      const hasRoom = x > gutter + 30 && x < gutter + width - 30;
      const pale = asText(mixed(colours.line, colours.field, 0.6));
      return [upright(x, 1, pale), hasRoom && word(x, height + 14, tick(time), ink, "middle")];
    }),
    at >= view.begin && at < view.end && upright(xOf(at), 2, asText(colours.accent)),
    chosen !== undefined && outline(lanes, view, chosen, xOf, gutter, width, height, ink),
  ];
}

function outline(lanes, view, i, xOf, gutter, width, height, ink) {
  const tall = height / (view.bottom - view.top);
  const left = Math.max(gutter, xOf(lanes.begin[i]));
  const right = Math.min(gutter + width, Math.max(left + 3, xOf(lanes.until(i))));
  const y = (lanes.lane[i] - view.top) * tall;
  if (right <= left || y + tall < 0 || y > height) return null;
  const edge = { stroke: ink, "stroke-width": 2 };
  return rect(left - 1, y - 1, right - left + 2, Math.max(3, tall) + 1, "none", edge);
}

export class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.ctx = canvas.getContext("2d", { alpha: false });
  }

  draw(scene, colours) {
    const { lanes, view, gutter, width, height, foot } = scene;
    const { ctx } = this;
    const ratio = devicePixelRatio;
    const names = namesOf(lanes, view, height);
    this.size(gutter + width, height + foot, ratio);
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint(ctx, [
      rect(0, 0, gutter + width, height + foot, asText(colours.field)),
      namesAs(names, asText(colours.ink)), // the bars are painted over what has no room in the gutter
    ]);
    this.pixels(scene, colours, Math.round(width * ratio), Math.round(height * ratio));
    ctx.putImageData(this.image, Math.round(gutter * ratio), 0);
    paint(ctx, frame(scene, names, colours));
  }

  size(width, height, ratio) {
    const { canvas } = this;
    const [wide, tall] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width === wide && canvas.height === tall) return;
    canvas.width = wide;
    canvas.height = tall;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }

  pixels({ lanes, view, lookOf, looks }, colours, width, height) {
    if (this.image?.width !== width || this.image?.height !== height) {
      this.image = this.ctx.createImageData(width, height);
      this.buffer = new Uint32Array(this.image.data.buffer);
    }
    const { buffer } = this;
    const [hues, pales, edges] = [colours.hues, colours.pales, colours.edges].map((all) => all.map(asPixel));
    const patterns = looks.map((one) => PATTERNS[one.hatch]);
    const { containers } = lanes;
    buffer.fill(asPixel(colours.field));
    lanes.bars(view, width, height, lookOf, (x, wide, y, tall, i) => {
      const look = lookOf[i];
      const from = Math.max(0, y);
      const to = Math.min(height, tall >= GAP_FROM ? y + tall - 1 : y + Math.max(1, tall));
      const past = x + wide - (wide >= GAP_FROM ? 1 : 0);
      const edge = containers[i].isAM && tall >= EDGE_FROM ? y + 3 : -1;
      const pattern = tall >= EDGE_FROM && wide >= GAP_FROM ? patterns[look] : null;
      for (let row = from; row < to; row += 1) {
        const at = row * width;
        if (row < edge) buffer.fill(edges[look], at + x, at + past);
        else if (!pattern) {
          for (let place = at + x; place < at + past; place += 1) buffer[place] = hues[look];
        } else {
          const bits = pattern[row & 7];
          for (let column = x; column < past; column += 1)
            buffer[at + column] = (bits >> (column & 7)) & 1 ? pales[look] : hues[look];
        }
      }
    });
  }
}

/** The present part as a picture, with the words of its colours. */
export function svgOf(scene, name) {
  const { lanes, view, looks, lookOf, gutter, width, height, foot } = scene;
  const colours = paletteOf(looks);
  const [ink, field] = [asText(colours.ink), asText(colours.field)];
  const hueOf = (i) => (looks[i].hatch ? `url(#look${i})` : asText(colours.hues[i]));
  const names = namesOf(lanes, view, height);
  const bars = [];
  lanes.bars(view, Math.round(width), Math.round(height), lookOf, (x, wide, y, tall, i) => {
    const [within, below] = [wide, tall].map((size) => (size >= GAP_FROM ? size - 1 : size));
    bars.push(rect(gutter + x, y, within, below, hueOf(lookOf[i])));
    if (lanes.containers[i].isAM && tall >= EDGE_FROM)
      bars.push(rect(gutter + x, y, wide, 3, asText(colours.edges[lookOf[i]])));
  });
  const { shown, more } = keysOf(looks);
  const legend = shown.map((one, row) => {
    const y = height + foot + 18 * row;
    return [
      rect(4, y + 4, 11, 11, hueOf(looks.indexOf(one))),
      word(22, y + 14, `${one.text}: ${one.count}`, ink),
    ];
  });
  const tall = height + foot + 18 * (1 + shown.length + (more > 0 ? 1 : 0));
  if (more > 0) legend.push(word(22, tall - 22, `and ${more} more`, ink));
  const hatches = looks.map((one, i) => one.hatch > 0 && one.count > 0 && hatch(one, i, colours));
  const ground = rect(gutter, 0, width, height, field);
  const shapes = [namesAs(names, ink), ground, bars, frame(scene, names, colours), legend];
  return picture(name, gutter + width, tall, field, hatches, shapes);
}

const hatch = ({ hatch: kind }, i, { hues, pales }) => html`<pattern
  id=${`look${i}`}
  width="6"
  height="6"
  patternUnits="userSpaceOnUse"
  patternTransform=${`rotate(${[0, 45, -45, 0][kind]})`}
>
  ${rect(0, 0, 6, 6, asText(hues[i]))}${rect(0, 0, 2, 6, asText(pales[i]))}
</pattern>`;
