"""Treebanks as training reads them: empty elements, encodings, bad sentences, a dev part, the language."""

from dataclasses import replace
from pathlib import Path

import pytest

from discoseq.errors import ConfigError, TreebankError
from discoseq.training.config import Config, DataSettings, TrainingSettings
from discoseq.training.data import TrainingData, guess_language, load_data
from discoseq.training.events import Noted, Stage
from discoseq.treebanks.files import read_trees, write_trees
from discoseq.treebanks.recipes.apply import RECIPES, apply_recipe
from discoseq.treebanks.recipes.recipe import Settings
from discoseq.trees.transforms import TRACE_TAG
from training.results import data_of

TWENTY = Path(__file__).resolve().parents[2] / "examples" / "twenty.discbracket"
SOURCES = Path(__file__).resolve().parents[1] / "treebanks" / "recipes" / "sources"
TRACES = "(S (NP-SBJ-1 (PRP He)) (VP (VBZ tries) (S (NP-SBJ (-NONE- *-1)) (VP (TO to) (VP (VB win))))))\n"
PLAIN = "(S (NP (PRP She)) (VP (VBZ wins)))\n"


def written(path: Path, text: str, encoding: str = "utf-8") -> str:
    path.write_bytes(text.encode(encoding))
    return str(path)


def events_and_data(settings: DataSettings) -> tuple[list[Stage | Noted], TrainingData]:
    events: list[Stage | Noted] = []
    loading = load_data(Config(data=settings, language="en"))
    while True:
        try:
            events.append(next(loading))
        except StopIteration as end:
            return events, end.value


def notes(events: list[Stage | Noted]) -> list[str]:
    return [event.text for event in events if isinstance(event, Noted)]


def test_empty_elements_are_never_learnt_as_words(tmp_path: Path) -> None:
    path = written(tmp_path / "wsj.mrg", PLAIN + TRACES * 2)
    with pytest.raises(ConfigError, match=r"has empty elements \(-NONE-\)") as caught:
        data_of(Config(data=DataSettings(train=[path], dev=[path])))
    assert f"discoseq convert {path} OUT --traces drop" in str(caught.value)
    assert "\n" not in str(caught.value)
    events, data = events_and_data(DataSettings(train=[path], dev=[path], traces="drop"))
    assert [len(tree.tokens) for tree in data.train] == [2, 4, 4]
    assert not any(token.tag == TRACE_TAG for tree in data.train + data.dev for token in tree.tokens)
    assert notes(events) == [f"{path}: empty elements (-NONE-) are dropped (2)"] * 2


def test_a_file_in_another_encoding_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "a.mrg", "(S (NP (NN Müller)) (VP (VB schläft)))\n" * 2, "latin-1")
    with pytest.raises(TreebankError, match="utf-8"):
        data_of(Config(data=DataSettings(train=[path], dev=[path])))
    data = data_of(Config(data=DataSettings(train=[path], dev=[path], encoding="latin-1")))
    assert data.train[0].words == ("Müller", "schläft")


def test_bad_sentences_are_left_out_and_counted_if_wished(tmp_path: Path) -> None:
    good = "(S (NP (A 0=a)) (VP (B 1=b)))\n"
    path = written(tmp_path / "a.discbracket", good + "(S (NP (A 0=a)\n" + good)
    with pytest.raises(TreebankError, match=r"a\.discbracket:2"):
        data_of(Config(data=DataSettings(train=[path], dev=[path])))
    events, data = events_and_data(DataSettings(train=[path], dev=[path], skip_bad=True))
    assert len(data.train) == len(data.dev) == 2
    assert notes(events)[0].startswith(f"{path}: sentences that can't be read are left out (1), the first: {path}:2: ")


def test_without_dev_files_every_tenth_tree_is_dev_and_not_trained_on(tmp_path: Path) -> None:
    trees = list(read_trees(TWENTY))
    events, data = events_and_data(DataSettings(train=[str(TWENTY)]))
    assert data.dev == [trees[9], trees[19]]
    assert data.train == trees[:9] + trees[10:19]
    assert len(data.repeats) == 18
    assert notes(events) == ["no dev files are named: every tenth tree of train is dev (2), and is not trained on"]
    write_trees(trees[:3], tmp_path / "few.discbracket")
    _, data = events_and_data(DataSettings(train=[str(tmp_path / "few.discbracket")]))
    assert (data.train, data.dev) == (trees[:2], trees[2:3])
    write_trees(trees[:1], tmp_path / "one.discbracket")
    with pytest.raises(ConfigError, match=r"one\.discbracket: there are too few trees for training and dev"):
        events_and_data(DataSettings(train=[str(tmp_path / "one.discbracket")]))


