from pathlib import Path

import pytest

from discoseq.errors import EvaluationError
from discoseq.evaluation.parameters import default_parameters, parse_parameters, read_parameters

EXAMPLE = """# a comment
DEBUG 0
MAX_ERROR 3

CUTOFF_LEN 25
LABELED 0
DISC_ONLY 1
DELETE_LABEL TOP
DELETE_LABEL $[
DELETE_LABEL LET[]
DELETE_LABEL_FOR_LENGTH -NONE-
DELETE_WORD #
EQ_LABEL ADVP PRT
EQ_LABEL PRT ADV
EQ_LABEL X Y
EQ_WORD -LRB- (
"""


def test_a_parameter_file_is_read() -> None:
    parameters = parse_parameters(EXAMPLE)
    assert parameters.deleted_labels == {"TOP", "$(", "LET()"}
    assert parameters.deleted_words == {"#"}
    assert parameters.deleted_for_length == {"-NONE-"}
    assert parameters.equal_labels == {"ADVP": "ADVP", "PRT": "ADVP", "ADV": "ADVP", "X": "X", "Y": "X"}
    assert parameters.equal_words == {"-LRB-": "-LRB-", "(": "-LRB-"}
    assert (parameters.is_labelled, parameters.cutoff_length, parameters.max_errors) == (False, 25, 3)


def test_other_parameters_have_the_defaults_of_evalb() -> None:
    parameters = parse_parameters("")
    assert (parameters.is_labelled, parameters.cutoff_length, parameters.max_errors) == (True, 40, 10)
    assert not parameters.deleted_labels


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("DELETE_LABLE TOP", "p.prm:1: unknown parameter 'DELETE_LABLE'"),
        ("\nDELETE_LABEL", "p.prm:2: DELETE_LABEL takes one value, not 0"),
        ("EQ_LABEL A", "p.prm:1: EQ_LABEL takes two values, not 1"),
        ("CUTOFF_LEN many", "p.prm:1: CUTOFF_LEN takes a number, not 'many'"),
        ("QUOTE_LABEL", "p.prm:1: QUOTE_LABEL takes one value, not 0"),
    ],
)
def test_a_bad_line_is_named(text: str, reason: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        parse_parameters(text, "p.prm")
    assert str(caught.value) == reason


def test_a_file_that_is_not_there_or_not_text_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match=r"no\.prm: No such file"):
        read_parameters(tmp_path / "no.prm")
    (tmp_path / "bad.prm").write_bytes(b"DELETE_WORD \xab")
    with pytest.raises(EvaluationError, match="not UTF-8"):
        read_parameters(tmp_path / "bad.prm")


def test_the_defaults_of_disco_are_those_of_proper_prm() -> None:
    parameters = default_parameters("disco")
    labels = "NOPARSE TOP ROOT VROOT $, $( $. PUNCT punct LET() LET let() let , : `` '' . -NONE-"
    words = ". , : ; ' ` \" `` '' - ( ) / & $ ! !!! ? ?? ??? .. ... « »"
    assert parameters.deleted_labels == set(labels.split())
    assert parameters.deleted_words == set(words.split())
    assert parameters.equal_labels == {"ADVP": "ADVP", "PRT": "ADVP"}
    assert parameters.equal_words == {"-LRB-": "-LRB-", "(": "-LRB-", "-RRB-": "-RRB-", ")": "-RRB-"}
    assert not parameters.deleted_for_length
    assert (parameters.is_labelled, parameters.cutoff_length) == (True, 40)


def test_the_defaults_of_evalb_are_those_of_collins_prm() -> None:
    parameters = default_parameters("evalb")
    assert parameters.deleted_labels == {"TOP", "-NONE-", ",", ":", "``", "''", "."}
    assert parameters.deleted_for_length == {"-NONE-"}
    assert parameters.equal_labels == {"ADVP": "ADVP", "PRT": "ADVP"}
    assert not parameters.deleted_words
    assert not parameters.equal_words
    assert (parameters.is_labelled, parameters.cutoff_length, parameters.max_errors) == (True, 40, 10)
