// A question before anything is changed: it names what it is about, and Escape means no. What is refused is told.
import { h } from "./dom.js";

function open(children, fieldOf = () => "yes") {
  const dialog = document.getElementById("dialog");
  return new Promise((resolve) => {
    dialog.replaceChildren(...children((value) => dialog.close(value ? fieldOf() : "")));
    dialog.onclose = () => resolve(dialog.returnValue);
    dialog.returnValue = "";
    dialog.showModal();
  });
}

export function confirm(question, consequence, yes, value, choices) {
  const field = value === undefined ? null : choices && choices.length
    ? h("select", { "aria-label": consequence }, choices.map((one) => h("option", { value: one, selected: one === value }, one)))
    : h("input", { value, "aria-label": consequence });
  return open((close) => [h("h2", {}, question), h("p", {}, consequence), field || "", h("p", { class: "actions" },
    h("button", { onclick: () => close(false) }, "Cancel"), h("button", { class: "danger", onclick: () => close(true) }, yes))],
  () => (field ? field.value : "yes"));
}

export const tell = (title, ...text) => open((close) => [h("h2", {}, title), h("div", {}, text),
  h("p", { class: "actions" }, h("button", { onclick: () => close(false) }, "Close"))]);

// A button for something that changes the cluster. With a reason against it, it is there and cannot be pressed.
export function action(name, act, refusal = "", isDangerous = false) {
  const press = async () => {
    try { await act(); } catch (error) { await tell(`${name}: refused`, h("p", { class: "error", role: "alert" }, error.message)); }
    dispatchEvent(new Event("refresh"));
  };
  if (!refusal) return h("button", { class: isDangerous ? "danger" : null, onclick: press }, name);
  return h("span", { class: "refused", title: refusal }, h("button", { disabled: true, "aria-label": `${name}: ${refusal}` }, name), h("small", {}, ` ${refusal}`));
}

// Several answers at once, by the names of their fields; null when it was left.
export async function ask(question, explanation, fields, yes) {
  const inputs = fields.map((one) => [one.name, h("input", { value: one.value, "aria-label": one.text }), one.text]);
  const said = await open((close) => [h("h2", {}, question), explanation, h("div", { class: "fields" }, inputs.map(([, input, text]) => h("label", {}, text, input))),
    h("p", { class: "actions" }, h("button", { onclick: () => close(false) }, "Cancel"), h("button", { class: "danger", onclick: () => close(true) }, yes))]);
  return said ? Object.fromEntries(inputs.map(([name, input]) => [name, input.value.trim()])) : null;
}
