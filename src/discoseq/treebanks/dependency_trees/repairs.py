"""Repairs of attachments that cannot be right in TIGER's scheme, before phrases are built.

A parser that makes crossing arcs by raising and lowering them loses some of them, and all parsers err in what is
coordinated with what. Each repair is a step. Their order matters.
"""

from __future__ import annotations

from collections.abc import Callable

from discoseq.treebanks.dependency_trees.dependencies import (
    COORDINATION,
    FINITE,
    NONFINITE,
    NOUNS,
    PREPOSITIONS,
    ROOT,
    VERBS,
    Graph,
)
from discoseq.treebanks.dependency_trees.verb_repairs import (
    complements,
    drop_false_zu,
    give_subjects,
    lower_to_main_verb,
    make_finite,
    make_nonfinite,
)

_DETERMINERS = frozenset(["ART", "PPOSAT", "PIAT", "PDAT", "ADJA", "CARD"])
_NOMINAL = frozenset(["rc", "re", "ag", "mnr", "app"])  # functions of what depends on a noun
_ANTECEDENTS = frozenset(["NN", "NE", "PIS", "PDS", "PPER"])
_RELATIVE = frozenset(["PRELS", "PRELAT"])
_SUBORDINATING = frozenset(["KOUS", "PRELS", "PRELAT", "PWS", "PWAV", "PWAT"])
_JOINING = frozenset(["und", "oder", "sondern", "sowie"])  # «aber» and «doch» rather join clauses


def repair(graph: Graph) -> None:
    for step in STEPS:
        step(graph)


def raise_from_determiners(graph: Graph) -> None:
    """A relative clause or genitive at an article or adjective belongs to the noun."""
    for word, function in enumerate(graph.functions):
        head = graph.heads[word]
        if function in _NOMINAL and head != ROOT and graph.tags[head] in _DETERMINERS and graph.functions[head] == "nk":
            noun = graph.heads[head]
            if noun != ROOT and graph.tags[noun] in NOUNS:
                graph.attach(word, noun)


def coordinate_prepositions(graph: Graph) -> None:
    """«in der Stadt und auf dem Land»: the second preposition is coordinated with the first, not with its noun."""
    for word, tag in enumerate(graph.tags):
        head = graph.heads[word]
        if tag in NOUNS and graph.functions[word] == "nk" and head != ROOT and graph.tags[head] in PREPOSITIONS:
            for link, further in _links(graph, word):
                if further and all(graph.tags[one] in PREPOSITIONS for one in further):
                    graph.attach(link, head)


def coordinate_nonfinite(graph: Graph) -> None:
    """«hat gesehen und gehört»: a participle is coordinated with a participle; if there is none, it is finite."""
    for word, tag in enumerate(graph.tags):
        for link, further in _links(graph, word) if tag in FINITE else []:
            if len(further) == 1 and graph.tags[further[0]] in NONFINITE:
                other = further[0]
                before = [one for one in complements(graph, word) if one < link]
                alike = [one for one in before if _form(graph, one) == _form(graph, other)]
                if alike:
                    graph.attach(link, alike[-1])
                elif graph.tags[other] != "VVIZU" and not graph.having(other, "pm"):
                    graph.tags[other] = graph.tags[other][:2] + "FIN"


def coordinate_finite(graph: Graph) -> None:
    """«hat gelacht und sie weint»: the finite verb is coordinated with the finite verb."""
    for word, tag in enumerate(graph.tags):
        above = graph.heads[word]
        if tag not in NONFINITE or graph.functions[word] not in ("oc", "pd"):
            continue
        while above != ROOT and graph.tags[above] in NONFINITE and graph.functions[above] == "oc":
            above = graph.heads[above]
        if above != ROOT and graph.tags[above] in FINITE:
            for link, further in _links(graph, word):
                finite = [one for one in further if graph.tags[one] in FINITE and graph.having(one, "sb", "ep", "oc")]
                if len(further) == len(finite) == 1:
                    graph.attach(link, above)


def coordinate_nominals(graph: Graph) -> None:
    """A noun or preposition is not coordinated with a verb, but with a dependent of it, or is a parenthesis."""
    for word, tag in enumerate(graph.tags):
        for link, further in _links(graph, word) if tag in FINITE else []:
            if graph.functions[link] == "cj" and graph.tags[link] not in VERBS:
                graph.functions[link] = "par"
            elif len(further) == 1 and graph.words[link].lower() in _JOINING:
                kind = next((kind for kind in (PREPOSITIONS, NOUNS) if graph.tags[further[0]] in kind), frozenset())
                verbs = [word, *complements(graph, word)]
                before = [one for verb in verbs for one in graph.own_dependents(verb) if one < link]
                alike = [one for one in before if graph.tags[one] in kind]
                if alike:
                    graph.attach(link, max(alike))


def attach_to_es(graph: Graph) -> None:
    """«es freut mich, dass ...»: the clause is a repetition of «es»."""
    for word, form in enumerate(graph.words):
        function, head = graph.functions[word], graph.heads[word]
        if form.lower() not in ("es", "'s") or head == ROOT or graph.having(word, "re"):
            continue
        if function in ("sb", "oa", "ep"):
            for clause in graph.having(head, "re") if function == "ep" else graph.having(head, "re", "sb"):
                if clause > word and graph.tags[clause] in VERBS:
                    graph.attach(clause, word, "re")


