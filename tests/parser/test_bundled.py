"""The models of the project: small, complete, and good for trees with crossing branches."""

import json
import subprocess
import sys
import tomllib
import zlib
from functools import cache
from pathlib import Path

import pytest

from discoseq import Parser
from discoseq.parser.model_registry import BUNDLED, PACKAGED, NamedModel, named_models
from discoseq.trees.tree import Tree

NAMES = ["en", *PACKAGED]
PACKAGES = Path(__file__).resolve().parents[2] / "models"
SENTENCES = {
    "en": [
        "Which letter did the director forget to sign?",
        "PARLIAMENT REJECTS NEW TAX",
        "“No,” she said.",
        "1. Open the box (carefully).",
        "🙂",
        "The cat " + "and the dog " * 50 + "slept.",
    ],
    "nl": [
        "Die brief had ze hem nooit moeten schrijven.",
        "KAMER VERWERPT WET",
        "„Nee”, zei ze.",
        "Waarom?",
        "zo'n 3,5 procent",
        "De kat " + "en de hond " * 50 + "sliep.",
    ],
    "de": [
        "Welches Buch hast du deiner Schwester geschenkt?",
        "BUNDESTAG LEHNT GESETZ AB",
        "„Nein“, sagte sie.",
        "Warum?",
        "etwa 3,5 Prozent",
        "Die Katze " + "und der Hund " * 50 + "schliefen.",
    ],
}
INTERRUPTED = {
    "en": ("“We waited for an hour,” he explained, “because the road was flooded.”", "PRN", "he explained"),
    "nl": ("Dat, zei de oude man, gaat je niets aan.", "SMAIN", "Dat , gaat je niets aan"),
    "de": ("Das neue Gesetz, sagte die Ministerin, gilt für alle.", "S", "Das neue Gesetz , gilt für alle"),
}
CROSSING = {"en": "What do you think the committee will decide?", "nl": SENTENCES["nl"][0], "de": SENTENCES["de"][0]}


@cache
def parser(name: str) -> Parser:
    return Parser.load(name)


@cache
def model(name: str) -> NamedModel:
    return next(model for model in named_models() if model.name == name)


@pytest.mark.parametrize("name", NAMES)
def test_a_headline_in_capitals_has_the_tree_of_the_same_words_in_lower_case(name: str) -> None:
    words = SENTENCES[name][1].split()
    capitals, lower = parser(name).parse_all([words, [word.lower() for word in words]])
    assert list(capitals.words) == words
    assert capitals.root == lower.root


@pytest.mark.parametrize("name", NAMES)
def test_a_model_is_found_by_its_name_and_is_small(name: str) -> None:
    # inside a wheel the files are compressed
    assert sum(len(zlib.compress(file.read_bytes(), 1)) for file in model(name).directory.glob("*.*")) <= 60e6


def test_discoseq_itself_has_the_english_model_alone() -> None:
    assert [path.name for path in BUNDLED.iterdir()] == ["en"]
    assert model("en").package == "discoseq"


@pytest.mark.parametrize("name", PACKAGED)
def test_another_language_has_a_package_with_a_version_and_a_licence_of_its_own(name: str) -> None:
    project = tomllib.loads((PACKAGES / name / "pyproject.toml").read_text("utf-8"))["project"]
    found = model(name)
    assert (found.package, found.version, found.licence) == (f"discoseq-{name}", project["version"], project["license"])


@pytest.mark.parametrize("name", NAMES)
def test_it_knows_its_language_and_says_what_it_was_made_from(name: str) -> None:
    assert parser(name).language == name
    card = (model(name).directory / "README.md").read_text(encoding="utf-8")
    for word in ("Licence", "F1", "sentences per CPU-second", "seed"):
        assert word in card
    scores = json.loads((model(name).directory / "config.json").read_text(encoding="utf-8"))["extra"]["scores"]
    assert f"F1 {scores['f1']:.2f}" in card


@pytest.mark.parametrize("name", NAMES)
def test_it_gives_as_many_trees_as_asked_for(name: str) -> None:
    for candidates in parser(name).nbest_all([["Waarom"], CROSSING[name], SENTENCES[name][1]], 20):
        assert len({candidate.tree for candidate in candidates}) == len(candidates) == 20


@pytest.mark.parametrize("name", NAMES)
def test_it_parses_whatever_it_is_given(name: str) -> None:
    for sentence in SENTENCES[name]:
        tree = parser(name).parse(sentence, beam_size=2)
        assert tree.words
        assert all(token.tag for token in tree.tokens)


@pytest.mark.parametrize("name", NAMES)
def test_it_finds_crossing_branches(name: str) -> None:
    tree: Tree = parser(name).parse(CROSSING[name])
    assert tree.is_discontinuous, tree


@pytest.mark.parametrize("name", NAMES)
def test_it_joins_the_halves_of_what_is_said_as_the_treebanks_do(name: str) -> None:
    text, label, phrase = INTERRUPTED[name]
    tree: Tree = parser(name).parse(text)
    assert phrase in {" ".join(tree.words[i] for i in part.tokens) for part in tree.subtrees(label)}, tree


def test_a_bundled_model_needs_no_package_of_encoders_and_no_network() -> None:
    program = """
import socket, sys
sys.modules["transformers"] = None
def refuse(*arguments): raise AssertionError("the network was asked")
socket.socket.connect = refuse
from discoseq import Parser
print(Parser.load("en").parse("It works."))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "works" in done.stdout


@pytest.mark.parametrize("name", NAMES)
def test_half_a_character_breaks_no_sentence_and_stays_in_the_tree(name: str) -> None:
    words = ("\ud83d", "a\udc80b", "\x00", "\uffff", "x")
    assert parser(name).parse(words, beam_size=1).words == words
    assert parser(name).parse("Anna \udcff slept", beam_size=1).words == ("Anna", "\udcff", "slept")
