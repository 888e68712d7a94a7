// What is shown, as files: the server writes them (rm/web/saved), and the browser makes pixels of a picture.
import { fileAt } from "./api.js";
import { tool } from "./dom.js";

const save = (href, download = "") => Object.assign(document.createElement("a"), { href, download }).click();

async function savePng(what, href) {
  const image = Object.assign(new Image(), { src: href });
  await image.decode();
  const size = { width: image.width * devicePixelRatio, height: image.height * devicePixelRatio };
  const canvas = Object.assign(document.createElement("canvas"), size);
  canvas.getContext("2d").drawImage(image, 0, 0, size.width, size.height);
  save(canvas.toDataURL(), `${what.replace(/[^\w.-]+/g, "-")}.png`); // as the server calls the others
}

/** Buttons for the files; `asked` says what to ask for a picture, and for values. */
export function fileTools(what, path, asked) {
  const hrefOf = (kind) => fileAt(path, { save: kind, ...asked(kind) });
  return [
    tool("SVG", `${what} as SVG`, () => save(hrefOf("svg"))),
    tool("PNG", `${what} as PNG`, () => savePng(what, hrefOf("svg"))),
    tool("CSV", `${what} as CSV`, () => save(hrefOf("csv"))),
  ];
}
