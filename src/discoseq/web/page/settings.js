/* Model, beam and number of candidates: one set of controls, which the views share. */

import { getModels } from "./api.js";
import { element, field } from "./elements.js";

const BEAM = { min: 1, max: 50, usual: 10 };
const CANDIDATES = { min: 1, max: 20, usual: 3 };

export class Settings {
  constructor() {
    this.models = [];
    this.model = element("select", { id: "model" });
    this.beam = number("beam", BEAM);
    this.candidates = number("nbest", CANDIDATES);
    this.nbestField = field("Candidates", this.candidates, "The best trees to show, with their probabilities");
    this.element = element("div", { class: "settings" },
      field("Model", this.model, "The model of the server to parse with"),
      field("Beam", this.beam, "How many hypotheses the search keeps; 1 is greedy"),
      this.nbestField);
  }

  /** Ask the server for its models. */
  async load() {
    const { models } = await getModels();
    this.models = models;
    this.model.replaceChildren(...models.map((model) =>
      element("option", { value: model.name, title: model.linearization }, model.name)));
    const usual = models.find((model) => model.is_default) ?? models[0];
    this.model.value = usual?.name ?? "";
  }

  /** Put the controls into a view; only sentences have several candidates. */
  moveTo(slot, { withCandidates }) {
    this.nbestField.hidden = !withCandidates;
    slot.append(this.element);
  }

  get language() {
    return this.models.find((model) => model.name === this.model.value)?.language ?? null;
  }

  get value() {
    return {
      model: this.model.value,
      beam: within(this.beam, BEAM),
      nbest: within(this.candidates, CANDIDATES),
    };
  }

  /** Take over settings, for instance of a link; a model that the server has not is ignored. */
  set({ model, beam, nbest }) {
    if (model && this.models.some((one) => one.name === model)) {
      this.model.value = model;
    }
    this.beam.value = beam ?? this.beam.value;
    this.candidates.value = nbest ?? this.candidates.value;
  }
}

function number(id, { min, max, usual }) {
  return element("input", { id, type: "number", min, max, value: usual, inputmode: "numeric" });
}

/** A whole number within the bounds, which the control then shows too. */
function within(control, { min, max, usual }) {
  const typed = Number.parseInt(control.value, 10);
  const value = Number.isNaN(typed) ? usual : Math.min(Math.max(typed, min), max);
  control.value = String(value);
  return value;
}
