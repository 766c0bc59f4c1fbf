"""`discoseq evaluate`, as a user calls it."""

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from discoseq.cli.evaluate import evaluate
from discoseq.errors import DiscoseqError

GOLD = """(ROOT (S (VP (A 0=a) (B 2=b)) (C 1=c)))
(ROOT (S (NP (A 0=a) (B 1=b)) (VP (C 2=c))))
(ROOT (NP (A 0=a) (B 1=b)))
"""
PREDICTED = """(ROOT (S (VP (A 0=a) (B 2=b)) (C 1=c)))
(ROOT (S (A 0=a) (VP (B 1=b) (X 2=c))))
(ROOT (NP (A 0=a) (B 1=b)))
"""
BETTER = """(ROOT (S (VP (A 0=a) (B 2=b)) (C 1=c)))
(ROOT (S (NP (A 0=a) (B 1=b)) (C 2=c)))
(ROOT (NP (A 0=a) (B 1=b)))
"""

app = typer.Typer(pretty_exceptions_enable=False)
app.command()(evaluate)


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("gold", GOLD), ("predicted", PREDICTED), ("better", BETTER)):
        Path(f"{name}.discbracket").write_text(text, encoding="utf-8")


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(app, list(arguments))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def document(*arguments: str) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


PAIR = ("gold.discbracket", "predicted.discbracket")

BLOCK = {
    "sentences": 3,
    "matched": 4,
    "gold": 6,
    "predicted": 5,
    "precision": 80.0,
    "recall": 100 * 4 / 6,
    "f1": 100 * 8 / 11,
    "exact_match": 100 * 2 / 3,
    "pos_accuracy": 87.5,
    "errors": 0,
    "skipped": 0,
    "discontinuous": {"matched": 1, "gold": 1, "predicted": 1, "precision": 100.0, "recall": 100.0, "f1": 100.0},
}


def test_json_has_this_shape_and_nothing_is_rounded() -> None:
    assert document(*PAIR) == {"rules": "disco", "all": BLOCK, "len40": BLOCK}


def test_the_table_is_the_same_for_a_pipe_as_for_a_reader() -> None:
    result = run(*PAIR)
    assert result.stdout == (
        "rules: disco                         all  length <= 40\n"
        "sentences                              3             3\n"
        "longest sentence                       3             3\n"
        "brackets in gold                       6             6\n"
        "brackets predicted                     5             5\n"
        "brackets matched                       4             4\n"
        "precision                          80.00         80.00\n"
        "recall                             66.67         66.67\n"
        "F1                                 72.73         72.73\n"
        "exact match                        66.67         66.67\n"
        "POS accuracy                       87.50         87.50\n"
        "discontinuous brackets in gold         1             1\n"
        "discontinuous brackets predicted       1             1\n"
        "discontinuous brackets matched         1             1\n"
        "discontinuous precision           100.00        100.00\n"
        "discontinuous recall              100.00        100.00\n"
        "discontinuous F1                  100.00        100.00\n"
    )
    assert result.stderr == ""


def test_what_is_undefined_is_null_in_json_and_nan_in_a_table() -> None:
    Path("flat.discbracket").write_text("(ROOT (A 0=a) (B 1=b))\n", encoding="utf-8")
    block = document("flat.discbracket", "flat.discbracket")["all"]
    assert (block["precision"], block["recall"], block["f1"]) == (None, None, None)
    assert block["discontinuous"]["f1"] is None
    assert (
        "F1                                   nan           nan" in run("flat.discbracket", "flat.discbracket").stdout
    )


def test_evalb_reports_errors_and_skips() -> None:
    Path("gold.mrg").write_text("(TOP (S (A a)))\n" * 3, encoding="utf-8")
    Path("parsed.mrg").write_text("(TOP (S (A a)))\n(TOP (S (A b)))\n\n", encoding="utf-8")
    result = run("gold.mrg", "parsed.mrg", "--rules", "evalb")
    assert "error sentences, left out         1             1" in result.stdout
    assert "skipped sentences, left out       1             1" in result.stdout
    assert result.stderr == "sentence 2: the gold word 'a' is 'b' in the parse\n"
    block = document("gold.mrg", "parsed.mrg", "--rules", "evalb")["all"]
    assert (block["sentences"], block["errors"], block["skipped"], block["f1"]) == (3, 1, 1, 100.0)
    assert block["discontinuous"] == {
        "matched": 0, "gold": 0, "predicted": 0, "precision": None, "recall": None, "f1": None
    }  # fmt: skip


def test_parameters_can_be_given() -> None:
    Path("own.prm").write_text("DELETE_LABEL ROOT\nDELETE_LABEL S\nCUTOFF_LEN 2\n", encoding="utf-8")
    scores = document(*PAIR, "--params", "own.prm")
    assert (scores["all"]["gold"], scores["len2"]["sentences"]) == (4, 1)


def test_every_sentence_can_be_seen() -> None:
    sentences = document(*PAIR, "--per-sentence")["per_sentence"]
    assert [(x["id"], x["matched"], x["gold"], x["predicted"], x["exact"]) for x in sentences] == [
        ("1", 2, 2, 2, True),
        ("2", 1, 3, 2, False),
        ("3", 1, 1, 1, True),
    ]
    assert sentences[1]["words"] == 3
    assert sentences[1]["correct_tags"] == 2
    lines = run(*PAIR, "--per-sentence").stdout.splitlines()
    assert lines[0].split()[:6] == ["id", "length", "recall", "precision", "matched", "gold"]
    assert lines[2].split() == ["2", "3", "33.33", "50.00", "1", "3", "2", "0", "0", "0", "0", "3", "2"]


