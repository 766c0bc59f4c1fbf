"""Make sentences of a rare kind from plain German statements: fronted infinitives, imperatives, split noun phrases.

News and novels have few of them, so a parser that learns from such text reads `Verkaufen will er das Haus` as a noun
and a verb. Words move and keep their dependencies; `build_tiger_tree` then finds the crossing branches.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import islice
from random import Random
from typing import TypeAlias

from de_verbs import infinitive_of, plural_imperative_of, separated, singular_imperative_of

from discoseq.treebanks.dependency_trees import Dependencies
from discoseq.treebanks.dependency_trees.dependencies import COORDINATION, PUNCTUATION, ROOT, VERBS, Graph
from discoseq.treebanks.dependency_trees.repairs import repair
from discoseq.treebanks.dependency_trees.verb_repairs import complements

_SHORTEST, _LONGEST = 3, 25  # words of a statement, without its mark
_MOST = 2  # sentences made of one statement
_STRANGE_TAGS = re.compile(r"FM|XY|TRUNC|ITJ|PTKANT|PTKZU|VVIZU|KOU[SI]|PREL.*|PW.*")
_PLAIN_WORD = re.compile(r"[^\W\d_]+(-[^\W_]+)*|[^\W\d_]+\.|\d+([.,]\d+)*\.?|%")
_STRANGE_FUNCTIONS = frozenset(["ju", "cp", "ep", "rc", "re", "par", "cc", "cm", "nk", "pm", "app", *COORDINATION])
_ONCE = ("sb", "oa", "da", "pd", "svp")
_NOT_NOMINATIVE = re.compile("den|dem|des|einen|einem|eines|ihn|ihm|mich|mir|uns|sich|dich")
_NOT_ACCUSATIVE = re.compile("der|dem|des|einem|einer|eines|ihm|mir|er|ich|wir")
_LINKS = re.compile("doch|aber|und|denn|also|nur|auch|so|sondern|oder|sowohl|entweder|weder|zwar|nicht|selbst")
_NEGATIVE = re.compile(r"kein(e|en|er|em|es)?|nichts?|niemals|nie", re.IGNORECASE)
_PRONOUNS = frozenset(["PPER", "PRF"])
_CLUSTERS = (("VVINF",), ("VVPP",), ("VAINF",), ("VVPP", "VAINF"), ("VVPP", "VAPP"))
_TIMES = re.compile(r".*(Jahre?|Monate?|Wochen?|Tage?|Stunden?|Minuten?|Zeit|Zeiten|Male?|Prozent)")
_QUANTIFIERS = re.compile("keine|keinen|viele|wenige|einige|mehrere|etliche|manche|zahlreiche")
_NEVER_ORDERED = re.compile(
    r"(ge|an|zu)hören|(be|ent)stehen|können|müssen|sollen|wollen|dürfen|mögen|möchten|wissen|gelten|(er)?scheinen|liegen|"
    r"heißen|fehlen|kosten|gefallen|(ge|ent|er)halten|passieren|geschehen|werden|haben|sein|dauern|stammen|betragen|"
    r"freuen|(be|ver|ent)?finden|brauchen|benötigen|zweifeln|verdienen|wünschen|hoffen|glauben|meinen|danken|bedauern"
)
_NOT_IN_ORDERS = re.compile(
    r"leider|vielleicht|wahrscheinlich|vermutlich|wohl|allerdings|offenbar|gern|gerne|ja|damals|gestern|bereits|schon|"
    r"bisher|inzwischen|mittlerweile|natürlich|sicherlich|sicher|eigentlich|hoffentlich|.*erweise|nämlich|derzeit|sein.*|"
    r"ihr.*|sie|er|es|man|einander|unsereiner|selbst|selber|beide|alle|letzte[nrs]?|vergangene[nrs]?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Word:
    form: str
    tag: str
    head: int
    function: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of one clause with its verb in the second place; a unit is what depends on a verb."""

    words: Mapping[int, Word]  # by their places, the mark at the end included
    verb: int
    inner: tuple[int, ...]  # infinitives and participles, the innermost first
    subject: int
    units: Mapping[int, tuple[int, ...]]  # their words, by the head; the first unit is before the verb

    @property
    def front(self) -> int:
        return next(iter(self.units))

    @property
    def mark(self) -> int:
        return len(self.words) - 1

    def middle(self, without: Set[int] = frozenset()) -> list[int]:
        """The words after the verb if something else is at the front; units and infinitives can be left out."""
        ranks = {unit: self._rank(unit) for unit in self.units if unit not in without}
        early = [word for unit in sorted(ranks, key=ranks.__getitem__) if ranks[unit] < 4 for word in self.units[unit]]
        late = [word for unit, rank in ranks.items() if rank == 4 for word in self.units[unit]]
        return early + sorted([*late, *(verb for verb in self.inner if verb not in without)])

    def functions(self, units: Set[int]) -> set[str]:
        return {self.words[unit].function for unit in units}

    def _rank(self, unit: int) -> int:
        """The subject if it is a pronoun, other pronouns, the subject if it is none, the old front, the others."""
        if self.words[unit].tag in _PRONOUNS or self.words[unit].form.lower() == "man":
            return 0 if unit == self.subject else 1
        return 2 if unit == self.subject else 3 if unit == self.front else 4


