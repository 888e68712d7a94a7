// Shapes and words, as Preact knows them: drawn onto a canvas, or into a file that needs no style sheet.
import { h, html, render, tool } from "./dom.js";
import { csv, save, saveBlob } from "./export.js";

const FONT = { "font-family": "system-ui, sans-serif", "font-size": 11 };
const rounded = (number) => Math.round(number * 10) / 10;

export const line = (x1, y1, x2, y2, stroke, more = {}) =>
  h("line", { x1: rounded(x1), y1: rounded(y1), x2: rounded(x2), y2: rounded(y2), stroke, ...more });
export function rect(x, y, width, height, fill, more = {}) {
  const size = { width: rounded(width), height: rounded(height) };
  return h("rect", { x: rounded(x), y: rounded(y), ...size, fill, ...more });
}
export const word = (x, y, text, fill, anchor = "start") =>
  h("text", { x: rounded(x), y: rounded(y), fill, "text-anchor": anchor }, text);

/** The shapes on a canvas, in pixels of the page. */
export function paint(ctx, shapes) {
  ctx.font = `${FONT["font-size"]}px ${FONT["font-family"]}`;
  ctx.textBaseline = "alphabetic";
  for (const { type, props } of [shapes].flat(Infinity).filter((one) => one?.type)) {
    const { x, y, fill = "none", stroke = "none", children } = props;
    const outline = new Path2D();
    ctx.fillStyle = fill;
    ctx.strokeStyle = stroke;
    ctx.lineWidth = props["stroke-width"] ?? 1;
    ctx.textAlign = props["text-anchor"] === "middle" ? "center" : (props["text-anchor"] ?? "start");
    ctx.setLineDash(props["stroke-dasharray"]?.split(" ").map(Number) ?? []);
    if (type === "g") paint(ctx, children);
    if (type === "text") ctx.fillText(children, x, y);
    if (type === "rect") outline.rect(x, y, props.width, props.height);
    if (type === "line") {
      outline.moveTo(props.x1, props.y1);
      outline.lineTo(props.x2, props.y2);
    }
    if (fill !== "none") ctx.fill(outline);
    if (stroke !== "none") ctx.stroke(outline);
  }
}

/** The text of a file; `defs` are what shapes refer to. */
export function picture(title, width, height, field, defs, shapes) {
  const place = document.createElement("div");
  render(
    html`<svg width=${width} height=${height} ...${FONT}>
      <title>${title}</title>
      <defs>${defs}</defs>
      ${rect(0, 0, width, height, field)}${shapes}
    </svg>`,
    place,
  );
  return `${new XMLSerializer().serializeToString(place.firstChild)}\n`;
}

async function savePng(name, svg) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const size = { width: image.width * devicePixelRatio, height: image.height * devicePixelRatio };
  const canvas = Object.assign(document.createElement("canvas"), size);
  canvas.getContext("2d").drawImage(image, 0, 0, size.width, size.height);
  canvas.toBlob((blob) => saveBlob(name, blob));
}

/** Buttons that save what is shown as a picture, and what it was drawn from: heads, and rows. */
export function fileTools(what, svg, values) {
  const name = what.replace(/[^\w.-]+/g, "-");
  return [
    tool("SVG", `${what} as SVG`, () => save(`${name}.svg`, "image/svg+xml", svg())),
    tool("PNG", `${what} as PNG`, () => savePng(`${name}.png`, svg())),
    tool("CSV", `${what} as CSV`, () => save(`${name}.csv`, "text/csv", csv(...values()))),
  ];
}
