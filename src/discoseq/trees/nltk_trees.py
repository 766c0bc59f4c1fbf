"""Trees of NLTK: over words if the tree is continuous, else over token indices, as disco-dop and NLTK draw them.

Tree('S', [Tree('NP-SBJ', [Tree('NNP', ['Ann'])]), Tree('VP', [Tree('VBZ', ['sleeps'])])])     a continuous tree
(S (VP (PDS 0) (VVINF 3)) (VMFIN 1) (PIS 2))                           a discontinuous one, as NLTK prints it

Labels are written as in the bracket formats, functions included; words are left as they are. Lemmas, morphology and
secondary edges have no place in NLTK. Nothing here recurses, because trees may be deep.
"""

from collections.abc import Sequence
from typing import Any

from discoseq.errors import TreeError, import_extra
from discoseq.trees.dictionaries import tree_from_dict
from discoseq.trees.escapes import NONE, join_label, split_label
from discoseq.trees.transforms import VIRTUAL_ROOT
from discoseq.trees.tree import Tree


def tree_to_nltk(tree: Tree) -> Any:
    """An `nltk.Tree` over words, or, if the tree is discontinuous, an `nltk.ParentedTree` over token indices."""
    nltk = import_extra("nltk.tree", None, "to_nltk")
    is_discontinuous = tree.is_discontinuous
    make = nltk.ParentedTree if is_discontinuous else nltk.Tree
    leaves = range(len(tree.tokens)) if is_discontinuous else tree.words
    made: dict[int, Any] = {}
    for constituent in reversed(list(tree.root.walk())):  # children come first
        children = []
        for child in constituent.children:
            if isinstance(child, int):
                token = tree.tokens[child]
                children.append(make(join_label(token.tag or NONE, token.function), [leaves[child]]))
            else:
                children.append(made.pop(id(child)))
        made[id(constituent)] = make(join_label(constituent.label, constituent.function), children)
    return made[id(tree.root)]


def tree_from_nltk(tree: Any, words: Sequence[str] | None = None) -> Tree:
    """The tree of an `nltk.Tree`; with `words` its leaves are token indices, without them they are the words."""
    nltk = import_extra("nltk.tree", None, "from_nltk")
    if not isinstance(tree, nltk.Tree):
        raise TreeError(f"an nltk.Tree is expected, not {type(tree).__name__}")
    found = list(words) if words is not None else []
    tags: dict[int, tuple[str | None, str | None]] = {}  # with functions, of the tokens that have one
    top: list[object] = []
    agenda: list[tuple[Any, list[object]]] = [(tree, top)]  # with the children of the parent
    while agenda:
        node, siblings = agenda.pop()
        if not isinstance(node, nltk.Tree):
            siblings.append(_token_index(node, found, words is None))
            continue
        label, function = split_label(_checked_label(node.label()))
        if len(node) == 1 and not isinstance(node[0], nltk.Tree):
            index = _token_index(node[0], found, words is None)
            tags[index] = (None if label == NONE else label), function
            siblings.append(index)
        else:
            children: list[object] = []
            siblings.append({"label": label, "function": function, "children": children})
            agenda.extend((child, children) for child in reversed(node))
    root = top[0] if isinstance(top[0], dict) else {"label": VIRTUAL_ROOT, "children": top}
    fields = [tags.get(i, (None, None)) for i in range(len(found))]
    tag_column, function_column = [tag for tag, _ in fields], [function for _, function in fields]
    return tree_from_dict({"words": found, "tags": tag_column, "functions": function_column, "root": root})


def _token_index(leaf: object, found: list[str], is_word: bool) -> int:
    """The index that a leaf is, or that of the word that it is, which is added to those found before."""
    if isinstance(leaf, str) and is_word:
        found.append(leaf)
        return len(found) - 1
    if type(leaf) is int and not is_word:
        return leaf
    if type(leaf) is int:
        raise TreeError(f"the leaf {leaf} is a token index; pass the words of the sentence as well")
    raise TreeError(f"the leaf {leaf!r} is not a {'word' if is_word else 'token index'}")


def _checked_label(label: object) -> str:
    if not isinstance(label, str):
        raise TreeError(f"the label {label!r} is not a string")
    return label
