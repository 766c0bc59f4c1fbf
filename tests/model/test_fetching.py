"""What speaks for a word goes to the SHIFT#k that would fetch it, and to nothing else."""

import torch

from discoseq.linearization.action_vocabulary import ActionVocabulary
from discoseq.linearization.actions import PAD, REDUCE, non_terminal, shift
from discoseq.model.fetching import Fetching

SHIFTS = {0: 1, 1: 2, 3: 3}  # what it passes over, and its number in the vocabulary; nothing passes over two words
VOCABULARY = ActionVocabulary((PAD, shift(0), shift(1), shift(3), non_terminal("NP"), REDUCE))


def fetching_by_nearness() -> Fetching:
    """The score of a word is its distance from the top of the stack, wherever the decoder is."""
    fetching = Fetching(4, VOCABULARY)
    with torch.no_grad():
        for parameter in fetching.parameters():
            parameter.zero_()
        fetching.nearness.bias.copy_(torch.arange(-8, 9))
    return fetching


def test_a_word_is_scored_where_it_would_be_fetched() -> None:
    fetching = fetching_by_nearness()
    buffer = torch.tensor([[[False, True, True, False, True, True, True], [False] * 7]])
    top = torch.tensor([[3, -1]])
    with torch.no_grad():
        scores = fetching(torch.ones(1, 2, 4), torch.ones(1, 7, 64), buffer, top)
    expected = torch.zeros(1, 2, len(VOCABULARY))
    for passed, word in enumerate([1, 2, 4, 5, 6]):
        if passed in SHIFTS:
            expected[0, 0, SHIFTS[passed]] = word - 3
    assert torch.equal(scores, expected)


def test_far_words_are_all_alike_and_the_first_of_all_is_next() -> None:
    fetching = fetching_by_nearness()
    buffer = torch.tensor([[[True] * 30], [[False] * 29 + [True]]])
    with torch.no_grad():
        scores = fetching(torch.ones(2, 1, 4), torch.ones(2, 30, 64), buffer, torch.tensor([[-1], [3]]))
    assert scores[0, 0, SHIFTS[0]] == 1
    assert scores[0, 0, SHIFTS[3]] == 4
    assert scores[1, 0, SHIFTS[0]] == 8


def test_the_word_itself_counts() -> None:
    fetching = fetching_by_nearness()
    with torch.no_grad():
        fetching.nearness.bias.zero_()
        fetching.query.bias.fill_(1.0)
        keys = torch.arange(3.0)[None, :, None].expand(1, 3, 64)
        scores = fetching(torch.ones(1, 1, 4), keys, torch.tensor([[[True, False, True]]]), torch.tensor([[1]]))
    assert scores[0, 0, SHIFTS[0]] == 0
    assert scores[0, 0, SHIFTS[1]] == 2 * 64 / 8
