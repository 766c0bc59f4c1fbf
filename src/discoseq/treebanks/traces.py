"""Traces to gaps: moved material is returned to its trace, after Evang & Kallmeyer (2011).

The words keep their order, so a phrase that moved out of another leaves a gap in it. The rules:

(1) Only traces of the moved types with an index count; all other empty elements, and phrases left empty, are deleted.
(2) The phrase with the index (the antecedent) replaces the phrase over the trace. If several phrases have the index,
    the antecedent is one whose label fits the trace (`_fitness`), if possible one that c-commands or precedes the trace
    (right node raising and extraposition: that c-commands or follows it), and of these the nearest.
(3) If a phrase has several traces (right node raising), the nearest counts.
(4) Chains: a trace inside a moved phrase moves with it, so its own antecedent ends up inside the moved phrase.
(5) A trace inside its own antecedent (a quotation around "he said"): the parenthetical (PRN) on the path between
    them is attached to the parent of the antecedent, and the antecedent moves to the trace. Without a PRN it is
    unknown which part is the parenthetical, so the trace is deleted and the antecedent stays.
(6) Indices are removed from functions.

The index of a trace is on its word, `(NP (-NONE- *T*-1))`, or on the phrase over it, `(NP-1 (-NONE- *T*))`.
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
_KINDS = dict.fromkeys(["S", "SBAR", "SBARQ", "SINV", "SQ"], "clause") | {"VP": "verb phrase"}
_TOPIC = "TPC"


def resolve_traces(tree: Tree, moved: Collection[str] = MOVED_TYPES) -> Tree:
    """Move every antecedent to its trace, if the type of the trace is given; delete all empty elements and indices."""
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
    """An empty element with an index, and the phrase over it."""

    token: int
    type: str
    index: str
    phrase: int
    is_alone: bool  # the phrase has no other child, so the moved material replaces it


def _find_traces(draft: Draft, empty: set[int], moved: Collection[str]) -> Iterator[_Trace]:
    children = draft.children()
    for token in sorted(empty):
        word = _EMPTY_WORD.fullmatch(draft.tokens[token].word)
        if word is None or word["type"] not in moved:
            continue
        phrase = draft.parent(token)
        is_alone = phrase != ROOT and children[-1 - phrase] == [token]
        index = word["index"] or (_index(draft.functions[-1 - phrase]) if is_alone else None)
        if index is not None:
            yield _Trace(token, word["type"], index, phrase, is_alone)


def _antecedents(draft: Draft, empty: set[int], traces: list[_Trace]) -> dict[int, list[_Trace]]:
    """The traces of every antecedent, the nearest first."""
    bearers: dict[str, list[int]] = {}
    children = draft.children()
    for number in range(1, len(draft.labels)):
        index = _index(draft.functions[number])
        if index is not None and not _is_over_unnumbered(draft, children[number], empty):
            bearers.setdefault(index, []).append(-1 - number)
    for token, entry in enumerate(draft.tokens):  # in some treebanks a tag has the index: (NNS-4 stimuli)
        index = _index(entry.function)
        if index is not None and token not in empty:
            bearers.setdefault(index, []).append(token)

    covers = draft.covers()
    found: dict[int, list[_Trace]] = {}
    for trace in traces:
        candidates = [node for node in bearers.get(trace.index, []) if node != trace.phrase]
        if candidates:
            found.setdefault(_antecedent(draft, covers, empty, trace, candidates), []).append(trace)
    for node, its_traces in found.items():
        cover = _cover(covers, node)
        its_traces.sort(key=lambda trace: (_distance(cover, trace.token, empty), trace.token))  # (3)
    return found


def _antecedent(draft: Draft, covers: list[int], empty: set[int], trace: _Trace, candidates: list[int]) -> int:
    """Rule (2), for an index on several phrases: by mistake, or because clauses were numbered separately."""
    if len(candidates) == 1:
        return candidates[0]

    def key(node: int) -> tuple[int, bool, int, int, int]:
        words, tokens = _distance(_cover(covers, node), trace.token, empty)
        return _fitness(draft, trace, node), _is_in_reach(draft, covers, trace, node), -words, -tokens, _rank(node)

    return max(candidates, key=key)


def _fitness(draft: Draft, trace: _Trace, node: int) -> int:
    """How well a phrase fits a trace; the worst is a clause, as S, for another phrase, as WHNP, or the reverse.

    The best antecedent of *T* is a wh-phrase or a topic, marked TPC.
    """
    label = draft.labels[-1 - node] if node < 0 else draft.tokens[node].tag or ""
    function = draft.functions[-1 - node] if node < 0 else draft.tokens[node].function
    # the label over the trace is that of the missing phrase, unless there are other children, too
    if trace.is_alone and _KINDS.get(draft.labels[-1 - trace.phrase]) != _KINDS.get(label):
        return 0
    is_wh, is_topic = label.startswith("WH"), _TOPIC in (function or "").split("-")
    return 2 if trace.type == "*T*" and (is_wh or is_topic) else 1


def _is_in_reach(draft: Draft, covers: list[int], trace: _Trace, node: int) -> bool:
    """Whether a phrase c-commands the trace, stands on the side to which its type moves, or is that of rule (5)."""
    cover = _cover(covers, node)
    if cover >> trace.token & 1:
        return any(draft.labels[-1 - x] == _PARENTHETICAL for x in _path(draft, trace.phrase, node)[:-1])
    if covers[-1 - draft.parent(node)] >> trace.token & 1:
        return True
    if trace.type == "*T*":
        return cover < 1 << trace.token
    return cover & -cover > 1 << trace.token


def _move_all(draft: Draft, antecedents: dict[int, list[_Trace]]) -> set[int]:
    """Move every antecedent to its nearest possible trace; returns the phrases that are replaced by it."""
    replaced = set()
    for antecedent in sorted(antecedents, key=_rank):
        for trace in antecedents[antecedent]:
            if _move(draft, antecedent, trace.phrase):
                if trace.is_alone:
                    replaced.add(trace.phrase)
                    function = draft.functions[-1 - trace.phrase]
                    if antecedent < 0 and _without_indices(function) is not None:
                        draft.functions[-1 - antecedent] = function
                break
    return replaced


def _move(draft: Draft, antecedent: int, target: int) -> bool:
    """Rules (2) and (5); returns whether the move was possible."""
    path = _path(draft, target, antecedent)
    if path[-1] == antecedent:
        outermost = next((node for node in reversed(path[:-1]) if draft.labels[-1 - node] == _PARENTHETICAL), None)
        if outermost is None:
            return False
        draft.attach(outermost, draft.parent(antecedent))
    draft.attach(antecedent, target)
    return True


def _path(draft: Draft, node: int, top: int) -> list[int]:
    """The nodes from here up to `top` or, if that is not above, to the root."""
    path = [node]
    while path[-1] not in (top, ROOT):
        path.append(draft.parent(path[-1]))
    return path


def _splice_out(draft: Draft, replaced: set[int]) -> None:
    """Attach the children of replaced phrases to their parents; after all moves, because of rule (4)."""
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
    """The number of words and of tokens between a trace and a cover; zero inside it."""
    first, last = (cover & -cover).bit_length() - 1, cover.bit_length() - 1
    between = range(token + 1, first) if token < first else range(last + 1, token)
    return sum(i not in empty for i in between), len(between)


def _cover(covers: list[int], node: int) -> int:
    return 1 << node if node >= 0 else covers[-1 - node]


def _rank(node: int) -> int:
    """Constituents in pre-order, tokens before them."""
    return abs(node) if node < 0 else -1


def _index(function: str | None) -> str | None:
    match = _INDEX.search(function) if function else None
    return match[1] if match else None


def _without_indices(function: str | None) -> str | None:
    return (_ANY_INDEX.sub("", function).strip("-") or None) if function else None
