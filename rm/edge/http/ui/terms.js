// What the words of the pages mean, as the ResourceManager says it once; dom.js shows it where a page has the
// word.
let terms = {},
  anyWord = /(?!)/g;

export function explain(known) {
  terms = known;
  const words = Object.keys(terms).sort((a, b) => b.length - a.length);
  anyWord = new RegExp(`(?<![\\w.-])(${words.join("|")})(?![\\w-]|\\.\\w)`, "gi");
}

export const meaningOf = (word) => {
  const known = String(word).toLowerCase();
  return Object.hasOwn(terms, known) ? terms[known] : "";
};

// A text in pieces: [text, meaning] where a word is explained, the first time that it occurs; [text]
// elsewhere.
export function pieces(text) {
  const seen = new Set(),
    found = [];
  let from = 0;
  for (const match of text.matchAll(anyWord)) {
    const meaning = meaningOf(match[0]);
    if (seen.has(meaning)) continue;
    seen.add(meaning);
    found.push([text.slice(from, match.index)], [match[0], meaning]);
    from = match.index + match[0].length;
  }
  return [...found, [text.slice(from)]];
}
