// The public REST API, as any other client sees it; `user.name` of the page's address goes along.
export const ROOT = "/ws/v1/cluster";

// Who asks; and of a recording, which run and which moment: the address of the page holds them on every page.
export const KEPT = ["user.name", "run", "at"];

function address(path) {
  const query = new URLSearchParams(location.search);
  if (isRecording && !query.has("at")) query.set("at", "0"); // a run is shown from its beginning
  const given = KEPT.filter((name) => query.has(name) && !path.includes(`${name}=`));
  if (!given.length) return ROOT + path;
  const kept = new URLSearchParams(given.map((name) => [name, query.get(name)]));
  return `${ROOT}${path}${path.includes("?") ? "&" : "?"}${kept}`;
}

export const isRecording = document.documentElement.dataset.source === "recording";

export class Unreachable extends Error {}

// Clocks of browsers may be wrong: how long ago something was goes by the clock of the server.
const MOST_SKEW_MS = 2000;
let skew = 0;
export const serverNow = () => Date.now() + skew;

let patience = new AbortController();

/** Waits no longer for what was asked for: who is stopped, or a host that is gone, never answers. */
export function giveUp() {
  patience.abort();
  patience = new AbortController();
}

async function ask(path, options) {
  try {
    const response = await fetch(address(path), options);
    const text = await response.text();
    const found = Date.parse(response.headers.get("Date")) - Date.now();
    skew = Math.abs(found) > MOST_SKEW_MS ? found : 0;
    return { response, text };
  } catch (error) {
    throw new Unreachable(error.message);
  }
}

// Some changes are answered by a sentence, as in Hadoop under the type of JSON.
function said(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}

function answer({ response, text }) {
  const found = said(text);
  if (response.ok) return found;
  const message = found.RemoteException?.message ?? found.message ?? text;
  // Hadoop puts the name of a Java class before some messages.
  const plain = String(message).replace(/^(java|org\.apache)\.[\w.$]+: /, "");
  throw Object.assign(new Error(plain), { problems: found.problems, status: response.status });
}

export const get = async (path) =>
  answer(await ask(path, { headers: { Accept: "application/json" }, signal: patience.signal }));

const send = (method) => async (path, body) =>
  answer(
    await ask(path, {
      method,
      headers: { "Content-Type": "application/json", "X-XSRF-Header": "yarnbox", Accept: "application/json" },
      body: JSON.stringify(body),
    }),
  );

export const put = send("PUT");
export const post = send("POST");
export const list = (value) =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
