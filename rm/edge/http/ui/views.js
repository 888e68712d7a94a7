// The pages about events, labels, configuration and the ResourceManager itself.
import { get, list } from "./api.js";
import { CARD, memory, number, OFF, ofAnything, text } from "./columns.js";
import {
  choice,
  duration,
  exact,
  facts,
  filter,
  h,
  html,
  inUnits,
  isRecording,
  link,
  logged,
  partitionName,
  title,
  unfiltered,
} from "./dom.js";
import { matcher } from "./filtering.js";
import { grid } from "./grid.js";

// A list of which a part is chosen, and searched here.
function searched(name, { hint, choices, usual, isShown, what, none = null, ...options }, all, query) {
  const which = query.get("which") || usual,
    means = matcher(query.get("q"), options.columns);
  const rows = all.filter((one) => isShown(one, which) && means(one));
  return [
    title(name),
    filter(query, hint),
    choice("Show", "which", choices, which, usual),
    grid({
      ...options,
      name: `${name}: ${rows.length}`,
      rows,
      query,
      isMain: true,
      none: all.length ? unfiltered(what) : none,
    }),
  ];
}

const EVENTS = {
  id: "events",
  what: "events",
  usual: "all",
  hint: "words, or type:AppAccepted subject:application_1 about:Node",
  choices: [
    ["all", "all events"],
    ["trouble", "failures, kills and losses"],
  ],
  isShown: (one, which) => which === "all" || one.isTrouble,
  columns: [
    number("time", "Time", "time", { ...CARD, width: 150, cell: (one) => logged(one.time) }),
    text("type", "Type", "type", {
      ...CARD,
      width: 250,
      cell: (one) => h("span", { class: one.isTrouble ? "trouble" : "" }, one.type),
    }),
    text("about", "About", "about", OFF),
    ofAnything("subject", "Subject", "subject", { ...CARD, width: 320, isLine: true }),
    text("details", "Details", "details", {
      ...CARD,
      width: 420,
      takesRest: true,
      isLine: true,
      cell: (one) => inUnits(one.details),
    }),
  ],
  keyOf: (one) => one.number,
  calls: ["/events?backfill=500"],
  none: "No events yet.",
};

/** The event log: what happened, about whom, and what it says; the newest first. */
export const eventLog = (log, query, more = {}) =>
  searched("Events", { ...EVENTS, ...more }, log.toReversed(), query);

const available = (one) => one.partitionInfo?.resourceAvailable || { memory: 0, vCores: 0 };
const LABELS = [
  text("label", "Label Name", "name", {
    cell: ({ name }) => {
      const shown = partitionName(name);
      return link(`/cluster/nodes?by=label&q=${encodeURIComponent(`label:"${shown}"`)}`, shown);
    },
  }),
  text("type", "Label Type", (one) =>
    String(one.exclusivity) === "true" ? "Exclusive Partition" : "Non Exclusive Partition",
  ),
  number("nodes", "Num Of Active NMs", (one) => Number(one.activeNMs)),
  memory("memory", "Total Memory", (one) => Number(available(one).memory)),
  number("vcores", "Total VCores", (one) => Number(available(one).vCores)),
];

export async function labels(_, query) {
  const found = list((await get("/get-rm-node-labels")).nodeLabelInfo);
  return [
    title("Node Labels"),
    grid({
      id: "labels",
      name: "Node labels",
      columns: LABELS,
      rows: found,
      query,
      isMain: true,
      keyOf: (one) => one.name,
      order: "label",
      calls: ["/get-rm-node-labels"],
      none: 'No labels. Make one: yarn rmadmin -addToClusterNodeLabels "gpu(exclusive=false)"',
    }),
  ];
}

// Of one of Hadoop's classes the last word tells enough.
const classOf = (value) => value.replace(/^org\.apache\.[\w.]+\./, "");
const PROPERTIES = [
  text("name", "Property", "name", { ...CARD, width: 400, isLine: true }),
  text("value", "Value", "value", {
    ...CARD,
    width: 220,
    isLine: true,
    cell: (one) => [one.value, one.unit && ` ${one.unit}`, one.final && h("small", {}, " final")],
  }),
  text("source", "From", "source", {
    ...CARD,
    cell: (one) => [one.source, one.default && h("small", {}, ` (default ${classOf(one.default)})`)],
  }),
  text("meaning", "Meaning", "meaning", { ...CARD, width: 420, takesRest: true, isLine: true }),
];

const CONF = {
  id: "conf",
  what: "properties",
  hint: "words of the property or its value, or source:yarn-site",
  choices: [
    ["set", "properties that are set"],
    ["all", "defaults as well"],
  ],
  usual: "set",
  isShown: (one, which) => which === "all" || !one.isDefault,
  columns: PROPERTIES,
  keyOf: (one) => `${one.name} ${one.source}`,
  calls: ["/ui/conf"],
};

/** Every property, and below them the allocation file of the FairScheduler. */
export async function conf(_, query) {
  const { property, file } = await get("/ui/conf");
  return [
    ...searched("Configuration", CONF, list(property), query),
    file &&
      html`<h2>${file.name}</h2>
        <pre tabindex="0" role="region" aria-label=${file.name}>${file.text}</pre>`,
  ];
}

const TOOLS = [
  ["/conf", "Configuration"],
  ["/logs", "Local logs"],
  ["/stacks", "Server stacks"],
  ["/jmx?qry=Hadoop:*", "Server metrics"],
  ["/prom", "Prometheus"],
  ["/logLevel", "Log levels"],
  ["/ws/v1/cluster/info", "REST API"],
];

function aboutStore(kept) {
  if (!kept.enabled) return [];
  const aside = kept.setAside.map((one) => `${one.key}: ${one.why}`);
  return [
    ["State store", `${kept.path}, cluster ${kept.clusterId}`],
    ["Faults of the state store", kept.fault.join("; ") || "none"],
    ["Unreadable entries, set aside", aside.join("; ") || "none"],
  ];
}

const aboutRun = (info) =>
  html`${title("About the Run")}
    ${facts([
      ["Recording", info.id],
      ["Kind", info.kind],
      ["Scheduler", info.scheduler],
      ["Virtual time", duration(info.end)],
      ["Recorded moments", info.moments],
    ])}
    <p>${info.about}</p>`;

export async function about() {
  const { clusterInfo: info } = await get("/info");
  if (isRecording) return aboutRun(info);
  const { stateStore: kept } = await get("/state-store");
  const tools = html`<h2>Tools</h2>
    <p class="actions">${TOOLS.map(([to, name]) => html`<a href=${to}>${name}</a>`)}</p>`;
  return html`${title("About the Cluster")}
    ${facts([
      ["Cluster ID", info.id],
      ["ResourceManager state", info.state],
      ["ResourceManager HA state", info.haState],
      ["ResourceManager HA zookeeper connection state", info.haZooKeeperConnectionState],
      ["ResourceManager RMStateStore", info.rmStateStoreName],
      ...aboutStore(kept),
      ["ResourceManager started on", exact(info.startedOn)],
      ["ResourceManager version", info.resourceManagerVersion],
      ["Hadoop version", info.hadoopVersion],
    ])}
    ${tools}`;
}
