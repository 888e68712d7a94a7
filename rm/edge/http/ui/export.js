// What is shown, as a file: tables as CSV and JSON, charts as pictures.
export const save = (name, type, text) => saveBlob(name, new Blob([text], { type }));

export function saveBlob(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// A cell that a spreadsheet would take for a formula is a text (the name of an application is anybody's).
function csvCell(value) {
  const text = value === null || value === undefined ? "" : String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csv = (heads, rows) =>
  `${[heads, ...rows].map((row) => row.map(csvCell).join(",")).join("\r\n")}\r\n`;
