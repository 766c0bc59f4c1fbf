"""The interrupted quotations that the models learn from (models/quotations.py)."""

import sys
from importlib import import_module
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from discoseq.trees.tree import Tree

FOLDER = Path(__file__).parents[2] / "models"
SIGN = Tree.fromstring(
    "(ROOT (S (NP (PRP 0=I)) (VP (MD 1=will) (RB 2=not) (VP (VB 3=sign) (SBAR (IN 4=unless) (S (NP (PRP 5=he)) "
    "(VP (VBZ 6=agrees)))))) (. 7=.)))"
)
KOM = Tree.fromstring(
    "(TOP (SMAIN (vnw 0=Ik) (ww 1=kom) (bw 2=morgen) (let 3=,) (CP (vg 4=als) (SSUB (vnw 5=ik) (ww 6=kan)))) (let 7=.))"
)
KOMME = Tree.fromstring("(ROOT (S (ADV 0=Morgen) (VVFIN 1=komme) (PPER 2=ich) (ADV 3=wieder)) ($. 4=.))")
SAID = {
    "en": Tree.fromstring(
        "(ROOT (S (CC 0=But) (NP (DT 1=the) (NN 2=boy)) (VP (VBD 3=said) (ADVP (RB 4=so))) (. 5=.)))"
    ),
    "nl": Tree.fromstring("(TOP (DU (bw 0=Ja) (let 1=,) (SV1 (ww 2=zei) (NP (lid 3=de) (n 4=man)))) (let 5=.))"),
    "de": Tree.fromstring("(ROOT (S (ITJ 0=Ja) ($, 1=,) (VVFIN 2=sagte) (NP (ART 3=der) (NN 4=Mann))) ($. 5=.))"),
}


@pytest.fixture
def quotations(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])
    return import_module("quotations")


def all_of(quotations: ModuleType, language: str, tree: Tree) -> set[Tree]:
    """What chance makes of a sentence with the one speaker of SAID."""
    (speaker,) = quotations.find_speakers(SAID[language], quotations.STYLES[language])
    made = (quotations.interrupt(tree, language, speaker, Random(seed)) for seed in range(500))
    return {interrupted for interrupted in made if interrupted is not None}


@pytest.mark.parametrize(
    ("language", "tree", "interrupted"),
    [
        (
            "en",
            SIGN,
            "(ROOT (S (`` 0=\") (NP (PRP 1=I)) (VP (MD 2=will) (RB 3=not) (VP (VB 4=sign) (, 5=,) ('' 6=\") (PRN (SINV "
            '(VP (VBD 7=said)) (NP (DT 8=the) (NN 9=boy)))) (, 10=,) (`` 11=") (SBAR (IN 12=unless) '
            "(S (NP (PRP 13=he)) (VP (VBZ 14=agrees)))))) (. 15=.) ('' 16=\")))",
        ),
        (
            "nl",
            KOM,
            '(TOP (DU (let 0=") (SMAIN (vnw 1=Ik) (ww 2=kom) (bw 3=morgen) (let 9=,) (let 10=") (CP (vg 11=als) (SSUB '
            '(vnw 12=ik) (ww 13=kan)))) (let 4=,) (let 5=") (SV1 (ww 6=zei) (NP (lid 7=de) (n 8=man)))) (let 14=.) '
            '(let 15="))',
        ),
        (
            "de",
            KOMME,
            "(ROOT ($[ 0=„) (S (S (ADV 1=Morgen) ($, 7=,) ($[ 8=„) (VVFIN 9=komme) (PPER 10=ich) (ADV 11=wieder)) "
            "($[ 2=“) ($, 3=,) (VVFIN 4=sagte) (NP (ART 5=der) (NN 6=Mann))) ($. 12=.) ($[ 13=“))",
        ),
        (
            "de",
            KOMME,
            "(ROOT (S (S (ADV 0=Morgen) ($, 5=,) (VVFIN 6=komme) (PPER 7=ich) (ADV 8=wieder)) ($, 1=,) (VVFIN 2=sagte) "
            "(NP (ART 3=der) (NN 4=Mann))) ($. 9=.))",
        ),
    ],
)
def test_the_halves_are_annotated_as_in_the_treebank(
    quotations: ModuleType, language: str, tree: Tree, interrupted: str
) -> None:
    assert Tree.fromstring(interrupted) in all_of(quotations, language, tree)


@pytest.mark.parametrize(("language", "tree"), [("en", SIGN), ("nl", KOM), ("de", KOMME)])
def test_no_word_of_the_sentence_is_lost_and_none_changes_its_place(
    quotations: ModuleType, language: str, tree: Tree
) -> None:
    words = [word for word in tree.words if word != ","]
    made = all_of(quotations, language, tree)
    assert made
    for interrupted in made:
        rest = iter(interrupted.words)
        assert all(word in rest for word in words)
        assert not interrupted.is_discontinuous or language != "en"
        assert interrupted.is_discontinuous or language == "en"


@pytest.mark.parametrize(
    "sentence",
    [
        "(ROOT (NP (DT 0=The) (NN 1=end) (. 2=.)))",
        "(ROOT (S (NP (PRP 0=I)) (VP (MD 1=will) (VP (VB 2=sign)))))",
        "(ROOT (S (`` 0=``) (NP (PRP 1=I)) (VP (MD 2=will) (VP (VB 3=sign) (NP (PRP 4=it)))) (. 5=.)))",
        "(ROOT (S (NP (PRP 0=I)) (VP (VBD 1=said) (SBAR (S (NP (PRP 2=he)) (VP (VBZ 3=lies))))) (. 4=.)))",
    ],
)
def test_what_is_no_plain_sentence_is_left_alone(quotations: ModuleType, sentence: str) -> None:
    assert not all_of(quotations, "en", Tree.fromstring(sentence))


def test_a_preposition_is_not_torn_from_its_clause(quotations: ModuleType) -> None:
    texts = {" ".join(tree.words) for tree in all_of(quotations, "en", SIGN)}
    assert texts
    assert not any("unless , the boy" in text or "unless , said" in text for text in texts)


def test_the_same_seed_makes_the_same_sentences(quotations: ModuleType) -> None:
    trees = [SAID["nl"], KOM]
    made = quotations.make_trees(trees, "nl", 5, Random(1))
    assert made == quotations.make_trees(trees, "nl", 5, Random(1))
    assert len(made) == 1
    assert not quotations.make_trees([KOM], "nl", 5, Random(1)), "nobody says anything in this treebank"
