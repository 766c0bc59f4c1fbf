"""The score of a word is added to the SHIFT#k that would shift it, and to nothing else."""

import torch

from discoseq.linearizations.action_vocabulary import ActionVocabulary
from discoseq.linearizations.actions import PAD, REDUCE, non_terminal, shift
from discoseq.model.decoder import Pointer

SHIFTS = {0: 1, 1: 2, 3: 3}  # the words it skips, and its number in the vocabulary; no action skips two words
VOCABULARY = ActionVocabulary((PAD, shift(0), shift(1), shift(3), non_terminal("NP"), REDUCE))


def pointer_by_distance() -> Pointer:
    """The score of a word is its distance from the top of the stack, wherever the decoder is."""
    pointer = Pointer(4, VOCABULARY)
    with torch.no_grad():
        for parameter in pointer.parameters():
            parameter.zero_()
        pointer.nearness.bias.copy_(torch.arange(-8, 9))
    return pointer


def test_a_word_is_scored_by_the_action_that_would_shift_it() -> None:
    pointer = pointer_by_distance()
    buffer = torch.tensor([[[False, True, True, False, True, True, True], [False] * 7]])
    top = torch.tensor([[3, -1]])
    with torch.no_grad():
        scores = pointer(torch.ones(1, 2, 4), torch.ones(1, 7, 64), buffer, top)
    expected = torch.zeros(1, 2, len(VOCABULARY))
    for passed, word in enumerate([1, 2, 4, 5, 6]):
        if passed in SHIFTS:
            expected[0, 0, SHIFTS[passed]] = word - 3
    assert torch.equal(scores, expected)


def test_far_words_are_all_alike_and_the_first_of_all_is_next() -> None:
    pointer = pointer_by_distance()
    buffer = torch.tensor([[[True] * 30], [[False] * 29 + [True]]])
    with torch.no_grad():
        scores = pointer(torch.ones(2, 1, 4), torch.ones(2, 30, 64), buffer, torch.tensor([[-1], [3]]))
    assert scores[0, 0, SHIFTS[0]] == 1
    assert scores[0, 0, SHIFTS[3]] == 4
    assert scores[1, 0, SHIFTS[0]] == 8


def test_the_word_itself_counts() -> None:
    pointer = pointer_by_distance()
    with torch.no_grad():
        pointer.nearness.bias.zero_()
        pointer.query.bias.fill_(1.0)
        keys = torch.arange(3.0)[None, :, None].expand(1, 3, 64)
        scores = pointer(torch.ones(1, 1, 4), keys, torch.tensor([[[True, False, True]]]), torch.tensor([[1]]))
    assert scores[0, 0, SHIFTS[0]] == 0
    assert scores[0, 0, SHIFTS[1]] == 2 * 64 / 8
