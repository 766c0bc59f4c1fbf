"""Where punctuation is attached: annotators leave it under the root, and parsers move or remove it.

`move` is equivalent to `discodop treetransforms --punct=move`, and `attach_to_neighbours` to root_attach of treetools;
the NEGRA and TIGER figures of the literature depend on their details.
"""

from collections.abc import Callable

from discoseq.trees.draft import ROOT, Draft
from discoseq.trees.tree import Constituent, Token, Tree

PUNCTUATION_TAGS = frozenset(
    [
        *(".", ",", ":", "'", "''", "`", "``", '"'),
        *("-LRB-", "-RRB-", "-LSB-", "-RSB-", "-LCB-", "-RCB-"),  # Penn Treebank
        *("$,", "$.", "$(", "$["),  # NEGRA, TIGER
        *("let", "LET()", "LET[]", "SPEC(symb)", "SPEC[symb]", "TW(hoofd,vrij)", "TW[hoofd,vrij]"),  # Alpino, Lassy
        *("COMMA", "PUNCT", "PAREN"),
    ]
)
# The apostrophe is not included: it may be a possessive marker. As a quotation mark it is recognized by its tag.
PUNCTUATION_WORDS = frozenset(
    [
        *'.,():-";?/!*&`[]<>{}|=«»·\xad\\',
        *("..", "...", "....", ".....", "......", "!!", "!!!", "??", "???", "''", "``", ",,", "--", "---", "----"),
        *("-LRB-", "-RRB-", "-LCB-", "-RCB-", "-LSB-", "-RSB-", "&bullet;"),
    ]
)
_PARTNERS = {'"': '"', "'": "'", "``": "''", "[": "]", "(": ")", "-LRB-": "-RRB-", "-LSB-": "-RSB-", "-": "-"}


def is_punctuation(token: Token) -> bool:
    """Whether disco-dop takes the token for punctuation, by its tag or by its word."""
    return token.tag in PUNCTUATION_TAGS or token.word in PUNCTUATION_WORDS


def cover_of_words(tree: Tree) -> int:
    """The tokens that are not punctuation, as a cover."""
    return sum(1 << i for i, token in enumerate(tree.tokens) if not is_punctuation(token))


def remove(tree: Tree) -> Tree:
    """Remove punctuation, and phrases of nothing else."""
    draft = Draft.of(tree)
    draft.remove_tokens({i for i, token in enumerate(tree.tokens) if is_punctuation(token)})
    return draft.freeze(tree.id, tree.comment)


def attach_to_root(tree: Tree) -> Tree:
    """Attach all punctuation to the root, as in NEGRA and TIGER."""
    draft = Draft.of(tree)
    for i, token in enumerate(tree.tokens):
        if is_punctuation(token):
            draft.attach(i, ROOT)
    return draft.freeze(tree.id, tree.comment)


def move(tree: Tree) -> Tree:
    """Attach punctuation under the root next to the following phrase, and paired marks to one parent."""
    draft = Draft.of(tree)
    marks = [x for x in tree.root.children if isinstance(x, int) and is_punctuation(tree.tokens[x])]
    left_under_root = len(tree.root.children)
    for mark in reversed(marks):
        if left_under_root > 1:  # the last child of the root stays
            parent = _parent_of_next(draft, mark)
            draft.attach(mark, parent)
            left_under_root -= parent != ROOT
    _pair(draft)
    return draft.freeze(tree.id, tree.comment)


def attach_to_neighbours(tree: Tree) -> Tree:
    """Attach each child of the root inside the sentence to the lowest common ancestor of its neighbours."""
    draft = Draft.of(tree)
    children = list(tree.root.children)
    numbers = {id(constituent): -1 - rank for rank, constituent in enumerate(tree.root.walk())}
    for position, child in enumerate(children):
        before = _first(child) - 1
        after = _end_of_adjacent(children[position:])
        if before >= 0 and after < len(tree.tokens):
            node = child if isinstance(child, int) else numbers[id(child)]
            draft.attach(node, _lowest_common_ancestor(draft, before, after))
    return draft.freeze(tree.id, tree.comment)


TREATMENTS: dict[str, Callable[[Tree], Tree]] = {
    "move": move,
    "root_attach": attach_to_neighbours,
    "remove": remove,
    "root": attach_to_root,
}


def _parent_of_next(draft: Draft, mark: int) -> int:
    """The parent of the highest node below the root that begins right after the mark."""
    node = mark + 1
    if node >= len(draft.tokens):
        return ROOT
    firsts = [cover & -cover for cover in draft.covers()]
    begins_there = 1 << node
    while draft.parent(node) != ROOT and firsts[-1 - draft.parent(node)] == begins_there:
        node = draft.parent(node)
    return draft.parent(node)


def _pair(draft: Draft) -> None:
    """Attach paired marks to one parent: that of the left mark if it ends right before the right one, or vice versa."""
    waiting: dict[str, int] = {}  # the last left mark, by the word of its partner
    for right, token in enumerate(draft.tokens):
        if token.tag not in PUNCTUATION_TAGS:
            continue
        if token.word in waiting:
            left = waiting.pop(token.word)
            covers = draft.covers()
            of_left, of_right = covers[-1 - draft.parent(left)], covers[-1 - draft.parent(right)]
            if of_left.bit_length() == right:
                draft.attach(right, draft.parent(left))
            elif of_right & -of_right == 1 << (left + 1):
                draft.attach(left, draft.parent(right))
        elif token.word in _PARTNERS:
            waiting[_PARTNERS[token.word]] = right


def _first(child: Constituent | int) -> int:
    return child if isinstance(child, int) else child.first


def _end_of_adjacent(children: list[Constituent | int]) -> int:
    """The token after the first child and the children adjacent to it, which are yet to be attached."""
    end = _end(children[0])
    for child in children[1:]:
        if _first(child) > end:
            break
        if _first(child) == end:
            end = _end(child)
    return end


def _end(child: Constituent | int) -> int:
    return child + 1 if isinstance(child, int) else child.last + 1


def _lowest_common_ancestor(draft: Draft, one: int, two: int) -> int:
    ancestors = set()
    node = one
    while node != ROOT:
        node = draft.parent(node)
        ancestors.add(node)
    node = draft.parent(two)
    while node not in ancestors:
        node = draft.parent(node)
    return node
