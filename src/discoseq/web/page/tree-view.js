/* A drawing that answers: pointing at a constituent, or moving to it by keys, lights up its words and branches. */

import { element, svgElement } from "./elements.js";
import { importSvg } from "./safe-svg.js";
import { TreeCaption } from "./tree-caption.js";
import { ancestors, childrenOf, describe, family } from "./trees.js";

const DIFFERENCES = ["missing", "wrong"];

/**
 * The drawing in a box that scrolls, and a line below it that describes what is lit.
 * A node has a key: c3 is constituent 3, w5 is word 5. `marks` lists the keys of the nodes that have a mark: hit,
 * missing, wrong or differs.
 */
export class TreeView {
  constructor(tree, marks = {}) {
    this.tree = tree;
    this.marks = marks;
    this.children = childrenOf(tree);
    this.svg = importSvg(tree.svg);
    this.pinned = null;
    this.onLight = null; // called with the node that is lit, or null, so that views can be coupled
    this.elements = new Map(); // from keys to what is drawn
    this.caption = new TreeCaption(tree, (number) => DIFFERENCES.some((mark) => marks[mark]?.includes(`c${number}`)));
    this.box = element("div", { class: "tree-box" }, this.svg);
    this.element = element("figure", { class: "tree" }, this.box, this.caption.element);
    this.#prepare();
    this.#listen();
  }

  #prepare() {
    const { svg } = this;
    svg.querySelector("title")?.remove(); // a tooltip over the whole drawing would be in the way
    svg.setAttribute("role", "tree");
    svg.setAttribute("aria-label", `Tree of: ${this.tree.words.join(" ")}`);
    svg.style.setProperty("--natural-width", `${svg.getAttribute("width")}px`);
    const lines = svg.querySelector("g");
    for (const path of svg.querySelectorAll("path[data-constituent]")) {
      const reach = path.cloneNode();
      reach.removeAttribute("stroke");
      reach.setAttribute("class", "reach"); // a wide invisible line is easier to point at
      lines.append(reach);
    }
    for (const node of svg.querySelectorAll("[data-constituent], [data-word]")) {
      const key = keyOf(node);
      this.elements.set(key, [...(this.elements.get(key) ?? []), node]);
    }
    for (const constituent of this.tree.constituents) {
      const target = this.#target(constituent.number);
      const depth = this.#depth(constituent);
      target.setAttribute("role", "treeitem");
      target.setAttribute("tabindex", constituent.number === 0 ? "0" : "-1");
      target.setAttribute("aria-level", String(depth));
      target.setAttribute("aria-label", `${constituent.label}: ${describe(this.tree, constituent).join("; ")}`);
    }
    for (const [mark, keys] of Object.entries(this.marks)) {
      keys.flatMap((key) => this.elements.get(key) ?? []).forEach((node) => node.classList.add(mark));
    }
    requestAnimationFrame(() => this.#drawMarks());
  }

