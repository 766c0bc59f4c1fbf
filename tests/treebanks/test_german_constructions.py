"""The rare sentences that the German model learns from, made of statements (models/de/de_constructions.py)."""

import sys
from importlib import import_module
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from discoseq.treebanks.dependency_trees import Dependencies, build_tiger_tree
from discoseq.trees.tree import Tree

FOLDER = Path(__file__).parents[2] / "models" / "de"
WILL = "Er/PPER/sb/1 will/VMFIN/ROOT/-1 das/ART/nk/3 Brot/NN/oa/4 mitnehmen/VVINF/oc/1 ./$./punct/1"
HAS = "Sie/PPER/sb/1 hat/VAFIN/ROOT/-1 es/PPER/oa/4 nicht/PTKNEG/ng/4 gelesen/VVPP/oc/1 ./$./punct/1"
BUYS = "Sie/PPER/sb/1 kauft/VVFIN/ROOT/-1 gebrauchte/ADJA/nk/3 Bücher/NN/oa/1 ./$./punct/1"
NONE = "Sie/PPER/sb/1 kauft/VVFIN/ROOT/-1 keine/PIAT/nk/3 Bücher/NN/oa/1 ./$./punct/1"
TURNS = "Dann/ADV/mo/1 wende/VVFIN/ROOT/-1 ich/PPER/sb/1 mich/PRF/oa/1 an/APPR/op/1 Berlin/NE/nk/4 ./$./punct/1"


@pytest.fixture
def german(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])
    return import_module("de_constructions")


def dependencies(text: str) -> Dependencies:
    """A sentence as word/tag/function/head, words counted from 0; the root has the head -1."""
    words, tags, functions, heads = zip(*(word.split("/") for word in text.split()), strict=True)
    return Dependencies(words, tags, tuple(int(head) for head in heads), functions)


def all_of_kind(german: ModuleType, kind: str, text: str) -> set[Tree]:
    statement = german.statement_of(dependencies(text))
    made = (getattr(german, kind)(statement, Random(seed)) for seed in range(50))
    return {build_tiger_tree(sentence) for sentence in made if sentence is not None}


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (
            "fronted_infinitive",
            WILL,
            "(ROOT (S (VP (VVINF 0=Mitnehmen) (NP (ART 3=das) (NN 4=Brot))) (VMFIN 1=will) (PPER 2=er)) ($. 5=.))",
        ),
        (
            "fronted_infinitive",
            WILL,
            "(ROOT (S (VP (NP (ART 0=Das) (NN 1=Brot)) (VVINF 2=mitnehmen)) (VMFIN 3=will) (PPER 4=er)) ($. 5=.))",
        ),
        (
            "fronted_infinitive",
            HAS,
            "(ROOT (S (VP (VVPP 0=Gelesen) (PPER 3=es) (PTKNEG 4=nicht)) (VAFIN 1=hat) (PPER 2=sie)) ($. 5=.))",
        ),
        ("polite_imperative", WILL, "(ROOT (S (VVFIN Nehmen) (PPER Sie) (NP (ART das) (NN Brot)) (PTKVZ mit)) ($. !))"),
        ("singular_imperative", WILL, "(ROOT (S (VVIMP Nimm) (NP (ART das) (NN Brot)) (PTKVZ mit)) ($. !))"),
        ("plural_imperative", WILL, "(ROOT (S (VVIMP Nehmt) (NP (ART das) (NN Brot)) (PTKVZ mit)) ($. .))"),
        ("singular_imperative", TURNS, "(ROOT (S (VVIMP Wende) (PRF dich) (PP (APPR an) (NE Berlin))) ($. !))"),
        (
            "split_noun_phrase",
            BUYS,
            "(ROOT (S (NP (NN 0=Bücher) (ADJA 3=gebrauchte)) (VVFIN 1=kauft) (PPER 2=sie)) ($. 4=.))",
        ),
        (
            "split_noun_phrase",
            NONE,
            "(ROOT (S (NP (NN 0=Bücher) (PIS 3=keine)) (VVFIN 1=kauft) (PPER 2=sie)) ($. 4=.))",
        ),
    ],
)
def test_a_word_that_moves_stays_in_its_phrase(german: ModuleType, kind: str, text: str, expected: str) -> None:
    assert Tree.fromstring(expected) in all_of_kind(german, kind, text)


def test_at_most_two_sentences_are_made_and_the_same_with_the_same_seed(german: ModuleType) -> None:
    for text in (WILL, HAS, BUYS, NONE, TURNS):
        made = list(german.constructions(dependencies(text), Random(1)))
        assert 1 <= len(made) <= 2
        assert made == list(german.constructions(dependencies(text), Random(1)))


@pytest.mark.parametrize(
    "text",
    [
        "Will/VMFIN/ROOT/-1 er/PPER/sb/0 das/ART/nk/3 Brot/NN/oa/4 nehmen/VVINF/oc/0 ./$./punct/0",
        "Er/PPER/sb/1 nimmt/VVFIN/ROOT/-1 Brot/NN/oa/1 ,/$,/punct/2 Käse/NN/cj/2 ./$./punct/1",
        "Er/PPER/sb/1 isst/VVFIN/ROOT/-1 und/KON/cd/1 trinkt/VVFIN/cj/2 ./$./punct/1",
        "Den/ART/nk/1 Mann/NN/sb/2 will/VMFIN/ROOT/-1 er/PPER/oa/4 sehen/VVINF/oc/2 ./$./punct/2",
    ],
)
def test_what_is_not_a_plain_statement_is_refused(german: ModuleType, text: str) -> None:
    assert german.statement_of(dependencies(text)) is None


def test_a_noun_with_an_article_is_not_split_and_his_bread_is_not_ordered(german: ModuleType) -> None:
    assert not all_of_kind(german, "split_noun_phrase", WILL)
    assert not all_of_kind(german, "polite_imperative", WILL.replace("das/ART", "sein/PPOSAT"))


@pytest.mark.parametrize(
    ("infinitive", "singular", "plural"),
    [
        *(("nehmen", "nimm", "nehmt"), ("arbeiten", "arbeite", "arbeitet"), ("sammeln", "sammle", "sammelt")),
        *(("öffnen", "öffne", "öffnet"), ("ändern", "ändere", "ändert"), ("vergeben", "vergib", "vergebt")),
    ],
)
def test_imperatives(german: ModuleType, infinitive: str, singular: str, plural: str) -> None:
    verbs = import_module("de_verbs")
    assert verbs.singular_imperative_of(infinitive, Random(1)) == singular
    assert verbs.plural_imperative_of(infinitive) == plural


@pytest.mark.parametrize(
    ("form", "infinitive"),
    [("nehme", "nehmen"), ("erinnere", "erinnern"), ("entwickle", "entwickeln"), ("nahmen", None), ("sagten", None)],
)
def test_a_form_of_the_past_has_no_infinitive_here(german: ModuleType, form: str, infinitive: str | None) -> None:
    assert import_module("de_verbs").infinitive_of(form) == infinitive
