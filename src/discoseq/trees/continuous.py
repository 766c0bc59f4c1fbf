"""Discontinuous trees made continuous, for formats and tools that know no crossing branches.

raise    of every discontinuous phrase the block with the head remains; what is in the other blocks is attached higher.
         As `raising` of treetools after `boyd_split` and `negra_mark_heads`; Kübler (2005).
split    every block becomes a phrase of its own, marked with an asterisk. As `splitdisc` of disco-dop; Boyd (2007).
attach   what stands in a gap is attached to the phrase around it, so that the gap is closed. For children of the root
         this is `root_attach` of treetools.

    (S (VP Das tun) muss man)   ->   raise  (S Das muss man (VP tun))
                                     split  (S (VP* Das) muss man (VP* tun))
                                     attach (S (VP Das muss man tun))
"""

from bisect import bisect_right
from collections.abc import Callable

from discoseq.errors import TreeError
from discoseq.trees.covers import block_at, first_token
from discoseq.trees.draft import ROOT, Draft
from discoseq.trees.tree import Constituent, Tree

SPLIT_MARK = "*"
_HEAD, _NOUN_KERNEL = "HD", "NK"  # the functions of heads in NEGRA, TIGER and, in lower case, Alpino


def make_continuous(tree: Tree, method: str) -> Tree:
    """The tree without crossing branches; a continuous tree is returned as it is."""
    if method not in METHODS:
        raise TreeError(f"there is no way {method!r} to make a tree continuous; there are {', '.join(METHODS)}")
    if not tree.is_discontinuous:
        return tree
    draft = Draft.of(tree)
    METHODS[method](tree, draft)
    return draft.freeze(tree.id, tree.comment)


def _raise(tree: Tree, draft: Draft) -> None:
    """Attach every node to the nearest ancestor whose remaining block it is in."""
    blocks = _head_blocks(tree)
    new_parents: dict[int, int] = {}
    for node in range(-len(blocks), len(tree.tokens)):
        start, end = (node, node + 1) if node >= 0 else blocks[-1 - node]
        parent = draft.parent(node)
        while not (blocks[-1 - parent][0] <= start and end <= blocks[-1 - parent][1]):
            parent = draft.parent(parent)  # the root is continuous, so the search ends there
        new_parents[node] = parent
    for node, parent in new_parents.items():
        draft.attach(node, parent)


def _split(tree: Tree, draft: Draft) -> None:
    """Give every block of a discontinuous constituent a number of its own, the first that of the constituent."""
    parts: list[
        tuple[list[int], list[int]]
    ] = []  # of constituent -1, -2, ...: where its blocks begin, and their numbers
    for number, constituent in enumerate(tree.root.walk()):  # parents come first
        node = -1 - number
        starts = [start for start, _ in constituent.blocks]
        parent = draft.parent(node)
        if len(starts) > 1:
            draft.labels[number] += SPLIT_MARK
        label, function = draft.labels[number], draft.functions[number]
        others = [draft.add(label, _part_at(parts[-1 - parent], start), function) for start in starts[1:]]
        parts.append((starts, [node, *others]))
        if node != ROOT:
            draft.attach(node, _part_at(parts[-1 - parent], starts[0]))
    for token in range(len(tree.tokens)):
        draft.attach(token, _part_at(parts[-1 - draft.parent(token)], token))


def _attach(tree: Tree, draft: Draft) -> None:
    """From the root down, attach every node that begins before the end of a sibling to that sibling."""
    covers, children = draft.covers(), draft.children()

    def cover_of(node: int) -> int:
        return 1 << node if node >= 0 else covers[-1 - node]

    agenda = [ROOT]
    while agenda:
        around, end = ROOT, -1  # the sibling that begins before the others, and where it ends
        for node in sorted(children[-1 - agenda.pop()], key=lambda node: first_token(cover_of(node))):
            cover = cover_of(node)
            if first_token(cover) < end:
                draft.attach(node, around)
                children[-1 - around].append(node)
                covers[-1 - around] |= cover
                end = max(end, cover.bit_length())
            else:
                around, end = node, cover.bit_length()
                if node < 0:
                    agenda.append(node)


METHODS: dict[str, Callable[[Tree, Draft], None]] = {"raise": _raise, "split": _split, "attach": _attach}


def _part_at(parts: tuple[list[int], list[int]], token: int) -> int:
    starts, numbers = parts
    return numbers[bisect_right(starts, token) - 1]


def _head_blocks(tree: Tree) -> list[tuple[int, int]]:
    """The block of constituent -1, -2, ... that has its head, or the head block of a head that has gaps itself."""
    constituents = list(tree.root.walk())
    numbers = {id(constituent): number for number, constituent in enumerate(constituents)}
    functions = {token.function for token in tree.tokens} | {constituent.function for constituent in constituents}
    has_heads = any((function or "").upper() in (_HEAD, _NOUN_KERNEL) for function in functions)
    found: list[tuple[int, int]] = [(0, 0)] * len(constituents)
    for number in range(len(constituents) - 1, -1, -1):  # children come first
        constituent = constituents[number]
        if not constituent.is_discontinuous:
            found[number] = constituent.blocks[0]
            continue
        head = _marked_head(constituent, tree) if has_heads else _likely_head(constituent, tree)
        if head is None:  # the longest block
            found[number] = max(constituent.blocks, key=lambda block: block[1] - block[0])
        else:
            child = constituent.children[head]
            token = child if isinstance(child, int) else found[numbers[id(child)]][0]
            found[number] = block_at(constituent.cover, token)
    return found


def _marked_head(constituent: Constituent, tree: Tree) -> int:
    """The first child with the function HD, else the last with NK, else the first, as in treetools."""
    of_children = [tree.tokens[x].function if isinstance(x, int) else x.function for x in constituent.children]
    functions = [(function or "").upper() for function in of_children]
    if _HEAD in functions:
        return functions.index(_HEAD)
    if _NOUN_KERNEL in functions:
        return len(functions) - 1 - functions[::-1].index(_NOUN_KERNEL)
    return 0


def _likely_head(constituent: Constituent, tree: Tree) -> int | None:
    """Where functions do not say: the first child with the label of the phrase, else with its initial (VP over VB)."""
    labels = [(tree.tokens[x].tag or "") if isinstance(x, int) else x.label for x in constituent.children]
    if constituent.label in labels:
        return labels.index(constituent.label)
    return next((i for i, label in enumerate(labels) if label[:1] == constituent.label[:1] != ""), None)
