"""Words without tags in a bracket file: `(VP 0=is 2=rich)` is a phrase to a reader, but a tag to disco-dop."""

from dataclasses import replace

from discoseq.errors import EvaluationError
from discoseq.trees.draft import ROOT, Draft
from discoseq.trees.tree import Tree


def has_bare_words(tree: Tree) -> bool:
    return any(token.tag is None for token in tree.tokens)


def with_tags_for_phrases(tree: Tree, name: str) -> Tree:
    """Turn every phrase that is made of words without tags into the tag of these words."""
    draft = Draft.of(tree)
    for node, children in enumerate(draft.children()):
        bare = [child for child in children if child >= 0 and tree.tokens[child].tag is None]
        if not bare:
            continue
        phrase = -1 - node
        if phrase == ROOT or len(bare) < len(children):
            raise EvaluationError(
                f"sentence {name}: the word {tree.tokens[bare[0]].word!r} has no tag, so the rules can't tell whether "
                f"{draft.labels[node] or 'the bracket over it'} is a phrase or a tag"
            )
        for child in bare:
            draft.tokens[child] = replace(draft.tokens[child], tag=draft.labels[node], function=draft.functions[node])
            draft.attach(child, draft.parent(phrase))
    return draft.freeze(tree.id, tree.comment)
