"""One side of a pair as EVALB sees it: the words and tags that are left, and brackets over them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from discoseq.errors import EvaluationError
from discoseq.evaluation.matching import Bracket
from discoseq.evaluation.parameters import Parameters
from discoseq.treebanks.escapes import NONE, unescape_bracket_label
from discoseq.trees.tree import Token, Tree


@dataclass(frozen=True, slots=True)
class EvalbSentence:
    """Words are those left after deletion by this side's own tags, and brackets cover positions among them."""

    words: list[str]
    tags: list[str]
    brackets: list[Bracket]  # those that count, with the labels they are compared by
    length: int  # of all terminals but those that do not count for length
    has_terminals: bool  # before deletion
    faults: tuple[str, ...] = ()


_SPACE = r"[ \t\n\r\f\v]"
_TEXT = r"[^ \t\n\r\f\v()]"
# Possessive quantifiers: no line makes the expression try again. The groups are the label after an opening bracket;
# the word and the closing brackets after it, if it is a terminal; closing brackets elsewhere; and stray text.
_PIECE = re.compile(rf"\(({_TEXT}*+)(?:{_SPACE}++({_TEXT}*+){_SPACE}*+(\)++))?|(\)++)|({_TEXT}++)")

# from the label of a phrase to the one it is compared by, None for a phrase that does not count
LabelOf = Callable[[str], str | None]


def read_line(line: str, parameters: Parameters, label_of: LabelOf, place: str) -> EvalbSentence:
    """Whatever brackets stand on a line, in one tree, several or none; unbalanced ones are a fault of the sentence.

    Text that is no part of any bracket ends the run, as it does EVALB's.
    """
    deleted, exempt = parameters.deleted_labels, parameters.deleted_for_length
    words: list[str] = []
    tags: list[str] = []
    brackets: list[Bracket] = []
    open_brackets: list[tuple[str, int]] = []
    terminals = length = surplus = 0
    end = 1  # the bit of the word to come
    for label, word, word_end, closings, stray in _PIECE.findall(line):
        if word_end:
            tag = _spelled_as_in_trees(label)
            terminals += 1
            if tag not in exempt:
                length += 1
            if tag not in deleted:
                words.append(word)
                tags.append(tag)
                end <<= 1
            closings = word_end[1:]
        elif stray:
            raise EvaluationError(f"{place}: {stray!r} is neither a bracket nor the one word of a bracket")
        elif not closings:
            open_brackets.append((_spelled_as_in_trees(label), end))
        for _ in closings:
            if not open_brackets:
                surplus += 1
                continue
            label, start = open_brackets.pop()
            compared = label_of(label) if start != end else None
            if compared is not None:
                brackets.append((compared, end - start))
    faults = ["a closing bracket has no opening one"] * surplus
    if open_brackets:
        faults.append("a bracket is not closed")
    return EvalbSentence(words, tags, brackets, length, terminals > 0, tuple(faults))


def from_tree(tree: Tree, parameters: Parameters, label_of: LabelOf, name: str) -> EvalbSentence:
    """What `read_line` would make of the tree written on a line."""
    tags = [_full_tag(token) for token in tree.tokens]
    kept = [i for i, tag in enumerate(tags) if tag not in parameters.deleted_labels]
    ends = _bits_of_next_kept(kept, len(tags))
    brackets: list[Bracket] = []
    agenda = [tree.root]
    for constituent in agenda:
        cover = constituent.cover
        first = cover & -cover
        if (cover + first) & cover:
            raise EvaluationError(
                f"sentence {name}: {constituent.label or 'a constituent'} is discontinuous, and EVALB knows no gaps"
            )
        left = ends[cover.bit_length()] - ends[max(0, first.bit_length() - 1)]
        compared = label_of(constituent.label) if left else None
        if compared is not None:
            brackets.append((compared, left))
        for child in constituent.children:
            if not isinstance(child, int):
                agenda.append(child)
    return EvalbSentence(
        words=[tree.tokens[i].word for i in kept],
        tags=[tags[i] for i in kept],
        brackets=brackets,
        length=sum(1 for tag in tags if tag not in parameters.deleted_for_length),
        has_terminals=bool(tags),
    )


_spelled_as_in_trees = lru_cache(maxsize=1 << 16)(unescape_bracket_label)


def _full_tag(token: Token) -> str:
    """The tag with its function, which bracket files write as one."""
    tag = token.tag or NONE
    if token.function is None:
        return tag
    return tag + token.function if token.function.startswith("=") else f"{tag}-{token.function}"


def _bits_of_next_kept(kept: Sequence[int], count: int) -> list[int]:
    """For token 0, 1, ..., count: the bit that the first kept token from there on has among the kept ones."""
    is_kept = set(kept)
    bits = [1]
    for i in range(count):
        bits.append(bits[-1] << (i in is_kept))
    return bits
