"""Make questions of the statements in an English treebank.

    python models/en/en_questions.py masc/train.discbracket --output questions.discbracket

English treebanks of articles and letters have few questions, and a parser that learns from them seldom puts a question
word into the phrase that it belongs to. Here a part of a statement becomes a question word, which goes to the front and
stays, in the tree, where the part was: `They will fund the plan` gives `What will they fund?`, with `what ... fund` as
a discontinuous verb phrase. The trees are those that the traces of the Penn Treebank give (docs/corpora.md).
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TypeAlias

from en_phrases import Leaf, Part, Phrase, phrase_of, tree_of
from en_verbs import base_form

from discoseq.errors import DiscoseqError
from discoseq.treebanks.files import read_trees, write_trees
from discoseq.trees.tree import Constituent, Tree

_SHORTEST, _LONGEST_SUBJECT, _LONGEST_PREDICATE, _LONGEST_QUESTION_PHRASE = 4, 7, 16, 6  # words
_AUXILIARIES = frozenset(
    ["is", "are", "was", "were", "'s", "'re", "has", "have", "had", "'ve", "does", "do", "did", "be", "been", "being"]
)
_COPULAS = frozenset(["is", "are", "was", "were", "'s", "'re"])
_STRANGE_TAGS = frozenset(
    ["``", "''", "-LRB-", "-RRB-", ":", ",", ".", "EX", "WDT", "WP", "WRB", "WP$", "SYM", "FW", "LS"]
)
_TIMES = frozenset(
    ["year", "years", "month", "months", "week", "weeks", "day", "days", "time", "times", "today", "hours"]
)
_OBJECT_PRONOUNS = frozenset(["him", "her", "them", "me", "us", "you"])
_ANY_SUBJECT, _PLURAL_SUBJECT = ("you", "they", "we", "he", "she", "I"), ("you", "they", "we")
_BELIEVING = ("think", "think", "believe", "say", "suppose", "expect", "imagine", "hope", "guess", "claim", "suspect")
_BELIEVERS = (("do", "you"), ("do", "they"), ("did", "you"), ("did", "he"), ("does", "she"))
_INTENDING = ("want", "plan", "decide", "agree", "hope", "intend", "try", "need", "refuse", "forget", "expect", "have")
_ADVERBS = ("why", "why on earth", "how", "when", "where", "why", "how often", "how long", "how soon")
_TAGS_OF_DO = {"did": "VBD", "does": "VBZ", "do": "VBP"}
_FINITE = frozenset(["MD", *_TAGS_OF_DO.values()])


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A clause with its verb before the subject, and the phrase of its main verb, which a copula does not have."""

    verb: Leaf
    negation: tuple[Leaf, ...]
    subject: Phrase
    rest: tuple[Part, ...]
    main: Phrase | None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebank", nargs="+", type=Path, help="treebanks of statements, with traces resolved")
    parser.add_argument("--output", required=True, type=Path, help="the questions, in discbracket")
    counts = range(1, len(_KINDS) + 1)
    parser.add_argument("--each", type=int, default=3, choices=counts, metavar="N", help="tries for every clause")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    trees = [tree for path in options.treebank for tree in read_trees(path)]
    made, kinds = make_trees(trees, options.each, Random(options.seed))
    write_trees(made, options.output, "discbracket")
    print(f"{len(made):,} questions of {len(trees):,} trees: {dict(kinds)}", file=sys.stderr)


def make_trees(trees: Sequence[Tree], each: int, random: Random) -> tuple[list[Tree], Counter[str]]:
    """Up to `each` questions of every clause, each sentence once; and how many there are of each kind."""
    base_forms = frozenset(token.word.lower() for tree in trees for token in tree.tokens if token.tag == "VB")
    made, kinds = dict[tuple[str, ...], Tree](), Counter[str]()
    for tree in trees:
        for subject, predicate in statements(tree):
            for kind in random.sample(_KINDS, each):
                question = kind(subject, predicate, base_forms, random)
                if question is not None and len(question.tokens) >= _SHORTEST and question.words not in made:
                    made[question.words] = question
                    kinds[kind.__name__] += 1
    return list(made.values()), kinds