def constructions(parsed: Dependencies, random: Random) -> Iterator[Dependencies]:
    """What rules make of a sentence: nothing, or one or two sentences of different kinds."""
    if statement := statement_of(parsed):
        made = (kind(statement, random) for kind in random.sample(KINDS, len(KINDS)))
        yield from islice((sentence for sentence in made if sentence), _MOST)


def statement_of(parsed: Dependencies) -> Statement | None:
    """The parts of a short, plain statement; of any other sentence None, also if its dependencies look wrong."""
    mark = len(parsed.words) - 1
    if not _SHORTEST <= mark <= _LONGEST or parsed.words[mark] != "." or parsed.tags[mark] not in PUNCTUATION:
        return None
    if not all(map(_PLAIN_WORD.fullmatch, parsed.words[:mark])):
        return None
    if any(tag in PUNCTUATION or _STRANGE_TAGS.fullmatch(tag) for tag in parsed.tags[:mark]):
        return None
    graph = Graph(parsed)
    repair(graph)
    verb, *others = graph.tops()
    inner: list[int] = []
    while below := complements(graph, inner[0] if inner else verb):
        inner.insert(0, below[0])
    heads = [unit for head in (verb, *inner) for unit in graph.dependents[head] if unit not in inner]
    parts = sorted(((unit, tuple(graph.below(unit))) for unit in heads), key=lambda part: part[1][0])
    subjects = [unit for unit in graph.having(verb, "sb") if unit not in inner]
    if others or graph.tags[verb] not in ("VVFIN", "VAFIN", "VMFIN") or len(subjects) != 1:
        return None
    columns = zip(graph.words, graph.tags, graph.heads, graph.functions, strict=True)
    words = {place: Word(*columns_of_word) for place, columns_of_word in enumerate(columns)}
    words[0] = replace(words[0], form=_inside(words[0], words[verb]))
    statement = Statement(words, verb, tuple(inner), subjects[0], dict(parts))
    return statement if _is_sound(statement) else None


# The kinds of sentences. Each function takes a statement and a source of chance; None means that there is none of it.


def fronted_infinitive(statement: Statement, random: Random) -> Dependencies | None:
    """Verkaufen will er das Haus.  Gelesen hat er es nicht.  Das Haus verkaufen will er nicht."""
    words, units, inner = statement.words, statement.units, statement.inner
    tags = tuple(words[verb].tag for verb in inner)
    finite = words[statement.verb].tag
    if finite == "VVFIN" or tags not in _CLUSTERS or inner[-1] != inner[0] + len(inner) - 1:
        return None
    if finite == "VMFIN" and tags == ("VVPP",):
        return None  # an infinitive that looks like a participle: «widerrufen»
    before = {
        unit for unit in units if units[unit][-1] == inner[0] - 1 and unit not in (statement.front, statement.subject)
    }
    along = {unit for unit in before if _goes_along(statement, unit, random)}
    stays_together = statement.functions(units.keys()) & {"cvc", "svp", "pd"}  # «zur Verfügung stellen»
    if (stays_together and not statement.functions(along) & stays_together) or (
        tags == ("VAINF",) and not stays_together
    ):
        return None
    rest = statement.middle(along | set(inner))
    front = [word for unit in along for word in units[unit]]
    return _sentence(words, [*front, *inner, statement.verb, *rest, statement.mark])


