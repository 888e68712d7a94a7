// What the ResourceManager forgets and a page that is open remembers: ended containers, and shares over time.
const containers = new Map();
const shares = new Map();

export function remembered(id, held) {
  const known = containers.get(id) || new Map();
  containers.set(id, known);
  const now = new Map(held.map((one) => [one.containerId, one]));
  for (const one of known.values()) if (!now.has(one.containerId) && !one.gone) one.gone = Date.now();
  for (const one of held) known.set(one.containerId, one);
  return [...known.values()];
}

export function sample(rows = []) {
  for (const row of rows) {
    if (!shares.has(row.name)) shares.set(row.name, []);
    const points = shares.get(row.name);
    points.push([Date.now(), row.used]);
    if (points.length > 2000) points.shift();
  }
  return shares;
}
