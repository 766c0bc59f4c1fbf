"""`discoseq linearize` and `discoseq delinearize`."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from discoseq.cli.delinearize import delinearize
from discoseq.cli.linearize import linearize
from discoseq.errors import LinearizationError, TreebankError
from discoseq.linearizations.linearization import LINEARIZATIONS, linearization
from discoseq.treebanks.files import parse_trees

APP = typer.Typer()
APP.command()(linearize)
APP.command()(delinearize)

TREES = """\
(S (VP (VB 0=is) (NN 2=10\u00a0000)) (NP (NN 1=it)) ($. 3=?))
(S (NP (DT 0=the) (NN 1=end)))
"""
SWAPPED = "SH NT-VP SH SH SW RE NT-S SH NT-NP RE SH RE FI\nSH NT-NP SH RE NT-S RE FI\n"


def run(*arguments: object, text: str | None = None) -> Result:
    return CliRunner().invoke(APP, list(map(str, arguments)), input=text)


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    file = tmp_path / "trees.discbracket"
    file.write_text(TREES, encoding="utf-8")
    return file


def test_a_label_that_lacks_its_function_is_written_without_its_dash(tmp_path: Path) -> None:
    (tmp_path / "x.mrg").write_text("(S (WHNP- (WP who)) (VP-1 (VB x)))\n")
    result = run("linearize", tmp_path / "x.mrg", "--linearization", "in-order+swap", "--check")
    assert (result.exit_code, "NT-WHNP RE" in result.output) == (0, True)


def test_a_sequence_a_line(treebank: Path) -> None:
    result = run("linearize", treebank, "--linearization", "in-order+swap", "--check")
    assert result.exit_code == 0
    assert result.stdout == SWAPPED
    assert result.stderr == "trees that came back the same: 2\n"


@pytest.mark.parametrize("name", [name for name in LINEARIZATIONS if linearization(name).reordering.can_reorder])
def test_sequences_and_sentences_rebuild_the_treebank(treebank: Path, tmp_path: Path, name: str) -> None:
    sequences, back = tmp_path / "actions", tmp_path / "back.discbracket"
    assert run("linearize", treebank, "-l", name, "-o", sequences).exit_code == 0
    assert run("delinearize", sequences, "-l", name, "--tokens", treebank, "-o", back).exit_code == 0
    assert parse_trees(back.read_text(encoding="utf-8"), "discbracket") == parse_trees(TREES, "discbracket")


def test_text_needs_no_further_file(treebank: Path) -> None:
    written = run("linearize", treebank, "-l", "in-order+shift#k", "--with-words").stdout
    assert written.splitlines()[1] == "the end\tSH#0 NT-NP SH#0 RE NT-S RE FI"
    result = run("delinearize", "-", "-l", "in-order+shift#k", "--to", "discbracket", text=written)
    assert result.exit_code == 0
    untagged = [tree.root for tree in parse_trees(TREES, "discbracket")]
    read = parse_trees(result.stdout, "discbracket")
    assert [tree.root for tree in read] == untagged
    assert read[0].words == ("is", "it", "10\u00a0000", "?")


def test_sentences_may_be_plain_text(treebank: Path, tmp_path: Path) -> None:
    sentences, sequences = tmp_path / "sentences.txt", tmp_path / "actions"
    sentences.write_text("is it 10\u00a0000 ?\nthe end\n", encoding="utf-8")
    sequences.write_text(SWAPPED, encoding="utf-8")
    result = run("delinearize", sequences, "-l", "in-order+swap", "--tokens", sentences, "--to", "bracket")
    assert result.exit_code == 1  # the bracket format can't express a discontinuous tree
    result = run("delinearize", sequences, "-l", "in-order+swap", "--tokens", sentences, "--to", "discbracket")
    assert parse_trees(result.stdout, "discbracket")[1].words == ("the", "end")


def test_the_table_has_all_linearizations(treebank: Path) -> None:
    lines = run("linearize", treebank, "--table").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["linearization", *LINEARIZATIONS]
    assert [line.split() for line in lines if line.startswith("in-order+swap ")] == [
        ["in-order+swap", "2", "7", "13", "10.0"]
    ]
    as_json = json.loads(run("linearize", treebank, "--table", "--json").stdout)
    assert as_json[0] == {"linearization": "top-down", "sentences": 1, "vocabulary": 4, "longest": 6, "mean": 6.0}
    assert run("linearize", treebank, "--table", "--latex").stdout.startswith(r"\begin{tabular}")


def test_the_table_is_printed_as_text_and_latex(tmp_path: Path) -> None:
    file = tmp_path / "gap.discbracket"
    file.write_text("(S (VP (X 0=a) (X 2=c)) (X 1=b))\n")
    lines = run("linearize", file, "--table").stdout.splitlines()
    assert lines[:2] == [
        "linearization              sentences  vocabulary  longest  mean",
        "top-down                           -           -        -     -",
    ]
    assert "in-order+swap#k                    1           6       10  10.0" in lines
    latex = run("linearize", file, "--table", "--latex").stdout.splitlines()
    assert latex[:2] == [r"\begin{tabular}{lrrrr}", r"\toprule"]
    assert r"in-order+swap\#k & 1 & 6 & 10 & 10.0 \\" in latex


def test_a_trace_is_printed_in_columns() -> None:
    text = "(S (X 0=a) (X 1=b))\n"
    result = run("linearize", "-", "--from", "discbracket", "-l", "top-down", "--trace", 1, text=text)
    assert result.stdout.splitlines() == [
        "Transition      Stack            Buffer        Stack mask  Buffer mask",
        "                [ ]              [ a_0, b_1 ]  ..          11",
        "Non-Terminal-S  [ S ]            [ a_0, b_1 ]  ..          11",
        "Shift           [ S, a_0 ]       [ b_1 ]       1.          .1",
        "Shift           [ S, a_0, b_1 ]  [ ]           11          ..",
        "Reduce          [ S_(a_0 b_1) ]  [ ]           1.          ..",
    ]


def test_a_derivation_is_traced(treebank: Path) -> None:
    lines = run("linearize", treebank, "-l", "top-down", "--trace", 2).stdout.splitlines()
    transitions = [line.split("[")[0].strip() for line in lines[1:]]
    assert transitions == ["", "Non-Terminal-S", "Non-Terminal-NP", "Shift", "Shift", "Reduce", "Reduce"]
    assert lines[4].split()[-2:] == ["1.", ".1"]
    result = run("linearize", treebank, "-l", "top-down", "--trace", 3)
    assert isinstance(result.exception, LinearizationError)
    assert str(result.exception) == f"{treebank} has no sentence 3"


def test_lenient_reading_says_what_it_repaired(tmp_path: Path) -> None:
    sequences, sentences = tmp_path / "actions", tmp_path / "sentences"
    sequences.write_text("SH NT-X SW SH RE FI\nSH NT-X RE FI\n")
    sentences.write_text("a b\nc\n")
    arguments = ["delinearize", sequences, "-l", "in-order+swap", "--tokens", sentences, "--to", "discbracket"]
    result = run(*arguments)
    assert isinstance(result.exception, TreebankError)
    assert str(result.exception) == f"{sequences}:1: action 3 (SW): the 2 top elements of the stack are not all words"
    result = run(*arguments, "--lenient")
    assert result.exit_code == 0
    assert [str(tree.root) for tree in parse_trees(result.stdout, "discbracket")] == ["(X 0 1)", "(X 0)"]
    assert result.stderr.splitlines() == [
        f"{sequences}:1: action 3: SW left out: the 2 top elements of the stack are not all words",
        "repaired 1 of 2 sequences",
    ]


@pytest.mark.parametrize(
    ("sequences", "sentences", "reason"),
    [
        ("SH NT-X RE FI\n", "a\nb\n", "actions:1: the file ends here, but {} has more sentences"),
        ("SH NT-X RE FI\nSH NT-X RE FI\n", "a\n", "actions:2: {} has no sentence for this sequence"),
        ("SH NT-X RE FI\n", None, "actions:1: the line has no words and no tab before the sequence; use --tokens"),
        ("SH HM\n", "a\n", "actions:1: action 2 (HM): 'HM' is not an action"),
    ],
)
def test_sequences_and_sentences_that_do_not_match_are_refused(
    tmp_path: Path, sequences: str, sentences: str | None, reason: str
) -> None:
    actions, words = tmp_path / "actions", tmp_path / "words"
    actions.write_text(sequences)
    arguments = ["delinearize", actions, "-l", "in-order+swap", "--to", "discbracket", "-o", tmp_path / "out"]
    if sentences is not None:
        words.write_text(sentences)
        arguments += ["--tokens", words]
    result = run(*arguments)
    assert isinstance(result.exception, TreebankError)
    assert str(result.exception) == f"{tmp_path}/{reason.format(words)}"
    assert not (tmp_path / "out").exists()


def test_errors_say_what_is_wrong(treebank: Path) -> None:
    assert run("linearize", treebank).exit_code == 2
    assert isinstance(run("linearize", treebank, "-l", "sideways").exception, LinearizationError)
    refused = run("linearize", treebank, "-l", "top-down").exception
    assert str(refused).startswith("sentence 1 is discontinuous (VP has a gap at word 1)")


@pytest.mark.parametrize("command", ["linearize", "delinearize"])
def test_help_has_an_example(command: str) -> None:
    assert f"discoseq {command}" in run(command, "--help").stdout
