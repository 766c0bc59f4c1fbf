"""Batches of any kind come back with trees; a row that can't be parsed says why, and Ray need not be there."""

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

from discoseq.errors import IntegrationError
from discoseq.integrations.batch_actor import DiscoseqActor
from discoseq.trees.tree import Tree
from parser.trained import example_trees, trained, trained_directory

TEXTS = ["Anna found the book.", "", "Ben slept."]


def actor(**settings: Any) -> DiscoseqActor:
    return DiscoseqActor(str(trained_directory()), beam_size=1, **settings)


def batch_of(kind: str, columns: dict[str, list[Any]]) -> Any:
    if kind == "pandas":
        return pd.DataFrame(columns)
    if kind == "lists":
        return columns
    return {name: _object_array(values) for name, values in columns.items()}


def _object_array(values: list[Any]) -> Any:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


@pytest.mark.parametrize("kind", ["numpy", "lists", "pandas"])
def test_a_batch_comes_back_with_its_columns_and_four_more(kind: str) -> None:
    found = actor()(batch_of(kind, {"number": [1, 2, 3], "text": TEXTS}))
    assert isinstance(found, pd.DataFrame if kind == "pandas" else dict)
    assert list(found) == ["number", "text", "words", "tree", "log_probability", "parse_error"]
    assert list(found["number"]) == [1, 2, 3]
    expected = trained().parse_all([TEXTS[0], TEXTS[2]], 1)
    assert [Tree.fromstring(found["tree"][i]) for i in (0, 2)] == list(expected)
    assert list(found["words"]) == [["Anna", "found", "the", "book", "."], [], ["Ben", "slept", "."]]
    assert list(found["parse_error"]) == ["", "the sentence has no words", ""]
    assert found["tree"][1] == ""
    assert list(np.isnan(np.array(found["log_probability"], dtype=float))) == [False, True, False]


@pytest.mark.parametrize("kind", ["numpy", "lists", "pandas"])
def test_words_count_more_than_text(kind: str) -> None:
    trees = example_trees()[:3]
    words: list[Any] = [list(tree.words) for tree in trees]
    words[1] = np.array(words[1], dtype=object)  # as pyarrow hands lists out
    found = actor()(batch_of(kind, {"text": ["Ben slept."] * 3, "words": words}))
    assert [Tree.fromstring(tree) for tree in found["tree"]] == list(
        trained().parse_all([tree.words for tree in trees], 1)
    )


def test_every_problem_of_a_row_is_in_its_row() -> None:
    columns: dict[str, list[Any]] = {
        "s": [None, "Ben slept.", None, None],
        "w": [None, ["a"] * 9, ["a", ""], ["Ben", "slept", "."]],
    }
    found = actor(text_column="s", words_column="w", longest=8)(columns)
    assert found["parse_error"] == [
        "there is neither a text nor a list of words",
        "the sentence has 9 words, and at most 8 are parsed",
        "words are not all strings that are not empty",
        "",
    ]
    assert [bool(tree) for tree in found["tree"]] == [False, False, False, True]


def test_an_empty_batch_stays_empty() -> None:
    found = actor()(pd.DataFrame({"text": pd.Series([], dtype="str")}))
    assert (len(found), list(found)) == (0, ["text", "words", "tree", "log_probability", "parse_error"])


def test_a_batch_without_sentences_is_one_sentence() -> None:
    with pytest.raises(IntegrationError, match="the batch has neither a column 'text' nor a column 'words'; name one"):
        actor()({"sentence": ["Ben slept."]})
    with pytest.raises(IntegrationError, match=r"a batch is a dictionary of columns or a pandas\.DataFrame, not list"):
        actor()(["Ben slept."])


def test_frames_of_a_partition_are_parsed_one_by_one() -> None:
    # what Spark's mapInPandas calls: a function from an iterator of frames to an iterator of frames
    frames = (pd.DataFrame({"text": [text]}) for text in ("Ben slept.", "Anna slept."))
    found = pd.concat(map(actor(), frames))
    assert [Tree.fromstring(tree).words[0] for tree in found["tree"]] == ["Ben", "Anna"]


def test_a_pickle_has_the_settings_and_not_the_model() -> None:
    one = actor()
    before = pickle.dumps(one)
    one({"text": ["Ben slept."]})
    assert pickle.dumps(one) == before  # so `datasets` finds what it has cached
    assert len(before) < 1000
    again = pickle.loads(before)({"text": ["Ben slept."]})
    assert again["tree"] == one({"text": ["Ben slept."]})["tree"]


def test_ray_and_pandas_need_not_be_installed() -> None:
    code = f"""
import sys
for name in ("ray", "pandas", "pyarrow", "fsspec"):
    sys.modules[name] = None  # to import it is now an error
from discoseq.integrations.batch_actor import DiscoseqActor
from discoseq.integrations.ray import DiscoseqActor as same, parse_corpus
assert same is DiscoseqActor and "torch" not in sys.modules
try:
    parse_corpus(["x"], "y")
except Exception as error:
    print(error)
del sys.modules["fsspec"]  # torch takes it along
print(DiscoseqActor({str(trained_directory())!r})({{"words": [["Ben", "slept", "."]]}})["words"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [
        "parsing on a cluster needs ray: pip install 'discoseq[ray]'",
        "[['Ben', 'slept', '.']]",
    ], done.stderr
