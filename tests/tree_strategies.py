"""Hypothesis strategies for trees of every shape: gaps, ill-nestedness, unary chains, one bare word."""

from hypothesis import strategies as st

from discoseq.trees.tree import Child, Constituent, SecondaryEdge, Token, Tree

LABELS = ["S", "NP", "VP", "PP", "AP"]
TAGS = ["NN", "VB", "DT", "$,", "$("]
WORDS = ["a", "b", "Haus", "=", "x=y", "(", ")", "-LRB-", "#LRB#", "#", "%%", "<&>", "10 000", "10\u00a0000", "#500"]


@st.composite
def trees(
    draw: st.DrawFn,
    *,
    max_tokens: int = 9,
    words: st.SearchStrategy[str] | None = None,
    continuous: bool = False,
    root: str = "ROOT",
    functions: bool = False,
    fields: bool = False,
    secondary: bool = False,
) -> Tree:
    """Merge random groups of what is there until one constituent is left, then put the root on top."""
    words = st.sampled_from(WORDS) if words is None else words
    count = draw(st.integers(1, max_tokens))
    function = st.sampled_from([None, "SB", "HD"]) if functions else st.none()
    value = st.sampled_from([None, "x", "y.z"]) if fields else st.none()
    tokens = tuple(
        Token(draw(words), draw(st.sampled_from(TAGS)), draw(value), draw(value), draw(function)) for _ in range(count)
    )
    parts: list[Child] = list(range(count))
    for _ in range(draw(st.integers(0, count + 3))):
        size = draw(st.integers(1, len(parts)))
        if continuous:
            start = draw(st.integers(0, len(parts) - size))
            chosen = set(range(start, start + size))
        else:
            chosen = set(draw(st.permutations(range(len(parts))))[:size])
        group = tuple(part for i, part in enumerate(parts) if i in chosen)
        phrase = Constituent(draw(st.sampled_from(LABELS)), group, draw(function))
        place = min(chosen)
        parts = [phrase if i == place else part for i, part in enumerate(parts) if i == place or i not in chosen]
    top = Constituent(root, tuple(parts))
    return Tree(top, tokens, secondary_edges=_secondary_edges(draw, top, count) if secondary else ())


def without_tags(tree: Tree) -> str:
    """The tree in brackets, its leaves as index=word: short enough for an expectation in a test."""
    return tree.root.render(lambda i: f"{i}={tree.words[i]}", lambda constituent: constituent.label)


def _secondary_edges(draw: st.DrawFn, root: Constituent, tokens: int) -> tuple[SecondaryEdge, ...]:
    constituents = sum(1 for _ in root.walk())
    if constituents < 2:
        return ()
    # the virtual root takes part in none: export can't name it
    child = st.integers(-constituents, tokens - 1).filter(lambda node: node != -1)
    edge = st.builds(SecondaryEdge, child, st.sampled_from(["SB", "OA"]), st.integers(-constituents, -2))
    return tuple(draw(st.lists(edge, max_size=2)))
