// The event log: what happened, about whom, and what it says; the newest first.
import { choice, filter, h, moment, table, title } from "./dom.js";

const SHOWN = 400;

export async function eventLog(log, query) {
  const text = (query.get("q") || "").toLowerCase(), which = query.get("which") || "all";
  const found = log.filter((one) => (which === "all" || one.isTrouble)
    && `${one.type} ${one.subject} ${one.details || ""}`.toLowerCase().includes(text));
  const shown = found.slice(-SHOWN).reverse();
  return [title("Events"), filter(query, "type, subject or what it says"),
    choice("Show", "which", [["all", "everything"], ["trouble", "trouble only"]], which, "all"),
    table("Events", ["Time", "Type", "Subject", "What it says"], shown.map((one) => [
      moment(one.time),
      h("span", { class: one.isTrouble ? "trouble" : "" }, one.type), one.subject, one.details || ""]), "Nothing has happened yet."),
    found.length > SHOWN && h("p", { class: "empty" }, `The newest ${SHOWN} of ${found.length}; all of them are in logs/events.jsonl.`)];
}