def statements(tree: Tree) -> Iterator[tuple[Phrase, Phrase]]:
    """Subject and verb phrase of every short clause without anything between, before or in them that is unusual."""
    for clause in tree.subtrees("S"):
        parts = [child for child in clause.children if isinstance(child, Constituent)]
        subjects, predicates = ([part for part in parts if part.label == label] for label in ("NP", "VP"))
        if len(subjects) == len(predicates) == 1 and subjects[0].last + 1 == predicates[0].first:
            subject, predicate = subjects[0], predicates[0]
            if _is_plain(tree, subject, _LONGEST_SUBJECT) and _is_plain(tree, predicate, _LONGEST_PREDICATE):
                yield phrase_of(tree, subject), phrase_of(tree, predicate)


# The kinds of questions. Each function takes a subject, a verb phrase, the base forms of verbs and a source of chance;
# None means that there is no question of this kind.


def about_object(subject: Phrase, predicate: Phrase, base_forms: frozenset[str], random: Random) -> Tree | None:
    """Which plan will they fund?"""
    question = _inverted(subject, predicate, base_forms, random)
    objects = _objects(question.main) if question is not None and question.main is not None else []
    if question is None or not objects:
        return None
    asked = _question_phrase(old := random.choice(objects), random)
    return _wh_question(question, asked, _clause(question).replacing(old, asked))


def about_circumstance(subject: Phrase, predicate: Phrase, base_forms: frozenset[str], random: Random) -> Tree | None:
    """Why will they fund the plan?"""
    question = _inverted(subject, predicate, base_forms, random)
    if question is None or not question.rest:
        return None
    adverb, *more = random.choice(_ADVERBS).split()
    parts: list[Part] = [Leaf(adverb, "WRB")]
    if more == ["on", "earth"]:
        parts.append(Phrase("PP", (Leaf("on", "IN"), Phrase("NP", (Leaf("earth", "NN"),)))))
    else:
        parts += [Leaf(word, "RB") for word in more]
    asked, clause = Phrase("WHADVP", tuple(parts)), _clause(question)
    if question.main is None:
        return _wh_question(question, asked, Phrase("SQ", (asked, *clause.parts)))
    return _wh_question(question, asked, clause.replacing(question.main, Phrase("VP", (asked, *question.main.parts))))


def about_predicate(subject: Phrase, predicate: Phrase, base_forms: frozenset[str], random: Random) -> Tree | None:
    """What was the plan?  How old was the plan?"""
    question = _inverted(subject, predicate, base_forms, random)
    if question is None or question.main is not None or len(question.rest) != 1:
        return None
    (old,) = question.rest
    if old.label == "NP" and isinstance(old, Phrase):
        asked = _question_phrase(old, random)
    elif old.label == "ADJP" and isinstance(old, Phrase) and [leaf.tag for leaf in old.leaves] == ["JJ"]:
        asked = Phrase("WHADJP", (Leaf("how", "WRB"), *old.parts))
    else:
        return None
    return _wh_question(question, asked, _clause(question).replacing(old, asked))


def about_subject(subject: Phrase, predicate: Phrase, base_forms: frozenset[str], random: Random) -> Tree | None:
    """Who will fund the plan?"""
    verb = predicate.parts[0]
    if verb.label not in ("MD", "VBD", "VBZ"):
        return None
    asked = _question_phrase(subject, random)
    has_auxiliary = verb.label == "MD" or _is(verb, _COPULAS) or (_is(verb, _AUXILIARIES) and predicate.phrases("VP"))
    parts = predicate.parts if has_auxiliary else (predicate,)
    clause = Phrase("SQ", (asked, *parts))
    return tree_of(Phrase("SBARQ", (clause, mark := Leaf("?", "."))), [*clause.leaves, mark])


def whether(subject: Phrase, predicate: Phrase, base_forms: frozenset[str], random: Random) -> Tree | None:
    """Will they fund the plan?"""
    question = _inverted(subject, predicate, base_forms, random)
    if question is None or question.verb.word.startswith("'"):
        return None
    clause = _clause(question)
    return tree_of(Phrase("SQ", (*clause.parts, mark := Leaf("?", "."))), [*clause.leaves, mark])


