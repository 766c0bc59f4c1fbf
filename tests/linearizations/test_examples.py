"""The paper's German sentence, and the small trees a reader would draw on a board."""

import pytest

from discoseq.linearizations.linearization import LINEARIZATIONS, linearization
from discoseq.linearizations.trace import trace
from discoseq.trees.tree import Constituent, Token, Tree


def tokens(text: str) -> tuple[Token, ...]:
    return tuple(map(Token, text.split()))


IN_QUARTERS = Constituent("PP", (2, 3, 4))
FROM_WELLS = Constituent("PP", (6, 7))
SENTENCE = Constituent("S", (Constituent("VP", (0, IN_QUARTERS, FROM_WELLS, 8)), 1, 5))
GERMAN = Tree(
    Constituent("VROOT", (SENTENCE, 9)),
    tokens("Allerdings wird in bestimmten Vierteln Wasser aus Brunnen verteilt ."),
)

SEQUENCES = {
    "in-order+swap": """SH NT-VP SH SH SW NT-PP SH SH SW SH SH SW RE SH SH SH SW SW NT-PP SH SH SH SW SW RE
        SH SH SH SW SW RE NT-S SH SH RE NT-VROOT SH RE FI""",
    "in-order+swap#k": """SH NT-VP SH SH SW#1 NT-PP SH SH SW#1 SH SH SW#1 RE SH SH SH SW#2 NT-PP SH SH SH SW#2 RE
        SH SH SH SW#2 RE NT-S SH SH RE NT-VROOT SH RE FI""",
    "in-order+shift#k": """SH#0 NT-VP SH#1 NT-PP SH#1 SH#1 RE SH#2 NT-PP SH#2 RE SH#2 RE NT-S SH#0 SH#0 RE
        NT-VROOT SH#0 RE FI""",
    "enriched-in-order+shift#k": """SH#0 NT-VP SH#1 NT-PP SH#1 SH#1 RE-PP SH#2 NT-PP SH#2 RE-PP SH#2 RE-VP
        NT-S SH#0 SH#0 RE-S NT-VROOT SH#0 RE-VROOT FI""",
    "top-down+swap": """NT-VROOT NT-S NT-VP SH NT-PP SH SH SW SH SH SW SH SH SW RE NT-PP SH SH SH SW SW
        SH SH SH SW SW RE SH SH SH SW SW RE SH SH RE SH RE""",
    "bottom-up+swap": """SH SH SH SW SH SH SW SH SH SW RE#3-PP SH SH SH SW SW SH SH SH SW SW RE#2-PP
        SH SH SH SW SW RE#4-VP SH SH RE#3-S SH RE#2-VROOT FI""",
}


@pytest.mark.parametrize("name", SEQUENCES)
def test_the_german_sentence_comes_out_as_in_the_paper(name: str) -> None:
    chosen = linearization(name)
    assert chosen.write(chosen.linearize(GERMAN)) == " ".join(SEQUENCES[name].split())
    assert chosen.build(GERMAN.tokens, chosen.read(SEQUENCES[name])) == GERMAN


# the rows that the paper prints of both derivations: transition, stack, and how the buffer begins
IN_ORDER_SWAP = """
                | [ ]                                                                | Allerdings_0, wird_1
Shift           | [ Allerdings_0 ]                                                   | wird_1, in_2
Non-Terminal-VP | [ Allerdings_0, VP ]                                               | wird_1, in_2
Shift           | [ Allerdings_0, VP, wird_1 ]                                       | in_2, bestimmten_3
Shift           | [ Allerdings_0, VP, wird_1, in_2 ]                                 | bestimmten_3, Vierteln_4
Swap            | [ Allerdings_0, VP, in_2 ]                                         | wird_1, bestimmten_3, Vierteln_4
Non-Terminal-PP | [ Allerdings_0, VP, in_2, PP ]                                     | wird_1, bestimmten_3, Vierteln_4
Shift           | [ Allerdings_0, VP, in_2, PP, wird_1 ]                             | bestimmten_3, Vierteln_4
Shift           | [ Allerdings_0, VP, in_2, PP, wird_1, bestimmten_3 ]               | Vierteln_4, Wasser_5
Swap            | [ Allerdings_0, VP, in_2, PP, bestimmten_3 ]                       | wird_1, Vierteln_4, Wasser_5
Shift           | [ Allerdings_0, VP, in_2, PP, bestimmten_3, wird_1 ]               | Vierteln_4, Wasser_5
Shift           | [ Allerdings_0, VP, in_2, PP, bestimmten_3, wird_1, Vierteln_4 ]   | Wasser_5, aus_6
Swap            | [ Allerdings_0, VP, in_2, PP, bestimmten_3, Vierteln_4 ]           | wird_1, Wasser_5
Reduce          | [ Allerdings_0, VP, PP_(in_2 bestimmten_3 Vierteln_4) ]            | wird_1, Wasser_5
"""
IN_ORDER_SHIFT = """
                | [ ]                                                                | Allerdings_0, wird_1
Shift#0         | [ Allerdings_0 ]                                                   | wird_1, in_2
Non-Terminal-VP | [ Allerdings_0, VP ]                                               | wird_1, in_2
Shift#1         | [ Allerdings_0, VP, in_2 ]                                         | wird_1, bestimmten_3, Vierteln_4
Non-Terminal-PP | [ Allerdings_0, VP, in_2, PP ]                                     | wird_1, bestimmten_3, Vierteln_4
Shift#1         | [ Allerdings_0, VP, in_2, PP, bestimmten_3 ]                       | wird_1, Vierteln_4, Wasser_5
Shift#1         | [ Allerdings_0, VP, in_2, PP, bestimmten_3, Vierteln_4 ]           | wird_1, Wasser_5
Reduce          | [ Allerdings_0, VP, PP_(in_2 bestimmten_3 Vierteln_4) ]            | wird_1, Wasser_5
"""


