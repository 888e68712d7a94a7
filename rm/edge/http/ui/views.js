// The pages about labels, configuration and the ResourceManager itself.
import { get, list } from "./api.js";
import { memory, number, text } from "./columns.js";
import {
  choice,
  exact,
  facts,
  filter,
  h,
  html,
  isRecording,
  link,
  partitionName,
  title,
  unfiltered,
} from "./dom.js";
import { matcherOf } from "./filtering.js";
import { grid } from "./grid.js";

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

const PROPERTIES = [
  text("name", "Property", "name", { width: 520 }),
  text("value", "Value", "value", {
    cell: (one) => [one.value, one.unit && ` ${one.unit}`, one.final && h("small", {}, " final")],
  }),
  text("source", "From", "source", {
    cell: (one) => [one.source, one.default && h("small", {}, ` (default ${one.default})`)],
  }),
  text("meaning", "Meaning", "meaning", { width: 700 }),
];

export async function conf(_, query) {
  const which = query.get("which") || "set",
    means = matcherOf(query.get("q"), PROPERTIES);
  const found = list((await get("/ui/conf")).property).filter(
    (one) => (which === "all" || !one.isDefault) && means(one),
  );
  return [
    title("Configuration"),
    filter(query, "words of the property or its value, or source:yarn-site"),
    choice(
      "Show",
      "which",
      [
        ["set", "properties that are set"],
        ["all", "defaults as well"],
      ],
      which,
      "set",
    ),
    grid({
      id: "conf",
      name: "Configuration",
      columns: PROPERTIES,
      rows: found,
      query,
      isMain: true,
      keyOf: (one) => one.name,
      calls: ["/ui/conf"],
      none: unfiltered("properties"),
    }),
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

export async function about() {
  const { clusterInfo: info } = await get("/info");
  const { stateStore: kept } = isRecording ? { stateStore: {} } : await get("/state-store");
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
    ${!isRecording && tools}`;
}