def about_something_believed(
    subject: Phrase, predicate: Phrase, base_forms: frozenset[str], random: Random
) -> Tree | None:
    """Which plan do you think they will fund?  Who do you think will fund it?"""
    if predicate.parts[0].label not in _FINITE:
        return None
    candidates = _objects(_main_phrase(predicate))
    if predicate.parts[0].label != "VBP":  # who do you think goes, but not who do you think go
        candidates.append(subject)
    if not candidates:
        return None
    asked = _question_phrase(old := random.choice(candidates), random)
    content = Phrase("SBAR", (Phrase("S", (subject, predicate)).replacing(old, asked),))
    form, pronoun = random.choice(_BELIEVERS)
    believing = Phrase("VP", (Leaf(random.choice(_BELIEVING), "VB"), content))
    verb, believer = Leaf(form, _TAGS_OF_DO[form]), Phrase("NP", (Leaf(pronoun, "PRP"),))
    question = Question(verb, (), believer, (believing,), believing)
    return _wh_question(question, asked, _clause(question))


def about_something_intended(
    subject: Phrase, predicate: Phrase, base_forms: frozenset[str], random: Random
) -> Tree | None:
    """Which plan did they finally decide to fund?"""
    question = _inverted(subject, predicate, base_forms, random)
    if question is None or question.main is None or question.main.parts[0].label != "VB":
        return None
    objects = _objects(question.main)
    if not objects:
        return None
    asked = _question_phrase(old := random.choice(objects), random)
    infinitive = Phrase("VP", (Leaf("to", "TO"), question.main.replacing(old, asked)))
    intending = Phrase("VP", (Leaf(random.choice(_INTENDING), "VB"), Phrase("S", (infinitive,))))
    adverb = Phrase("ADVP", (Leaf(random.choice(("finally", "ever", "really")), "RB"),))
    rest = (adverb, intending) if random.random() < 0.2 else (intending,)
    question = Question(Leaf("did", "VBD"), (), question.subject, rest, intending)
    return _wh_question(question, asked, _clause(question))


_Kind: TypeAlias = Callable[[Phrase, Phrase, frozenset[str], Random], Tree | None]
_KINDS: tuple[_Kind, ...] = (
    *[about_object] * 5,
    *[about_circumstance] * 3,
    *[about_predicate] * 2,
    about_subject,
    whether,
    *[about_something_believed] * 3,
    *[about_something_intended] * 4,
)


def _inverted(subject: Phrase, predicate: Phrase, base_forms: frozenset[str], random: Random) -> Question | None:
    """The clause with its auxiliary or copula, or a form of `do`, before the subject."""
    verb, *rest = predicate.parts
    if isinstance(verb, Phrase) or verb.tag not in _FINITE or any(part.label == "CC" for part in rest):
        return None
    negation = tuple(part for part in rest if isinstance(part, Leaf) and part.word == "n't")
    others, inner = tuple(part for part in rest if part not in negation), predicate.phrases("VP")
    if verb.tag == "MD" or (_is(verb, _AUXILIARIES) and inner):
        if len(inner) != 1:
            return None
        return Question(verb, negation, _other_subject(verb, subject, random), others, _main_phrase(inner[0]))
    if _is(verb, _COPULAS):
        return Question(verb, negation, subject, others, None)
    base = base_form(verb.word.lower(), verb.tag, base_forms)
    if base is None:
        return None
    form = {tag: word for word, tag in _TAGS_OF_DO.items()}[verb.tag]
    verb, phrase = Leaf(form, verb.tag), Phrase("VP", (Leaf(base, "VB"), *rest))
    return Question(verb, (), _other_subject(verb, subject, random), (phrase,), phrase)


def _clause(question: Question) -> Phrase:
    return Phrase("SQ", (question.verb, *question.negation, question.subject, *question.rest))


def _main_phrase(phrase: Phrase) -> Phrase:
    """Below auxiliaries: of `been working on it` the inner phrase."""
    while len(inner := phrase.phrases("VP")) == 1 and (
        phrase.parts[0].label == "MD" or _is(phrase.parts[0], _AUXILIARIES)
    ):
        phrase = inner[0]
    return phrase


def _is(part: Part, words: frozenset[str]) -> bool:
    return isinstance(part, Leaf) and part.word.lower() in words


def _other_subject(verb: Leaf, subject: Phrase, random: Random) -> Phrase:
    """Often a pronoun, as in most questions, if the verb goes with it."""
    if verb.tag == "MD" or _is(verb, frozenset(["did", "had"])):
        pronouns: tuple[str, ...] = _ANY_SUBJECT
    else:
        pronouns = _PLURAL_SUBJECT if _is(verb, frozenset(["do", "have", "are", "were"])) else ()
    if pronouns and random.random() < 0.5:
        return Phrase("NP", (Leaf(random.choice(pronouns), "PRP"),))
    return subject


