// The event log: what happened, about whom, and what it says; the newest first.
import { OFF, ofAnything, text, time } from "./columns.js";
import { choice, filter, h, title, unfiltered } from "./dom.js";
import { matcherOf } from "./filtering.js";
import { grid } from "./grid.js";

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
    means = matcherOf(query.get("q"), COLUMNS);
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