def test_one_number_of_repeats_is_for_all_files() -> None:
    two = [str(TWENTY)] * 2
    assert set(data_of(Config(data=DataSettings(train=two, dev=two, repeats=[3]))).repeats) == {3}
    data = data_of(Config(data=DataSettings(train=two, dev=two, repeats=[3, 1])))
    assert data.repeats == [3] * 20 + [1] * 20
    with pytest.raises(ConfigError, match=r"data\.repeats must be a number"):
        data_of(Config(data=DataSettings(train=two, dev=two, repeats=[1, 2, 3])))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The judge of the court said that it was not the first time .", "en"),
        ("De rechter zei dat het niet de eerste keer was en dat hij van niets wist .", "nl"),
        ("Der Richter sagte , dass es nicht das erste Mal war und ging zu den anderen .", "de"),
        ("Le juge a dit que ce n' était pas la première fois et que la cour le savait .", "other"),
        ("El juez dijo que no era la primera vez y que la corte lo sabía de antes .", "other"),
        ("Domaren sa att det inte var första gången och att de visste det .", "other"),
        ("", "other"),
    ],
)
def test_the_language_is_guessed_by_function_words(text: str, language: str) -> None:
    assert guess_language([text.split()]) == language


def test_a_language_that_is_named_is_not_guessed() -> None:
    files = DataSettings(train=[str(TWENTY)], dev=[str(TWENTY)])
    assert data_of(Config(data=files)).language == "en"
    assert data_of(Config(data=files, language="en-hyphens")).language == "en-hyphens"


def test_reading_is_reported_while_it_goes_on(tmp_path: Path) -> None:
    path = written(tmp_path / "many.mrg", PLAIN * 1200)
    events, _ = events_and_data(DataSettings(train=[path], dev=[str(TWENTY)]))
    stages = [event for event in events if isinstance(event, Stage)]
    assert [(stage.name, stage.done) for stage in stages] == [
        (f"reading {path}", 0),
        (f"reading {path}", 500),
        (f"reading {path}", 1000),
        (f"reading {TWENTY}", 0),
    ]


def prepared(recipe: str, folder: Path) -> DataSettings:
    """The tiny source of a recipe, prepared."""
    apply_recipe(RECIPES[recipe], SOURCES / recipe, folder, Settings())
    train, dev = (str(folder / f"{split}.discbracket") for split in ("train", "dev"))
    return DataSettings(train=[train], dev=[dev])


def test_dev_is_scored_by_the_rules_of_the_treebanks_card(tmp_path: Path) -> None:
    penn, tiger = prepared("ptb", tmp_path / "ptb"), prepared("tiger", tmp_path / "tiger")
    continuous = Config("in-order", data=penn)
    assert data_of(continuous).rules == "evalb"
    assert data_of(replace(continuous, training=TrainingSettings(dev_rules="disco"))).rules == "disco"
    assert data_of(Config("in-order+swap", data=penn)).rules == "disco"  # its parses may be discontinuous
    assert data_of(Config("in-order", data=tiger)).rules == "disco"
    assert data_of(Config("in-order", data=replace(penn, dev=[*penn.dev, *tiger.dev]))).rules == "disco"
    copy = tmp_path / "ptb" / "copy.discbracket"  # beside the card, but none of its files
    copy.write_bytes(Path(penn.dev[0]).read_bytes())
    assert data_of(Config("in-order", data=replace(penn, dev=[str(copy)]))).rules == "disco"
    (tmp_path / "ptb" / "card.json").write_text("[")
    assert data_of(continuous).rules == "disco"


def test_discontinuous_trees_are_not_scored_by_evalbs_rules() -> None:
    data = DataSettings(train=[str(TWENTY)], dev=[str(TWENTY)])
    with pytest.raises(ConfigError, match=r"dev_rules is evalb, but the tree \d+ of dev is discontinuous"):
        data_of(Config("in-order", data=data, training=TrainingSettings(dev_rules="evalb")))


def test_the_language_is_that_of_the_treebanks_card(tmp_path: Path) -> None:
    tiger, penn = prepared("tiger", tmp_path / "tiger"), prepared("ptb", tmp_path / "ptb")
    assert guess_language(tree.words for tree in read_trees(tiger.train[0])) == "other"  # the text is too short
    assert data_of(Config(data=tiger)).language == "de"
    assert data_of(Config(data=tiger, language="nl")).language == "nl"
    assert data_of(Config(data=replace(tiger, train=[*tiger.train, *penn.train]))).language == "other"
