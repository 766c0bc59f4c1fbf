/* The view of a treebank: open a file, browse and search its sentences, compare them with what a model says. */

import { getFile, isAborted, post, postFile } from "./api.js";
import { compare } from "./comparison.js";
import { announce, button, element } from "./elements.js";
import { TreePanel } from "./tree-panel.js";
import { TreebankFilter } from "./treebank-filter.js";
import { constituentKeys } from "./trees.js";

const PAGE = 200; // sentences of the list that are added at a time

export class TreebankView {
  constructor(root, settings) {
    this.root = root;
    this.settings = settings;
    this.file = null;
    this.all = []; // the trees that the query finds, or all
    this.count = 0; // of the trees in the file
    this.shown = []; // those that pass the filters
    this.selected = null;
    this.controller = null;
    this.chooser = element("input", { type: "file", id: "treebank-file", hidden: true });
    this.chooser.addEventListener("change", () => this.open(this.chooser.files[0]));
    this.message = element("p", { class: "message", role: "alert" });
    this.filter = new TreebankFilter(() => this.#list(), (query) => this.search(query));
    this.settingsSlot = element("div", { class: "settings-slot" });
    this.comparing = element("input", { type: "checkbox", id: "comparing" });
    this.comparing.addEventListener("change", () => this.#showSelected());
    settings.element.addEventListener("change", () => this.comparing.checked && !root.hidden && this.#showSelected());
    this.summary = element("p", { class: "eyebrow", role: "status" });
    this.items = element("ol", { class: "sentences", "aria-label": "Sentences" });
    this.items.addEventListener("keydown", (event) => this.#onKey(event));
    this.detail = element("div", { class: "detail" });
    this.#welcome();
  }

  #welcome() {
    this.root.replaceChildren(
      element("div", { class: "welcome" },
        element("h1", {}, "Open a treebank"),
        element("p", {}, "NEGRA export, TIGER-XML, discbracket, PTB brackets, Alpino XML or JSON lines, also gzipped."),
        element("p", { class: "welcome-actions" },
          button("Choose a file", () => this.chooser.click(), { class: "primary" }),
          button("Try the sample", () => this.#openSample())),
        element("p", { class: "note" },
          "Or drop a file anywhere on this page. The server forgets it when it has answered.")),
      this.chooser, this.message);
  }

  /** Open a file that was chosen or dropped. */
  async open(file) {
    if (!file) {
      return;
    }
    await this.#ask(file, "", (answer) => {
      this.file = file;
      this.filter.query.value = "";
      this.#take(answer);
      this.#frame(answer);
    });
    this.chooser.value = ""; // the same file can be chosen again
  }

  async #openSample() {
    try {
      await this.open(await getFile("static/sample.discbracket", "sample.discbracket"));
    } catch (error) {
      this.message.textContent = error.message;
    }
  }

  /** Search the file, or show all of it again. */
  async search(query) {
    await this.#ask(this.file, query, (answer) => this.#take(answer));
    this.filter.clear.hidden = !query;
  }

  async #ask(file, query, use) {
    this.controller?.abort();
    this.controller = new AbortController();
    this.message.textContent = "";
    this.root.classList.add("is-busy");
    try {
      use(await postFile("api/treebank", file, { query }, this.controller.signal));
    } catch (error) {
      if (!isAborted(error)) {
        this.message.textContent = error.message;
      }
    } finally {
      this.root.classList.remove("is-busy");
    }
  }

  #take({ trees, count }) {
    this.all = trees;
    this.count = count;
    this.filter.setTrees(trees);
    this.selected = null;
    this.#list();
    announce(this.summary.textContent);
  }

