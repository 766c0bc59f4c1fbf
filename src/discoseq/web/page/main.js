/* The start of the page: the two views, the link in the address, files that are dropped, keyboard shortcuts. */

import { element } from "./elements.js";
import { ParseView } from "./parse-view.js";
import { Settings } from "./settings.js";
import { readFragment } from "./share-link.js";
import { currentPanel } from "./tree-panel.js";
import { TreebankView } from "./treebank-view.js";

const SHORTCUTS = [
  [["Ctrl", "Enter"], "parse the text"],
  [["/"], "go to the text, or to the query of a treebank"],
  [["s"], "the view of a sentence"],
  [["t"], "the view of a treebank"],
  [["d"], "open or close the derivation"],
  [["←", "→"], "previous and next step of the derivation"],
  [["Home", "End"], "first and last step"],
  [["Space"], "play or pause the derivation"],
  [["↑", "↓", "←", "→"], "in a tree: parent, child, sisters"],
  [["n", "p"], "next and previous sentence of a treebank"],
  [["Esc"], "stop parsing, leave a tree"],
  [["?"], "this list"],
];

const settings = new Settings();
const sentenceView = document.getElementById("sentence-view");
const treebankView = document.getElementById("treebank-view");
const sentenceLink = document.getElementById("sentence-link");
const treebankLink = document.getElementById("treebank-link");
const help = document.getElementById("help");
const parse = new ParseView(settings);
const treebank = new TreebankView(treebankView, settings);

function showView(isTreebank) {
  sentenceView.hidden = isTreebank;
  treebankView.hidden = !isTreebank;
  sentenceLink.setAttribute("aria-current", isTreebank ? "false" : "page");
  treebankLink.setAttribute("aria-current", isTreebank ? "page" : "false");
  const slot = isTreebank ? treebank.settingsSlot : document.getElementById("sentence-settings");
  settings.moveTo(slot, { withCandidates: !isTreebank });
}

/** Show what the address asks for. */
function follow() {
  const wanted = readFragment(location.hash);
  showView(wanted.isTreebank);
  if (wanted.text && location.hash !== parse.shown) {
    settings.set(wanted);
    parse.parse(wanted.text);
  }
}

async function start() {
  parse.onParsed = (fragment) => {
    sentenceLink.href = fragment;
    history.replaceState(null, "", fragment);
  };
  showView(readFragment(location.hash).isTreebank);
  try {
    await settings.load();
  } catch (error) {
    parse.message.textContent = error.message;
  }
  parse.start();
  follow();
  addEventListener("hashchange", follow);
}

function listenForFiles() {
  let depth = 0; // dragenter and dragleave come in pairs for every element on the way
  const isFile = (event) => event.dataTransfer?.types.includes("Files");
  const mark = (change) => {
    depth = change === 0 ? 0 : depth + change;
    document.body.classList.toggle("is-dropping", depth > 0);
  };
  addEventListener("dragenter", (event) => isFile(event) && mark(1));
  addEventListener("dragleave", (event) => isFile(event) && mark(-1));
  addEventListener("dragover", (event) => isFile(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (isFile(event)) {
      event.preventDefault();
      mark(0);
      location.hash = "#treebank";
      treebank.open(event.dataTransfer.files[0]);
    }
  });
}

function listenForKeys() {
  const isTreebank = () => !treebankView.hidden;
  const actions = {
    "?": () => help.showModal(),
    "/": () => (isTreebank() && treebank.file ? treebank.filter.query : parse.text).focus(),
    s: () => sentenceLink.click(),
    t: () => treebankLink.click(),
    d: () => currentPanel()?.toggleDerivation(),
    n: () => isTreebank() && treebank.step(1),
    p: () => isTreebank() && treebank.step(-1),
    Escape: () => parse.cancel(),
  };
  addEventListener("keydown", (event) => {
    const isTyping = event.target.matches?.("textarea, select, input:not([type=checkbox], [type=range])");
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || help.open) {
      return;
    }
    if (isTyping && event.key !== "Escape") {
      return;
    }
    if (event.target === document.body && currentPanel()?.derivation?.onKey(event)) {
      return;
    }
    const action = actions[event.key];
    if (action) {
      event.preventDefault();
      action();
    }
  });
}

function listenForButtons() {
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // the fragment is for links to sentences
    document.getElementById("main").focus();
  });
  document.getElementById("help-toggle").addEventListener("click", () => help.showModal());
  document.getElementById("help-close").addEventListener("click", () => help.close());
}

function listShortcuts() {
  document.getElementById("shortcuts").append(...SHORTCUTS.flatMap(([keys, what]) => [
    element("dt", {}, keys.map((key) => element("kbd", {}, key))),
    element("dd", {}, what),
  ]));
}

listShortcuts();
listenForButtons();
listenForFiles();
listenForKeys();
start();
