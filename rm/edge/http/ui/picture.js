// Pictures as files that need no style sheet: shapes and words, drawn by Preact as the pages are.
import { html, render } from "./dom.js";

const rounded = (number) => Math.round(number * 10) / 10;

export const line = (x1, y1, x2, y2, stroke, more = {}) => {
  const [from, to] = [
    { x1: rounded(x1), y1: rounded(y1) },
    { x2: rounded(x2), y2: rounded(y2) },
  ];
  return html`<line ...${{ ...from, ...to, stroke, ...more }} />`;
};
export const rect = (x, y, width, height, fill) => {
  const size = { width: rounded(width), height: rounded(height) };
  return html`<rect x=${rounded(x)} y=${rounded(y)} ...${size} fill=${fill} />`;
};
export const word = (x, y, text, anchor = "start") =>
  html`<text x=${rounded(x)} y=${rounded(y)} text-anchor=${anchor}>${text}</text>`;

/** The text of the file; `defs` are what shapes refer to. */
export function picture(title, width, height, ink, field, defs, shapes) {
  const place = document.createElement("div");
  render(
    html`<svg width=${width} height=${height} font-family="system-ui, sans-serif" font-size="11" fill=${ink}>
      <title>${title}</title>
      <defs>${defs}</defs>
      <rect width="100%" height="100%" fill=${field} />
      ${shapes}
    </svg>`,
    place,
  );
  return `${new XMLSerializer().serializeToString(place.firstChild)}\n`;
}
