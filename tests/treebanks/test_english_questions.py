"""The questions that the English model learns from, made of statements (models/en/en_questions.py)."""

import sys
from importlib import import_module
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from discoseq.trees.tree import Tree

FOLDER = Path(__file__).parents[2] / "models" / "en"
WILL = Tree.fromstring(
    "(ROOT (S (NP (DT 0=The) (NN 1=board)) (VP (MD 2=will) (VP (VB 3=fund) (NP (DT 4=the) (NN 5=plan)))) (. 6=.)))"
)
WORKED = Tree.fromstring(
    "(ROOT (S (NP (PRP 0=She)) (VP (VBD 1=worked) (PP (IN 2=on) (NP (PRP 3=it))) (S (VP (TO 4=to) (VP (VB 5=work))))) "
    "(. 6=.)))"
)
WAS = Tree.fromstring("(ROOT (S (NP (PRP 0=He)) (VP (VBD 1=was) (RB 2=n't) (ADJP (JJ 3=old))) (. 4=.)))")
PLAIN = Tree.fromstring("(ROOT (S (NP (PRP 0=He)) (VP (VBD 1=was) (ADJP (JJ 2=old))) (. 3=.)))")


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])
    return import_module("en_questions")


def all_of_kind(questions: ModuleType, kind: str, tree: Tree) -> set[Tree]:
    """What chance makes of the one clause of a tree."""
    ((subject, predicate),) = questions.statements(tree)
    made = (
        getattr(questions, kind)(subject, predicate, frozenset(["work", "fund"]), Random(seed)) for seed in range(3000)
    )
    return {question for question in made if question is not None}


@pytest.mark.parametrize(
    ("kind", "tree", "question"),
    [
        (
            "about_object",
            WILL,
            "(ROOT (SBARQ (SQ (VP (WHNP (WDT 0=Which) (NN 1=plan)) (VB 5=fund)) (MD 2=will) "
            "(NP (DT 3=the) (NN 4=board))) (. 6=?)))",
        ),
        (
            "about_object",
            WORKED,
            "(ROOT (SBARQ (SQ (VP (PP (WHNP (WP 0=What)) (IN 4=on)) (VB 3=work) (S (VP (TO 5=to) (VP (VB 6=work))))) "
            "(VBD 1=did) (NP (PRP 2=she))) (. 7=?)))",
        ),
        (
            "about_circumstance",
            WILL,
            "(ROOT (SBARQ (SQ (VP (WHADVP (WRB 0=Why)) (VB 4=fund) (NP (DT 5=the) (NN 6=plan))) (MD 1=will) "
            "(NP (DT 2=the) (NN 3=board))) (. 7=?)))",
        ),
        (
            "about_subject",
            WILL,
            "(ROOT (SBARQ (SQ (WHNP (WDT 0=Which) (NN 1=board)) (MD 2=will) (VP (VB 3=fund) "
            "(NP (DT 4=the) (NN 5=plan)))) (. 6=?)))",
        ),
        (
            "about_predicate",
            PLAIN,
            "(ROOT (SBARQ (SQ (WHADJP (WRB 0=How) (JJ 1=old)) (VBD 2=was) (NP (PRP 3=he))) (. 4=?)))",
        ),
        ("whether", WAS, "(ROOT (SQ (VBD 0=Was) (RB 1=n't) (NP (PRP 2=he)) (ADJP (JJ 3=old)) (. 4=?)))"),
        (
            "about_something_believed",
            WILL,
            "(ROOT (SBARQ (SQ (VP (SBAR (S (VP (VP (WHNP (WP 0=What)) (VB 7=fund)) (MD 6=will)) "
            "(NP (DT 4=the) (NN 5=board)))) (VB 3=think)) (VBP 1=do) (NP (PRP 2=you))) (. 8=?)))",
        ),
        (
            "about_something_intended",
            WILL,
            "(ROOT (SBARQ (SQ (VP (S (VP (VP (WHNP (WP 0=What)) (VB 5=fund)) (TO 4=to))) (VB 3=want)) (VBD 1=did) "
            "(NP (PRP 2=they))) (. 6=?)))",
        ),
    ],
)
def test_a_question_word_stays_in_its_phrase(questions: ModuleType, kind: str, tree: Tree, question: str) -> None:
    assert Tree.fromstring(question) in all_of_kind(questions, kind, tree)


def test_questions_are_complete_trees_and_the_same_with_the_same_seed(questions: ModuleType) -> None:
    trees = [WILL, WORKED, WAS, PLAIN]
    made, kinds = questions.make_trees(trees, 5, Random(1))
    assert (made, kinds) == questions.make_trees(trees, 5, Random(1))
    assert len(made) == sum(kinds.values()) == len({tree.words for tree in made})
    assert all(tree.words[-1] == "?" and tree.words[0][0].isupper() for tree in made)


def test_a_clause_with_crossing_branches_at_any_depth_is_left_out(questions: ModuleType) -> None:
    crossing = Tree.fromstring(
        "(ROOT (S (NP (PRP 0=They)) (VP (MD 1=will) (VP (VB 2=sign) (S (NP (NP (DT 3=a) (NN 4=letter)) (PP (IN 6=on) "
        "(NP (PRP 7=it)))) (NP (NN 5=today))))) (. 8=.)))"
    )
    assert not list(questions.statements(crossing))
    assert list(questions.statements(WILL))


@pytest.mark.parametrize(
    ("word", "tag", "base"),
    [
        *(("worked", "VBD", "work"), ("planned", "VBD", "plan"), ("tries", "VBZ", "try"), ("fund", "VBP", "fund")),
        *(("went", "VBD", "go"), ("uses", "VBZ", "use"), ("zorbed", "VBD", None)),
    ],
)
def test_base_forms(questions: ModuleType, word: str, tag: str, base: str | None) -> None:
    forms = frozenset(["work", "plan", "try", "fund", "use"])
    assert import_module("en_verbs").base_form(word, tag, forms) == base
