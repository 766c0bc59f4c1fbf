"""The plans of the paper from source to report, on tiny corpora in the layouts of the licensed ones.

The network and the language model are tiny, too; everything else is as in the plans.
"""

from pathlib import Path

import pytest

from cli.command import Command
from discoseq.experiments.plan_file import read_plan
from discoseq.experiments.results import read_results
from model.pretrained.tiny import KINDS

SOURCES = Path(__file__).resolve().parents[1] / "treebanks" / "recipes" / "sources"
TINY = ["model.width=16", "model.hidden=16", "model.encoder_layers=1", "model.decoder_layers=1"]
TINY += ["model.pretrained_layers=last", "training.epochs=1", "training.first_scored_epoch=1"]


@pytest.fixture
def discoseq(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(monkeypatch, capsys)


@pytest.fixture(scope="module")
def roberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return KINDS["roberta"](tmp_path_factory.mktemp("encoder") / "roberta")


def write_negra(path: Path) -> None:
    """As many sentences as NEGRA has, because its parts are found by number; all but a few of them are empty."""
    text = (SOURCES / "negra" / "negra-corpus.export").read_text("latin-1")
    head, _, sentences = text.partition("#BOS 1 ")
    first, _, second = f"#BOS 1 {sentences}".partition("#BOS 2 ")
    found = {1: first, 2: f"#BOS 2 {second}"}
    for number in (18603, 19603):  # of test and of dev
        found[number] = first.replace("#BOS 1 ", f"#BOS {number} ").replace("#EOS 1\n", f"#EOS {number}\n")
    empty = "#BOS {0} 2 899970978 0\n#EOS {0}\n"
    body = (found.get(number) or empty.format(number) for number in range(1, 20603))
    path.write_text(head + "".join(body), "latin-1")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["paper-continuous", "paper-discontinuous"])
def test_a_plan_of_the_paper_runs_from_source_to_report(
    discoseq: Command, roberta: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)  # where the plans look for prepared treebanks
    monkeypatch.setenv("DISCOSEQ_CACHE", str(tmp_path / "cache"))
    write_negra(tmp_path / "negra-corpus.export")
    sources = {"ptb": SOURCES / "ptb", "dptb": SOURCES / "ptb", "tiger": SOURCES / "tiger", "negra": tmp_path}
    settings = [*TINY, f"model.pretrained={roberta}"]
    treebanks = read_plan(name).plan.treebanks
    settings += [f"treebanks.{treebank}.source={sources[treebank]}" for treebank in treebanks]
    call = ["experiment", name, "--seeds", "1", *(part for setting in settings for part in ("--set", setting))]
    outcome = discoseq(*call)
    assert outcome.code == 0, outcome.err
    results = read_results(tmp_path / "runs" / name)
    assert len(results) == 5 * len(treebanks)
    for result in results:
        assert (tmp_path / "prepared" / result.treebank / "card.json").exists()
        rules = "evalb" if result.treebank == "ptb" else "disco"
        assert [(x.split, x.beam, x.rules) for x in result.evaluations] == [("dev", 10, rules), ("test", 10, rules)]
        assert result.evaluations[0].f1 is not None
    # the vectors of each part are computed once, for training and parsing with all linearizations
    parts = {"ptb": 3, "dptb": 3, "tiger": 3, "negra": 2}  # the last has one sentence in dev and test
    assert len(list((tmp_path / "cache" / "vectors").iterdir())) == sum(parts[treebank] for treebank in treebanks)
    outcome = discoseq("report", tmp_path / "runs" / name, "--out", tmp_path / "report", "--samples", 50)
    assert outcome.code == 0, outcome.err
    text = (tmp_path / "report" / "report.md").read_text()
    published = {"paper-continuous": ["95.84 ± 0.02", "| 39 |"], "paper-discontinuous": ["89.08 ± 0.02", "| 2068 |"]}
    assert all(figure in text for figure in published[name])
    tables = {"paper-continuous": "367", "paper-discontinuous": "4567"}[name]
    assert all(f"Table {number}" in text for number in tables)
    assert {path.suffix for path in (tmp_path / "report").iterdir()} == {".md", ".svg", ".png"}
