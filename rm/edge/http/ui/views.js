// The pages about events, labels, configuration and the ResourceManager itself.
import { get, isRecording, list } from "./api.js";
import { blocks } from "./blocks.js";
import { CARD, number, OFF, ofAnything, text } from "./columns.js";
import { choice, empty, facts, factsOf, filter, h, html, inUnits, logged, title, unfiltered } from "./dom.js";
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
  calls: ["/ui/events"],
  none: "No events yet.",
};

// What happened since, of a cluster; a recording says all until the moment that is shown.
const log = [],
  MOST_EVENTS = 5000;

/** The event log: what happened, about whom, and what it says; the newest first. */
export async function events(_, query, usual = "all") {
  if (isRecording) log.length = 0;
  const { event, leftOut } = await get(`/ui/events?since=${log.at(-1)?.number ?? ""}`);
  log.push(...list(event));
  log.splice(0, log.length - MOST_EVENTS);
  return [
    ...searched("Events", { ...EVENTS, usual }, log.toReversed(), query),
    leftOut > 0 && empty(`The recording kept the first events; ${leftOut} later ones are not in it.`),
  ];
}

export const labels = async (_, query) => blocks((await get("/ui/labels")).labels.block, query);

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

export async function about() {
  const { about } = await get("/ui/about");
  const tools = list(about.tool).map(({ to, name }) => html`<a href=${to}>${name}</a>`);
  return html`${title(about.title)} ${facts(factsOf(about.fact))} ${about.text && html`<p>${about.text}</p>`}
    ${tools.length > 0 && html`<h2>Tools</h2><p class="actions">${tools}</p>`}`;
}
