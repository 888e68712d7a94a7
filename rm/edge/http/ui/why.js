// Why an application waits: the way from the root to the nodes, a line for each thing that was checked.
import { list } from "./api.js";
import { empty, h } from "./dom.js";

const MARKS = { true: ["✓", "holds"], false: ["✕", "fails"] };

function step(one) {
  const [mark, word] = MARKS[one.holds];
  return h("li", { class: one.holds ? "holds" : "fails" }, h("b", { "aria-label": word }, mark), " ", h("b", {}, one.level), ": ", one.checked,
    one.numbers && h("span", { class: "how" }, ` ${one.numbers}`), !one.holds && one.change && h("p", { class: "change" }, `What would help: ${one.change}`));
}

export function whyNot(why) {
  const paths = list(why.path), reasons = list(why.reasons);
  if (!paths.length && !reasons.length) return why.diagnostic ? [h("h2", {}, "Why not"), empty(why.diagnostic)] : null;
  return h("section", { class: "card why" }, h("h2", {}, "Why not"),
    paths.map((path) => h("section", {}, h("h3", {}, path.asked), h("ol", { class: "path" }, list(path.step).map(step)))),
    reasons.length > 0 && h("ul", {}, reasons.map((one) => h("li", {}, one))));
}
