// A question before anything is changed: it names what it is about, and Escape means no.
import { h } from "./dom.js";

export function confirm(question, consequence, yes, value, choices) {
  const dialog = document.getElementById("dialog");
  const field = value === undefined ? null : choices && choices.length
    ? h("select", { "aria-label": consequence }, choices.map((one) => h("option", { value: one, selected: one === value }, one)))
    : h("input", { value, "aria-label": consequence });
  return new Promise((resolve) => {
    dialog.replaceChildren(h("h2", {}, question), h("p", {}, consequence), field || "",
      h("p", { class: "actions" }, h("button", { onclick: () => dialog.close("") }, "Cancel"),
        h("button", { class: "danger", onclick: () => dialog.close(field ? field.value : "yes") }, yes)));
    dialog.onclose = () => resolve(dialog.returnValue);
    dialog.returnValue = "";
    dialog.showModal();
  });
}
