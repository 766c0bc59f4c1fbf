"""Traces to gaps: moved material goes back to where its trace stands, after Evang & Kallmeyer (2011).

The words keep their order, so a phrase that moved out of another leaves a gap in it. The rules:

(1) Only traces of the moved types that have an index count; all other empty elements go, and phrases left empty.
(2) The phrase that bears the index goes to the place of the phrase over the trace, which it replaces.
(3) Of several traces of one phrase (right node raising) the nearest counts.
(4) Chains: a trace inside a moved phrase moves along, and what belongs there ends at the moved place.
(5) A trace inside its own antecedent (a quotation around "he said"): the parenthetical (PRN) on the path between
    them comes out and hangs where the antecedent did, and the antecedent goes to the trace. Without a PRN nothing says
    which part is the parenthetical, so the trace goes and the antecedent stays.
(6) Indices are no part of functions afterwards.

The index of a trace stands on its word, `(NP (-NONE- *T*-1))`, or on the phrase over it, `(NP-1 (-NONE- *T*))`.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from discoseq.trees.draft import ROOT, Draft
from discoseq.trees.transforms import TRACE_TAG
from discoseq.trees.tree import Tree

MOVED_TYPES = ("*T*", "*ICH*", "*EXP*", "*RNR*")

_INDEX = re.compile(r"(?:^|-)([0-9]+)(?=$|[-=])")
_ANY_INDEX = re.compile(r"(?:^|[-=])[0-9]+(?=$|[-=])")  # also that of gapping, =1
_EMPTY_WORD = re.compile(r"(?P<type>.+?)(?:-(?P<index>[0-9]+))?")
_PARENTHETICAL = "PRN"


def resolve_traces(tree: Tree, moved: Collection[str] = MOVED_TYPES) -> Tree:
    """Put what has a trace of a moved type in the trace's place; no empty element and no index is left."""
    draft = Draft.of(tree)
    empty = {i for i, token in enumerate(tree.tokens) if token.tag == TRACE_TAG}
    traces = list(_find_traces(draft, empty, moved))
    if traces:
        replaced = _move_all(draft, _antecedents(draft, empty, traces))
        _splice_out(draft, replaced)
    draft.remove_tokens(empty)  # (1)
    draft.functions = [_without_indices(function) for function in draft.functions]  # (6)
    draft.tokens = [replace(token, function=_without_indices(token.function)) for token in draft.tokens]
    return draft.freeze(tree.id, tree.comment)


@dataclass(frozen=True, slots=True)
class _Trace:
    """An empty element that has an index; its place is the phrase it stands for or, where it has company, stands in."""

    token: int
    index: str
    place: int
    is_alone: bool  # nothing else is under its place, so what comes there replaces it


def _find_traces(draft: Draft, empty: set[int], moved: Collection[str]) -> Iterator[_Trace]:
    children = draft.children()
    for token in sorted(empty):
        word = _EMPTY_WORD.fullmatch(draft.tokens[token].word)
        if word is None or word["type"] not in moved:
            continue
        place = draft.parent(token)
        is_alone = place != ROOT and children[-1 - place] == [token]
        index = word["index"] or (_index(draft.functions[-1 - place]) if is_alone else None)
        if index is not None:
            yield _Trace(token, index, place, is_alone)


def _antecedents(draft: Draft, empty: set[int], traces: list[_Trace]) -> dict[int, list[_Trace]]:
    """The traces of every node that has some, the best first."""
    bearers: dict[str, list[int]] = {}
    children = draft.children()
    for number in range(1, len(draft.labels)):
        index = _index(draft.functions[number])
        if index is not None and not _is_over_unnumbered(draft, children[number], empty):
            bearers.setdefault(index, []).append(-1 - number)
    for token, entry in enumerate(draft.tokens):  # some annotators put the index on a tag: (NNS-4 stimuli)
        index = _index(entry.function)
        if index is not None and token not in empty:
            bearers.setdefault(index, []).append(token)

    found: dict[int, list[_Trace]] = {}
    for trace in traces:
        candidates = [node for node in bearers.get(trace.index, []) if node != trace.place]
        if candidates:  # an index given twice by mistake: what moves is rather a wh-phrase, else the later one
            found.setdefault(max(candidates, key=lambda node: (_is_wh(draft, node), _rank(node))), []).append(trace)
    covers = draft.covers()
    for node, its_traces in found.items():
        cover = 1 << node if node >= 0 else covers[-1 - node]
        its_traces.sort(key=lambda trace: (_distance(cover, trace.token, empty), trace.token))  # (3)
    return found


def _move_all(draft: Draft, antecedents: dict[int, list[_Trace]]) -> set[int]:
    """Move every antecedent under the place of its nearest possible trace; the places that are thereby replaced."""
    replaced = set()
    for antecedent in sorted(antecedents, key=_rank):
        for trace in antecedents[antecedent]:
            if _move(draft, antecedent, trace.place):
                if trace.is_alone:
                    replaced.add(trace.place)
                    function = draft.functions[-1 - trace.place]
                    if antecedent < 0 and _without_indices(function) is not None:
                        draft.functions[-1 - antecedent] = function
                break
    return replaced


def _move(draft: Draft, antecedent: int, place: int) -> bool:
    """Rules (2) and (5); whether it was possible."""
    path = [place]
    while path[-1] not in (antecedent, ROOT):
        path.append(draft.parent(path[-1]))
    if path[-1] == antecedent:
        outermost = next((node for node in reversed(path[:-1]) if draft.labels[-1 - node] == _PARENTHETICAL), None)
        if outermost is None:
            return False
        draft.attach(outermost, draft.parent(antecedent))
    draft.attach(antecedent, place)
    return True


def _splice_out(draft: Draft, replaced: set[int]) -> None:
    """Hang what is under a replaced phrase where the phrase hangs. Only now: it may itself have moved, rule (4)."""
    for node in (*range(-len(draft.labels), 0), *range(len(draft.tokens))):
        if node not in replaced:
            parent = draft.parent(node)
            while parent in replaced:
                parent = draft.parent(parent)
            draft.attach(node, parent)


def _is_over_unnumbered(draft: Draft, children: list[int], empty: set[int]) -> bool:
    """Whether the index of a phrase with these children is that of the trace below it, not of an antecedent."""
    if len(children) != 1 or children[0] not in empty:
        return False
    word = _EMPTY_WORD.fullmatch(draft.tokens[children[0]].word)
    return word is None or word["index"] is None


def _distance(cover: int, token: int, empty: set[int]) -> tuple[int, int]:
    """How many words, and how many tokens, are between a trace and what is covered; none inside it."""
    first, last = (cover & -cover).bit_length() - 1, cover.bit_length() - 1
    between = range(token + 1, first) if token < first else range(last + 1, token)
    return sum(i not in empty for i in between), len(between)


def _is_wh(draft: Draft, node: int) -> bool:
    return node < 0 and draft.labels[-1 - node].startswith("WH")


def _rank(node: int) -> int:
    """Constituents in pre-order, tokens before them."""
    return abs(node) if node < 0 else -1


def _index(function: str | None) -> str | None:
    match = _INDEX.search(function) if function else None
    return match[1] if match else None


def _without_indices(function: str | None) -> str | None:
    return (_ANY_INDEX.sub("", function).strip("-") or None) if function else None
