/* Which sentences of a treebank the list shows: filters that need no server, and queries that do. */

import { button, count, element, field } from "./elements.js";

const QUERIES = ["NP < DT < /^NN/", "VP{discontinuous} <^ NP", "*{gap-degree>1}", "S << SBAR", "{word=that}"];

/** The controls above the list; `onChange` is called when a filter changes, `onQuery` when a query is sent. */
export class TreebankFilter {
  constructor(onChange, onQuery) {
    this.words = element("input", { type: "search", id: "filter-words", placeholder: "anything" });
    this.label = element("select", { id: "filter-label" });
    this.gap = element("select", { id: "filter-gap" });
    this.discontinuous = element("input", { type: "checkbox", id: "filter-discontinuous" });
    this.query = element("input", {
      type: "search", id: "query", class: "code", spellcheck: "false", autocapitalize: "off",
      placeholder: QUERIES[0], list: "queries",
    });
    for (const control of [this.words, this.label, this.gap, this.discontinuous]) {
      control.addEventListener("input", onChange);
    }
    const form = element("form", { class: "query", role: "search" },
      element("datalist", { id: "queries" }, QUERIES.map((query) => element("option", { value: query }))),
      field("Query", this.query, "The language of discoseq search"),
      element("button", { type: "submit", class: "quiet" }, "Search"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      onQuery(this.query.value.trim());
    });
    this.clear = button("Clear", () => {
      this.query.value = "";
      onQuery("");
    }, { hidden: true });
    form.append(this.clear);
    this.element = element("div", { class: "filters" }, form,
      element("div", { class: "filter-row" },
        field("Words", this.words),
        field("Label", this.label),
        field("Gap degree", this.gap),
        element("label", { class: "check", for: "filter-discontinuous" }, this.discontinuous, "discontinuous only")));
  }

  /** Offer the labels and gap degrees of a treebank. */
  setTrees(trees) {
    const labels = new Map();
    for (const tree of trees) {
      tree.labels.forEach((label) => labels.set(label, (labels.get(label) ?? 0) + 1));
    }
    const chosen = this.label.value;
    this.label.replaceChildren(element("option", { value: "" }, "any"),
      ...[...labels].sort(([one], [other]) => one.localeCompare(other)).map(([label, number]) =>
        element("option", { value: `=${label}` }, `${label} (${number})`)));
    this.label.value = labels.has(chosen.slice(1)) ? chosen : "";
    const largest = Math.max(0, ...trees.map((tree) => tree.gap_degree));
    this.gap.replaceChildren(element("option", { value: "" }, "any"),
      ...Array.from({ length: largest + 1 }, (_, degree) => element("option", { value: degree }, String(degree))));
  }

  /** Whether a tree passes all filters. */
  accepts(tree) {
    const wanted = this.words.value.trim().toLowerCase();
    return (
      (!wanted || tree.words.join(" ").toLowerCase().includes(wanted)) &&
      (!this.label.value || tree.labels.includes(this.label.value.slice(1))) &&
      (this.gap.value === "" || tree.gap_degree === Number(this.gap.value)) &&
      (!this.discontinuous.checked || tree.is_discontinuous)
    );
  }

  /** What the list says above its first line. */
  summary(shown, total) {
    return shown === total ? count(total, "sentence") : `${shown.toLocaleString("en")} of ${count(total, "sentence")}`;
  }
}
