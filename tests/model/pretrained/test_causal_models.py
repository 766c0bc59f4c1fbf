"""What is particular to causal language models: the last subword, the start token, layers that can be cut off."""

import json
from pathlib import Path

import pytest
import torch
import transformers

from discoseq.batching.subwords import _windows
from discoseq.model.pretrained.language_model import Pretrained
from discoseq.model.pretrained.loading import build_body, load_pretrained
from model.pretrained.tiny import CAUSAL_KINDS, KINDS, LAYERS, SENTENCES, WINDOW


@pytest.fixture(scope="module", params=CAUSAL_KINDS)
def causal(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return CAUSAL_KINDS[request.param](tmp_path_factory.mktemp("causal") / request.param)


def test_a_model_is_causal_if_no_subword_sees_those_after_it(directory: Path) -> None:
    pretrained, _ = load_pretrained(str(directory), "2")
    assert pretrained.tokenizer.is_causal == (directory.name in CAUSAL_KINDS)
    again = Pretrained.from_dict(json.loads(json.dumps(pretrained.as_dict())), pretrained.tokenizer.as_json())
    assert again.tokenizer.is_causal == pretrained.tokenizer.is_causal


def test_embeddings_alone_are_not_causal(causal: Path) -> None:
    pretrained, _ = load_pretrained(str(causal), "0")
    assert not pretrained.tokenizer.is_causal


def test_each_word_has_the_subwords_of_the_text(causal: Path) -> None:
    pretrained, _ = load_pretrained(str(causal), "2")
    whole = transformers.AutoTokenizer.from_pretrained(causal)
    for words in SENTENCES:
        (found,) = pretrained.tokenizer.split([words])
        text = whole(" ".join(["a", *words]), add_special_tokens=False).input_ids
        first = whole("a", add_special_tokens=False).input_ids
        assert [*first, *(i for subwords in found for i in subwords)] == text


def test_only_the_last_subword_of_a_word_counts(causal: Path) -> None:
    pretrained, _ = load_pretrained(str(causal), "2")
    subwords = pretrained.tokenizer.split(SENTENCES)
    batch = pretrained.tokenizer.batch(subwords)
    longest = max(map(len, subwords))
    for row, words in enumerate(subwords):
        expected = [-1]  # the start token
        for number, word in enumerate(words):
            expected += [-1] * (len(word) - 1) + [row * longest + number]
        found = batch.word_index[row].tolist()
        assert found == expected + [-1] * (len(found) - len(expected))


def test_a_sentence_begins_with_a_start_token(causal: Path) -> None:
    pretrained, _ = load_pretrained(str(causal), "2")
    batch = pretrained.tokenizer.batch(pretrained.tokenizer.split(SENTENCES))
    whole = transformers.AutoTokenizer.from_pretrained(causal)
    start = whole.bos_token_id if whole.bos_token_id is not None else whole.eos_token_id
    assert set(batch.ids[:, 0].tolist()) == {start}


def test_a_word_is_kept_by_the_window_with_most_words_before_it() -> None:
    windows = _windows([1] * 100, 40, is_causal=True)
    for window in windows:
        for word in range(window.first_kept, window.end_kept):
            before = [word - other.start for other in windows if other.start <= word < other.end]
            assert word - window.start == max(before)
    assert [word for window in windows for word in range(window.first_kept, window.end_kept)] == list(range(100))


@pytest.mark.parametrize("layers", range(LAYERS + 1))
def test_states_are_those_of_the_whole_model_however_many_layers_are_cut_off(layers: int, causal: Path) -> None:
    pretrained, body = load_pretrained(str(causal), str(layers))
    assert pretrained.layers == layers
    subwords = pretrained.tokenizer.batch(pretrained.tokenizer.split(SENTENCES))
    model = transformers.AutoModel.from_pretrained(causal).eval()
    again = Pretrained.from_dict(json.loads(json.dumps(pretrained.as_dict())), pretrained.tokenizer.as_json())
    empty = build_body(again)
    empty.load_state_dict(body.state_dict(), assign=True)
    with torch.no_grad():
        expected = model(subwords.ids, subwords.is_subword.long(), output_hidden_states=True).hidden_states
        for network in (body, empty.eval()):
            found = network(subwords.ids, subwords.is_subword)
            assert len(found) == layers + 1
            for one, other in zip(found, expected, strict=False):
                torch.testing.assert_close(one[subwords.is_subword], other[subwords.is_subword])


def test_layers_that_are_not_used_are_not_stored(causal: Path) -> None:
    _, body = load_pretrained(str(causal), "1")
    names = list(body.state_dict())
    assert not [name for name in names if "layers.1." in name or "layers.2." in name or name == "model.norm.weight"]
    assert [name for name in names if "layers.0." in name]


def test_a_batch_has_no_more_than_a_window(causal: Path) -> None:
    pretrained, _ = load_pretrained(str(causal), "2")
    batch = pretrained.tokenizer.batch(pretrained.tokenizer.split([SENTENCES[2] * 8]))
    assert len(batch.ids) > 1
    assert batch.ids.shape[1] <= WINDOW


def test_a_model_that_is_not_causal_keeps_the_mean_of_subwords(tmp_path: Path) -> None:
    pretrained, _ = load_pretrained(str(KINDS["modernbert"](tmp_path / "x")), "2")
    subwords = pretrained.tokenizer.split([["Unbelievable"]])
    assert len(subwords[0][0]) > 1
    assert pretrained.tokenizer.batch(subwords).word_index[0].tolist().count(0) == len(subwords[0][0])
