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

async function ask(path, options) {
  try {
    return await fetch(address(path), options);
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

async function answer(response) {
  const text = await response.text();
  if (response.ok) return said(text);
  let message = text;
  let problems;
  try {
    ({
      problems,
      RemoteException: { message } = { message },
    } = JSON.parse(text));
  } catch {
    /* a plain text: as it is */
  }
  // Hadoop puts the name of a Java class before some messages.
  const plain = String(message).replace(/^(java|org\.apache)\.[\w.$]+: /, "");
  throw Object.assign(new Error(plain), { problems, status: response.status });
}

export const get = async (path) => answer(await ask(path, { headers: { Accept: "application/json" } }));

// The containers of an application, a node or a queue. A page begins with the newest, has all of them at its
// next look, and then asks for news alone: what lives, and what has ended since the last answer.
const FIRST_CONTAINERS = 2000,
  MOST_CONTAINERS = 50000;
const held = { asked: "", now: 0, isFirst: true, isCut: false, ended: new Map() };
export async function containersOf(asked) {
  if (isRecording) return (await get(`/ui/containers?${asked}`)).containers;
  if (held.asked !== asked) Object.assign(held, { asked, now: 0, isFirst: true, ended: new Map() });
  const { containers } = await get(
    `/ui/containers?${asked}&${held.isFirst ? `limit=${FIRST_CONTAINERS}` : `since=${held.now}`}`,
  );
  const living = [];
  for (const one of list(containers.container))
    if (one.finished) held.ended.set(one.id, one);
    else living.push(one);
  const surplus = held.ended.size + living.length - MOST_CONTAINERS;
  for (const id of [...held.ended.keys()].slice(0, Math.max(0, surplus))) held.ended.delete(id);
  const isAll = !held.isFirst || !containers.isCut;
  held.isCut = containers.isCut || surplus > 0 || (held.isCut && held.now > 0);
  Object.assign(held, { isFirst: false, now: isAll ? containers.now : 0 });
  return { ...containers, isCut: held.isCut, container: [...held.ended.values(), ...living] };
}

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
export const events = (since) =>
  new EventSource(address(since ? `/events?since=${since}` : "/events?backfill=500"));
