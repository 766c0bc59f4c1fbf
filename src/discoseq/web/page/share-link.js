/* A link to what is shown. The fragment never reaches a server's log, so links do not leak what was typed. */

const MOST_DIGITS = 3;

/** The fragment for a text and settings. */
export function fragmentOf(text, { model, beam, nbest }) {
  return `#${new URLSearchParams({ text, model, beam, nbest })}`;
}

/** What a fragment says; `text` is null if it is not a link to a sentence. */
export function readFragment(fragment) {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ""));
  return {
    isTreebank: fragment === "#treebank",
    text: parameters.get("text"),
    model: parameters.get("model"),
    beam: digits(parameters.get("beam")),
    nbest: digits(parameters.get("nbest")),
  };
}

function digits(value) {
  return value !== null && /^\d+$/.test(value) && value.length <= MOST_DIGITS ? value : null;
}
