"""Transformations of trees: functions, traces, roots, unary chains."""

from dataclasses import replace

from discoseq.errors import TreeError
from discoseq.trees.draft import ROOT, Draft
from discoseq.trees.tree import Tree

TRACE_TAG = "-NONE-"
VIRTUAL_ROOT = "ROOT"
VIRTUAL_ROOTS = frozenset(["", VIRTUAL_ROOT, "VROOT", "TOP"])


def drop_functions(tree: Tree) -> Tree:
    """Remove functions, indices and secondary edges; a label that lacks its function, `WHNP-`, loses the dash."""
    draft = Draft.of(tree)
    draft.labels = [_without_dash(label) for label in draft.labels]
    draft.functions = [None] * len(draft.functions)
    draft.tokens = [
        replace(token, tag=_without_dash(token.tag) if token.tag else None, function=None) for token in draft.tokens
    ]
    draft.secondary_edges = []
    return draft.freeze(tree.id, tree.comment)


def strip_traces(tree: Tree) -> Tree:
    """Remove empty elements, and phrases of nothing else."""
    draft = Draft.of(tree)
    draft.remove_tokens({i for i, token in enumerate(tree.tokens) if token.tag == TRACE_TAG})
    return draft.freeze(tree.id, tree.comment)


def add_root(tree: Tree, label: str) -> Tree:
    """Give the tree a root with this label: a virtual root is renamed, any other becomes its child."""
    if tree.root.label not in VIRTUAL_ROOTS:
        return put_under_root(tree, label)
    draft = Draft.of(tree)
    draft.labels[0] = label
    return draft.freeze(tree.id, tree.comment)


def put_under_root(tree: Tree, label: str) -> Tree:
    """Put a root with this label over the tree, whatever its own root is."""
    draft = Draft.of(tree)
    # number -1 is the root, so the old root gets a new number
    old = draft.add(tree.root.label, function=tree.root.function)
    draft.labels[0], draft.functions[0] = label, None
    draft.parents[1:-1] = [old if parent == ROOT else parent for parent in draft.parents[1:-1]]
    draft.token_parents = [old if parent == ROOT else parent for parent in draft.token_parents]
    draft.secondary_edges = [
        replace(
            edge,
            child=old if edge.child == ROOT else edge.child,
            parent=old if edge.parent == ROOT else edge.parent,
        )
        for edge in draft.secondary_edges
    ]
    return draft.freeze(tree.id, tree.comment)


def collapse_unary(tree: Tree, separator: str = "+") -> Tree:
    """Merge each unary chain into one constituent, its labels joined from the top, with the function of the top."""
    draft = Draft.of(tree)
    if any(separator in label for label in draft.labels):
        raise TreeError(f"a label contains {separator!r}, the separator of labels in unary chains")
    merged = {ROOT: ROOT}  # the constituent that each becomes part of; numbers are in pre-order, so parents come first
    for constituent, children in enumerate(draft.children()):
        node = -1 - constituent
        for child in children:
            if child < 0:
                merged[child] = merged[node] if len(children) == 1 else child
                if len(children) == 1:
                    draft.labels[-1 - merged[node]] += separator + draft.labels[-1 - child]
    draft.parents = [merged[parent] for parent in draft.parents]
    draft.token_parents = [merged[parent] for parent in draft.token_parents]
    draft.secondary_edges = [
        replace(edge, child=merged.get(edge.child, edge.child), parent=merged[edge.parent])
        for edge in draft.secondary_edges
    ]
    return draft.freeze(tree.id, tree.comment)


def restore_unary(tree: Tree, separator: str = "+") -> Tree:
    """Undo `collapse_unary`."""
    draft = Draft.of(tree)
    lowest = {}
    for number, label in enumerate(list(draft.labels)):
        top, *below = label.split(separator)
        draft.labels[number] = top
        node = -1 - number
        for part in below:
            node = draft.add(part, node)
        lowest[-1 - number] = node
    count = len(lowest)
    draft.parents[:count] = [lowest[parent] for parent in draft.parents[:count]]
    draft.token_parents = [lowest[parent] for parent in draft.token_parents]
    return draft.freeze(tree.id, tree.comment)


def _without_dash(label: str) -> str:
    # -LRB-, -NONE- and -- are whole labels
    return label.rstrip("-=") if label[-1:] in ("-", "=") and label[0] not in ("-", "=") else label
