"""`discoseq parse-corpus`: what it says before a cluster is there, and while it works."""

import sys
from pathlib import Path

import pytest

from cli.command import Command
from discoseq.cli import parse_corpus as module
from discoseq.integrations.ray import CorpusCounts, CorpusProgress
from parser.trained import trained_directory


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "words.txt"
    path.write_text("Ben slept .\n")
    return path


def test_a_missing_extra_is_named(
    discoseq: Command, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # to import it is now an error
    outcome = discoseq("parse-corpus", text, "--out", tmp_path / "out")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err == "parsing on a cluster needs ray: pip install 'discoseq[ray]'\n"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{}/none.txt"], "{}/none.txt: no such file"),
        (["{}/*.gz"], "{}/*.gz: no file matches this pattern"),
        (["{}/words.txt", "--model", "none"], "there is no model 'none'; name a directory, or one of: "),
        (["{}/words.txt", "--language", "xx"], "unknown language 'xx'; choose one of "),
        (["{}/words.txt", "--from", "parquet"], "{}/words.txt: this is no Parquet file ("),
        (["{}"], "{}/out: the trees can't be written to a folder that is read"),
    ],
)
def test_what_can_not_be_parsed_is_said_before_a_cluster_is_started(
    discoseq: Command, text: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    pytest.importorskip("ray", reason="the extra ray is not installed")
    given = [argument.format(tmp_path) for argument in arguments]
    model = [] if "--model" in given else ["--model", trained_directory()]
    outcome = discoseq("parse-corpus", *given, *model, "--out", tmp_path / "out")
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (1, "", 1)
    assert message.format(tmp_path) in outcome.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["words.txt"]


@pytest.mark.parametrize("option", ["--workers", "--threads", "--beam", "--longest", "--shard-lines"])
def test_numbers_are_at_least_one(discoseq: Command, text: Path, option: str) -> None:
    assert discoseq("parse-corpus", text, "--out", "out", option, 0).code == 2


def test_a_line_says_shards_sentences_speed_and_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("discoseq.cli.parse_corpus.time.monotonic", lambda: now[0])
    clock = module._Clock()
    begun = CorpusProgress(20, 40_000, 4, 8_000, 8_000)
    assert clock.line(begun) == "40,000 sentences in 20 shards, 4 of them finished"
    now[0] += 100
    later = CorpusProgress(20, 40_000, 8, 16_000, 8_000)
    assert clock.line(later) == (
        "8 of 20 shards: parsed 8,000 of about 32,000 sentences (25%), 80.0 a second, about 5 minutes left"
    )
    assert clock.short_line(later) == "8/20 shards, 16,000 sentences, 80.0/s, about 5 minutes left"


def test_the_summary_says_what_is_there_and_what_is_missing() -> None:
    counts = CorpusCounts(3, 100, 90, 700, 8, 2)
    assert module._summary(counts, "out", 100, 10.0) == (
        "out: 90 trees in 3 shards, 10.0 sentences a second\n"
        "not parsed: 8 lines that can't be parsed, 2 sentences that are too long; out/bad says why"
    )
    assert module._summary(CorpusCounts(3, 90, 90, 700, 0, 0), "out", 0, 1.0) == "out: 90 trees in 3 shards"
