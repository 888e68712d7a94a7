// What is shown, as a file: tables as CSV and JSON, charts as SVG that needs no style sheet.
const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "fill-opacity", "font-size", "font-family", "text-anchor"];

export function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// A cell that a spreadsheet would take for a formula is a text (the name of an application is anybody's).
export function csvCell(value) {
  const text = value === null || value === undefined ? "" : String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csv = (heads, rows) => [heads, ...rows].map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n";

export function svgText(svg) {
  const copy = svg.cloneNode(true), { width, height } = svg.viewBox.baseVal;
  const shown = [svg, ...svg.querySelectorAll("*")], copied = [copy, ...copy.querySelectorAll("*")];
  shown.forEach((one, i) => {
    const style = getComputedStyle(one);
    for (const name of STYLES) copied[i].setAttribute(name, style.getPropertyValue(name));
    copied[i].removeAttribute("class");
    copied[i].removeAttribute("style");
  });
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of [["width", width], ["height", height], ["fill", getComputedStyle(svg).backgroundColor]]) paper.setAttribute(name, value);
  copy.prepend(paper);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  return new XMLSerializer().serializeToString(copy);
}
