// A page shown anew, put into the one that is there: elements that stay are the same elements, so that focus, selection,
// scrolled places and what is opened survive. Elements of lists are known by their key, others by their place.
const isSame = (old, other) => old.nodeType === other.nodeType && old.nodeName === other.nodeName && old.key === other.key;

export function patch(place, wanted) {
  const byKey = new Map();
  for (const one of place.childNodes) if (one.key !== undefined) byKey.set(one.key, one);
  let here = place.firstChild;
  for (const one of [...wanted]) {
    const found = one.key === undefined ? here : byKey.get(one.key);
    if (!found || !isSame(found, one)) {
      place.insertBefore(one, here);
      paintWithin(one);
      continue;
    }
    if (found === here) here = here.nextSibling;
    else place.insertBefore(found, here);
    if (found !== one) morph(found, one);
  }
  while (here) {
    const next = here.nextSibling;
    here.remove();
    here = next;
  }
}

function morph(old, other) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== other.data) old.data = other.data;
    return;
  }
  if (!old.isLive && !other.isLive && old.isEqualNode(other)) return;
  attributes(old, other);
  adopt(old, other);
  if (other.paint) {
    old.paint = other.paint;
    old.paint(old);
  } else patch(old, other.childNodes);
  shown(old);
}

// `onshown` is called when an element has got its place, and each time it is shown anew.
const shown = (element) => element.handlers?.shown?.({ currentTarget: element });

// `open` is the reader's; a style may be set but not written into a page, by the policy that pages have.
function attributes(old, other) {
  if (old.style.cssText !== other.style.cssText) old.style.cssText = other.style.cssText;
  for (const { name, value } of [...other.attributes]) {
    if (name !== "style" && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (name !== "style" && name !== "open" && name !== "tabindex" && !other.hasAttribute(name)) old.removeAttribute(name);
  }
  if (old === document.activeElement) return;
  if (old.nodeName === "INPUT") { old.value = other.value; old.checked = other.checked; }
  if (old.nodeName === "TEXTAREA") old.value = other.value;
  if (old.nodeName === "OPTION") old.selected = other.selected;
}

function adopt(old, other) {
  old.isLive = other.isLive;
  for (const type of Object.keys(old.handlers || {})) if (!other.handlers?.[type]) old.handlers[type] = () => {};
  for (const [type, handler] of Object.entries(other.handlers || {})) {
    old.handlers ||= {};
    if (!old.handlers[type]) old.addEventListener(type, (event) => old.handlers[type](event));
    old.handlers[type] = handler;
  }
}

function paintWithin(element) {
  if (!element.isLive) return;
  if (element.paint) element.paint(element);
  else for (const child of element.children) paintWithin(child);
  shown(element);
}