def attach_relative_clauses(graph: Graph) -> None:
    """A clause that begins with a relative pronoun belongs to the nearest noun before it, not to a verb."""
    for word, tag in enumerate(graph.tags):
        head, function = graph.heads[word], graph.functions[word]
        if tag not in FINITE or head == ROOT or graph.tags[head] not in VERBS:
            continue
        clause = graph.below(word)
        begins = graph.tags[clause[0]] in _RELATIVE | {"APPR"} and function in ("mo", "cj", "par", "oc")
        if any(graph.tags[one] in _RELATIVE for one in clause[:3]) and (function == "rc" or begins):
            around = set(graph.below(head)) - set(clause)
            nouns = [one for one in around if one < clause[0] and graph.tags[one] in _ANTECEDENTS]
            if nouns:
                graph.attach(word, max(nouns), "rc")


def make_clauses_continuous(graph: Graph) -> None:
    """What lies beyond a gap of an embedded finite clause belongs to the clause above."""
    for word, tag in enumerate(graph.tags):
        if tag not in FINITE or graph.heads[word] == ROOT:
            continue
        inside = set(graph.below(word))
        start = end = word
        while start > 0 and (start - 1 in inside or graph.is_punctuation(start - 1)):
            start -= 1
        while end < len(graph.words) - 1 and (end + 1 in inside or graph.is_punctuation(end + 1)):
            end += 1
        outside = {one for one in inside if not start <= one <= end}
        for one in sorted(outside):
            is_top = graph.functions[one] not in COORDINATION and graph.heads[one] not in outside
            if is_top and outside.issuperset(graph.below(one)):
                graph.attach(one, graph.heads[word])


def subordinate_inverted_clauses(graph: Graph) -> None:
    """«Regnet es, bleiben wir»: a clause without a conjunction before one that begins with its verb depends on it."""
    for word, tag in enumerate(graph.tags):
        for link, further in _links(graph, word) if tag in FINITE else []:
            is_pair = len(further) == 1 and further[0] == link and graph.tags[link] in FINITE
            if not is_pair or graph.below(link)[0] != link or graph.having(word, "cd") or graph.conjuncts(link)[0]:
                continue
            first = [one for one in graph.below(word) if one not in graph.below(link) and graph.tags[one] != "KON"]
            begins_with_verb = first[0] == word
            if not begins_with_verb and any(graph.words[one].lower() == "doch" for one in graph.own_dependents(link)):
                graph.functions[link] = "mo"  # «Das freut mich, mag ich ihn doch»
            elif graph.words[-1] != "?" or graph.tags[first[0]] in _SUBORDINATING:
                graph.attach(link, graph.heads[word], graph.functions[word])
                graph.attach(word, link, "mo" if begins_with_verb else "oc")


def coordinate_embedded_clauses(graph: Graph) -> None:
    """«ist unklar, wer kommt oder was geschieht»: clauses with their verb at the end are coordinated."""
    for word, tag in enumerate(graph.tags):
        for link, further in _links(graph, word) if tag in FINITE else []:
            is_pair = graph.functions[link] == "cd" and len(further) == 1 and graph.tags[further[0]] in FINITE
            if is_pair and _is_verb_final(graph, further[0]) and not _is_verb_final(graph, word):
                other = {word, *(one for conjunct in graph.conjuncts(word)[0] for one in graph.below(conjunct))}
                before = [one for one in graph.below(word) if one < link and one not in other]
                embedded = [one for one in before if graph.tags[one] in FINITE and _is_verb_final(graph, one)]
                if embedded:
                    graph.attach(link, embedded[-1])


STEPS: list[Callable[[Graph], None]] = [
    drop_false_zu,
    make_finite,
    make_nonfinite,
    raise_from_determiners,
    coordinate_prepositions,
    coordinate_nonfinite,
    coordinate_finite,
    coordinate_nominals,
    lower_to_main_verb,
    give_subjects,
    attach_to_es,
    attach_relative_clauses,
    make_clauses_continuous,
    subordinate_inverted_clauses,
    coordinate_embedded_clauses,
]


def _links(graph: Graph, first: int) -> list[tuple[int, list[int]]]:
    """What joins a word to its conjuncts: a conjunction with its conjuncts, or a conjunct itself."""
    links = graph.having(first, *COORDINATION)
    return [(link, [link] if graph.functions[link] == "cj" else graph.having(link, "cj")) for link in links]


def _form(graph: Graph, verb: int) -> str:
    form = graph.tags[verb][2:]
    return "INF" if form == "IZU" else form


def _is_verb_final(graph: Graph, verb: int) -> bool:
    dependents = graph.own_dependents(verb)
    before = [one for one in dependents if one < verb and graph.functions[one] != "ju"]
    after = [one for one in dependents if one > verb and graph.tags[one] not in FINITE]
    is_extraposed = [graph.tags[one] in NONFINITE and graph.functions[one] in ("oc", "re") for one in after]
    return any(graph.functions[one] == "cp" for one in before) or (len(before) > 1 and all(is_extraposed))
