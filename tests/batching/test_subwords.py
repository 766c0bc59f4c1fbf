"""Splitting words into subwords, and long sentences into windows."""

from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from discoseq.batching.subwords import SubwordTokenizer, _windows


def letters(window: int) -> SubwordTokenizer:
    """One subword per known letter; brackets at both ends of a sentence."""
    vocabulary = {name: number for number, name in enumerate(["[PAD]", "[UNK]", "(", ")", *"abc"])}
    tokenizer = Tokenizer(models.BPE(vocabulary, [], unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing("( $A )", special_tokens=[("(", 2), (")", 3)])
    return SubwordTokenizer(tokenizer, window, padding=0)


def test_a_batch_has_rows_of_subwords_and_their_word_indices() -> None:
    tokenizer = letters(window=10)
    sentences = tokenizer.split([["ab", "c"], ["a"]])
    assert sentences == [((4, 5), (6,)), ((4,),)]
    subwords = tokenizer.batch(sentences)
    assert subwords.ids.tolist() == [[2, 4, 5, 6, 3], [2, 4, 3, 0, 0]]
    assert subwords.is_subword.tolist() == [[True] * 5, [True] * 3 + [False] * 2]
    assert subwords.word_index.tolist() == [
        [-1, 0, 0, 1, -1],
        [-1, 2, -1, -1, -1],
    ]  # padded to two words


def test_unknown_and_empty_words_have_a_subword() -> None:
    assert letters(window=10).split([["?", "", " ", "a"]]) == [((1,), (1,), (1,), (4,))]


def test_half_a_character_is_unknown() -> None:
    assert letters(window=10).split([["\ud800", "a\udfff", "a"]]) == [((1,), (4, 1), (4,))]


def test_a_long_sentence_has_overlapping_rows() -> None:
    tokenizer = letters(window=6)
    subwords = tokenizer.batch(tokenizer.split([["a", "b", "c", "a", "b", "c"]]))
    assert subwords.ids.tolist() == [[2, 4, 5, 6, 4, 3], [2, 4, 5, 6, 3, 0]]
    assert subwords.word_index.tolist() == [[-1, 0, 1, 2, -1, -1], [-1, 3, 4, 5, -1, -1]]


def test_a_word_that_is_longer_than_the_window_is_truncated() -> None:
    tokenizer = letters(window=6)
    subwords = tokenizer.batch(tokenizer.split([["c", "abcabc", "b"]]))
    assert subwords.ids.tolist() == [[2, 6, 3, 0, 0, 0], [2, 4, 5, 6, 4, 3], [2, 5, 3, 0, 0, 0]]


def test_a_tokenizer_survives_json() -> None:
    tokenizer = letters(window=10)
    again = SubwordTokenizer.from_json(tokenizer.as_json(), 10, 0)
    assert again.split([["ab", "c?"]]) == tokenizer.split([["ab", "c?"]])


@given(data=st.data(), room=st.integers(1, 20), is_causal=st.booleans())
def test_windows_fit_and_each_word_is_kept_by_one_of_them(data: st.DataObject, room: int, is_causal: bool) -> None:
    lengths = data.draw(st.lists(st.integers(1, room), min_size=1, max_size=60))
    windows = _windows(lengths, room, is_causal)
    assert all(sum(lengths[window.start : window.end]) <= room for window in windows)
    kept = [word for window in windows for word in range(window.first_kept, window.end_kept)]
    assert kept == list(range(len(lengths)))
    assert all(window.start <= window.first_kept <= window.end_kept <= window.end for window in windows)


@given(count=st.integers(40, 400), room=st.integers(16, 64))
def test_no_window_keeps_a_word_at_its_edge(count: int, room: int) -> None:
    for window in _windows([1] * count, room, is_causal=False):
        assert window.start == 0 or window.first_kept > window.start
        assert window.end == count or window.end_kept < window.end
