"""Covers: sets of tokens as integers with a bit for every token, and their blocks and gaps."""


def first_token(cover: int) -> int:
    """The first token of a cover; -1 if it is empty."""
    return (cover & -cover).bit_length() - 1


def blocks(cover: int) -> tuple[tuple[int, int], ...]:
    """The maximal sequences of adjacent tokens, as (start, end) with the end left out."""
    found = []
    rest, offset = cover, 0
    while rest:
        start = first_token(rest)
        length = first_token(~(rest >> start))
        found.append((offset + start, offset + start + length))
        rest >>= start + length
        offset += start + length
    return tuple(found)


def block_at(cover: int, token: int) -> tuple[int, int]:
    """The block of a cover that has the token."""
    uncovered_before = ~cover & ((1 << token) - 1)
    return uncovered_before.bit_length(), token + first_token(~(cover >> token))


def fan_out(cover: int) -> int:
    """The number of blocks."""
    return (cover & ~(cover << 1)).bit_count()


def gap_degree(cover: int, tokens: int = -1) -> int:
    """The number of gaps between the blocks; tokens outside the second cover (default: none) are ignored."""
    covered = cover & tokens
    # A carry runs from each covered token through the ignored ones after it and bridges them.
    ignored = ~tokens & ((1 << cover.bit_length()) - 1)
    bridged = ignored & ~(ignored + (ignored & covered << 1))
    return max(0, fan_out(covered | bridged) - 1)


def interleave(one: int, two: int) -> bool:
    """Whether the tokens of two disjoint covers alternate at least three times, as x1 < y1 < x2 < y2."""
    changes = 0
    rest = one | two
    was_one: bool | None = None
    while rest:
        bit = rest & -rest
        rest ^= bit
        is_one = bool(one & bit)
        changes += was_one is not None and is_one != was_one
        was_one = is_one
    return changes >= 3