  #depth(constituent) {
    let depth = 1;
    for (let node = constituent; node.parent !== null; node = this.tree.constituents[node.parent]) {
      depth += 1;
    }
    return depth;
  }

  /** The label of a constituent (not its function), or the word itself (not its tag). */
  #text(key) {
    const texts = this.elements.get(key).filter((node) => node.localName === "text");
    return texts[0]; // the drawing has labels and words before tags and functions
  }

  /** What takes the focus for a constituent: its label, or its bar if the label is empty. */
  #target(number) {
    return this.#text(`c${number}`) ?? this.elements.get(`c${number}`)[0];
  }

  #listen() {
    const { svg } = this;
    svg.addEventListener("pointerover", (event) => this.light(nodeAt(event.target)));
    svg.addEventListener("pointerleave", () => this.light(null));
    svg.addEventListener("click", (event) => {
      const node = nodeAt(event.target);
      if (node?.kind === "c") {
        this.#move(node.number);
      } else {
        document.activeElement?.blur();
        this.pinned = node;
        this.light(node);
      }
    });
    svg.addEventListener("focusin", (event) => {
      const node = nodeAt(event.target);
      this.pinned = node;
      this.light(node);
      this.#ring(event.target);
    });
    svg.addEventListener("focusout", () => {
      this.pinned = null;
      this.light(null);
      svg.querySelector(".ring")?.remove();
    });
    svg.addEventListener("keydown", (event) => this.#onKey(event));
  }

  #onKey(event) {
    const node = nodeAt(event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || node?.kind !== "c") {
      return;
    }
    const { parent } = this.tree.constituents[node.number];
    const sisters = parent === null ? [0] : this.children[parent];
    const place = sisters.indexOf(node.number);
    const goal = {
      ArrowUp: parent,
      ArrowDown: this.children[node.number][0],
      ArrowLeft: sisters[place - 1],
      ArrowRight: sisters[place + 1],
      Home: 0,
    };
    if (event.key in goal) {
      event.preventDefault();
      event.stopPropagation(); // in a derivation the same keys go from step to step
      if (goal[event.key] !== null && goal[event.key] !== undefined) {
        this.#move(goal[event.key]);
      }
    } else if (event.key === "Escape") {
      event.target.blur();
    }
  }

  #move(number) {
    this.svg.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
    const target = this.#target(number);
    target.setAttribute("tabindex", "0");
    target.focus({ preventScroll: true });
    const place = target.getBoundingClientRect();
    const box = this.box.getBoundingClientRect();
    if (place.left < box.left || place.right > box.right) {
      this.box.scrollLeft += place.left - box.left - box.width / 2;
    }
  }

  #ring(target) {
    this.svg.querySelector(".ring")?.remove();
    if (target.matches(":focus-visible")) {
      this.svg.append(backdrop(target, "ring", 7, 4));
    }
  }

  #drawMarks() {
    for (const [mark, keys] of this.svg.isConnected ? Object.entries(this.marks) : []) {
      for (const key of keys) {
        const text = this.#text(key);
        text?.parentNode.prepend(backdrop(text, `mark-${mark}`, 6, 3));
      }
    }
  }

  /** Light up a constituent or a word; with null, what is pinned or nothing. */
  light(node) {
    const shown = node ?? this.pinned;
    this.show(shown);
    this.onLight?.(shown);
  }

  /** The same, without a word to coupled views. */
  show(node) {
    const keys = new Set();
    if (node?.kind === "c") {
      family(this.children, node.number).forEach((number) => keys.add(`c${number}`));
      this.tree.constituents[node.number].words.forEach((word) => keys.add(`w${word}`));
    } else if (node?.kind === "w") {
      keys.add(`w${node.number}`);
      ancestors(this.tree, node.number).forEach((number) => keys.add(`c${number}`));
    }
    this.svg.classList.toggle("is-lit", keys.size > 0);
    this.svg.classList.toggle("is-path", node?.kind === "w");
    for (const [key, drawn] of this.elements) {
      drawn.forEach((element) => element.classList.toggle("lit", keys.has(key)));
    }
    this.caption.show(node ?? null);
  }

  /** Show the state of a derivation: what has been built, and what the two dedicated heads see; null ends it. */
  showStep(step, progress) {
    this.svg.querySelectorAll(".head").forEach((head) => head.remove());
    this.svg.classList.toggle("is-derivation", step !== null);
    for (const constituent of this.tree.constituents) {
      for (const node of this.elements.get(`c${constituent.number}`) ?? []) {
        node.classList.toggle("built", step !== null && progress.built.has(constituent.number));
        node.classList.toggle("latest", step !== null && progress.latest === constituent.number);
      }
    }
    if (step === null) {
      return;
    }
    this.tree.words.forEach((_, word) => {
      const text = this.#text(`w${word}`);
      const seen = [step.stack_head[word] && "stack", step.buffer_head[word] && "buffer"].filter(Boolean);
      for (const node of this.elements.get(`w${word}`)) {
        node.classList.toggle("unseen", seen.length === 0);
      }
      for (const head of seen) {
        text.parentNode.prepend(backdrop(text, `head head-${head}`, 5, 3));
      }
    });
  }
}

function keyOf(node) {
  const { constituent, word } = node.dataset;
  return constituent === undefined ? `w${word}` : `c${constituent}`;
}

function nodeAt(target) {
  const node = target.closest?.("[data-constituent], [data-word]");
  if (!node) {
    return null;
  }
  const key = keyOf(node);
  return { kind: key[0], number: Number(key.slice(1)) };
}

/** A rounded rectangle behind a text. */
function backdrop(target, name, across, along) {
  const { x, y, width, height } = target.getBBox();
  return svgElement("rect", {
    class: name,
    x: x - across,
    y: y - along,
    width: width + 2 * across,
    height: height + 2 * along,
    rx: 6,
  });
}
