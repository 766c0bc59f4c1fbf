"""Pairing files by id and by order, and the errors that a file can cause."""

import io
import sys
from pathlib import Path

import pytest

from discoseq.errors import DiscoseqError
from discoseq.evaluation.corpus_scores import Scores, evaluate, evaluate_files, score_files
from discoseq.evaluation.counts import BracketCounts
from discoseq.evaluation.gold_pairs import PairBy, TreeFile
from discoseq.evaluation.parameters import Missing, Parameters

EXPORT = """#BOS {id}
das\tPDS\t--\tOA\t500
muss\tVMFIN\t--\tHD\t501
man\tPIS\t--\tSB\t501
tun\tVVINF\t--\tHD\t500
.\t$.\t--\t--\t0
#500\tVP\t--\tOC\t501
#501\tS\t--\t--\t0
#EOS {id}
"""
DISCBRACKET = "(ROOT (S (VP (PDS 0=das) (VVINF 3=tun)) (VMFIN 1=muss) (PIS 2=man)) ($. 4=.))\n"


def export(*ids: str) -> str:
    return "".join(EXPORT.format(id=name) for name in ids)


def write(tmp_path: Path, name: str, text: str, encoding: str = "utf-8") -> TreeFile:
    (tmp_path / name).write_text(text, encoding=encoding)
    return TreeFile(tmp_path / name)


def score(
    tmp_path: Path, gold: str, predicted: str, suffix: str = "export", missing: Missing = Missing.ERROR
) -> Scores:
    one, two = write(tmp_path, f"gold.{suffix}", gold), write(tmp_path, f"predicted.{suffix}", predicted)
    return evaluate_files(one, two, missing=missing)


def test_export_files_are_paired_by_id_in_the_order_of_the_parse(tmp_path: Path) -> None:
    gold, predicted = (
        write(tmp_path, "g.export", export("7", "8", "9")),
        write(tmp_path, "p.export", export("9", "7", "8")),
    )
    results = list(score_files(gold, predicted))
    assert [result.name for result in results] == ["9", "7", "8"]
    assert all(result.counts.exact for result in results)


def test_missing_sentences_are_found_by_id(tmp_path: Path) -> None:
    with pytest.raises(DiscoseqError, match="sentence 8: there is a gold tree but no parse"):
        score(tmp_path, export("7", "8", "9"), export("7", "9"))
    scores = score(tmp_path, export("7", "8", "9"), export("7", "9"), missing=Missing.EMPTY)
    assert scores.all.counts.brackets == BracketCounts(4, 6, 4)
    assert scores.notes == ("no parse for sentence 8: counted as empty",)
    assert score(tmp_path, export("7", "8", "9"), export("9"), missing=Missing.SKIP).all.counts.sentences == 1


@pytest.mark.parametrize("missing", Missing)
def test_a_sentence_that_gold_lacks_is_an_error_whatever_is_allowed(tmp_path: Path, missing: Missing) -> None:
    with pytest.raises(DiscoseqError, match="sentence 10: there is a parse but no gold tree left with this id"):
        score(tmp_path, export("7", "9"), export("7", "10"), missing=missing)


def test_two_parses_of_one_sentence_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(DiscoseqError, match="7"):
        score(tmp_path, export("7", "9"), export("7", "7"))


def test_ids_and_line_numbers_are_not_paired(tmp_path: Path) -> None:
    gold, predicted = write(tmp_path, "g.export", export("1")), write(tmp_path, "p.discbracket", DISCBRACKET)
    with pytest.raises(DiscoseqError, match="only one of these formats has sentence ids"):
        evaluate_files(gold, predicted)
    with pytest.raises(DiscoseqError, match="only one of these formats has sentence ids"):
        evaluate_files(predicted, gold)
    assert evaluate_files(gold, predicted, pair_by=PairBy.ORDER).all.f1 == 100


def test_bracket_and_discbracket_are_paired_by_number(tmp_path: Path) -> None:
    gold = write(tmp_path, "g.discbracket", "(ROOT (S (NP (A 0=a) (B 1=b)) (VP (C 2=c))))\n")
    predicted = write(tmp_path, "p.mrg", "(ROOT (S (NP (A a))\n   (VP (B b) (C c))))\n")
    assert evaluate_files(gold, predicted).all.counts.brackets == BracketCounts(1, 3, 3)


def test_the_empty_root_of_the_penn_treebank_counts_and_traces_do_not(tmp_path: Path) -> None:
    gold = write(tmp_path, "g.mrg", "( (SBARQ (WHNP-1 (WP What)) (SQ (VB see) (NP (-NONE- *T*-1))) (. ?)) )\n")
    predicted = write(tmp_path, "p.mrg", "( (SBARQ (WHNP (WP What)) (SQ (VB see)) (. ?)) )\n")
    scores = evaluate_files(gold, predicted)
    assert scores.all.counts.brackets == BracketCounts(4, 4, 4)
    assert scores.all.counts.longest == 4


def test_a_blank_line_in_a_file_of_one_tree_a_line_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DiscoseqError, match=r"predicted\.discbracket:2: the line is blank"):
        score(tmp_path, DISCBRACKET, DISCBRACKET + "\n", "discbracket")


