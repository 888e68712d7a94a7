// The life of an application as a line: each step with its moment, each stretch with how long it took.
import { duration, exact, h } from "./dom.js";

// What nobody noted is told by the application itself, if less finely.
const known = (one) => [["submitted", one.startedTime], ["AM launched", one.launchTime], ["finished", one.finishedTime]].map(([step, time]) => ({ step, time }));

export function lifeLine(one, moments, now) {
  const steps = (moments.length ? moments : known(one)).filter((step) => step.time > 0).sort((a, b) => a.time - b.time);
  if (!steps.length) return null;
  const over = one.finishedTime || now;
  return h("ol", { class: "lifeline", "aria-label": "Life line" }, steps.map((step, i) => {
    const until = i + 1 < steps.length ? steps[i + 1].time : over, isLast = i + 1 === steps.length;
    const span = isLast && one.finishedTime ? "" : ` ${duration(Math.max(0, until - step.time))}${isLast ? " so far" : ""}`;
    return h("li", { style: { flexGrow: String(1 + Math.log10(1 + Math.max(0, until - step.time) / 1000)) } },
      h("b", {}, step.step), h("time", { datetime: new Date(step.time).toISOString(), title: exact(step.time) }, span || exact(step.time)));
  }));
}
