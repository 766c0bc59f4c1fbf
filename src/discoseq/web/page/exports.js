/* Taking a tree along: four formats for the clipboard, two kinds of picture to download. */

import { button, element, notify } from "./elements.js";

const PNG_SCALE = 2;
const MAX_PNG_SIDE = 16000; // pixels; canvases beyond stay empty in some browsers

/** The row of buttons that copy and download a tree. */
export function exportButtons(tree) {
  const copies = [
    ["discbracket", tree.discbracket],
    ["export", tree.export],
    ["TikZ", tree.tikz],
    ["LaTeX", tree.latex],
  ];
  const copy = ([name, text]) => button(name, () => copyText(text, name), { title: `Copy as ${name}` });
  const group = (name, buttons) =>
    element("span", { class: "button-group", role: "group", "aria-label": name },
      element("span", { class: "eyebrow" }, name), buttons);
  return element("div", { class: "exports" },
    group("Copy", copies.filter(([, text]) => text).map(copy)),
    group("Download", [
      button("SVG", () => save(svgBlob(tree), `${fileStem(tree.words)}.svg`), { title: "Download as SVG" }),
      button("PNG", () => savePng(tree), { title: "Download as PNG" }),
    ]));
}

/** Copy a text and say so. */
export async function copyText(text, name) {
  try {
    await navigator.clipboard.writeText(text);
    notify(`Copied: ${name}.`);
  } catch {
    notify("The browser does not allow copying here.");
  }
}

function svgBlob(tree) {
  // the text of the server, in the colours of print: a file has to look right alone
  return new Blob([tree.svg], { type: "image/svg+xml" });
}

async function savePng(tree) {
  const url = URL.createObjectURL(svgBlob(tree));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const scale = Math.min(PNG_SCALE, MAX_PNG_SIDE / Math.max(image.width, image.height));
    const [width, height] = [image.width, image.height].map((side) => Math.round(side * scale));
    const canvas = element("canvas", { width, height });
    canvas.getContext("2d").drawImage(image, 0, 0, width, height);
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    save(blob, `${fileStem(tree.words)}.png`);
  } catch {
    notify("The browser could not draw the picture.");
  } finally {
    URL.revokeObjectURL(url);
  }
}

function save(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = element("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function fileStem(words) {
  const stem = words.join("-").toLowerCase().replace(/[^\p{Letter}\p{Number}]+/gu, "-").replace(/^-|-$/g, "");
  return stem.slice(0, 40).replace(/-$/, "") || "tree";
}
