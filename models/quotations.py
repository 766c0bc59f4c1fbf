"""Interrupt the sentences of a treebank by the one who says them.

    python models/quotations.py nl alpino/train.discbracket --output quotations.discbracket

`I will not sign unless my lawyer agrees.` gives `"I will not sign," he said, "unless my lawyer agrees."` Newspapers and
articles have few such sentences, and novels are full of them. The trees are those that the treebanks give them: in
Alpino and TIGER the two halves are one discontinuous clause; in MASC a parenthesis stands between them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from quotation_styles import STYLES, Style

from discoseq.errors import DiscoseqError
from discoseq.treebanks.files import read_trees, write_trees
from discoseq.trees.punctuation import attach_to_root, is_punctuation, move
from discoseq.trees.tree import Child, Constituent, Token, Tree

_SHORTEST, _LONGEST, _LONGEST_SPEAKER = 4, 30, 4  # words
_UNQUOTED = 0.25  # of the sentences: That, he said, is too late.
_AT_COMMA, _BEFORE_CLAUSE, _AFTER_FIRST, _ELSEWHERE = 6.0, 5.0, 3.0, 0.5  # how often a sentence is interrupted there
_GOVERNING_TAGS = frozenset(["CC", "IN", "TO", "KON", "KOUS", "APPR", "vg", "vz"])  # a pause never follows
_STRANGE_TAGS = frozenset(["``", "''", ":", "-LRB-", "-RRB-", "$("])
_STRANGE_WORDS = frozenset(['"', "'", "(", ")", "-", "--", "–", ":", ";", "...", "#LRB#", "#RRB#"])


@dataclass(frozen=True, slots=True)
class Speaker:
    """A phrase of another tree, or a word of it."""

    tree: Tree
    child: Child

    @property
    def numbers(self) -> tuple[int, ...]:
        return (self.child,) if isinstance(self.child, int) else self.child.tokens

    @property
    def tokens(self) -> list[Token]:
        return [self.tree.tokens[number] for number in self.numbers]

    @property
    def label(self) -> str | None:
        return self.tokens[0].tag if isinstance(self.child, int) else self.child.label

    def is_pronoun(self, style: Style) -> bool:
        return self.tokens[0].tag == style.pronoun_tag


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", choices=STYLES)
    parser.add_argument("treebank", nargs="+", type=Path)
    parser.add_argument("--output", required=True, type=Path, help="the sentences, in discbracket")
    parser.add_argument("--most", type=int, default=1000, metavar="N", help="how many, drawn at random (1000)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    trees = [tree for path in options.treebank for tree in read_trees(path)]
    made = make_trees(trees, options.language, options.most, Random(options.seed))
    write_trees(made, options.output, "discbracket")
    print(f"{len(made):,} interrupted sentences of {len(trees):,} trees", file=sys.stderr)


def make_trees(trees: Sequence[Tree], language: str, most: int, random: Random) -> list[Tree]:
    """Sentences of a treebank, each interrupted by somebody who says something in the treebank."""
    speakers = [speaker for tree in trees for speaker in find_speakers(tree, STYLES[language])]
    made = dict[tuple[str, ...], Tree]()
    for tree in random.sample(trees, len(trees)) if speakers else ():
        if len(made) == most:
            break
        interrupted = interrupt(tree, language, random.choice(speakers), random)
        if interrupted is not None:
            made[interrupted.words] = interrupted
    return list(made.values())


def find_speakers(tree: Tree, style: Style) -> Iterator[Speaker]:
    """The short subjects of verbs of saying."""
    for clause in tree.root.walk():
        child = _subject_of_saying(tree, clause, style) if clause.label in style.saying else None
        if child is not None and _can_speak(speaker := Speaker(tree, child), style):
            yield speaker


def interrupt(tree: Tree, language: str, speaker: Speaker, random: Random) -> Tree | None:
    """The sentence with its speaker somewhere in the middle; None if it is not a plain sentence."""
    style = STYLES[language]
    sentence = _plain_sentence(tree, style)
    places = {} if sentence is None else _places(tree, sentence, style)
    if sentence is None or not places:
        return None
    (place,) = random.choices(list(places), list(places.values()))
    spoken = _spoken(tree, place, speaker, style, random)
    if style.main_clause is None:
        lowest = _lowest(tree, _end_of_first_half(tree, place) - 1, place)
        return _with_parenthesis(tree, sentence, lowest, spoken)
    return _with_main_clause(tree, sentence, spoken, style.main_clause)


@dataclass(frozen=True, slots=True)
class _Spoken:
    """The tokens of the whole, and where they are in it."""

    tokens: list[Token]
    numbers: dict[int, int]  # of the tokens of the sentence
    verb: int
    speaker: Child
    inner_marks: list[int]  # around the verb and its subject
    outer_marks: list[int]


def _spoken(tree: Tree, place: int, speaker: Speaker, style: Style, random: Random) -> _Spoken:
    """The first half of the sentence, who says it, and the second half, which begins with the token `place`."""
    opening, closing = random.choice(style.quotation_marks)
    has_marks = random.random() >= _UNQUOTED
    open_marks = [Token(opening, style.quotation_tags[0])] * has_marks
    close_marks = [Token(closing, style.quotation_tags[1])] * has_marks
    comma = [Token(",", style.comma_tag)]
    verb = Token(random.choice(style.asking if tree.words[-1] == "?" else style.verbs), style.verb_tag)
    is_verb_first = style.main_clause is not None or (not speaker.is_pronoun(style) and random.random() < 0.5)
    end = _end_of_first_half(tree, place)

    tokens = [*open_marks, *tree.tokens[:end]]
    inner_start = len(tokens)
    tokens += comma + close_marks if random.random() < style.comma_first else close_marks + comma
    start = len(tokens)
    tokens += [verb, *speaker.tokens] if is_verb_first else [*speaker.tokens, verb]
    after = len(tokens)
    tokens += comma + open_marks
    resumed = len(tokens)
    tokens += [*tree.tokens[place:], *close_marks]

    numbers = {old: old + len(open_marks) for old in range(end)}
    numbers |= {old: old - place + resumed for old in range(place, len(tree.tokens))}
    speaker_start = start + is_verb_first
    speaker_numbers = {old: speaker_start + i for i, old in enumerate(speaker.numbers)}
    return _Spoken(
        tokens,
        numbers,
        verb=start if is_verb_first else after - 1,
        speaker=speaker_start if isinstance(speaker.child, int) else _moved(speaker.child, speaker_numbers),
        inner_marks=[*range(inner_start, start), *range(after, resumed)],
        outer_marks=[*range(len(open_marks)), *range(len(tokens) - len(close_marks), len(tokens))],
    )


def _with_parenthesis(tree: Tree, sentence: Constituent, lowest: Constituent, spoken: _Spoken) -> Tree:
    label = "SINV" if spoken.verb < _first(spoken.speaker) else "S"
    clause = Constituent(label, (Constituent("VP", (spoken.verb,)), spoken.speaker))
    inner = (Constituent("PRN", (clause,)), *spoken.inner_marks)
    added: list[tuple[Constituent, Sequence[Child]]] = [(lowest, inner), (sentence, spoken.outer_marks)]
    return Tree(_moved(tree.root, spoken.numbers, added), tuple(spoken.tokens))


def _with_main_clause(tree: Tree, sentence: Constituent, spoken: _Spoken, labels: tuple[str, str | None]) -> Tree:
    """What is said is part of a clause with the verb of saying, which has a label of its own in Alpino."""
    above, below = labels
    saying: tuple[Child, ...] = (spoken.verb, spoken.speaker)
    parts = saying if below is None else (Constituent(below, saying),)
    whole = Constituent(above, (_moved(sentence, spoken.numbers), *parts))
    marks = (spoken.numbers[child] for child in tree.root.children if isinstance(child, int))
    root = Constituent(tree.root.label, (whole, *marks, *spoken.inner_marks, *spoken.outer_marks))
    return move(attach_to_root(Tree(root, tuple(spoken.tokens))))


def _moved(
    constituent: Constituent, numbers: Mapping[int, int], added: Sequence[tuple[Constituent, Sequence[Child]]] = ()
) -> Constituent:
    """The same with other numbers, without the tokens that have none, and with what is added to a constituent."""
    parts: list[Child] = [part for where, more in added if where is constituent for part in more]
    for child in constituent.children:
        if isinstance(child, Constituent):
            parts.append(_moved(child, numbers, added))
        elif child in numbers:
            parts.append(numbers[child])
    return Constituent(constituent.label, tuple(parts))


def _plain_sentence(tree: Tree, style: Style) -> Constituent | None:
    """The one clause of a tree that can be said by somebody, and whose end is marked."""
    clauses = [child for child in tree.root.children if isinstance(child, Constituent)]
    is_whole = len(clauses) == 1 and clauses[0].label in style.sentences and clauses[0].first == 0
    is_strange = any(token.word in _STRANGE_WORDS or token.tag in _STRANGE_TAGS for token in tree.tokens)
    has_speaker = not {*style.verbs, *style.asking}.isdisjoint(tree.words)
    is_short = _SHORTEST <= len(tree.words) <= _LONGEST
    is_ended = tree.words[-1] in (".", "?", "!")
    return clauses[0] if is_whole and is_short and is_ended and not is_strange and not has_speaker else None


def _places(tree: Tree, sentence: Constituent, style: Style) -> dict[int, float]:
    """The first tokens of possible second halves, and how likely a speaker is to interrupt there."""
    places = {}
    first_child = _child_at(sentence, 0)
    end_of_first = 1 if isinstance(first_child, int) else first_child.blocks[0][1]
    for place in range(1, len(tree.tokens) - 2):
        before = _end_of_first_half(tree, place) - 1
        phrase = _lowest(tree, before, place)
        preceding, following = _child_at(phrase, before), _child_at(phrase, place)
        is_without_pause = is_punctuation(tree.tokens[place]) or tree.tokens[before].tag in _GOVERNING_TAGS
        if is_without_pause or phrase.label not in style.spine or _first(following) != place:
            continue
        if before != place - 1:
            places[place] = _AT_COMMA
        elif isinstance(following, Constituent) and following.label in style.clauses:
            places[place] = _BEFORE_CLAUSE
        elif place == end_of_first and (place > 1 or tree.words[0].lower() not in style.weak_pronouns):
            places[place] = _AFTER_FIRST
        elif phrase is sentence and place > 1 and not any(isinstance(x, int) for x in (preceding, following)):
            places[place] = _ELSEWHERE
    return places


def _end_of_first_half(tree: Tree, place: int) -> int:
    """A comma between the halves is part of neither."""
    return place - 1 if place > 1 and tree.words[place - 1] == "," else place


def _lowest(tree: Tree, one: int, two: int) -> Constituent:
    """The lowest constituent over two tokens."""
    both = 1 << one | 1 << two
    return min((x for x in tree.root.walk() if x.cover & both == both), key=lambda x: x.token_count)


def _child_at(constituent: Constituent, token: int) -> Child:
    return next(x for x in constituent.children if x == token or (isinstance(x, Constituent) and x.cover >> token & 1))


def _first(child: Child) -> int:
    return child if isinstance(child, int) else child.first


def _can_speak(speaker: Speaker, style: Style) -> bool:
    numbers, tokens = speaker.numbers, speaker.tokens
    is_within = numbers[0] > 0  # so it has no capital but its own
    is_short = len(numbers) <= _LONGEST_SPEAKER and numbers[-1] - numbers[0] < len(numbers)
    is_person = not speaker.is_pronoun(style) or tokens[0].word in style.pronouns
    return (
        speaker.label in style.speakers
        and is_within
        and is_short
        and is_person
        and not any(map(is_punctuation, tokens))
    )


def _subject_of_saying(tree: Tree, clause: Constituent, style: Style) -> Child | None:
    """What follows the verb or, in English, stands beside its phrase."""
    for number, child in enumerate(clause.children):
        verb = child.children[0] if isinstance(child, Constituent) and child.label == "VP" else child
        if isinstance(verb, int) and tree.words[verb] in {*style.verbs, *style.asking}:
            if style.main_clause is None:
                return next((x for x in clause.children if isinstance(x, Constituent) and x.label == "NP"), None)
            return clause.children[number + 1] if number + 1 < len(clause.children) else None
    return None


if __name__ == "__main__":
    try:
        main()
    except (DiscoseqError, OSError) as error:
        sys.exit(f"error: {error}")
