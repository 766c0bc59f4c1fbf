"""`discoseq report`: tables with the paper's figures beside ours, tests of differences, and figures."""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest

from cli.command import Command
from discoseq.evaluation.breakdown import By, count_groups
from discoseq.evaluation.corpus_scores import score_sentences, summarize
from discoseq.experiments import figures
from discoseq.experiments.figures import plan_figures
from discoseq.experiments.paper_tables import group_runs
from discoseq.experiments.results import CellResult, Evaluation, TrainingFigures, read_results, write_results
from discoseq.linearizations.sizes import Size
from discoseq.treebanks.files import parse_trees

GOLD = [
    "(ROOT (S (VP (A 0=a) (B 2=b)) (C 1=c)))",
    "(ROOT (S (NP (A 0=a) (B 1=b)) (VP (C 2=c))))",
    "(ROOT (S (VP (NP (A 0=a) (B 1=b)) (D 3=d)) (C 2=c)))",
]
GOOD, POOR = GOLD, [
    "(ROOT (S (VP (A 0=a) (B 2=b)) (C 1=c)))",
    "(ROOT (S (NP (A 0=a) (B 1=b)) (VP (C 2=c))))",
    "(ROOT (S (NP (A 0=a) (B 1=b)) (C 2=c) (D 3=d)))",
]  # fmt: skip


def evaluation(predicted: list[str], split: str, beam: int) -> Evaluation:
    gold, parsed = (parse_trees("\n".join(lines), "discbracket") for lines in (GOLD, predicted))
    results = list(score_sentences(gold, parsed))
    return Evaluation(
        split=split,
        beam=beam,
        rules="disco",
        seconds=1.5,
        cpu_seconds=3.0,
        repaired=1,
        f1=summarize(results, "disco").all.f1,
        exact_match=summarize(results, "disco").all.exact_match,
        counts=[result.counts.brackets for result in results],
        discontinuous=[result.counts.discontinuous for result in results],
        groups={by: count_groups(results, by) for by in By},
        discontinuous_groups={by: count_groups(results, by, only_discontinuous=True) for by in By},
    )


def cell(name: str, seed: int, predicted: list[str], treebank: str = "negra", variant: str = "") -> CellResult:
    return CellResult(
        plan="example",
        treebank=treebank,
        recipe=treebank,
        variant=variant,
        linearization=name,
        seed=seed,
        config={},
        data={"train": "1", "dev": "2", "test": "3"},
        versions={"discoseq": "0.2.0"},
        size=Size(name, 3, 31, 2000, 12.0),
        training=TrainingFigures(2, 100, 5000, 90.0, 120.0),
        evaluations=tuple(evaluation(predicted, split, 10) for split in ("dev", "test")),
    )


