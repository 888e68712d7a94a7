// A run that has a guide: what to watch, what to change, and the pictures that show it at this moment.
import { get, list } from "./api.js";
import { chart, count, hue, memory } from "./charts.js";
import {
  clock,
  EPOCH,
  empty,
  html,
  inUnits,
  link,
  orNone,
  percent,
  plainGib,
  table,
  withTerms,
} from "./dom.js";

const short = (container) => container.replace(/^container_(e\d+_)?/, "");
const at = (time) => (time ? clock(time) : "");

export async function guide(shown, demo, runs) {
  if (!shown.guide) return null;
  const { watch, change, shows } = shown.guide;
  const [{ times, app }, now] = await Promise.all([
    get("/ui/recording/applications"),
    Promise.all(shows.map((one) => PICTURES[one]?.())),
  ]);
  const apps = list(app);
  return html`<section class="card guide">
      <h2>What to watch</h2>
      <p>${withTerms(watch)}</p>
      ${
        runs.some((one) => one.run !== shown.run && one.name === shown.name) &&
        html`<p>
          There is another run of this scenario: choose it above, or${" "}
          <a href="/cluster/compare">compare both</a>.
        </p>`
      }
      <h2>Change one thing</h2>
      <p>${withTerms(change)}</p>
      ${
        demo &&
        html`<p>
          <a class="button" href=${`/cluster/simulation?file=${encodeURIComponent(demo)}`}>
            Open ${demo} to change and play it
          </a>
        </p>`
      }
    </section>
    ${shows.map((one, i) => DRAWN[one]?.(apps, list(times), now[i], shown))}`;
}

const PICTURES = {
  preemptions: () => get("/ui/recording/preemptions"),
  plan: () => get("/ui/recording/plans"),
};

const DRAWN = {
  applications: (apps, _times, _now, shown) => applicationTable(apps, shown.guide.shows),
  "skipped-opportunities": (apps, times, _, shown) =>
    numbers("Skipped opportunities", times, apps, "skippedOverTime", count, 4, shown, "skipped"),
  "dominant-shares": (apps, times, _, shown) =>
    numbers("Dominant shares", times, apps, "shareOverTime", percent, 100, shown, "share"),
  preemptions: (_apps, _times, found) => preemptions(list(found.preemption)),
  plan: (_apps, _times, found, shown) => list(found.plan).map((one) => plan(one, shown)),
};

function numbers(what, times, apps, values, unit, top, shown, present) {
  const now = { time: times[shown.place], kind: "now", text: "" };
  const series = apps
    .map((one, i) => ({ name: one.name, values: one[values], kind: hue(i), one }))
    .filter(({ one }) => one[values].some((value) => value));
  const there = series.filter(({ one }) => one.isThere);
  const word = ({ one }) =>
    html`<span>${one.name} <b>${unit(one[present])}</b>${ofWhat(one, present)}</span>`;
  return html`<h2>${withTerms(what)}</h2>
    <p class="legend counts" aria-label=${`${what} at this moment`}>${there.map(word)}</p>
    ${chart(what, times, series, { marks: [now], unit, top })}`;
}

const ofWhat = (one, present) => (present === "share" && one.dominant ? ` of ${one.dominant}` : "");

// The columns that every guide needs, and those that belong to one of its other pictures.
/** @type {[string, (one: any) => any, string?][]} */
const COLUMNS = [
  ["Application", (one) => link(`/cluster/app/${one.id}`, one.name)],
  ["Queue", (one) => one.queue],
  ["State", (one) => one.state],
  ["Containers", (one) => one.containers],
  ["Pending", (one) => one.pending],
  ["Reserved", (one) => one.reserved],
  ["Skipped opportunities", (one) => one.skipped, "skipped-opportunities"],
  ["Node-local", (one) => one.local, "skipped-opportunities"],
  ["Rack-local", (one) => one.rack, "skipped-opportunities"],
  ["Off-switch", (one) => one.off, "skipped-opportunities"],
  ["Dominant share", (one) => [percent(one.share), ofWhat(one, "share")], "dominant-shares"],
  ["Marked", (one) => one.marked, "preemptions"],
  [
    "Waits because",
    (one) =>
      html`<div class="waits">${one.waits.map((why) => html`<p>${withTerms(inUnits(why))}</p>`)}</div>`,
  ],
];

function applicationTable(apps, shows) {
  const columns = COLUMNS.filter(([, , picture]) => !picture || shows.includes(picture));
  const rows = apps.filter((one) => one.isThere).map((one) => columns.map(([, cell]) => cell(one)));
  return table(
    "Applications at this moment",
    columns.map(([name]) => name),
    rows,
    "No application has been submitted yet.",
  );
}

function preemptions(rows) {
  const shown = rows.map((one) => [
    html`<span title=${one.container}>${one.name} ${short(one.container)}</span>`,
    one.queue,
    one.node.replace(/:\d+$/, ""),
    at(one.marked),
    orNone(one.for),
    one.killed ? at(one.killed) : one.unmarked ? `no more since ${clock(one.unmarked)}` : "waits",
    one.heir ? `${one.heir}, ${at(one.got)}` : "",
  ]);
  const heads = ["Container", "Queue", "Node", "Marked", "For", "Killed", "Resources went to"];
  return table("Preemption until this moment", heads, shown, "Nothing has been marked for preemption yet.");
}

function plan({ queue, capacity, times, booking }, shown) {
  const now = { time: EPOCH + shown.moments.at[shown.place], kind: "now", text: "" };
  // The last amount holds to the end: a moment more, at which nothing is reserved, shows that.
  const [end, none] = times.length > 1 ? [[times.at(-1) + 5000], [0]] : [[], []];
  const series = booking.map((one, i) => ({
    name: `${one.name} (${one.user})`,
    values: [...one.memory, ...none],
    kind: hue(i),
  }));
  const picture = { marks: [now], unit: memory, top: capacity, ceiling: capacity, isStacked: true };
  const nothing = "There are no reservations yet.";
  const rows = booking.map((one) => [
    one.name,
    one.user,
    `${clock(one.arrival)} to ${clock(one.deadline)}`,
    runs(one.memory, times),
  ]);
  return html`<h2>Plan of ${queue}, over time</h2>
    <p class="legend">
      ${withTerms("Memory reserved in this plan queue; the line is its capacity,")} ${plainGib(capacity)}.
    </p>
    ${booking.length ? chart(`Plan of ${queue}`, [...times, ...end], series, picture) : empty(nothing)}
    ${table(`Reservations of ${queue}`, ["Reservation", "User", "Window", "Runs"], rows, nothing)}`;
}

const runs = (amounts, times) =>
  amounts
    .map((amount, i) => amount && `${clock(times[i])} to ${clock(times[i + 1])}: ${plainGib(amount)}`)
    .filter(Boolean)
    .join("; ");
