"""`discoseq train` without a configuration file, by the name of one, and resumed; `discoseq config`."""

import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli.command import Command
from discoseq.model.model_files import read_extra
from discoseq.training.config import CONFIGS, PLANS, read_config
from discoseq.training.record import read_run_config

ROOT = Path(__file__).resolve().parents[2]
TWENTY = ROOT / "examples" / "twenty.discbracket"
# a network that is trained in a second
SMALL = ["model.width=16", "model.heads=2", "model.hidden=16", "model.character_filters=8", "model.word_width=8"]
SMALL += ["data.augmented=0", "data.repeats=[1]", "training.epochs=1", "training.batch_tokens=500"]
SETTINGS = [part for setting in SMALL for part in ("--set", setting)]


def test_a_treebank_is_all_that_training_needs(discoseq: Command, tmp_path: Path) -> None:
    outcome = discoseq("train", "--train", TWENTY, "--out", tmp_path / "run", *SETTINGS)
    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith(f"{tmp_path / 'run' / 'model'}: F1 ")
    assert "note: the language of the training text seems to be en; name another with --language" in outcome.err
    assert "note: no dev files are named: every tenth tree of train is dev (2)" in outcome.err
    assert "18 training sentences, 2 dev sentences" in outcome.err
    used = read_run_config(tmp_path / "run", [])
    assert used.model == read_config("small", SMALL).model
    assert used.training == read_config("small", SMALL).training
    assert read_extra(tmp_path / "run" / "model")["language"] == "en"


def test_the_options_name_treebanks_and_the_language(discoseq: Command, tmp_path: Path) -> None:
    treebank = shutil.copy(TWENTY, tmp_path / 'odd "näme".discbracket')
    call = ["train", "--train", treebank, "--train", TWENTY, "--dev", TWENTY, "--language", "nl", *SETTINGS]
    outcome = discoseq(*call, "--seed", 7, "--out", tmp_path / "run")
    assert outcome.code == 0, outcome.err
    assert "40 training sentences, 20 dev sentences" in outcome.err
    assert "note: the language" not in outcome.err
    config = read_run_config(tmp_path / "run", [])
    assert (config.language, config.training.seed, config.data.dev) == ("nl", 7, [str(TWENTY)])


def test_without_a_treebank_or_a_configuration_it_is_wrong_usage(discoseq: Command, tmp_path: Path) -> None:
    outcome = discoseq("train", "--out", tmp_path)
    assert outcome.code == 2
    assert "--train" in outcome.err
    outcome = discoseq("train", "small", "--out", tmp_path)
    assert (outcome.code, outcome.err) == (1, "data.train is empty: name a treebank file, as in --train FILE\n")


def test_a_wrong_name_of_a_configuration_lists_the_right_ones(discoseq: Command, tmp_path: Path) -> None:
    outcome = discoseq("train", "smal", "--out", tmp_path)
    assert outcome.code == 1
    assert outcome.err.startswith("smal: no such file, and none of the configurations baseline, encoders/")


def test_empty_elements_are_refused_in_one_line_with_the_command_that_mends_it(
    discoseq: Command, tmp_path: Path
) -> None:
    treebank, mended = tmp_path / "a.mrg", tmp_path / "b.discbracket"
    treebank.write_text("(S (NP-1 (PRP He)) (VP (VBZ tries) (S (NP (-NONE- *-1)) (VP (TO to) (VB win)))))\n" * 20)
    outcome = discoseq("train", "--train", treebank, "--out", tmp_path / "run", *SETTINGS)
    assert outcome.code == 1
    last = outcome.err.splitlines()[-1]
    command = re.search(r"discoseq (convert .* --traces drop)", last)
    assert command is not None
    assert not (tmp_path / "run").exists()
    assert discoseq(*command[1].replace("OUT", str(mended)).split()).code == 0
    outcome = discoseq("train", "--train", mended, "--out", tmp_path / "run", *SETTINGS)
    assert outcome.code == 0, outcome.err
    outcome = discoseq(
        "train", "--train", treebank, "--out", tmp_path / "dropped", *SETTINGS, "--set", "data.traces=drop"
    )
    assert outcome.code == 0, outcome.err
    assert f"note: {treebank}: empty elements (-NONE-) are dropped (20)" in outcome.err


