"""convert, stats and draw, as a user calls them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cli.command import Command
from discoseq.cli.continuous import Method
from discoseq.cli.convert import Punctuation
from discoseq.trees.continuous import METHODS
from discoseq.trees.punctuation import TREATMENTS

SENTENCE = "(ROOT (S (VP-OC (PDS 0=Das) (VVINF 3=tun)) (VMFIN 1=muss) (PIS 2=man)) ($. 4=.))"
TRACE = "( (S (NP-SBJ (-NONE- *)) (VP (VP (VB go)))))"


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    path = tmp_path / "in.discbracket"
    path.write_text(f"{SENTENCE}\n(ROOT (NN 0=Ende))\ta note\n")
    return path


def test_convert_guesses_both_formats(discoseq: Command, treebank: Path, tmp_path: Path) -> None:
    outcome = discoseq("convert", treebank, tmp_path / "out.export")
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err == f"wrote 2 trees to {tmp_path / 'out.export'}\n"
    assert "#500\t--\tVP\t--\tOC\t501" in (tmp_path / "out.export").read_text()
    back = discoseq("convert", tmp_path / "out.export", "-", "--to", "discbracket")
    assert (back.code, back.out, back.err) == (0, treebank.read_text(), "")


def test_convert_transforms(discoseq: Command, tmp_path: Path) -> None:
    (tmp_path / "in.mrg").write_text(TRACE + "\n")

    def converted(*options: str) -> str:
        return discoseq("convert", tmp_path / "in.mrg", "-", "--to", "bracket", *options).out.strip()

    assert converted("--functions", "drop") == "( (S (NP (-NONE- *)) (VP (VP (VB go)))))"
    assert converted("--traces", "drop") == "( (S (VP (VP (VB go)))))"
    assert converted("--traces", "drop", "--root", "ROOT") == "(ROOT (S (VP (VP (VB go)))))"
    assert converted("--traces", "drop", "--root", "R", "--unary", "collapse") == "(R+S+VP+VP (VB go))"


def test_convert_resolves_traces_to_crossing_branches(discoseq: Command, tmp_path: Path) -> None:
    question = "( (SBARQ (WHNP-1 (WP What)) (SQ (VBD did) (NP-SBJ (PRP she)) (VP (VB say) (NP (-NONE- *T*-1))))))\n"
    (tmp_path / "in.mrg").write_text(question)
    outcome = discoseq("convert", tmp_path / "in.mrg", "-", "--to", "discbracket", "--traces", "resolve")
    assert outcome.code == 0
    assert outcome.out == ("( (SBARQ (SQ (VP (WHNP (WP 0=What)) (VB 3=say)) (VBD 1=did) (NP-SBJ (PRP 2=she)))))\n")


def test_what_is_left_out_or_changed_is_noted_with_a_count(discoseq: Command, tmp_path: Path) -> None:
    path = tmp_path / "in.mrg"
    path.write_text("(S (Np Ha Noi))\n(S\n(Np Ha Noi)\n(,))\n")
    outcome = discoseq("convert", path, "-", "--to", "bracket", "--multiword", "join", "--wordless", "label")
    assert outcome.out == "(S (Np Ha_Noi))\n(S (Np Ha_Noi) (, ,))\n"
    assert outcome.err.splitlines() == [
        f"note: several words in a bracket are joined with _ (2 times, first {path}:1)",
        f"note: the label of a bracket without a word is taken for its word ({path}:4)",
    ]
    for command in ("stats", "draw"):
        assert "only the first" in discoseq(command, path, "--multiword", "first", "--wordless", "skip").err
    assert discoseq("convert", path, "-", "--to", "bracket").code == 1


@pytest.mark.parametrize("punctuation", TREATMENTS)
def test_convert_offers_every_treatment_of_punctuation(discoseq: Command, treebank: Path, punctuation: str) -> None:
    assert {item.value for item in Punctuation} == set(TREATMENTS)
    outcome = discoseq("convert", treebank, "-", "--to", "discbracket", "--punctuation", punctuation)
    assert outcome.code == 0
    assert ("4=." in outcome.out) == (punctuation != "remove")


def test_bad_input_is_one_line_and_leaves_no_file(discoseq: Command, tmp_path: Path) -> None:
    bad = tmp_path / "bad.discbracket"
    bad.write_text(f"{SENTENCE}\n(S (A 0=a)\n{SENTENCE}\n")
    outcome = discoseq("convert", bad, tmp_path / "out.export")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err == f"{bad}:2: a bracket is not closed\n"
    assert [path.name for path in tmp_path.iterdir()] == ["bad.discbracket"]
    outcome = discoseq("convert", bad, tmp_path / "out.export", "--skip-bad")
    assert outcome.code == 0
    assert outcome.err.splitlines()[:2] == [f"{bad}:2: a bracket is not closed", "skipped 1 bad sentence"]
    assert (tmp_path / "out.export").read_text().count("#BOS") == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["convert", "nothing.export", "x.export"], "nothing.export: no such file"),
        (["convert", "{}", "x.what"], "x.what: can't tell the format from this name; name it with --to"),
        (["convert", "{}", "x.export", "--from", "conll"], "there is no format 'conll'; the formats are export"),
        (["draw", "{}", "--sentence", "9"], "there is no sentence '9'; the file has 2"),
        (["stats", "{}", "nothing"], "nothing: no such file"),
    ],
)
def test_mistakes_are_named(discoseq: Command, treebank: Path, arguments: list[str], message: str) -> None:
    outcome = discoseq(*(argument.format(treebank) for argument in arguments))
    assert outcome.code == 1
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_wrong_option_is_a_mistake_in_the_call(discoseq: Command) -> None:
    assert discoseq("convert", "--wrong").code == 2


def test_stats_as_text_and_as_json(discoseq: Command, treebank: Path) -> None:
    text = discoseq("stats", treebank, treebank).out
    assert "sentences                        4" in text
    assert "  counting punctuation           2 (50.00 %)" in text
    found = json.loads(discoseq("stats", treebank, "--json").out)
    assert found["discontinuous"]["sentences_percent"] == 50.0
    assert found["labels"] == {"ROOT": 2, "S": 1, "VP": 1}


def test_stats_name_both_ways_to_count_gaps(discoseq: Command, tmp_path: Path) -> None:
    (tmp_path / "comma.discbracket").write_text("(ROOT (S (A 0=a) (B 2=b)) ($, 1=,))\n")
    lines = [line.split() for line in discoseq("stats", tmp_path / "comma.discbracket").out.splitlines()]
    place = lines.index(["discontinuous", "sentences"])
    assert lines[place + 1] == ["counting", "punctuation", "1", "(100.00", "%)"]
    assert lines[place + 2] == ["ignoring", "punctuation", "0", "(0.00", "%)"]


def test_draw_as_text_shows_every_sentence_or_the_one_chosen(discoseq: Command, treebank: Path) -> None:
    everything = discoseq("draw", treebank).out
    assert "# 1\n" in everything
    assert "# 2\n" in everything
    assert "muss" in everything
    chosen = discoseq("draw", treebank, "--sentence", "2", "--ascii").out
    assert "Ende" in chosen
    assert "muss" not in chosen
    assert chosen.isascii()


def test_a_drawing_that_is_too_wide_becomes_an_outline(discoseq: Command, treebank: Path) -> None:
    outline = discoseq("draw", treebank, "--sentence", "1", "--width", "20").out
    assert outline.splitlines()[:4] == ["ROOT", "  S", "    VP-OC", "      PDS 0=Das"]


def test_draw_writes_pictures(discoseq: Command, treebank: Path, tmp_path: Path) -> None:
    assert discoseq("draw", treebank, "--to", "svg", "-o", tmp_path / "x.svg").code == 0
    assert (tmp_path / "x.svg").read_text().startswith("<svg")
    assert r"\begin{tikzpicture}" in discoseq("draw", treebank, "--to", "tikz").out
    assert r"\documentclass" in discoseq("draw", treebank, "--to", "tikz", "--standalone").out


def test_an_id_comes_before_a_number(discoseq: Command, tmp_path: Path) -> None:
    names = [("2", "first"), ("1", "second")]
    sentences = "".join(f"#BOS {name}\n{word}\tX\t--\t--\t0\n#EOS {name}\n" for name, word in names)
    (tmp_path / "x.export").write_text(sentences)
    assert "second" in discoseq("draw", tmp_path / "x.export", "--sentence", "1").out


def test_every_command_shows_an_example(discoseq: Command) -> None:
    for command in ("convert", "stats", "draw"):
        assert "Example" in discoseq(command, "--help").out


def test_a_pipe_that_closes_early_gets_no_complaint(treebank: Path) -> None:
    treebank.write_text(f"{SENTENCE}\n" * 20_000)
    call = f"{sys.executable} -m discoseq convert {treebank} - --to export | head -n 2"
    done = subprocess.run(["bash", "-c", call], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("#FORMAT 4\n#BOS 1\n", "")


def test_a_pipe_may_come_in_zipped(treebank: Path) -> None:
    call = f"gzip -c {treebank} | {sys.executable} -m discoseq stats - --json"
    done = subprocess.run(["bash", "-c", call], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["sentences"] == 2


@pytest.mark.parametrize(
    ("options", "expected", "method"),
    [
        ([], "(S (PDS Das) (VMFIN muss) (PIS man) (VP-OC (VVINF tun)))", "raise"),
        (["--continuous", "split"], "(S (VP*-OC (PDS Das)) (VMFIN muss) (PIS man) (VP*-OC (VVINF tun)))", "split"),
        (["--continuous", "attach"], "(S (VP-OC (PDS Das) (VMFIN muss) (PIS man) (VVINF tun)))", "attach"),
    ],
)
def test_no_sentence_is_lost_in_a_continuous_format(
    discoseq: Command, treebank: Path, options: list[str], expected: str, method: str
) -> None:
    outcome = discoseq("convert", treebank, "-", "--to", "bracket", *options)
    assert outcome.code == 0
    assert outcome.out == f"(ROOT {expected} ($. .))\n(ROOT (NN Ende))\n"
    assert outcome.err.splitlines() == [
        f"note: made 1 discontinuous tree continuous (--continuous {method})",
        "note: bracket has no place for comments (1): they are not written",
    ]


def test_trees_are_made_continuous_in_any_format_if_this_is_asked_for(discoseq: Command, treebank: Path) -> None:
    assert discoseq("convert", treebank, "-", "--to", "discbracket").out == treebank.read_text()
    outcome = discoseq("convert", treebank, "-", "--to", "discbracket", "--continuous", "raise", "--functions", "drop")
    assert "(PDS 0=Das) (VMFIN 1=muss) (PIS 2=man) (VP (VVINF 3=tun))" in outcome.out
    assert [method.value for method in Method] == list(METHODS)


def test_convert_says_what_the_format_has_no_place_for(discoseq: Command, tmp_path: Path) -> None:
    token, phrases = "Das der PDS Acc SB 500 OA 501", "#500 -- NP -- -- 501\n#501 -- S -- -- 0"
    (tmp_path / "in.export").write_text(f"#FORMAT 4\n#BOS s7 %% a note\n{token}\n{phrases}\n#EOS s7\n")
    outcome = discoseq("convert", tmp_path / "in.export", "-", "--to", "discbracket")
    assert outcome.err == (
        "note: discbracket has no place for lemmas (1), morphology (1), secondary edges (1), sentence ids (1): "
        "they are not written\n"
    )
    for held in ("export", "json", "alpino"):
        assert discoseq("convert", tmp_path / "in.export", "-", "--to", held).err == ""


def test_convert_to_json_and_back(discoseq: Command, treebank: Path, tmp_path: Path) -> None:
    assert discoseq("convert", treebank, tmp_path / "x.json").code == 0
    lines = [json.loads(line) for line in (tmp_path / "x.json").read_text().splitlines()]
    assert [line["words"] for line in lines] == [["Das", "muss", "man", "tun", "."], ["Ende"]]
    assert discoseq("convert", tmp_path / "x.json", "-", "--to", "discbracket").out == treebank.read_text()
    back = discoseq("convert", "--from", "json", tmp_path / "x.json", "-", "--to", "discbracket")
    assert back.out == treebank.read_text()


def test_a_real_top_phrase_survives_export(discoseq: Command, tmp_path: Path) -> None:
    (tmp_path / "in.mrg").write_text("(S (NP (PRP He)) (VP (VBD came)) (. .))\n")
    assert discoseq("convert", tmp_path / "in.mrg", tmp_path / "x.export").code == 0
    back = discoseq("convert", tmp_path / "x.export", "-", "--to", "bracket").out
    assert back == "(ROOT (S (NP (PRP He)) (VP (VBD came)) (. .)))\n"
