/* A tree with all that one can do with it: its drawing, its derivation, copies and downloads. */

import { isAborted } from "./api.js";
import { Derivation, fetchSteps } from "./derivation.js";
import { button, element } from "./elements.js";
import { exportButtons } from "./exports.js";
import { TreeView } from "./tree-view.js";

/**
 * `steps` is a function that gives the request for the derivation. The panel keeps the derivation open when another
 * tree is shown in it.
 */
export class TreePanel {
  constructor({ heading = null, steps }) {
    this.steps = steps;
    this.heading = heading;
    this.view = null;
    this.derivation = null;
    this.controller = null;
    this.message = element("p", { class: "message", role: "alert" });
    this.toggle = button("Derivation", () => this.toggleDerivation(), {
      class: "quiet strong", "aria-expanded": "false",
    });
    this.slot = element("div", { class: "tree-slot" });
    this.tools = element("div", { class: "tree-tools" });
    this.panel = element("div", { class: "derivation-slot" });
    this.element = element("div", { class: "tree-panel" }, this.slot, this.tools, this.message, this.panel);
    this.element.treePanel = this; // for the shortcuts of the page
  }

  /** Show a tree; `marks` as in TreeView. */
  show(tree, marks = {}) {
    const wasOpen = this.derivation !== null;
    this.#close();
    this.view = new TreeView(tree, marks);
    this.slot.replaceChildren(...[this.heading, this.view.element].filter(Boolean));
    this.tools.replaceChildren(this.toggle, exportButtons(tree));
    if (wasOpen) {
      this.toggleDerivation();
    }
    return this.view;
  }

  async toggleDerivation() {
    if (this.derivation || this.controller) {
      this.#close();
      return;
    }
    this.message.textContent = "";
    this.controller = new AbortController();
    const { controller } = this;
    this.toggle.setAttribute("aria-expanded", "true");
    this.panel.replaceChildren(element("p", { class: "loading" }, "Deriving …"));
    try {
      const answer = await fetchSteps(this.steps(), controller.signal);
      this.derivation = new Derivation(this.view, answer);
      this.panel.replaceChildren(this.derivation.element);
      this.derivation.slider.focus({ preventScroll: true });
      this.derivation.element.scrollIntoView({ block: "nearest", behavior: "smooth" });
    } catch (error) {
      if (!isAborted(error)) {
        this.#close();
        this.message.textContent = error.message;
      }
    } finally {
      if (this.controller === controller) {
        this.controller = null;
      }
    }
  }

  #close() {
    this.controller?.abort();
    this.controller = null;
    this.derivation?.close();
    this.derivation = null;
    this.message.textContent = "";
    this.panel.replaceChildren();
    this.toggle.setAttribute("aria-expanded", "false");
  }
}

/** The panel that the shortcuts mean: the one with the focus, or the first that is visible. */
export function currentPanel() {
  const focused = document.activeElement?.closest(".tree-panel");
  const visible = [...document.querySelectorAll(".tree-panel")].find((panel) => panel.checkVisibility());
  return (focused ?? visible)?.treePanel ?? null;
}
