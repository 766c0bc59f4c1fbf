"""`discoseq experiment`: what it does, what it does not do twice, and what it refuses."""

import json
import os
import resource
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from cli.command import Command
from discoseq.evaluation.corpus_scores import evaluate
from discoseq.experiments.plan import select_cells
from discoseq.experiments.plan_file import read_plan
from discoseq.experiments.results import CellResult, read_results, write_results
from discoseq.experiments.run_plan import CellStarted, run_plan
from discoseq.training import loop
from discoseq.training.events import Noted, Stage
from discoseq.training.update import total_loss
from discoseq.treebanks.files import read_trees
from experiments.plans import CELLS, PLAN, TWENTY, write_plan

ONE_CELL = ["--only", "heads", "--only", "in-order+swap", "--seeds", "1"]


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    return write_plan(tmp_path)


def by_name(path: Path) -> dict[tuple[str, str, str, int], CellResult]:
    return {result.key: result for result in read_results(path)}


def written(folder: Path) -> dict[str, int]:
    """When each file of a cell's results was written."""
    return {path.name: path.stat().st_mtime_ns for path in (folder / "results").iterdir()}


def test_every_cell_is_trained_parsed_scored_and_timed(discoseq: Command, plan: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    outcome = discoseq("experiment", plan, "--out", out)
    assert outcome.code == 0, outcome.err
    assert outcome.out == f"{out / 'results.json'}: 5 cells; discoseq report {out} makes tables of them\n"
    assert "note: twenty has no test part, so nothing is parsed there" in outcome.err
    assert [line for line in outcome.err.splitlines() if line.startswith("cell ")] == [
        f"cell {number} of 5: {name}" for number, name in enumerate(CELLS, 1)
    ]
    results = read_results(out)
    assert [f"{x.treebank}/{x.variant}/{x.linearization}/seed-{x.seed}" for x in results] == CELLS
    assert [x.training.epochs for x in results] == [2, 2, 3, 3, 2]
    gold = list(read_trees(tmp_path / "data" / "dev.discbracket"))
    for name, result in zip(CELLS, results, strict=True):
        assert result.training.cpu_seconds > 0
        assert (result.size.sentences, result.size.vocabulary > 10) == (20, True)
        assert [(one.split, one.beam) for one in result.evaluations] == [("dev", 2), ("dev", 1)]
        for one in result.evaluations:
            parsed = read_trees(out / "runs" / name / f"dev.beam-{one.beam}.discbracket")
            scores = evaluate(gold, parsed).all
            assert (one.f1, one.discontinuous_f1) == (scores.f1 or 0.0, scores.discontinuous.f1 or 0.0)
            assert len(one.counts) == 8
            assert one.seconds > 0
        assert not (out / "runs" / name / "checkpoints").exists()  # a finished cell needs its model only


def test_what_is_done_is_not_done_again(discoseq: Command, plan: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert discoseq("experiment", plan, "--out", out, *ONE_CELL).code == 0
    before = written(out)
    outcome = discoseq("experiment", plan, "--out", out, "--only", "heads", "--seeds", 1, "--json")
    assert outcome.code == 0, outcome.err
    assert "1 of 2 cells were done before" in outcome.err
    document = json.loads(outcome.out)
    assert [cell["linearization"] for cell in document["cells"]] == ["in-order+swap", "top-down+swap"]
    assert document["cells"][0]["evaluations"][0]["sentences"] == 8
    after = written(out)
    assert len(after) == 2
    assert before.items() <= after.items()
    # another beam needs no training
    metrics = out / "runs" / CELLS[0] / "metrics.jsonl"
    trained = metrics.stat().st_mtime_ns
    outcome = discoseq("experiment", plan, "--out", out, *ONE_CELL, "--set", "beams=[3, 2, 1]")
    assert outcome.code == 0, outcome.err
    assert metrics.stat().st_mtime_ns == trained
    assert [one.beam for one in by_name(out)["twenty", "heads", "in-order+swap", 1].evaluations] == [2, 1, 3]


def test_a_cell_that_was_done_otherwise_is_refused_or_done_again(discoseq: Command, plan: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert discoseq("experiment", plan, "--out", out, *ONE_CELL).code == 0
    before = written(out)
    changed = [*ONE_CELL, "--set", "model.width=32"]
    outcome = discoseq("experiment", plan, "--out", out, *changed)
    assert outcome.code == 1
    last = outcome.err.splitlines()[-1]
    assert "this cell was done otherwise: model.width is 16 in this run and 32 in the configuration; undo" in last
    assert last.endswith("or do such cells again by --redo")
    assert written(out) == before
    outcome = discoseq("experiment", plan, "--out", out, *changed, "--redo")
    assert outcome.code == 0, outcome.err
    assert by_name(out)["twenty", "heads", "in-order+swap", 1].config["model"]["width"] == 32
    with (tmp_path / "data" / "train.discbracket").open("a") as treebank:
        treebank.write(TWENTY[0])
    outcome = discoseq("experiment", plan, "--out", out, *changed)
    assert (outcome.code, "train has other contents" in outcome.err) == (1, True)


def test_cells_are_redone_one_by_one(discoseq: Command, plan: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert discoseq("experiment", plan, "--out", out, "--only", "heads", "--seeds", 1).code == 0
    named = read_plan(plan, ["model.width=32"], seeds=1)
    events = run_plan(named, select_cells(named.cells(), ["heads"]), out, is_redone=True)
    assert next(isinstance(event, CellStarted) for event in events if not isinstance(event, Stage | Noted))
    assert [path.name for path in (out / "results").iterdir()] == ["twenty.heads.top-down+swap.seed-1.json"]


def test_a_cell_that_was_stopped_while_it_was_parsed_is_not_trained_again(
    discoseq: Command, plan: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert discoseq("experiment", plan, "--out", out, *ONE_CELL).code == 0
    path, run = next((out / "results").iterdir()), out / "runs" / CELLS[0]
    [result] = read_results(path)
    (out / "results.json").unlink()
    write_results(path, [replace(result, evaluations=result.evaluations[:1])])
    before = {name: (run / name).stat().st_mtime_ns for name in ("metrics.jsonl", "dev.beam-2.discbracket")}
    listed = discoseq("experiment", plan, "--out", out, *ONE_CELL, "--dry-run", "--json")
    assert json.loads(listed.out) == {"cells": {CELLS[0]: "begun"}}
    (run / "dev.beam-1.discbracket").unlink()
    assert discoseq("experiment", plan, "--out", out, *ONE_CELL).code == 0
    assert before == {name: (run / name).stat().st_mtime_ns for name in before}
    assert (run / "dev.beam-1.discbracket").exists()
    [again] = read_results(out)
    assert [one.counts for one in again.evaluations] == [one.counts for one in result.evaluations]
    listed = discoseq("experiment", plan, "--out", out, *ONE_CELL, "--dry-run", "--json")
    assert json.loads(listed.out) == {"cells": {CELLS[0]: "done"}}


@pytest.mark.slow
def test_processes_with_other_cells_share_a_folder(plan: Path, tmp_path: Path) -> None:
    call = [sys.executable, "-m", "discoseq", "experiment", str(plan), "--seeds", "1", "--out", str(tmp_path / "out")]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    names = ("in-order+swap", "top-down+swap")
    running = [subprocess.Popen([*call, "--only", x], stderr=subprocess.DEVNULL, env=environment) for x in names]
    assert [process.wait() for process in running] == [0, 0]
    assert len(read_results(tmp_path / "out")) == 3


def test_results_of_another_version_are_refused(discoseq: Command, plan: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert discoseq("experiment", plan, "--out", out, *ONE_CELL).code == 0
    path = next((out / "results").iterdir())
    path.write_text(path.read_text().replace('"versions":{"discoseq":"', '"versions":{"discoseq":"0.0.1-'))
    outcome = discoseq("experiment", plan, "--out", out, *ONE_CELL)
    assert outcome.code == 1
    assert "discoseq was 0.0.1-" in outcome.err


def test_a_run_that_was_stopped_goes_on_and_ends_with_the_same_trees(
    discoseq: Command, plan: Path, tmp_path: Path
) -> None:
    settings = [*ONE_CELL, "--set", "training.epochs=9", "--set", "training.first_scored_epoch=9"]
    call = [sys.executable, "-m", "discoseq", "experiment", str(plan), *settings, "--out", str(tmp_path / "out")]
    torch.set_num_threads(1)
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    for number, epoch in ((signal.SIGINT, 3), (signal.SIGKILL, 6)):
        with subprocess.Popen(call, stderr=subprocess.PIPE, text=True, env=environment) as process:
            assert process.stderr is not None
            for line in process.stderr:
                if line.startswith(f"epoch {epoch:3}"):
                    break
            process.send_signal(number)
            rest = process.stderr.read()
        assert process.returncode == (130 if number == signal.SIGINT else -number)
        assert ("interrupted: the same command goes on" in rest) == (number == signal.SIGINT)
        assert not (tmp_path / "out" / "results.json").exists()
    again = discoseq(*call[3:])
    assert again.code == 0, again.err
    assert "resuming in epoch" in again.err
    assert discoseq(*call[3:-1], tmp_path / "whole").code == 0
    one, two = (tmp_path / name / "runs" / CELLS[0] / "dev.beam-2.discbracket" for name in ("out", "whole"))
    assert one.read_text() == two.read_text()


def test_a_full_disk_is_one_sentence_and_loses_no_finished_cell(discoseq: Command, plan: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    call = [sys.executable, "-m", "discoseq", "experiment", str(plan), "--out", str(out), "--seeds", "1"]
    assert discoseq(*call[3:], *ONE_CELL).code == 0
    before = written(out)

    def limit() -> None:  # no file may become larger, as on a full disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    done = subprocess.run(call, capture_output=True, text=True, check=False, preexec_fn=limit)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "can't write" in done.stderr.splitlines()[-1] or "too large" in done.stderr.splitlines()[-1]
    assert before.items() <= written(out).items()
    assert discoseq(*call[3:]).code == 0


def test_a_treebank_that_is_not_there_is_one_sentence_with_the_way_to_get_it(
    discoseq: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = discoseq("experiment", "paper-discontinuous", "--only", "negra", "--out", "out")
    assert outcome.code == 1
    message = outcome.err.splitlines()[-1]
    assert (
        "treebanks.negra: neither prepared/negra nor corpora/negra-corpus.export is there; get the corpus at" in message
    )
    assert message.endswith("name it by --set treebanks.negra.source=PATH")
    assert not (tmp_path / "out").exists()


def test_a_plan_that_would_parse_nothing_is_refused(discoseq: Command, tmp_path: Path, plan: Path) -> None:
    outcome = discoseq("experiment", plan, "--out", tmp_path / "out", "--set", 'splits=["test"]')
    assert outcome.code == 1
    assert outcome.err.endswith(f"{plan}: twenty has no test part, so nothing can be parsed\n")


def test_a_folder_of_another_corpus_is_refused(discoseq: Command, tmp_path: Path, plan: Path) -> None:
    card = {"recipe": "masc", "splits": {"train": {"file": "train.discbracket"}}}
    (tmp_path / "data" / "card.json").write_text(json.dumps(card))
    outcome = discoseq("experiment", plan, "--out", tmp_path / "out", "--set", "treebanks.twenty.recipe=pcc")
    assert outcome.code == 1
    assert "was made by the recipe masc, not pcc" in outcome.err


def test_the_cells_are_listed_without_torch_and_nothing_is_done(plan: Path, tmp_path: Path) -> None:
    code = "import sys; sys.modules['torch'] = None; from discoseq.cli.main import main; main()"
    call = [sys.executable, "-c", code, "experiment", str(plan), "--dry-run", "--json", "--out", str(tmp_path / "out")]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"cells": dict.fromkeys(CELLS, "to do")}
    assert not (tmp_path / "out").exists()


def test_wrong_usage_is_exit_code_2_and_a_wrong_plan_exit_code_1(discoseq: Command, tmp_path: Path) -> None:
    assert discoseq("experiment").code == 2
    assert discoseq("experiment", "open", "--seeds", "0").code == 2
    plan = write_plan(tmp_path, PLAN.replace("beams", "baems"))
    outcome = discoseq("experiment", plan, "--out", tmp_path / "out")
    assert (outcome.code, outcome.err) == (1, f"{plan}: there is no setting baems; did you mean beams?\n")


def test_the_plans_are_listed(discoseq: Command) -> None:
    lines = discoseq("experiment", "--list").out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["ablation", "open", "paper-continuous", "paper-discontinuous"]


def test_a_cell_that_diverges_does_not_stop_the_others(
    discoseq: Command, plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object) -> tuple[Tensor, Tensor]:
        is_first = not (tmp_path / "out" / "runs" / CELLS[2]).exists()
        return tuple(loss * (float("nan") if is_first else 1.0) for loss in total_loss(*arguments))  # type: ignore

    monkeypatch.setattr(loop, "total_loss", broken)
    outcome = discoseq("experiment", plan, "--out", tmp_path / "out", "--only", "heads", "--seeds", 1)
    assert outcome.code == 1
    assert f"{CELLS[0]} failed: the loss is nan in epoch 1" in outcome.err
    assert outcome.err.endswith(f"1 of 2 cells failed: {CELLS[0]}\n")
    assert [result.linearization for result in read_results(tmp_path / "out")] == ["top-down+swap"]
