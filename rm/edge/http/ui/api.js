// The public REST API, as any other client sees it.
export const ROOT = "/ws/v1/cluster";

export const isRecording = document.documentElement.dataset.source === "recording";

// Who asks; and of a recording, which run and which moment: the address of the page holds them on every page.
const KEPT = ["user.name", "run", "at"];

/** An address with what that of the page holds. */
export function kept(to) {
  const url = new URL(to, location.href);
  const query = new URLSearchParams(location.search);
  for (const name of KEPT)
    if (query.has(name) && !url.searchParams.has(name)) url.searchParams.set(name, query.get(name));
  return url;
}

function address(path) {
  const url = kept(ROOT + path);
  if (isRecording && !url.searchParams.has("at")) url.searchParams.set("at", "0"); // the beginning of the run
  return url;
}

/** Where the server has what an address below ROOT says as a file; a parameter may have several values. */
export function fileAt(path, asked) {
  const url = address(path);
  for (const [name, values] of Object.entries(asked)) {
    url.searchParams.delete(name);
    for (const value of [values].flat()) url.searchParams.append(name, value);
  }
  return url.pathname + url.search;
}

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

const HEADERS = {
  "Content-Type": "application/json",
  "X-XSRF-Header": "yarnbox",
  Accept: "application/json",
};

async function ask(path, options) {
  try {
    const response = await fetch(address(path), { ...options, headers: HEADERS, signal: patience.signal });
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

const send = (method) => async (path, body) => {
  const { response, text } = await ask(path, { method, body: body && JSON.stringify(body) });
  const found = said(text);
  if (response.ok) return found;
  const message = found.RemoteException?.message ?? found.message ?? text;
  // Hadoop puts the name of a Java class before some messages.
  const plain = String(message).replace(/^(java|org\.apache)\.[\w.$]+: /, "");
  throw Object.assign(new Error(plain), { problems: found.problems, status: response.status });
};

export const get = send("GET");
export const put = send("PUT");
export const post = send("POST");
export const list = (value) => value ?? [];
