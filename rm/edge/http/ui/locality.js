// How near to where they were asked for containers came: Hadoop's table of three by three.
import { empty, h } from "./dom.js";

const KINDS = [["NODE_LOCAL", "Node Local"], ["RACK_LOCAL", "Rack Local"], ["OFF_SWITCH", "Off Switch"]];

export function localities(held) {
  const known = held.filter((one) => one.locality && one.requested);
  if (!known.length) return empty("No container has been given yet.");
  const count = (got, wanted) => known.filter((one) => one.locality === got && one.requested === wanted).length;
  return h("div", { class: "scroll" }, h("table", { class: "small" }, h("caption", {}, `Total Allocated Containers: ${known.length}`),
    h("thead", {}, h("tr", {}, h("td", {}), KINDS.map(([, name]) => h("th", { scope: "col" }, `${name} Request`)))),
    h("tbody", {}, KINDS.map(([got, name]) => h("tr", {}, h("th", { scope: "row" }, `Num ${name} Containers (satisfied by)`),
      KINDS.map(([wanted], i) => h("td", { class: "count" }, KINDS.findIndex(([one]) => one === got) < i ? count(got, wanted) || "" : count(got, wanted))))))));
}