def test_a_run_is_resumed_by_its_folder_alone(discoseq: Command, tmp_path: Path) -> None:
    run = tmp_path / "run"
    outcome = discoseq("train", "--resume", "--out", run)
    assert (outcome.code, "there is no run.json" in outcome.err) == (1, True)
    settings = ["--set", "training.batch_tokens=60", *SETTINGS[:-4], "--set", "training.epochs=3"]
    assert discoseq("train", "--train", TWENTY, "--out", run, *settings).code == 0
    shutil.rmtree(run / "model")
    outcome = discoseq("parse", "--text", "It works.", "--model", run)
    assert outcome.code == 1
    assert outcome.err.endswith(f"so it has no model yet; go on with it by discoseq train --resume --out {run}\n")
    outcome = discoseq("train", "--resume", "--out", run)
    assert outcome.code == 0, outcome.err
    assert discoseq("parse", "--text", "It works.", "--model", run).code == 0
    outcome = discoseq("train", "--resume", "--out", run, "--set", "model.hidden=32")
    assert outcome.code == 1
    assert "model.hidden is 16 in this run and 32 in the configuration" in outcome.err


def test_stages_are_lines_in_a_log_and_a_bar_on_a_terminal(tmp_path: Path) -> None:
    call = [sys.executable, "-m", "discoseq", "train", "--train", str(TWENTY), *SETTINGS, "--out"]
    logged = subprocess.run([*call, str(tmp_path / "a")], capture_output=True, text=True, check=True).stderr
    stages = ["reading ", "counting the words", "replaying the gold actions", "beginning with epoch 1 of 1"]
    stages += ["parsing dev greedily", "epoch   1  loss", "parsing dev with beam 10"]
    places = [logged.index(stage) for stage in stages]
    assert places == sorted(places)
    leader, follower = pty.openpty()
    with subprocess.Popen([*call, str(tmp_path / "b")], stdout=subprocess.DEVNULL, stderr=follower) as process:
        os.close(follower)
        shown = b"".join(iter(lambda: read_terminal(leader), b"")).decode()
    assert process.returncode == 0
    assert "━" in shown  # the bar
    assert "parsing dev" in shown


def read_terminal(leader: int) -> bytes:
    try:
        return os.read(leader, 4096)
    except OSError:  # Linux says so when the other side is closed
        return b""


def test_a_configuration_to_start_from_is_written_once(
    discoseq: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert discoseq("config", "init").code == 0
    text = Path("discoseq.toml").read_text()
    assert text == (CONFIGS / "small.toml").read_text()
    assert read_config("discoseq.toml") == read_config("small")
    Path("discoseq.toml").write_text(text.replace("train = [] ", f'train = ["{TWENTY}"] '))
    assert discoseq("train", "discoseq.toml", "--out", "run", *SETTINGS).code == 0
    outcome = discoseq("config", "init")
    assert (outcome.code, outcome.err) == (1, "discoseq.toml: the file exists; name another one\n")
    assert discoseq("config", "init", "german.toml", "--base", "paper/tiger").code == 0
    assert read_config("german.toml").language == "de"
    assert discoseq("config", "init", "x.toml", "--base", "nothing").code == 1


def test_every_configuration_is_listed_by_its_name(discoseq: Command) -> None:
    listed = [line.split()[0] for line in discoseq("config", "list").out.splitlines()[1:]]
    assert "small" in listed
    for name in listed:
        read_config(name)
    assert len(listed) == len(set(CONFIGS.rglob("*.toml")) - set(PLANS.iterdir()))
