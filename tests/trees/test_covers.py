from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from discoseq.trees.covers import block_at, blocks, first_token, gap_degree

COVERS = st.integers(0, 2**16 - 1)


@given(COVERS, COVERS)
def test_gaps_ignoring_tokens_are_those_that_are_left_without_them(cover: int, tokens: int) -> None:
    kept = [bool(cover >> i & 1) for i in range(16) if tokens >> i & 1]
    count = sum(is_covered for is_covered, _ in groupby(kept))
    assert gap_degree(cover, tokens) == max(0, count - 1)


@given(COVERS)
def test_gaps_are_between_blocks(cover: int) -> None:
    assert gap_degree(cover) == max(0, len(blocks(cover)) - 1)
    assert sum((1 << end) - (1 << start) for start, end in blocks(cover)) == cover
    for start, end in blocks(cover):
        assert {block_at(cover, token) for token in range(start, end)} == {(start, end)}


def test_the_gaps_of_a_board_example() -> None:
    assert gap_degree(0b1001) == 1
    assert gap_degree(0b1001, tokens=0b1011) == 1
    assert gap_degree(0b1001, tokens=0b1001) == 0
    assert (first_token(0b1100), first_token(0)) == (2, -1)
