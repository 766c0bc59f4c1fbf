import pytest

from discoseq.cli.tables import format_latex, format_table

HEADER = ("linearization", "longest", "mean")
ROWS = [("in-order+swap#k", "10", "7.5"), ("top-down", "-", "-")]


def test_the_first_column_is_left_aligned_and_the_others_right_aligned() -> None:
    assert format_table(HEADER, ROWS).splitlines() == [
        "linearization    longest  mean",
        "in-order+swap#k       10   7.5",
        "top-down               -     -",
    ]


def test_the_alignment_of_every_column_can_be_chosen() -> None:
    assert format_table(HEADER, ROWS, "rll").splitlines() == [
        "  linearization  longest  mean",
        "in-order+swap#k  10       7.5",
        "       top-down  -        -",
    ]


def test_a_table_without_rows_is_its_header() -> None:
    assert format_table(HEADER, []) == "linearization  longest  mean"


def test_rows_and_alignment_must_have_as_many_columns_as_the_header() -> None:
    with pytest.raises(ValueError):
        format_table(HEADER, [("a", "b")])
    with pytest.raises(ValueError):
        format_table(HEADER, ROWS, "lr")


def test_latex_tables_use_booktabs_and_escape_special_characters() -> None:
    assert format_latex(HEADER, ROWS).splitlines() == [
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"linearization & longest & mean \\",
        r"\midrule",
        r"in-order+swap\#k & 10 & 7.5 \\",
        r"top-down & - & - \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