def _objects(phrase: Phrase) -> list[Phrase]:
    """What a question can ask for: objects of verbs and prepositions, those of an infinitive among them."""
    found, agenda = list[Phrase](), [phrase]
    while agenda:
        parent = agenda.pop()
        if any(part.label == "CC" for part in parent.parts):
            continue
        for before, part in zip(parent.parts, parent.parts[1:], strict=False):
            governs = before.label.startswith("VB") or (parent.label == "PP" and before.label in ("IN", "TO"))
            if isinstance(part, Phrase) and part.label == "NP" and governs and _can_be_asked_for(part):
                found.append(part)
        agenda += [x for x in parent.parts if isinstance(x, Phrase) and x.label in ("VP", "PP")]
        agenda += [x for x in parent.parts if isinstance(x, Phrase) and x.label == "S" and len(x.parts) == 1]
    return found


def _can_be_asked_for(phrase: Phrase) -> bool:
    words = [leaf.word.lower() for leaf in phrase.leaves]
    is_reflexive = words[-1].endswith(("self", "selves"))
    return len(words) <= _LONGEST_QUESTION_PHRASE and not is_reflexive and not _TIMES.intersection(words)


def _question_phrase(phrase: Phrase, random: Random) -> Phrase:
    """What, who, which plan, whose plan, how many plans, which of the plans, which plan of theirs."""
    leaves, first = phrase.leaves, phrase.parts[0]
    if len(leaves) > 1 and leaves[-1].tag != "NNP" and random.random() < 0.65:
        if len(leaves) == len(phrase.parts):
            return _with_determiner(phrase, random)
        if isinstance(first, Phrase) and first.label == "NP" and len(first.leaves) == len(first.parts):
            return Phrase("WHNP", (_with_determiner(first, random), *phrase.parts[1:]))
    is_person = leaves[0].word.lower() in _OBJECT_PRONOUNS or leaves[-1].tag == "NNP"
    return Phrase("WHNP", (Leaf("who" if is_person else "what", "WP"),))


def _with_determiner(phrase: Phrase, random: Random) -> Phrase:
    has_determiner = phrase.parts[0].label in ("DT", "PRP$", "CD") and len(phrase.parts) > 1
    nouns, chance = phrase.parts[1:] if has_determiner else phrase.parts, random.random()
    many: tuple[Part, ...] = (Phrase("WHADJP", (Leaf("how", "WRB"), Leaf("many", "JJ"))),)
    if nouns[-1].label == "NNS" and chance < 0.2:
        return Phrase("WHNP", (*many, *nouns))
    if nouns[-1].label == "NNS" and chance < 0.4:
        which = many if chance < 0.3 else (Leaf("which", "WDT"),)
        of = Phrase("PP", (Leaf("of", "IN"), Phrase("NP", (Leaf("the", "DT"), *nouns))))
        return Phrase("WHNP", (Phrase("WHNP", which), of))
    if phrase.parts[0].label == "PRP$" and has_determiner:
        return Phrase("WHNP", (Leaf("whose", "WP$"), *nouns))
    return Phrase("WHNP", (Leaf(random.choice(("which", "what")), "WDT"), *nouns))


def _wh_question(question: Question, asked: Phrase, clause: Phrase) -> Tree:
    """The question phrase, the verb and the subject, and then the rest of the clause."""
    front = [*asked.leaves, question.verb, *question.negation, *question.subject.leaves]
    rest = [leaf for leaf in clause.leaves if leaf not in front]
    return tree_of(Phrase("SBARQ", (clause, mark := Leaf("?", "."))), [*front, *rest, mark])


def _is_plain(tree: Tree, constituent: Constituent, longest: int) -> bool:
    tags = {tree.tokens[number].tag for number in constituent.tokens}
    is_continuous = not any(part.is_discontinuous for part in constituent.walk())
    return constituent.token_count <= longest and is_continuous and not tags & _STRANGE_TAGS


if __name__ == "__main__":
    try:
        main()
    except (DiscoseqError, OSError) as error:
        sys.exit(f"error: {error}")
