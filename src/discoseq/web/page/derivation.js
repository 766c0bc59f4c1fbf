/* A derivation step by step: the tree grows, stack and buffer change, the words show what the two heads see. */

import { post } from "./api.js";
import { announce, button, element, percent, shareBar } from "./elements.js";
import { progress } from "./trees.js";

const PLAY_INTERVAL = 1000; // milliseconds

/** Ask for the steps of a derivation. */
export function fetchSteps(request, signal) {
  return post("api/steps", request, signal);
}

/** The panel below a tree with the steps of its derivation. */
export class Derivation {
  constructor(treeView, answer) {
    this.treeView = treeView;
    this.words = answer.words;
    this.steps = answer.steps;
    this.progress = progress(treeView.tree, answer.steps);
    this.position = 0;
    this.timer = null;
    this.element = element("section", { class: "derivation", "aria-label": "Derivation" },
      this.#controls(),
      element("div", { class: "step" }, this.#action(), this.#state()),
      legend(answer));
    this.element.addEventListener("keydown", (event) => this.onKey(event));
    this.go(0);
  }

  #controls() {
    const icon = (text, name, action) => button(text, action, { class: "quiet icon", "aria-label": name, title: name });
    this.first = icon("⇤", "First step", () => this.go(0));
    this.previous = icon("←", "Previous step", () => this.go(this.position - 1));
    this.play = icon("Play", "Play", () => this.togglePlay());
    this.next = icon("→", "Next step", () => this.go(this.position + 1));
    this.last = icon("⇥", "Last step", () => this.go(this.steps.length - 1));
    this.slider = element("input", {
      type: "range", min: 0, max: this.steps.length - 1, value: 0, "aria-label": "Step of the derivation",
    });
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.counter = element("output", { class: "counter" });
    return element("div", { class: "step-controls" },
      element("span", { class: "button-group" }, this.first, this.previous, this.play, this.next, this.last),
      this.slider, this.counter);
  }

  #action() {
    this.name = element("h4", { class: "action-name" });
    this.meaning = element("p", { class: "action-meaning" });
    this.alternatives = element("ol", { class: "alternatives", "aria-label": "The best actions at this step" });
    return element("div", { class: "step-action" },
      element("p", { class: "eyebrow" }, "Action"), this.name, this.meaning, this.alternatives);
  }

  #state() {
    this.stack = element("ol", { class: "stack", "aria-label": "Stack, the top last" });
    this.buffer = element("ol", { class: "buffer", "aria-label": "Buffer, the front first" });
    const part = (name, note, list) =>
      element("div", { class: "state-part" },
        element("p", { class: "eyebrow" }, name, element("span", { class: "note" }, note)), list);
    return element("div", { class: "state" }, part("Stack", "top on the right", this.stack),
      part("Buffer", "front on the left", this.buffer));
  }

  /** Keys of the panel; the page passes them on from elsewhere too. Returns whether the key meant something. */
  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) {
      return false;
    }
    const goal = {
      ArrowLeft: this.position - 1,
      ArrowRight: this.position + 1,
      Home: 0,
      End: this.steps.length - 1,
    };
    if (event.key in goal) {
      this.go(goal[event.key]);
    } else if (event.key === " " && event.target.localName !== "button") {
      this.togglePlay();
    } else {
      return false;
    }
    event.preventDefault();
    return true;
  }

  togglePlay() {
    if (this.timer !== null) {
      this.pause();
      return;
    }
    if (this.position === this.steps.length - 1) {
      this.#show(0);
    }
    this.play.textContent = "Pause";
    this.play.setAttribute("aria-label", "Pause");
    this.timer = setInterval(() => {
      this.#show(this.position + 1);
      if (this.position === this.steps.length - 1) {
        this.pause();
      }
    }, PLAY_INTERVAL);
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.play.textContent = "Play";
    this.play.setAttribute("aria-label", "Play");
  }

  /** Show a step that someone has chosen. */
  go(position) {
    this.pause();
    this.#show(position);
    const step = this.steps[this.position];
    announce(`Step ${this.position}: ${step.name ?? "start"}`);
  }

  #show(position) {
    this.position = Math.min(Math.max(position, 0), this.steps.length - 1);
    const step = this.steps[this.position];
    const last = this.steps.length - 1;
    this.slider.value = String(this.position);
    this.slider.setAttribute("aria-valuetext", `${this.position} of ${last}: ${step.name ?? "start"}`);
    this.counter.textContent = `${this.position} / ${last}`;
    this.first.disabled = this.previous.disabled = this.position === 0;
    this.last.disabled = this.next.disabled = this.position === last;
    this.name.textContent = step.action === null ? "Start" : step.name;
    this.meaning.textContent = meaning(step.action);
    this.alternatives.replaceChildren(...step.alternatives.map((one) => alternative(one, step.action)));
    this.stack.replaceChildren(...step.stack.map((one) => this.#item(one)));
    this.buffer.replaceChildren(...step.buffer.map((word) => this.#item({ kind: "word", label: null, words: [word] })));
    this.treeView.showStep(step, this.progress[this.position]);
    this.stack.scrollLeft = this.stack.scrollWidth; // the top is what matters
  }

  #item({ kind, label, words }) {
    const texts = words.map((word) => this.words[word]);
    if (kind === "word") {
      return element("li", { class: "item item-word" }, texts[0]);
    }
    if (kind === "open") {
      return element("li", { class: "item item-open", title: "an open constituent" }, label);
    }
    const shown = words.map((word, i) => (i > 0 && word > words[i - 1] + 1 ? `… ${texts[i]}` : texts[i])).join(" ");
    return element("li", { class: "item item-constituent", title: shown },
      element("b", {}, label), element("span", {}, shown));
  }

  /** Stop, and give the tree back. */
  close() {
    this.pause();
    this.treeView.showStep(null, null);
    this.element.remove();
  }
}

function alternative({ name, action, probability }, chosen) {
  return element("li", { class: action === chosen ? "is-chosen" : null, "aria-current": action === chosen ? "step" : null },
    element("span", { class: "alternative-name" }, name), shareBar(probability),
    element("span", { class: "figure" }, percent(probability)));
}

/** What an action does, in words (docs/linearizations.md). */
function meaning(action) {
  if (action === null) {
    return "All words are in the buffer, the stack is empty.";
  }
  const [, move, , k, , label] = /^(SH|SW|NT|RE|FI)?(#(\d+))?(-(.*))?/s.exec(action);
  const number = Number(k ?? 0);
  const meanings = {
    SH: number
      ? `Moves the word with ${number} before it from the buffer to the stack.`
      : "Moves the first word of the buffer to the stack.",
    SW: "Sends the word below the top of the stack back to the buffer.",
    NT: `Opens a constituent ${label}.`,
    RE: k ? `Makes a constituent ${label} of the top of the stack.` : "Closes the constituent that was opened last.",
    FI: "Ends the derivation.",
  };
  return meanings[move] ?? "";
}

function legend(answer) {
  const entry = (name, text) => element("span", {}, element("i", { class: `key key-${name}` }), text);
  return element("p", { class: "legend" },
    entry("stack", "seen by the stack’s head"),
    entry("buffer", "seen by the buffer’s head"),
    entry("none", "seen by neither"),
    element("span", { class: "legend-model" }, `${answer.model}, ${answer.linearization}`));
}
