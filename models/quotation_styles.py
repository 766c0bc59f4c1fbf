"""How the treebanks of a language annotate what is said, and who says it (quotations.py)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Style:
    """Labels, tags and words of a language."""

    sentences: frozenset[str]  # the labels of what can be interrupted
    spine: frozenset[str]  # phrases that are interrupted between their parts
    clauses: frozenset[str]
    saying: frozenset[str]  # the labels of clauses that have a speaker
    verbs: tuple[str, ...]
    asking: tuple[str, ...]
    verb_tag: str
    speakers: frozenset[str]  # labels and tags
    pronouns: frozenset[str]  # which of them can be speakers
    weak_pronouns: frozenset[str]  # after which alone nobody is interrupted
    pronoun_tag: str
    comma_tag: str
    quotation_tags: tuple[str, str]
    quotation_marks: tuple[tuple[str, str], ...]
    comma_first: float  # how often the comma stands before the quotation mark
    main_clause: tuple[str, str | None] | None  # labels over both, and over verb and subject; None for a parenthesis


STYLES = {
    "en": Style(
        sentences=frozenset(["S", "SQ", "SBARQ", "SINV"]),
        spine=frozenset(["S", "SQ", "SBARQ", "SINV", "VP"]),
        clauses=frozenset(["S", "SBAR"]),
        saying=frozenset(["S", "SINV"]),
        verbs=("said", "said", "said", "replied", "explained", "added", "thought"),
        asking=("asked", "asked", "wondered"),
        verb_tag="VBD",
        speakers=frozenset(["NP"]),
        pronouns=frozenset(["he", "she", "they", "I", "we"]),
        weak_pronouns=frozenset(["i", "you", "he", "she", "it", "we", "they", "there"]),
        pronoun_tag="PRP",
        comma_tag=",",
        quotation_tags=("``", "''"),
        quotation_marks=(('"', '"'), ("“", "”")),
        comma_first=0.95,
        main_clause=None,
    ),
    "nl": Style(
        sentences=frozenset(["SMAIN", "WHQ", "SV1"]),
        spine=frozenset(["SMAIN", "WHQ", "SV1", "INF", "PPART", "TI"]),
        clauses=frozenset(["CP", "SSUB", "SMAIN", "SV1", "OTI", "TI", "WHSUB"]),
        saying=frozenset(["SV1"]),
        verbs=("zei", "zei", "antwoordde", "riep", "vertelde", "dacht", "meende"),
        asking=("vroeg",),
        verb_tag="ww",
        speakers=frozenset(["NP", "MWU", "n", "spec", "vnw"]),
        pronouns=frozenset(["hij", "zij", "ze", "ik", "men"]),
        weak_pronouns=frozenset(["ik", "je", "u", "hij", "zij", "ze", "het", "we", "wij", "men", "er"]),
        pronoun_tag="vnw",
        comma_tag="let",
        quotation_tags=("let", "let"),
        quotation_marks=(('"', '"'),),
        comma_first=0.5,
        main_clause=("DU", "SV1"),
    ),
    "de": Style(
        sentences=frozenset(["S", "CS"]),
        spine=frozenset(["S", "CS", "VP"]),
        clauses=frozenset(["S", "CS", "VP"]),
        saying=frozenset(["S"]),
        verbs=("sagte", "sagte", "antwortete", "rief", "meinte", "erklärte", "erwiderte", "dachte"),
        asking=("fragte",),
        verb_tag="VVFIN",
        speakers=frozenset(["NP", "PN", "MPN", "NE", "NN", "PPER"]),
        pronouns=frozenset(["er", "sie", "ich"]),
        weak_pronouns=frozenset(["ich", "du", "er", "sie", "es", "wir", "ihr", "man"]),
        pronoun_tag="PPER",
        comma_tag="$,",
        quotation_tags=("$(", "$("),
        quotation_marks=(('"', '"'), ("„", "“"), ("»", "«"), ("“", "”")),
        comma_first=0.1,
        main_clause=("S", None),
    ),
}
