/* The view of a sentence: text goes in, for every sentence a tree and its rivals come out. */

import { isAborted, post } from "./api.js";
import { announce, button, count, decimal, element, notify, percent, shareBar } from "./elements.js";
import { copyText } from "./exports.js";
import { fragmentOf } from "./share-link.js";
import { TreePanel } from "./tree-panel.js";
import { constituentKeys, onlyIn } from "./trees.js";

const INCLUDE = ["svg", "tikz", "latex", "export"];
const EXAMPLES = {
  en: [
    "What will the committee do about it?",
    "A man walked in who nobody had ever seen before.",
    "Which letter did the director forget to sign?",
  ],
  nl: [
    "Die brief had ze hem nooit moeten schrijven.",
    "Daar had ik niet aan gedacht.",
    "De minister heeft een wet voorgesteld die niemand begrijpt.",
  ],
  de: ["Darüber muss man nachdenken.", "Einen Brief hat sie ihm gestern geschrieben."],
};

export class ParseView {
  constructor(settings) {
    this.settings = settings;
    this.form = document.getElementById("parse-form");
    this.text = document.getElementById("text");
    this.submit = document.getElementById("parse");
    this.message = document.getElementById("parse-message");
    this.results = document.getElementById("results");
    this.introduction = document.getElementById("introduction");
    this.controller = null;
    this.shown = null; // the fragment of the link to what is shown
    this.onParsed = null;
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.parse();
    });
    this.text.addEventListener("input", () => this.#grow());
    this.text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        this.parse();
      }
    });
    document.getElementById("copy-link").addEventListener("click", () => this.#copyLink());
    settings.model.addEventListener("change", () => this.#invite());
  }

  /** What there is to see before the first parse. */
  #invite() {
    if (this.shown !== null || this.controller !== null) {
      return;
    }
    const examples = EXAMPLES[this.settings.language] ?? [];
    this.results.replaceChildren(examples.length
      ? element("div", { class: "invitation" },
        element("p", { class: "eyebrow" }, "For example"),
        element("ul", {}, examples.map((text) =>
          element("li", {}, button(text, () => this.parse(text), { class: "example" })))))
      : "");
  }

  /** Show the examples of the chosen model, once the models are known. */
  start() {
    this.#invite();
    this.#grow();
  }

  /** Parse what the form has, or another text, which the form then shows. */
  async parse(text = this.text.value) {
    this.text.value = text;
    this.#grow();
    this.controller?.abort();
    if (!text.trim()) {
      this.#fail("Type a sentence first.");
      this.text.focus();
      return;
    }
    this.controller = new AbortController();
    const { controller } = this;
    const { model, beam, nbest } = this.settings.value;
    this.#setBusy(true);
    try {
      const body = { text, beam, nbest, scores: true, include: INCLUDE, ...(model && { model }) };
      const answer = await post("api/parse", body, controller.signal);
      this.#show(answer, beam);
      this.shown = fragmentOf(text, { model: answer.model, beam, nbest });
      this.onParsed?.(this.shown);
    } catch (error) {
      if (!isAborted(error)) {
        this.#fail(error.message);
      }
    } finally {
      if (this.controller === controller) {
        this.controller = null;
        this.#setBusy(false);
      }
    }
  }

  /** Give up a request that is under way. */
  cancel() {
    this.controller?.abort();
  }

  #setBusy(isBusy) {
    this.form.classList.toggle("is-busy", isBusy);
    this.results.classList.toggle("is-stale", isBusy);
    this.results.setAttribute("aria-busy", String(isBusy));
    this.submit.textContent = isBusy ? "Parsing …" : "Parse";
    if (isBusy) {
      this.message.textContent = "";
      if (this.shown === null) {
        this.results.replaceChildren(skeleton());
      }
    } else if (this.shown === null) {
      this.#invite();
    }
  }

  #fail(sentence) {
    this.message.textContent = sentence;
  }

  #show({ model, sentences }, beam) {
    this.introduction.hidden = true;
    this.results.replaceChildren(...sentences.map((sentence, i) =>
      sentenceArticle(sentence, sentences.length > 1 ? i + 1 : null, { model, beam })));
    announce(`${count(sentences.length, "sentence")} parsed.`);
  }

  #grow() {
    this.text.style.height = "auto";
    this.text.style.height = `${this.text.scrollHeight + 2}px`;
  }

  #copyLink() {
    if (!this.text.value.trim()) {
      notify("There is nothing to link to yet.");
      return;
    }
    const link = new URL(location.href);
    link.hash = fragmentOf(this.text.value, this.settings.value);
    copyText(link.href, "link");
  }
}

function skeleton() {
  const bars = Array.from({ length: 4 }, () => element("span"));
  return element("div", { class: "skeleton", "aria-hidden": "true" }, bars);
}

function sentenceArticle(sentence, number, { model, beam }) {
  const { candidates } = sentence;
  let selected = candidates[0];
  const panel = new TreePanel({
    // the best tree comes with the derivation that the search found, the others with that of training
    steps: () => (selected.rank === 1
      ? { tokens: sentence.words, model, beam }
      : { discbracket: selected.tree.discbracket, model }),
  });
  const heading = element("h2", { class: "sentence" },
    number && element("span", { class: "number" }, String(number)),
    sentence.text ?? sentence.words.join(" "));
  const facts = element("p", { class: "facts" });
  const items = candidates.map((candidate) => candidateItem(candidate, candidates[0], () => select(candidate)));

  function select(candidate) {
    selected = candidate;
    const gap = candidate.tree.gap_degree;
    facts.replaceChildren(
      element("span", {}, count(sentence.words.length, "word")),
      element("span", {}, gap ? `gap degree ${gap}` : "continuous"),
      element("span", {}, `log-probability ${decimal(candidate.log_probability)}`),
      element("span", {}, model));
    panel.show(candidate.tree, { differs: constituentKeys(onlyIn(candidate.tree, candidates[0].tree)) });
    items.forEach((item, i) => item.firstChild.setAttribute("aria-pressed", String(candidates[i] === candidate)));
  }

  const list = candidates.length > 1
    ? element("section", { class: "candidates", "aria-label": "Candidates" },
      element("p", { class: "eyebrow" }, "Candidates"), element("ol", {}, items))
    : null;
  const article = element("article", { class: "result" }, element("header", {}, heading, facts), list, panel.element);
  select(selected);
  return article;
}

function candidateItem(candidate, best, choose) {
  const differing = onlyIn(candidate.tree, best.tree).length;
  const note = candidate === best ? "best" : `${count(differing, "constituent")} differ${differing === 1 ? "s" : ""}`;
  const item = button("", choose, { class: "candidate", "aria-pressed": "false" });
  item.append(
    element("span", { class: "rank" }, String(candidate.rank)),
    shareBar(candidate.share),
    element("span", { class: "figure" }, percent(candidate.share)),
    element("span", { class: "note" }, note));
  return element("li", {}, item);
}