  #frame({ name, format }) {
    this.root.replaceChildren(
      element("header", { class: "treebank-head" },
        element("div", {}, element("h1", { class: "file-name" }, name), element("p", { class: "facts" },
          element("span", {}, format))),
        button("Open another", () => this.chooser.click())),
      this.filter.element, this.message, this.chooser,
      element("div", { class: "browser" },
        element("div", { class: "browser-list" }, this.summary, this.items),
        element("div", { class: "browser-detail" },
          element("div", { class: "compare-controls" },
            element("label", { class: "check", for: "comparing" }, this.comparing, "Compare with a parse"),
            this.settingsSlot),
          this.detail)));
    this.settings.moveTo(this.settingsSlot, { withCandidates: false });
  }

  #list() {
    this.shown = this.all.filter((tree) => this.filter.accepts(tree));
    this.summary.textContent = this.filter.summary(this.shown.length, this.count);
    this.items.replaceChildren();
    this.#append();
    if (!this.shown.includes(this.selected)) {
      this.#select(this.shown[0] ?? null);
    } else {
      this.#markSelected();
    }
  }

  #append() {
    const from = this.items.childElementCount;
    const added = this.shown.slice(from, from + PAGE).map((tree) => this.#item(tree));
    this.items.append(...added);
    if (this.shown.length > this.items.childElementCount) {
      const more = element("li", {}, button("Show more", () => {
        more.remove();
        this.#append();
      }));
      this.items.append(more);
    }
  }

  #item(tree) {
    const item = button("", () => this.#select(tree), { class: "sentence-item", tabindex: "-1" });
    item.tree = tree;
    item.append(
      element("span", { class: "number" }, tree.id ?? String(tree.number)),
      element("span", { class: "words" }, tree.words.join(" ")),
      tree.gap_degree
        ? element("span", { class: "gap-badge", title: `gap degree ${tree.gap_degree}` }, String(tree.gap_degree))
        : "");
    return element("li", {}, item);
  }

  #onKey(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      this.step(step);
      this.items.querySelector('[aria-current="true"]')?.focus();
    }
  }

  /** Go on by so many sentences. */
  step(by) {
    const place = this.shown.indexOf(this.selected) + by;
    if (place >= 0 && place < this.shown.length) {
      while (place >= this.items.querySelectorAll(".sentence-item").length) {
        this.items.lastElementChild.remove();
        this.#append();
      }
      this.#select(this.shown[place]);
    }
  }

  #select(tree) {
    this.selected = tree;
    this.#markSelected();
    this.#showSelected();
  }

  #markSelected() {
    for (const item of this.items.querySelectorAll(".sentence-item")) {
      const isSelected = item.tree === this.selected;
      item.setAttribute("aria-current", String(isSelected));
      item.tabIndex = isSelected ? 0 : -1;
      if (isSelected) {
        item.scrollIntoView({ block: "nearest" });
      }
    }
  }

  async #showSelected() {
    this.drawing?.abort();
    const tree = this.selected;
    if (tree === null) {
      this.detail.replaceChildren(element("p", { class: "empty" }, "No sentence matches."));
      return;
    }
    this.drawing = new AbortController();
    const { signal } = this.drawing;
    this.detail.classList.add("is-stale");
    const settings = this.settings.value;
    try {
      const gold = await post("api/draw", { discbracket: tree.discbracket }, signal);
      const words = (tree.matched_words ?? []).map((word) => `w${word}`);
      const hits = [...constituentKeys(tree.matches ?? []), ...words];
      const shown = this.comparing.checked
        ? await compare(gold, hits, settings, signal)
        : this.#goldPanel(gold, hits);
      this.detail.replaceChildren(element("h2", { class: "sentence" }, tree.words.join(" ")), shown);
      this.detail.classList.remove("is-stale");
    } catch (error) {
      if (!isAborted(error)) {
        this.detail.replaceChildren(element("p", { class: "message", role: "alert" }, error.message));
        this.detail.classList.remove("is-stale");
      }
    }
  }

  #goldPanel(gold, hits) {
    const panel = new TreePanel({
      steps: () => ({ discbracket: gold.discbracket, model: this.settings.value.model }),
    });
    panel.show(gold, { hit: hits });
    return panel.element;
  }
}