def polite_imperative(statement: Statement, random: Random) -> Dependencies | None:
    """Nehmen Sie das Brot mit!"""
    order = _order(statement, "VVFIN", lambda infinitive: infinitive, {"oa": "sich", "da": "sich"}, random)
    if order is None:
        return None
    words, (verb, *rest) = order
    words[statement.subject] = Word("Sie", "PPER", verb, "sb")
    return _sentence(words, [verb, statement.subject, *rest])


def singular_imperative(statement: Statement, random: Random) -> Dependencies | None:
    """Nimm das Brot mit!"""

    def form(infinitive: str) -> str:
        return singular_imperative_of(infinitive, random)

    order = _order(statement, "VVIMP", form, {"oa": "dich", "da": "dir"}, random)
    return _sentence(*order) if order else None


def plural_imperative(statement: Statement, random: Random) -> Dependencies | None:
    """Nehmt das Brot mit!"""
    order = _order(statement, "VVIMP", plural_imperative_of, {"oa": "euch", "da": "euch"}, random)
    return _sentence(*order) if order else None


def split_noun_phrase(statement: Statement, _: Random) -> Dependencies | None:
    """Bücher kauft sie gebrauchte.  Bücher kauft sie keine."""
    words, units = dict(statement.words), statement.units
    objects = [unit for unit in units if words[unit].function == "oa" and words[unit].tag == "NN"]
    if not objects or objects[0] < statement.verb or _TIMES.fullmatch(words[noun := objects[0]].form):
        return None
    if words[statement.subject].tag in ("PDS", "PIS", "CARD"):
        return None  # «das» before an adjective looks like its article
    left = [word for word in units[noun] if words[word].head == noun and word < noun]
    right = [word for word in units[noun] if words[word].head == noun and word > noun]
    if not left or not all(_can_stand_alone(words[word], is_first=word == left[0]) for word in left):
        return None
    if any(words[word].function not in ("ag", "mnr") for word in right):
        return None
    if words[left[-1]].tag == "PIAT":
        words[left[-1]] = replace(words[left[-1]], tag="PIS")
    moved = [word for word in units[noun] if word >= noun]
    rest = [word for word in statement.middle() if word not in moved]
    return _sentence(words, [*moved, statement.verb, *rest, statement.mark])


_Kind: TypeAlias = Callable[[Statement, Random], Dependencies | None]
KINDS: tuple[_Kind, ...] = (
    fronted_infinitive,
    polite_imperative,
    singular_imperative,
    plural_imperative,
    split_noun_phrase,
)


def _is_sound(statement: Statement) -> bool:
    """Whether the verb is in the second place and nothing is unusual; functions and cases must be possible."""
    words, units, verb = statement.words, statement.units, statement.verb
    functions = [words[unit].function for unit in units]
    first_forms = {unit: words[units[unit][0]].form.lower() for unit in units}
    is_expletive = statement.front == statement.subject and words[0].form == "es"  # «Es wird etwas geschehen»
    return (
        all(unit[-1] - unit[0] + 1 == len(unit) for unit in units.values())
        and units[statement.front] == tuple(range(verb))
        and not _LINKS.fullmatch(first_forms[statement.front])
        and not _STRANGE_FUNCTIONS.intersection(functions)
        and all(functions.count(function) <= 1 for function in _ONCE)
        and {place for place, word in words.items() if word.tag in VERBS} == {verb, *statement.inner}
        and all(place > verb for place in statement.inner)
        and not _NOT_NOMINATIVE.fullmatch(first_forms[statement.subject])
        and not any(_NOT_ACCUSATIVE.fullmatch(first_forms[unit]) for unit in units if words[unit].function == "oa")
        and not (is_expletive and statement.inner)
    )


def _goes_along(statement: Statement, unit: int, random: Random) -> bool:
    """Whether what is just before an infinitive goes to the front with it."""
    word = statement.words[unit]
    if word.function in ("pd", "cvc", "svp") or (word.function == "mo" and word.tag == "ADJD"):
        return True  # an adjective may be a result: «scharf stellen»
    is_phrase = word.function in ("oa", "op", "mo") and word.tag in ("NN", "NE", "APPR", "APPRART")
    is_negative = any(_NEGATIVE.fullmatch(statement.words[one].form) for one in statement.units[unit])
    return is_phrase and not is_negative and len(statement.units[unit]) <= 5 and random.random() < 0.4


