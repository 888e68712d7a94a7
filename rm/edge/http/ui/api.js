// The public REST API, as any other client sees it; `user.name` of the page's address goes along.
const ROOT = "/ws/v1/cluster";

function address(path) {
  const user = new URLSearchParams(location.search).get("user.name");
  if (!user) return ROOT + path;
  return `${ROOT}${path}${path.includes("?") ? "&" : "?"}user.name=${encodeURIComponent(user)}`;
}

async function answer(response) {
  const text = await response.text();
  if (response.ok) return text ? JSON.parse(text) : {};
  let message = text;
  try { message = JSON.parse(text).RemoteException.message; } catch { /* a plain text: as it is */ }
  throw new Error(`${response.status}: ${message}`);
}

export const get = async (path) => answer(await fetch(address(path), { headers: { Accept: "application/json" } }));

export const put = async (path, body) => answer(await fetch(address(path), {
  method: "PUT",
  headers: { "Content-Type": "application/json", "X-XSRF-Header": "yarnbox", Accept: "application/json" },
  body: JSON.stringify(body),
}));

export const list = (value) => (value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]);
export const events = () => new EventSource(address("/events"));
