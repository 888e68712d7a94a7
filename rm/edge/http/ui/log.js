// The event log: what happened, about whom, and what it says; the newest first.
import { OFF, ofAnything, text, time } from "./columns.js";
import { choice, filter, h, title, unfiltered } from "./dom.js";
import { matcher } from "./filtering.js";
import { grid } from "./grid.js";

const TEXTS = {
  type: (one) => one.type,
  subject: (one) => one.subject,
  about: (one) => one.about,
  details: (one) => one.details,
};
const NUMBERS = { time: (one) => one.time };
const COLUMNS = [
  time("time", "Time"),
  text("type", "Type", "type", {
    width: 250,
    cell: (one) => h("span", { class: one.isTrouble ? "trouble" : "" }, one.type),
  }),
  text("about", "About", "about", OFF),
  ofAnything("subject", "Subject", "subject", { width: 330, isLine: true }),
  text("details", "Details", "details", { width: 700 }),
];

export async function eventLog(log, query, usual = "all") {
  const which = query.get("which") || usual,
    means = matcher(query.get("q"), TEXTS, NUMBERS);
  const shown = log.filter((one) => (which === "all" || one.isTrouble) && means(one)).reverse();
  return [
    title("Events"),
    filter(query, "words, or type:AppAccepted subject:application_1 about:Node"),
    choice(
      "Show",
      "which",
      [
        ["all", "all events"],
        ["trouble", "failures, kills and losses"],
      ],
      which,
      usual,
    ),
    grid({
      id: "events",
      name: `Events: ${shown.length}`,
      columns: COLUMNS,
      rows: shown,
      query,
      isMain: true,
      keyOf: (one) => one.number,
      calls: ["/events?backfill=500"],
      none: log.length ? unfiltered("events") : "No events yet.",
    }),
  ];
}
