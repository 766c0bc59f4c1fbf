/* Building the page without markup: every text goes through textContent, so none of it can become an element. */

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children; a child that is a string becomes text, null is left out. */
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** The same for an element of an SVG drawing. */
export function svgElement(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) {
      node.setAttribute(key, "");
    } else if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(key, String(value));
    }
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

/** A button with an action. */
export function button(text, action, attributes = {}) {
  const node = element("button", { type: "button", class: "quiet", ...attributes }, text);
  node.addEventListener("click", action);
  return node;
}

/** A control under its name. */
export function field(name, control, title = null) {
  return element("label", { class: "field", for: control.id, title },
    element("span", { class: "eyebrow" }, name), control);
}

/** A bar of which a share is filled, from 0 to 1. */
export function shareBar(share) {
  const filled = element("span");
  filled.style.width = `${100 * share}%`;
  return element("span", { class: "bar", "aria-hidden": "true" }, filled);
}

/** Tell people who look at the page and people who listen to it. */
export function notify(text) {
  announce(text);
  const toast = document.getElementById("toast");
  toast.textContent = text;
  toast.hidden = false;
  clearTimeout(notify.timer);
  notify.timer = setTimeout(() => {
    toast.hidden = true;
  }, 2600);
}

/** Tell people who listen to the page. */
export function announce(text) {
  document.getElementById("announcer").textContent = text;
}

/** A number with two digits after the point, or a dash for none. */
export function decimal(value) {
  return value === null || value === undefined ? "–" : value.toFixed(2).replace("-", "−");
}

/** A probability as a percentage. */
export function percent(value) {
  if (value > 0 && value < 0.001) {
    return "< 0.1 %";
  }
  return `${(100 * value).toFixed(1)} %`;
}

/** "1 word", "2 words". */
export function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
