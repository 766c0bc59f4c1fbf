/* The line below a drawing: what is lit, or else the discontinuous constituents in their colours. */

import { element } from "./elements.js";
import { ancestors, describe, phrase } from "./trees.js";

const GAP_COLORS = 6; // of src/discoseq/trees/drawing/picture.py, in turn

export class TreeCaption {
  /** `isDifference` says of a constituent's number whether it is marked as a difference between trees. */
  constructor(tree, isDifference) {
    this.tree = tree;
    this.isDifference = isDifference;
    // the labels of the drawing say the same to those who listen
    this.element = element("p", { class: "tree-caption", "aria-hidden": "true" });
    this.show(null);
  }

  /** Describe a node of the tree, or the whole tree. */
  show(node) {
    if (node === null) {
      this.element.replaceChildren(...this.#discontinuous());
    } else if (node.kind === "c") {
      const constituent = this.tree.constituents[node.number];
      const [words, ...facts] = describe(this.tree, constituent);
      this.element.replaceChildren(
        entry(constituent.label || "(no label)", words),
        ...facts.map((fact) => element("span", {}, fact)));
    } else {
      const labels = ancestors(this.tree, node.number).map((number) => this.tree.constituents[number].label);
      const path = [this.tree.tags[node.number], ...labels].filter(Boolean).join(" › ");
      this.element.replaceChildren(entry(path, this.tree.words[node.number]));
    }
  }

  #discontinuous() {
    const gapped = this.tree.constituents.filter((constituent) => constituent.is_discontinuous);
    if (!gapped.length) {
      return [element("span", {}, "No crossing branches.")];
    }
    return gapped.map((constituent, i) => {
      const color = this.isDifference(constituent.number) ? "difference" : `gap-${i % GAP_COLORS}`;
      return entry(constituent.label, phrase(this.tree, constituent), color);
    });
  }
}

function entry(label, words, color = null) {
  return element("span", { class: "entry" }, element("strong", { class: color }, label), element("q", {}, words));
}