@pytest.mark.parametrize(("name", "printed"), [("in-order+swap", IN_ORDER_SWAP), ("in-order+shift#k", IN_ORDER_SHIFT)])
def test_the_derivation_is_the_one_that_the_paper_prints(name: str, printed: str) -> None:
    rows = [[cell.strip() for cell in line.split("|")] for line in printed.strip("\n").splitlines()]
    steps = list(trace(linearization(name), GERMAN))
    for (transition, stack, buffer), step in zip(rows, steps, strict=False):
        assert (step.transition, step.stack) == (transition, stack)
        assert step.buffer.startswith(f"[ {buffer}")
    assert steps[-1].transition == "Finish"


def test_the_masks_follow_the_words() -> None:
    steps = list(trace(linearization("in-order+swap"), GERMAN))
    assert [(step.stack_mask, step.buffer_mask) for step in steps[4:7]] == [
        ("111.......", "...1111111"),  # Shift: wird and in are on the stack
        ("1.1.......", ".1.1111111"),  # Swap: wird is in the buffer again
        ("1.1.......", ".1.1111111"),  # Non-Terminal: nothing changes
    ]
    assert (steps[13].stack_mask, steps[13].buffer_mask) == ("1.1.......", ".1...11111")  # Reduce: in stands for the PP
    assert (steps[-1].stack_mask, steps[-1].buffer_mask) == ("1.........", "..........")


CONTINUOUS = Tree(
    Constituent("S", (Constituent("NP", (0, 1)), Constituent("VP", (2, Constituent("ADVP", (3,)))), 4)),
    tokens("The dog barked loudly ."),
)


@pytest.mark.parametrize(
    ("name", "sequence"),
    [
        ("bracketed", "(S (NP XX XX )NP (VP XX (ADVP XX )ADVP )VP XX )S"),
        ("top-down", "NT-S NT-NP SH SH RE NT-VP SH NT-ADVP SH RE RE SH RE"),
        ("enriched-top-down", "NT-S NT-NP SH SH RE-NP NT-VP SH NT-ADVP SH RE-ADVP RE-VP SH RE-S"),
        ("in-order", "SH NT-NP SH RE NT-S SH NT-VP SH NT-ADVP RE RE SH RE FI"),
        ("enriched-in-order", "SH NT-NP SH RE-NP NT-S SH NT-VP SH NT-ADVP RE-ADVP RE-VP SH RE-S FI"),
        ("bottom-up", "SH SH RE#2-NP SH SH RE#1-ADVP RE#2-VP SH RE#3-S FI"),
    ],
)
def test_a_continuous_tree_on_the_board(name: str, sequence: str) -> None:
    chosen = linearization(name)
    assert chosen.write(chosen.linearize(CONTINUOUS)) == sequence
    assert chosen.build(CONTINUOUS.tokens, chosen.read(sequence)) == CONTINUOUS


@pytest.mark.parametrize(
    ("name", "sequence"),
    [
        ("top-down", "NT-S SH RE"),
        ("in-order", "SH NT-S RE FI"),
        ("bottom-up", "SH RE#1-S FI"),
        ("bracketed", "(S XX )S"),
    ],
)
def test_a_root_over_a_bare_word(name: str, sequence: str) -> None:
    tree = Tree(Constituent("S", (0,)), tokens("Yes"))
    chosen = linearization(name)
    assert chosen.write(chosen.linearize(tree)) == sequence
    assert chosen.build(tree.tokens, chosen.read(sequence)) == tree


def test_there_are_twenty_linearizations_and_the_bracketed_one() -> None:
    assert len(LINEARIZATIONS) == 21
    assert {"top-down", "enriched-top-down+swap", "in-order+swap#k", "enriched-in-order+shift#k"} <= set(LINEARIZATIONS)
    assert {"bottom-up", "bottom-up+shift#k", "bracketed"} <= set(LINEARIZATIONS)
    assert "enriched-bottom-up" not in LINEARIZATIONS