def _can_stand_alone(word: Word, *, is_first: bool) -> bool:
    if _QUANTIFIERS.fullmatch(word.form):
        return word.function == "nk" and is_first
    is_accusative = word.form.endswith(("e", "es") if is_first else ("e", "es", "en"))  # «guten» may be a dative
    return word.function == "nk" and word.tag == "ADJA" and is_accusative and word.form.islower()


def _order(
    statement: Statement, tag: str, form: Callable[[str], str], reflexives: Mapping[str, str], random: Random
) -> tuple[dict[int, Word], list[int]] | None:
    """The words of an imperative without a subject, and their order; a particle takes the place of the infinitive."""
    words, verb, inner = dict(statement.words), statement.verb, statement.inner
    infinitive = _infinitive(statement)
    base, particle = separated(infinitive) if infinitive else ("", "")
    if not infinitive or (particle and "svp" in statement.functions(statement.units.keys())):
        return None
    left_out = {statement.subject, *inner} - ({inner[0]} if particle and inner else set())
    if words[statement.front].tag in ("ADV", "PROAV", "ADJD"):
        left_out.add(statement.front)  # «dann», «daher»
    order = statement.middle(left_out)
    if len(order) < 2 or not _can_be_ordered(statement, base, infinitive, order):
        return None
    words[verb] = Word(form(base), tag, ROOT, "ROOT")
    for place in order:
        word = words[place]
        reflexive = reflexives.get(word.function, word.form) if word.tag == "PRF" else word.form
        words[place] = replace(word, form=reflexive, head=verb if word.head in inner else word.head)
    if particle and inner:
        words[inner[0]] = Word(particle, "PTKVZ", verb, "svp")
    words[statement.mark] = replace(words[statement.mark], form=random.choice("!!."))
    return words, [verb, *order, statement.mark]


def _infinitive(statement: Statement) -> str | None:
    words, verb, inner = statement.words, statement.words[statement.verb], statement.inner
    if verb.tag == "VMFIN" and [words[place].tag for place in inner] == ["VVINF"]:
        return words[inner[0]].form.lower()
    is_present = verb.form.endswith("n") or words[statement.subject].form.lower() == "ich"
    return infinitive_of(verb.form) if verb.tag == "VVFIN" and not inner and is_present else None


def _can_be_ordered(statement: Statement, base: str, infinitive: str, order: Sequence[int]) -> bool:
    words = statement.words
    if any(map(_NEVER_ORDERED.fullmatch, (base, infinitive))) or "pd" in statement.functions(statement.units.keys()):
        return False
    is_personal = words[statement.subject].tag == "PPER" or words[statement.subject].form.lower() == "man"
    has_object = "oa" in statement.functions(statement.units.keys()) and bool(statement.inner)
    is_strange = any(_NOT_IN_ORDERS.fullmatch(words[place].form) for place in order)
    is_our_object = any(words[place].tag == "PPER" and words[place].form.lower() in ("ihnen", "uns") for place in order)
    return (is_personal or has_object) and not is_strange and not is_our_object


def _inside(word: Word, verb: Word) -> str:
    """The first word of a sentence as it is within one. `Sie` with a plural verb can be polite."""
    is_polite = word.form == "Sie" and verb.form.endswith("n")
    is_name = word.tag in ("NN", "NE", "NNE") or not word.form[1:].islower()
    return word.form if is_polite or (is_name and len(word.form) > 1) else word.form.lower()


def _sentence(words: Mapping[int, Word], order: Sequence[int]) -> Dependencies:
    """The words in another order, the first one with a capital; what is not in the order is left out."""
    places = {old: new for new, old in enumerate(order)} | {ROOT: ROOT}
    forms, tags, heads, functions = zip(
        *((words[old].form, words[old].tag, places[words[old].head], words[old].function) for old in order), strict=True
    )
    return Dependencies((forms[0][0].upper() + forms[0][1:], *forms[1:]), tags, heads, functions)
