"""The trees that a run is trained and scored on, and the language of their words."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from discoseq.errors import ConfigError, TreebankError, TreeError
from discoseq.linearizations.linearization import linearization
from discoseq.text.tokenization import LANGUAGES
from discoseq.training.config import Config, DataSettings
from discoseq.training.events import Noted, Stage
from discoseq.training.silver import tree_weight
from discoseq.treebanks.files import read_trees
from discoseq.treebanks.recipes.card import find_card
from discoseq.trees.transforms import TRACE_TAG, drop_functions, strip_traces
from discoseq.trees.tree import Tree

_LANGUAGE_NAMES = {"English": "en", "Dutch": "nl", "German": "de"}  # of cards, and what they are called here
OTHER = "other"  # the language of rules that suit most languages
_DEV_SHARE = 10  # without dev, one tree of so many is taken from train
_REPORTED = 500  # trees between two reports
_COUNTED_WORDS = 200_000  # are enough to tell a language
# frequent words that the other languages do not have, or hardly ever
_FUNCTION_WORDS = {
    "en": "the of and to that it with his be at by from this which have not are were their would",
    "nl": "het een van dat op te zijn met voor niet aan ook maar bij naar uit werd deze door wordt",
    "de": "der und den von zu das mit sich des auf für ist dem nicht eine auch nach wird dass einen",
}
_CLEAR_SHARE = 0.06  # in English, Dutch and German treebanks 15 to 20 % of the words are function words


@dataclass(frozen=True, slots=True, eq=False)
class TrainingData:
    """Trees without functions and empty elements, which are not learnt."""

    train: list[Tree]
    dev: list[Tree]
    repeats: list[int]  # for every training tree how often an epoch contains it
    language: str  # by whose rules the model will tokenize raw text
    silver: list[Tree] = field(default_factory=list)  # trees that a parser made
    weights: list[float] = field(default_factory=list)  # for every silver tree that of its loss
    rules: str = "disco"  # by which dev is scored


def load_data(config: Config) -> Generator[Stage | Noted, None, TrainingData]:
    """Read all files; without dev files a part of train is dev."""
    settings = config.data
    repeats = check_data_settings(settings)
    train = []
    for path in settings.train:
        train.append((yield from _read(path, settings)))
    dev: list[Tree] = []
    for path in settings.dev:
        dev += yield from _read(path, settings)
    silver, weights = list[Tree](), list[float]()
    for path in settings.silver:
        of_file = yield from _read(path, settings)
        silver += of_file
        weights += _weights(path, of_file)
    trees = list(chain.from_iterable(train))
    times = [n for n, of_file in zip(repeats, train, strict=True) for _ in of_file]
    if not settings.dev:
        numbers = range(_DEV_SHARE - 1, len(trees), _DEV_SHARE) or range(len(trees) - 1, len(trees))
        is_dev = set(numbers)
        dev = [trees[i] for i in numbers]
        times = [n for i, n in enumerate(times) if i not in is_dev]
        trees = [tree for i, tree in enumerate(trees) if i not in is_dev]
        yield Noted(f"no dev files are named: every tenth tree of train is dev ({len(dev):,}), and is not trained on")
    if not trees or not dev:
        raise ConfigError(f"{settings.train[0]}: there are too few trees for training and dev")
    language = config.language
    if not language:
        language = _LANGUAGE_NAMES.get(_of_cards(settings.train, "language") or "", "")
        if not language:
            language = guess_language(tree.words for tree in trees)
            yield Noted(_guess_note(language))
    return TrainingData(trees, dev, times, language, silver, weights, scoring_rules(config, dev))


def check_data_settings(settings: DataSettings) -> list[int]:
    """Raise a ConfigError if there are no training files; how often an epoch contains each of them."""
    if not settings.train:
        raise ConfigError("data.train is empty: name a treebank file, as in --train FILE")
    repeats = settings.repeats or [1]
    repeats = repeats * len(settings.train) if len(repeats) == 1 else repeats
    if len(repeats) != len(settings.train) or min(repeats) < 1 or max(repeats) > 1000:
        raise ConfigError(
            f"data.repeats must be a number from 1 to 1000 for each file of data.train, or one for all, not {repeats}"
        )
    return repeats


def scoring_rules(config: Config, dev: Sequence[Tree]) -> str:
    """The rules that are set, or those of the treebank's card; EVALB's only if all trees will be continuous."""
    if config.training.dev_rules == "evalb":
        gapped = next((tree for tree in dev if tree.is_discontinuous), None)
        if gapped is not None:
            raise ConfigError(f"training.dev_rules is evalb, but the tree {gapped.id} of dev is discontinuous")
    if config.training.dev_rules:
        return config.training.dev_rules
    rules = _of_cards(config.data.dev or config.data.train, "rules")
    can_reorder = linearization(config.linearization).reordering.can_reorder
    return "evalb" if rules == "evalb" and not can_reorder else "disco"


def _of_cards(paths: Sequence[str], key: str) -> str | None:
    """What the cards of all these files say, if they are splits of prepared corpora and the cards agree."""
    found = {find_card(Path(path)).get(key) for path in paths}
    return found.pop() if len(found) == 1 else None


def guess_language(sentences: Iterable[Sequence[str]]) -> str:
    """The language whose function words are frequent in the sentences, `other` if this is none of those known."""
    known = {name: set(text.split()) for name, text in _FUNCTION_WORDS.items()}
    counts, total = dict.fromkeys(known, 0), 0
    for words in sentences:
        lowered = [word.lower() for word in words]
        for name, function_words in known.items():
            counts[name] += sum(word in function_words for word in lowered)
        total += len(words)
        if total > _COUNTED_WORDS:
            break
    first, second = sorted(counts, key=lambda name: counts[name], reverse=True)[:2]
    is_clear = counts[first] > _CLEAR_SHARE * total and counts[first] > 2 * counts[second]
    return first if is_clear else OTHER


def _guess_note(language: str) -> str:
    if language == OTHER:
        known = ", ".join(name for name in LANGUAGES if name != OTHER)
        return f"the language of the training text is none of {known}: raw text will be split by general rules"
    return f"the language of the training text seems to be {language}; name another with --language"


def _weights(path: str, trees: Iterable[Tree]) -> list[float]:
    try:
        return [tree_weight(tree) for tree in trees]
    except TreeError as error:
        raise ConfigError(f"{path}: {error}") from None


def _read(path: str, settings: DataSettings) -> Generator[Stage | Noted, None, list[Tree]]:
    stage = f"reading {path}"
    yield Stage(stage)
    trees: list[Tree] = []
    bad: list[TreebankError] = []
    dropped = 0
    for tree in read_trees(path, None, settings.encoding or None, bad.append if settings.skip_bad else None):
        traces = sum(token.tag == TRACE_TAG for token in tree.tokens)
        if traces and settings.traces == "refuse":
            raise ConfigError(
                f"{path}: the tree {tree.id} has empty elements ({TRACE_TAG}), which would be learnt as words; "
                "drop them with --set data.traces=drop, or write a treebank without them with "
                f"discoseq convert {path} OUT --traces drop (or --traces resolve, for crossing branches)"
            )
        dropped += traces
        words_only = strip_traces(tree) if traces else tree
        if words_only.tokens:
            trees.append(drop_functions(words_only))
        if len(trees) % _REPORTED == 0:
            yield Stage(stage, len(trees))
    if dropped:
        yield Noted(f"{path}: empty elements ({TRACE_TAG}) are dropped ({dropped:,})")
    if bad:
        yield Noted(f"{path}: sentences that can't be read are left out ({len(bad):,}), the first: {bad[0]}")
    return trees