CELLS = [
    cell("in-order+swap", 1, GOOD),
    cell("in-order+swap", 2, POOR),
    cell("in-order+shift#k", 1, POOR),
    cell("in-order+shift#k", 2, POOR),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_results(tmp_path / "results.json", CELLS)
    return tmp_path


def rows(report: str, title: str) -> list[list[str]]:
    """The cells of a Markdown table, its header first."""
    lines = report.partition(f"## {title}\n\n")[2].partition("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in (lines[0], *lines[2:])]


def test_results_are_read_as_they_were_written(folder: Path) -> None:
    assert read_results(folder) == read_results(folder / "results.json") == CELLS


def test_published_figures_and_differences_stand_beside_ours(discoseq: Command, folder: Path) -> None:
    outcome = discoseq("report", folder, "--samples", 100)
    assert outcome.code == 0, outcome.err
    # 100 and 2 * 7 / (8 + 7) of the brackets; 100 and 2 * 1 / (2 + 1) of the discontinuous ones
    header, swap, shift = rows(outcome.out, "Table 5: F1 and discontinuous F1 on test")
    assert header[:2] == ["treebank", "linearization"]  # there are no variants
    assert swap == ["negra", "in-order+swap", "10", "2", "96.67 ± 4.71", "89.08 ± 0.02", "+7.59",
                    "83.33 ± 23.57", "67.06 ± 0.84", "+16.27", "83.33 ± 23.57"]  # fmt: skip
    assert shift[4:7] == ["93.33 ± 0.00", "86.76 ± 0.13", "+6.57"]
    assert rows(outcome.out, "Table 4: F1 on dev")[1][4:8] == ["96.67 ± 4.71", "90.79 ± 0.08", "+5.88", "83.33 ± 23.57"]
    assert rows(outcome.out, "Table 6: speed")[1] == [
        "negra", "in-order+swap", "test", "10", "2.0 ± 0.0", "21", "0.10", "1.0 ± 0.0"
    ]  # fmt: skip
    sizes = rows(outcome.out, "Table 7: actions in the vocabulary, and in the longest sequence of train")
    assert sizes[1] == ["negra", "in-order+swap", "31", "31", "+0", "2000", "2062", "-62", "12.0"]
    assert rows(outcome.out, "Training")[1][2:] == ["2", "100", "5,000", "2.0 ± 0.0", "33.3"]
    assert "Table 3" not in outcome.out
    compared = rows(outcome.out, "Differences between linearizations")
    assert compared[1][:5] == ["negra", "in-order+swap", "in-order+shift#k", "test", "+3.44"]


def test_a_treebank_that_the_paper_does_not_have_stands_alone(discoseq: Command, tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    variants = [replace(CELLS[0], treebank="alpino", recipe="alpino", variant=name) for name in ("heads", "plain")]
    write_results(path, variants)
    out = discoseq("report", path, "--samples", 10).out
    assert rows(out, "Table 4: F1 on dev")[0] == [
        "treebank", "variant", "linearization", "beam", "seeds", "F1", "discontinuous F1", "exact match"
    ]  # fmt: skip
    assert rows(out, "Differences between variants")[1][:4] == ["alpino", "in-order+swap", "plain", "heads"]


def test_a_report_is_the_same_everywhere_with_its_figures(discoseq: Command, folder: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    outcome = discoseq("report", folder, "--out", one, "--samples", 100)
    assert (outcome.code, outcome.out) == (0, f"{one / 'report.md'}\n")
    (tmp_path / "matplotlibrc").write_text("font.size: 20\nlines.linewidth: 5\n")
    environment = os.environ | {"PYTHONHASHSEED": "7", "MATPLOTLIBRC": str(tmp_path), "TZ": "Asia/Tokyo"}
    call = [sys.executable, "-m", "discoseq", "report", "results.json", "--out", str(two), "--samples", "100"]
    subprocess.run(call, cwd=folder, env=environment, check=True, capture_output=True)
    files = sorted(path.name for path in one.iterdir())
    assert files == ["analysis-negra.png", "analysis-negra.svg", "report.md"]
    for name in files:
        assert (one / name).read_bytes() == (two / name).read_bytes()
    assert "![negra, dev, beam 10](analysis-negra.svg)" in (one / "report.md").read_text()
    ElementTree.parse(one / "analysis-negra.svg")


def test_treebanks_are_also_drawn_together(discoseq: Command, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    write_results(path, [*CELLS, *(replace(one, treebank="pcc", recipe="pcc") for one in CELLS)])
    assert discoseq("report", path, "--out", tmp_path / "report", "--samples", 10).code == 0
    names = {path.stem for path in (tmp_path / "report").glob("*.svg")}
    assert names == {"analysis-negra", "analysis-pcc", "analysis-all"}


def test_what_treebanks_have_in_common_is_drawn_together() -> None:
    """A line that lacks a treebank or a seed of one would be of other sentences than the others."""
    flat = [cell("in-order", 1, GOOD, "ptb"), cell("top-down", 1, GOOD, "ptb")]
    partial = [cell("in-order+swap", 1, GOOD, "tiger"), cell("top-down+swap", 1, GOOD, "tiger")]
    planned = {figure.name: figure for figure in plan_figures(group_runs([*CELLS, *flat, *partial]))}
    assert list(planned) == ["analysis-negra", "analysis-ptb", "analysis-tiger", "analysis-all"]
    together = planned["analysis-all"]
    assert together.caption == "negra, tiger, dev, beam 10"
    assert {name: len(found) for name, found in together.lines.items()} == {"in-order+swap": 2}  # treebanks, one seed
    assert {name: len(found) for name, found in planned["analysis-negra"].lines.items()} == {
        "in-order+swap": 2,
        "in-order+shift#k": 2,
    }


def test_no_two_of_ten_lines_look_alike() -> None:
    assert len({figures._style(number)[:2] for number in range(10)}) == 10
    assert len({figures._style(number)[1:] for number in range(10)}) == 10  # in print without colours


def test_continuous_trees_have_table_3_and_no_figures_of_gaps(discoseq: Command, tmp_path: Path) -> None:
    flat = replace(evaluation(GOOD, "test", 10), discontinuous=[], discontinuous_groups={by: {} for by in By})
    path = tmp_path / "results.json"
    write_results(path, [replace(cell("in-order", 1, GOOD, "ptb"), evaluations=(flat,))])
    outcome = discoseq("report", path, "--out", tmp_path / "report", "--to", "html")
    assert outcome.code == 0, outcome.err
    text = (tmp_path / "report" / "report.html").read_text()
    assert "Table 3, test: F1 of continuous linearizations" in text
    assert "95.84 ± 0.02" in text
    assert "discontinuous" not in text.partition("<table>")[2]
    sources = re.findall(r'(?:src|href)="([^"]{0,30})', text)  # the figures are in the file
    assert sources == ["data:image/svg+xml;base64,PD94"]


def test_latex_has_a_table_environment_for_each_table(discoseq: Command, folder: Path) -> None:
    out = discoseq("report", folder, "--to", "latex", "--samples", 10).out
    assert out.count(r"\begin{table*}") == out.count(r"\end{table*}") == 6
    assert out.count("{") == out.count("}")
    assert r"in-order+shift\#k & 10 & 2 & 93.33 $\pm$ 0.00 & 86.76 $\pm$ 0.13 & +6.57" in out
    assert "±" not in out


def test_a_report_needs_no_torch(folder: Path) -> None:
    code = "import sys; sys.modules['torch'] = None; from discoseq.cli.main import main; main()"
    call = [sys.executable, "-c", code, "report", str(folder), "--samples", "10", "--out", str(folder / "report")]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_is_no_file_of_results_is_one_sentence(discoseq: Command, folder: Path) -> None:
    (folder / "empty").mkdir()
    write_results(folder / "none.json", [])
    (folder / "other.json").write_text('{"cells": []}')
    for name, message in [
        ("empty", "empty/results.json: no such file; `discoseq experiment` writes it when the first cell is done\n"),
        ("none.json", "none.json: no cell is done yet\n"),
        ("other.json", "these are no results of discoseq experiment (KeyError: 'version')\n"),
    ]:
        outcome = discoseq("report", folder / name)
        assert outcome.code == 1
        assert outcome.err.endswith(message)
    write_results(folder / "again.json", [replace(CELLS[0], size=CELLS[0].size, evaluations=())])
    outcome = discoseq("report", folder, folder / "again.json")
    assert outcome.code == 1
    assert "there are two different results of negra, in-order+swap, 1; report them one by one" in outcome.err
    assert discoseq("report", folder, folder).code == 0  # the same results twice
    write_results(folder / "other.json", [replace(CELLS[0], seed=3, config={"training": {"epochs": 9, "seed": 3}})])
    outcome = discoseq("report", folder, folder / "other.json")
    assert outcome.code == 1
    assert "negra, in-order+swap, 3 was run with other settings or data than seed 1; redo one of them" in outcome.err
