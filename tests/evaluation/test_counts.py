"""A root that only one side has costs points, and is named."""

from pathlib import Path

import pytest

from discoseq.evaluation.corpus_scores import Scores, evaluate, evaluate_files
from discoseq.evaluation.gold_pairs import TreeFile
from discoseq.treebanks.files import parse_trees

SENTENCE = "(S (NP (PRP He)) (VP (VBD came)))"
ADVICE = "counts as a bracket; give both sides the same root (discoseq convert IN OUT --root TOP)"


def scores(gold: str, predicted: str, rules: str, folder: Path) -> Scores:
    one, two = (root.replace("*", SENTENCE) + "\n" for root in (gold, predicted))
    (folder / "gold.mrg").write_text(one)
    (folder / "predicted.mrg").write_text(two)
    from_files = evaluate_files(
        TreeFile(folder / "gold.mrg", "bracket"), TreeFile(folder / "predicted.mrg", "bracket"), rules
    )
    assert from_files == evaluate(parse_trees(one, "bracket"), parse_trees(two, "bracket"), rules)
    return from_files


@pytest.mark.parametrize(
    ("gold", "predicted", "rules", "which"),
    [
        ("( *)", "(ROOT *)", "disco", "only the gold tree has a root with an empty label, which"),
        ("(TOP *)", "( *)", "disco", "only the parse has a root with an empty label, which"),
        ("*", "( *)", "disco", "only the parse has a root with an empty label, which"),
        ("(S1 *)", "(ROOT *)", "disco", "only the gold tree has the root S1, which"),
        ("(ROOT *)", "*", "evalb", "only the gold tree has the root ROOT, which"),
        ("(ROOT *)", "(TOP *)", "evalb", "only the gold tree has the root ROOT, which"),
        (
            "( *)",
            "(ROOT *)",
            "evalb",
            "the gold tree has a root with an empty label and the parse the root ROOT, each of which",
        ),
    ],
)
def test_a_root_of_one_side_is_noted(tmp_path: Path, gold: str, predicted: str, rules: str, which: str) -> None:
    found = scores(gold, predicted, rules, tmp_path)
    assert found.all.f1 is not None
    assert found.all.f1 < 100
    assert found.notes == (f"in 1 of 1 sentences {which} {ADVICE}",)


@pytest.mark.parametrize(
    ("gold", "predicted", "rules"),
    [
        ("( *)", "( *)", "disco"),
        ("(ROOT *)", "*", "disco"),
        ("(TOP *)", "(VROOT *)", "disco"),
        ("(ROOT *)", "(ROOT *)", "evalb"),
        ("(TOP *)", "*", "evalb"),
    ],
)
def test_a_root_that_costs_nothing_is_not_noted(tmp_path: Path, gold: str, predicted: str, rules: str) -> None:
    found = scores(gold, predicted, rules, tmp_path)
    assert (found.all.f1, found.notes) == (100, ())
