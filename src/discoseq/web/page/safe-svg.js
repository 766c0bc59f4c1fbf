/* Drawings of the server enter the page only if every element and attribute is one that drawings have. */

const SVG = "http://www.w3.org/2000/svg";
const XML = "http://www.w3.org/XML/1998/namespace";

const ELEMENTS = new Set(["svg", "title", "rect", "g", "path", "text"]);
const ATTRIBUTES = new Set([
  "width", "height", "viewBox", "role", "x", "y", "d",
  "fill", "stroke", "stroke-width", "stroke-linecap",
  "font-family", "font-size", "font-weight", "font-style", "text-anchor",
  "data-constituent", "data-word",
]);

export class DrawingError extends Error {}

/** The drawing as an element of this document. */
export function importSvg(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  const root = parsed.documentElement;
  if (root.localName !== "svg" || parsed.querySelector("parsererror")) {
    throw new DrawingError("The drawing of the server is not an SVG.");
  }
  for (const node of [root, ...root.querySelectorAll("*")]) {
    check(node);
  }
  return document.importNode(root, true);
}

function check(node) {
  if (node.namespaceURI !== SVG || !ELEMENTS.has(node.localName)) {
    throw new DrawingError(`The drawing of the server has an element <${node.nodeName}>, which is not allowed.`);
  }
  for (const attribute of node.attributes) {
    const isKnown = attribute.namespaceURI === null && ATTRIBUTES.has(attribute.localName);
    const isNamespace = attribute.name === "xmlns" && attribute.value === SVG;
    const isSpace = attribute.namespaceURI === XML && attribute.localName === "space";
    if (!(isKnown || isNamespace || isSpace) || /url\s*\(/i.test(attribute.value)) {
      throw new DrawingError(`The drawing of the server has an attribute ${attribute.name}, which is not allowed.`);
    }
  }
}