def test_evalb_shows_its_own_columns() -> None:
    Path("gold.mrg").write_text("(TOP (S (A a)))\n\n", encoding="utf-8")
    lines = run("gold.mrg", "gold.mrg", "--rules", "evalb", "--per-sentence").stdout.splitlines()
    assert lines[1].split() == ["1", "1", "0", "100.00", "100.00", "1", "1", "1", "0", "1", "1"]
    assert lines[2].split()[:3] == ["2", "0", "2"]


@pytest.mark.parametrize(
    ("by", "head", "row"),
    [
        ("label", "label  average span  gold", "VP             1.50     2"),
        ("length", "length  sentences  gold", "<= 10           3     6"),
        ("span", "span  gold", "2        3"),
        ("gap", "gap            gold", "discontinuous     1"),
    ],
)
def test_scores_can_be_broken_down(by: str, head: str, row: str) -> None:
    output = run(*PAIR, "--by", by).stdout
    assert head in output
    assert row in output
    rows = document(*PAIR, "--by", by)["by"][by]
    assert all({"name", "gold", "predicted", "matched", "f1"} <= set(x) for x in rows)


def test_the_bootstrap_compares_with_other_parses() -> None:
    arguments = (*PAIR, "--bootstrap", "better.discbracket", "--samples", "200", "--seed", "5")
    result = document(*arguments)["bootstrap"]
    assert (result["other"], result["seed"]) == ("better.discbracket", 5)
    assert result["labelled"]["difference"] == pytest.approx(100 * 8 / 11 - 100 * 10 / 11)
    assert 0 < result["labelled"]["p_value"] <= 1
    assert result["discontinuous"]["p_value"] == 1
    text = run(*arguments).stdout
    assert "against better.discbracket      F1  other F1  difference" in text
    assert "200 paired samples" in text
    assert document(*arguments) == document(*arguments)


def test_several_runs_are_averaged() -> None:
    text = run("gold.discbracket", "predicted.discbracket", "better.discbracket").stdout
    assert "81.82 ± 12.86" in text
    assert "n - 1" in text
    result = document("gold.discbracket", "predicted.discbracket", "better.discbracket")
    assert [entry["file"] for entry in result["runs"]] == ["predicted.discbracket", "better.discbracket"]
    assert result["average"]["f1"]["mean"] == pytest.approx(100 * 9 / 11)
    assert result["average"]["discontinuous_f1"] == {"mean": 100.0, "deviation": 0.0, "runs": 2}


def test_missing_parses_are_an_error_unless_they_are_allowed() -> None:
    Path("short.discbracket").write_text("".join(GOLD.splitlines(True)[:2]), encoding="utf-8")
    with pytest.raises(DiscoseqError, match="sentence 3: there is a gold tree but no parse"):
        run("gold.discbracket", "short.discbracket")
    allowed = run("gold.discbracket", "short.discbracket", "--allow-missing")
    assert "parses missing, counted as empty       1             1" in allowed.stdout
    assert allowed.stderr == "no parse for sentence 3: counted as empty\n"
    result = document("gold.discbracket", "short.discbracket", "--allow-missing")
    assert (result["missing"], result["all"]["recall"], result["all"]["sentences"]) == (1, 100 * 5 / 6, 3)
    skipped = run("gold.discbracket", "short.discbracket", "--skip-missing")
    assert skipped.stderr == "no parse for sentence 3: left out\n"
    assert "recall                            100.00" in skipped.stdout


def test_trees_can_be_paired_by_order_and_formats_named() -> None:
    Path("gold.txt").write_text("(ROOT (S (A 0=a)))\n", encoding="latin-1")
    Path("parsed.export").write_text("#BOS 7\na\tA\t--\t--\t500\n#500\tS\t--\t--\t0\n#EOS 7\n", encoding="utf-8")
    arguments = ("gold.txt", "parsed.export", "--gold-format", "discbracket", "--pred-format", "export")
    assert (
        document(*arguments, "--pair", "order", "--encoding", "latin-1", "--pred-encoding", "utf-8")["all"]["f1"] == 100
    )


def test_several_runs_are_broken_down_side_by_side() -> None:
    runs = ("predicted.discbracket", "better.discbracket")
    result = run("gold.discbracket", *runs, "--by", "span", "--bins", "1,2")
    assert result.stdout.endswith(
        "\n\n"
        "span  gold  predicted.discbracket  better.discbracket\n"
        "1        1                    nan                 nan\n"
        "2        3                  66.67              100.00\n"
        ">= 3     2                 100.00              100.00\n"
        "(the F1 of each run)\n"
    )
    found = document("gold.discbracket", *runs, "--by", "label", "--discontinuous")["runs"]
    assert [[row["name"] for row in one["by"]["label"]] for one in found] == [["VP"], ["VP"]]


@pytest.mark.parametrize(
    "arguments",
    [
        (*PAIR, "--allow-missing", "--skip-missing"),
        ("-", *PAIR),
        ("gold.discbracket", *PAIR, "--per-sentence"),
        ("-", "predicted.discbracket", "--bootstrap", "better.discbracket"),
        (*PAIR, "--rules", "parseval"),
        (*PAIR, "--bins", "1,2"),
        (*PAIR, "--discontinuous"),
        (*PAIR, "--by", "span", "--bins", "2,1"),
        (*PAIR, "--by", "span", "--bins", "few"),
        (*PAIR, "--by", "label", "--bins", "1"),
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""


def test_help_shows_an_example() -> None:
    assert "discoseq evaluate test.discbracket parsed.discbracket" in run("--help").stdout
