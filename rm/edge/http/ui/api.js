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

// Who is stopped, or a host that is gone, never answers; a simulation may take a minute.
const PATIENCE_MS = 65_000;
const HEADERS = {
  "Content-Type": "application/json",
  "X-XSRF-Header": "yarnbox",
  Accept: "application/json",
};

async function ask(method, path, body) {
  const options = { method, headers: HEADERS, signal: AbortSignal.timeout(PATIENCE_MS) };
  try {
    const response = await fetch(address(path), { ...options, body: body && JSON.stringify(body) });
    const text = await response.text();
    const found = Date.parse(response.headers.get("Date")) - Date.now();
    skew = Math.abs(found) > MOST_SKEW_MS ? found : 0;
    return { response, text };
  } catch (error) {
    throw new Unreachable(error.message);
  }
}

export async function send(method, path, body) {
  const { response, text } = await ask(method, path, body);
  // Some changes are answered by a sentence, as in Hadoop under the type of JSON.
  const found = text.startsWith("{") ? JSON.parse(text) : { message: text };
  if (response.ok) return found;
  const { message, problems } = found.RemoteException ?? found;
  // Hadoop puts the name of a Java class before some messages.
  const plain = String(message).replace(/^(java|org\.apache)\.[\w.$]+: /, "");
  throw Object.assign(new Error(plain), { problems, status: response.status });
}

export const get = (path) => send("GET", path);
export const list = (value) => value ?? [];
