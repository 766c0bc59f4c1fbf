"""Repairs of verbs: tags that contradict the dependencies, and arguments at the wrong verb of a verbal complex."""

from __future__ import annotations

from discoseq.treebanks.dependency_trees.dependencies import (
    AUXILIARIES,
    COORDINATION,
    FINITE,
    NONFINITE,
    NOUNS,
    PUNCTUATION,
    ROOT,
    VERBS,
    Graph,
)

_WERDEN = frozenset(["werden", "worden", "wird", "wurde", "wurden", "würde", "würden", "werde", "wirst"])
_NOMINATIVE = frozenset(["ich", "du", "er", "wir", "man", "wer", "jeder", "jemand", "niemand", "keiner", "einer"])


def drop_false_zu(graph: Graph) -> None:
    """A word without «zu» is no VVIZU."""
    for word, tag in enumerate(graph.tags):
        if tag == "VVIZU" and "zu" not in graph.words[word].lower():
            graph.tags[word] = "VVINF" if graph.words[word].endswith("n") else "VVFIN"


def make_finite(graph: Graph) -> None:
    """What has a subject or a subordinating conjunction is a finite verb."""
    for word, tag in enumerate(graph.tags):
        is_subordinate = any(graph.tags[one] == "KOUS" for one in graph.having(word, "cp"))
        has_subject = bool(graph.having(word, "sb", "ep"))
        if tag in NONFINITE - {"VVIZU"} and (has_subject or is_subordinate):
            graph.tags[word] = tag[:2] + "FIN"
        elif tag not in VERBS | PUNCTUATION:
            has_objects = tag != "NN" or bool(graph.having(word, "oc", "oa", "svp", "da"))
            if is_subordinate or (has_subject and has_objects):
                graph.tags[word] = "VVFIN"


def make_nonfinite(graph: Graph) -> None:
    """The complement of an auxiliary or modal and the conjunct of an infinitive are not finite without a subject."""
    for word, tag in enumerate(graph.tags):
        head = graph.heads[word]
        if head == ROOT or graph.having(word, "sb", "ep", "cp"):
            continue
        if graph.functions[word] == "oc" and graph.tags[head] in AUXILIARIES and tag in FINITE | {"ADJD"}:
            if not any(graph.tags[one] in NONFINITE for one in graph.having(head, "oc")):
                graph.tags[word] = _complement_tag(graph, word, head)
        elif graph.functions[word] == "cj" and tag in FINITE:
            first = _first_conjunct(graph, word)
            if graph.tags[first] in NONFINITE and graph.tags[first].endswith("INF"):
                graph.tags[word] = tag[:2] + "INF" if graph.words[word].endswith("en") else tag
            elif graph.tags[first] == "VVPP" and not graph.having(word, "oc"):
                graph.tags[word] = tag[:2] + "PP" if graph.words[word].endswith(("t", "en")) else tag


def lower_to_main_verb(graph: Graph) -> None:
    """«muss dort gebaut werden»: an auxiliary has no modifiers of its own if it is not finite."""
    for word, tag in enumerate(graph.tags):
        inner = complements(graph, word)
        if tag in ("VAINF", "VAPP") and len(inner) == 1:
            for one in graph.own_dependents(word):
                if graph.functions[one] not in ("cp", "pm", "oc", "cm", "rc"):
                    graph.attach(one, inner[0])


def give_subjects(graph: Graph) -> None:
    """A clause has one subject: without one, an object rises; with two, one that is no nominative becomes an object."""
    for word, tag in enumerate(graph.tags):
        lowest = _lowest_verb(graph, word)
        if tag not in FINITE or graph.functions[word] == "cj" or lowest == word:
            continue
        subjects = graph.having(word, "sb", "ep")
        nominatives = [one for one in subjects if graph.words[one].lower() in _NOMINATIVE]
        if not subjects:
            _raise_object(graph, word, lowest)
        elif len(subjects) > 1:
            for one in subjects:
                is_object = one not in nominatives if nominatives else graph.tags[one] == "PRELS" and one == subjects[0]
                if is_object and graph.functions[one] == "sb" and graph.tags[one] in NOUNS:
                    graph.attach(one, lowest, "oa")


def complements(graph: Graph, verb: int) -> list[int]:
    """The infinitives and participles that depend on a verb."""
    return [word for word in graph.having(verb, "oc", "pd") if graph.tags[word] in NONFINITE]


def _raise_object(graph: Graph, verb: int, lowest: int) -> None:
    objects: list[int] = []
    inner = verb
    while inner != lowest:
        inner = complements(graph, inner)[0]
        objects += [one for one in graph.having(inner, "oa") if graph.tags[one] in NOUNS - {"PRF"}]
    sure = [one for one in objects if graph.words[one].lower() in _NOMINATIVE | {"es"}]
    is_passive = graph.tags[lowest] == "VVPP" and graph.words[graph.heads[lowest]].lower() in _WERDEN
    if sure or (objects and (is_passive or len(objects) > 1)):
        graph.attach((sure or objects)[0], verb, "sb")


def _lowest_verb(graph: Graph, verb: int) -> int:
    while inner := complements(graph, verb):
        verb = inner[0]
    return verb


def _complement_tag(graph: Graph, word: int, head: int) -> str:
    tag, form = graph.tags[word], graph.words[word]
    kind = tag[:2] if tag in FINITE else "VV"
    takes_infinitive = graph.tags[head].startswith("VM") or graph.words[head].lower() in _WERDEN
    if tag == "ADJD" and not graph.tags[head].startswith("VA"):
        return tag
    if form.endswith("en") and (takes_infinitive or kind != "VV"):
        return kind + "INF"
    if form.endswith(("t", "en")) and graph.tags[head].startswith("VA"):
        return kind + "PP"
    return tag


def _first_conjunct(graph: Graph, word: int) -> int:
    while graph.functions[word] in COORDINATION and graph.heads[word] != ROOT:
        word = graph.heads[word]
    return word