@pytest.mark.parametrize(
    ("line", "reason"),
    [("(S (A 0=a) (B 2=b))", "1 is missing"), ("(S (A 0=a) (B 0=b))", "occurs twice"), ("(S (A 0=a)", "not closed")],
)
def test_a_broken_tree_is_named_with_its_line(tmp_path: Path, line: str, reason: str) -> None:
    with pytest.raises(DiscoseqError, match=rf"predicted\.discbracket:1: .*{reason}"):
        score(tmp_path, DISCBRACKET, line + "\n", "discbracket")


@pytest.mark.parametrize("rules", ["disco", "evalb"])
def test_an_empty_file_is_an_error(tmp_path: Path, rules: str) -> None:
    gold, empty = write(tmp_path, "g.mrg", "(S (A a))\n"), write(tmp_path, "p.mrg", "")
    with pytest.raises(DiscoseqError, match="empty"):
        evaluate_files(gold, empty, rules)
    with pytest.raises(DiscoseqError, match="empty"):
        evaluate_files(empty, gold, rules)


@pytest.mark.parametrize("rules", ["disco", "evalb"])
def test_a_file_that_does_not_exist_is_an_error(tmp_path: Path, rules: str) -> None:
    gold = write(tmp_path, "g.mrg", "(S (A a))\n")
    with pytest.raises(DiscoseqError, match=r"none\.mrg: no such file"):
        list(score_files(gold, TreeFile(tmp_path / "none.mrg"), rules))


def test_rules_that_do_not_exist_are_an_error(tmp_path: Path) -> None:
    gold = write(tmp_path, "g.mrg", "(S (A a))\n")
    with pytest.raises(DiscoseqError, match="unknown rules 'parseval'; choose disco or evalb"):
        evaluate_files(gold, gold, "parseval")
    with pytest.raises(DiscoseqError, match="unknown rules 'parseval'"):
        evaluate([], [], "parseval", Parameters())


def test_encodings_are_those_named(tmp_path: Path) -> None:
    text = "(ROOT (S (A 0=müssen)))\n"
    gold = write(tmp_path, "g.discbracket", text)
    latin = write(tmp_path, "p.discbracket", text, "latin-1")
    with pytest.raises(DiscoseqError, match="0xfc is not utf-8"):
        evaluate_files(gold, latin)
    assert evaluate_files(gold, TreeFile(latin.path, encoding="latin-1")).all.f1 == 100


def test_a_bracket_directly_over_words_is_a_tag(tmp_path: Path) -> None:
    tree = "(S (VP 0=is 2=rich) (NP 1=John))\n"
    scores = score(tmp_path, tree, tree, "discbracket")
    assert scores.all.counts.brackets == BracketCounts(1, 1, 1)
    assert (scores.all.counts.words, scores.all.pos_accuracy) == (3, 100)
    assert all("a bracket directly over words is read as a tag" in note for note in scores.notes)
    assert len(scores.notes) == 2
    tagged = "(S (VP (V 0=is) (A 2=rich)) (NP 1=John))\n"
    assert score(tmp_path, tagged, tree, "discbracket").all.counts.brackets == BracketCounts(1, 2, 1)


def test_a_placeholder_for_a_tag_is_a_tag(tmp_path: Path) -> None:
    tree = "(S (VP (-- 0=is) (-- 2=rich)) (NP (-- 1=John)))\n"
    scores = score(tmp_path, tree, tree, "discbracket")
    assert scores.all.counts.brackets == BracketCounts(3, 3, 3)
    assert scores.all.pos_accuracy == 100
    assert not scores.notes


@pytest.mark.parametrize("tree", ["(S 0=a 1=b)", "(ROOT (S (VP 0=a (N 1=b)) (V 2=c)))", "(ROOT (S (N 0=a)) 1=b)"])
def test_words_beside_phrases_without_a_tag_are_an_error(tmp_path: Path, tree: str) -> None:
    with pytest.raises(DiscoseqError, match=r"sentence 1: the word '\w' has no tag"):
        score(tmp_path, tree + "\n", tree + "\n", "discbracket")


def test_one_side_may_come_from_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gold = write(tmp_path, "g.discbracket", DISCBRACKET)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(DISCBRACKET.encode())))
    assert evaluate_files(gold, TreeFile("-")).all.f1 == 100
    with pytest.raises(DiscoseqError, match="both"):
        evaluate_files(TreeFile("-"), TreeFile("-"))


@pytest.mark.parametrize("rules", ["disco", "evalb"])
def test_folders_are_paired_in_order(tmp_path: Path, rules: str) -> None:
    for side in ("gold", "predicted"):
        (tmp_path / side).mkdir()
        for number in (1, 2, 10):
            write(tmp_path / side, f"wsj{number}.mrg", f"(TOP (S (A a{number})))\n")
    scores = evaluate_files(TreeFile(tmp_path / "gold"), TreeFile(tmp_path / "predicted"), rules)
    assert scores.all.counts.brackets == BracketCounts(3, 3, 3)


def test_reading_goes_no_further_than_scoring(tmp_path: Path) -> None:
    gold = write(tmp_path, "g.discbracket", DISCBRACKET * 2 + "(broken\n")
    results = score_files(gold, gold)
    assert next(results).counts.exact
    assert next(results).counts.exact
    with pytest.raises(DiscoseqError):
        next(results)
