/* Gold beside predicted: both trees, what one of them lacks, and the scores of the sentence. */

import { post } from "./api.js";
import { count, decimal, element } from "./elements.js";
import { TreePanel } from "./tree-panel.js";
import { constituentKeys, signature } from "./trees.js";

const INCLUDE = ["svg", "tikz", "latex", "export"];

/** Parse the words of a gold tree and compare the two trees; the element to show. `hits` are keys of the gold tree. */
export async function compare(gold, hits, settings, signal) {
  const { model, beam } = settings;
  const parsed = await post("api/parse", { tokens: [gold.words], model, beam, scores: true, include: INCLUDE }, signal);
  const predicted = parsed.sentences[0].candidates[0].tree;
  const scores = await post("api/compare", { gold: gold.discbracket, predicted: predicted.discbracket }, signal);
  const left = new TreePanel({
    heading: title("Gold", scores.missing.length, "missing", "not found"),
    steps: () => ({ discbracket: gold.discbracket, model }),
  });
  const right = new TreePanel({
    heading: title(`Predicted by ${parsed.model}`, scores.wrong.length, "wrong", "not in gold"),
    steps: () => ({ tokens: gold.words, model, beam }),
  });
  couple(
    left.show(gold, { missing: constituentKeys(scores.missing), hit: hits }),
    right.show(predicted, { wrong: constituentKeys(scores.wrong) }));
  return element("div", { class: "comparison" }, scoreRow(scores),
    element("div", { class: "comparison-trees" }, left.element, right.element));
}

function title(name, number, kind, what) {
  const note = number
    ? element("span", { class: `difference difference-${kind}` }, `${count(number, "constituent")} ${what}`)
    : element("span", { class: "note" }, "all correct");
  return element("h3", {}, name, note);
}

function scoreRow(scores) {
  const score = (name, value) =>
    element("div", {}, element("dt", { class: "eyebrow" }, name), element("dd", {}, decimal(value)));
  return element("dl", { class: "scores" },
    score("F1", scores.f1),
    score("Precision", scores.precision),
    score("Recall", scores.recall),
    score("Discontinuous F1", scores.discontinuous_f1));
}

/** What is lit in one tree is lit in the other too, if it is there. */
function couple(one, other) {
  for (const [from, to] of [[one, other], [other, one]]) {
    from.onLight = (node) => to.show(counterpart(from.tree, to.tree, node));
  }
}

function counterpart(tree, other, node) {
  if (node?.kind !== "c") {
    return node;
  }
  const wanted = signature(tree.constituents[node.number]);
  const found = other.constituents.find((constituent) => signature(constituent) === wanted);
  return found ? { kind: "c", number: found.number } : null;
}
