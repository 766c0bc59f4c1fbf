"""Dependencies to the phrases of TIGER: the heads of its phrases were found by rules, which are inverted here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from discoseq.treebanks.dependency_trees.dependencies import (
    FINITE,
    NONFINITE,
    NOUNS,
    PREPOSITIONS,
    VERBS,
    Dependencies,
    Graph,
)
from discoseq.treebanks.dependency_trees.repairs import repair
from discoseq.trees.punctuation import move
from discoseq.trees.tree import Child, Constituent, Token, Tree

# the phrase that a word heads once it has dependents
_PHRASES = {
    **dict.fromkeys(FINITE, "S"),
    **dict.fromkeys(NONFINITE, "VP"),
    **dict.fromkeys(PREPOSITIONS, "PP"),
    **dict.fromkeys(NOUNS, "NP"),
    **dict.fromkeys(["ADJA", "ADJD", "CARD", "PIAT", "PDAT", "PPOSAT", "PWAT", "ART", "PRELAT"], "AP"),
    **dict.fromkeys(["ADV", "PWAV", "PTKNEG", "PTKANT", "PTKA", "PTKVZ", "ITJ"], "AVP"),
    **dict.fromkeys(["KON", "KOUS", "KOKOM", "KOUI"], "AVP"),
}
_OTHER_PHRASE = "NP"
# the coordination of phrases of one category
_COORDINATIONS = {"S": "CS", "VP": "CVP", "PP": "CPP", "NP": "CNP", "AP": "CAP", "AVP": "CAVP", "VZ": "CVZ"}
_OTHER_COORDINATION = "CO"
# the category of labels that stand for a special or coordinated phrase
_CATEGORIES = {"PN": "NP", "NM": "NP", **{coordinated: plain for plain, coordinated in _COORDINATIONS.items()}}
# functions of words that form one constituent with their head, below the phrase of the other dependents
_COMPOUNDS = {"pnc": "PN", "nmc": "NM", "uc": "CH"}
_PARTICLES = {"PTKZU": "VZ", "PTKA": "AA"}  # «zu lesen», «am besten»
_CLAUSAL = frozenset(["sb", "pd", "oa", "da", "oc", "mo", "ng", "ju", "ep"])
_SHARING = frozenset(["NN", "NE", "NNE", "TRUNC"])  # «die Männer und Frauen»: one article, two nouns


def build_tiger_tree(sentence: Dependencies, *, repaired: bool = True) -> Tree:
    """The tree of a sentence under ROOT, its punctuation moved as in `discoseq prepare`."""
    graph = Graph(sentence)
    if repaired:
        repair(graph)
    phrases = [_project(graph, top) for top in graph.tops()]
    punctuation = [word for word in range(len(graph.words)) if graph.is_punctuation(word)]
    tokens = tuple(Token(word, tag) for word, tag in zip(graph.words, graph.tags, strict=True))
    return move(Tree(Constituent("ROOT", (*phrases, *punctuation)), tokens))


def _project(graph: Graph, word: int) -> Child:
    """The phrase of a word with all that depends on it, coordinated words included."""
    further, conjunctions = graph.conjuncts(word)
    dependents = graph.own_dependents(word)
    if not further:
        clausal = _clausal_dependents(graph, word, dependents)
        phrase = _phrase(graph, word, word, [one for one in graph.dependents[word] if one not in clausal])
        return Constituent("S", (phrase, *(_project(graph, one) for one in clausal))) if clausal else phrase
    shared = _shared_dependents(graph, word, dependents, further)
    parts = [_phrase(graph, word, word, [dependent for dependent in dependents if dependent not in shared])]
    parts += [_phrase(graph, other, other, graph.own_dependents(other)) for other in further]
    label = _coordination(graph, parts)
    parts += [_phrase(graph, mark, mark, graph.own_dependents(mark)) for mark in conjunctions]
    return _phrase(graph, word, Constituent(label, tuple(parts)), shared, is_whole=True)


def _clausal_dependents(graph: Graph, word: int, dependents: Iterable[int]) -> list[int]:
    """The dependents that make a sentence without a verb of a phrase: «Kein Wunder, dass es regnet»."""
    if graph.functions[word] != "ROOT" or graph.tags[word] in VERBS:
        return []
    return [one for one in dependents if graph.functions[one] in _CLAUSAL]


def _shared_dependents(graph: Graph, first: int, dependents: Sequence[int], further: Sequence[int]) -> list[int]:
    """The dependents that belong to all conjuncts: those after the last one, those before nouns with one article."""
    if graph.tags[first] in FINITE:
        return []
    last = max(further)
    loose = [word for word in dependents if not _compound(graph, word)]
    if graph.tags[first] in _SHARING and all(_is_bare_noun(graph, other) for other in further):
        return [word for word in loose if word < first or word > last]
    return [word for word in loose if word > last]


def _is_bare_noun(graph: Graph, noun: int) -> bool:
    """Whether a noun has nothing before it. A name needs no article, so it does not share one."""
    before = [word for word in graph.own_dependents(noun) if word < noun and not _compound(graph, word)]
    return graph.tags[noun] in _SHARING - {"NE"} and not before


def _compound(graph: Graph, word: int) -> str | None:
    """The label of the constituent that a word forms with its head, if it is of that kind."""
    if graph.functions[word] == "pm":
        return _PARTICLES.get(graph.tags[word])
    return _COMPOUNDS.get(graph.functions[word])


def _coordination(graph: Graph, parts: Iterable[Child]) -> str:
    categories = {_category(graph, part) for part in parts if not _is_truncated(graph, part)} or {"NP"}
    if len(categories) == 1:
        return _COORDINATIONS.get(categories.pop(), _OTHER_COORDINATION)
    return "CS" if "S" in categories else _OTHER_COORDINATION


def _is_truncated(graph: Graph, part: Child) -> bool:
    return isinstance(part, int) and graph.tags[part] == "TRUNC"


def _category(graph: Graph, part: Child) -> str:
    label = _PHRASES.get(graph.tags[part], _OTHER_PHRASE) if isinstance(part, int) else part.label
    return _CATEGORIES.get(label, label)


def _phrase(graph: Graph, word: int, head: Child, dependents: Sequence[int], *, is_whole: bool = False) -> Child:
    """A head, which is a word or a coordination that begins with it, and the phrases of its dependents."""
    label = _label(graph, word, dependents)
    children: list[Child] = []
    compounds: dict[str, list[Child]] = {}
    for dependent in dependents:
        phrase = _project(graph, dependent)
        if compound := _compound(graph, dependent):
            compounds.setdefault(compound, []).append(phrase)
        elif label == "PP" and graph.functions[dependent] == "nk":
            children += _opened(phrase)
        else:
            children.append(phrase)
    for name, members in compounds.items():
        head = Constituent(name, (head, *members))
    if children or (label == "S" and not is_whole):
        return Constituent(label, (head, *children))
    return head


def _label(graph: Graph, word: int, dependents: Iterable[int]) -> str:
    label = _PHRASES.get(graph.tags[word], _OTHER_PHRASE)
    functions = {graph.functions[dependent] for dependent in dependents}
    if label == "AP" and "nk" in functions:
        return "NP"  # «der eine»
    return label


def _opened(phrase: Child) -> tuple[Child, ...]:
    """The children of a noun phrase, since a prepositional phrase is flat; any other phrase as it is."""
    return phrase.children if not isinstance(phrase, int) and phrase.label == "NP" else (phrase,)
