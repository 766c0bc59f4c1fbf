"""The changes to trees that recipes are made of, besides those that live with trees and traces."""

from collections.abc import Callable, Collection
from dataclasses import replace

from discoseq.treebanks.recipes.recipe import Step
from discoseq.treebanks.traces import resolve_traces
from discoseq.trees.draft import Draft
from discoseq.trees.punctuation import attach_to_neighbours, move
from discoseq.trees.transforms import add_root, drop_functions
from discoseq.trees.tree import Tree


def give_root(label: str) -> Step:
    return Step(f"every tree has a root {label}", lambda tree: add_root(tree, label))


def drop_tagged(tags: Collection[str]) -> Step:
    """Leave out what is no word of the sentence though it stands like one."""

    def apply(tree: Tree) -> Tree:
        doomed = {i for i, token in enumerate(tree.tokens) if token.tag in tags}
        if not doomed:
            return tree
        draft = Draft.of(tree)
        draft.remove_tokens(doomed)
        return draft.freeze(tree.id, tree.comment)

    return Step(f"tokens tagged {' or '.join(tags)} are left out", apply)


def return_to_traces(moved: tuple[str, ...]) -> Step:
    description = "empty elements and indices are left out"
    if moved:
        description = f"co-indexed material is returned to its trace ({', '.join(moved)}); other {description}"
    return Step(description, lambda tree: resolve_traces(tree, moved))


def change_words(description: str, change: Callable[[str], str]) -> Step:
    def apply(tree: Tree) -> Tree:
        if all(change(word) == word for word in tree.words):
            return tree
        tokens = tuple(replace(token, word=change(token.word)) for token in tree.tokens)
        return replace(tree, tokens=tokens)

    return Step(description, apply)


MOVE_PUNCTUATION = Step("punctuation under the root is moved as by `discodop treetransforms --punct=move`", move)
ATTACH_ROOT_CHILDREN = Step(
    "children of the root inside the sentence are attached as by treetools' root_attach", attach_to_neighbours
)


def _to_words_and_tags(tree: Tree) -> Tree:
    bare = drop_functions(tree)
    if all(token.lemma is None and token.morphology is None for token in bare.tokens):
        return bare
    return replace(bare, tokens=tuple(replace(token, lemma=None, morphology=None) for token in bare.tokens))


DROP_ANNOTATIONS = Step("functions, lemmas, morphology and secondary edges are left out", _to_words_and_tags)
