"""From two streams of trees to scores: `evaluate` and its parts."""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, TypeAlias

from discoseq.errors import EvaluationError
from discoseq.evaluation.counts import Counts
from discoseq.evaluation.disco import DiscoRules
from discoseq.evaluation.evalb import EvalbRules
from discoseq.evaluation.pairing import Missing, Pair, pair_in_order
from discoseq.evaluation.parameters import Parameters, default_parameters
from discoseq.evaluation.scores import Block, Scores
from discoseq.evaluation.sentence import SentenceResult
from discoseq.trees.tree import Tree

RuleName: TypeAlias = Literal["disco", "evalb"]
RULES: tuple[RuleName, ...] = ("disco", "evalb")

Tell: TypeAlias = Callable[[str], None]

_MOST_NOTES = 20


def evaluate(
    gold: Iterable[Tree],
    predicted: Iterable[Tree],
    rules: str = "disco",
    parameters: Parameters | None = None,
    missing: Missing = Missing.ERROR,
) -> Scores:
    """Score parses against gold trees, the first against the first and so on, holding one pair at a time."""
    notes = Notes()
    results = score_sentences(gold, predicted, rules, parameters, missing, notes.add)
    return summarize(results, rules, parameters, notes)


def score_sentences(
    gold: Iterable[Tree],
    predicted: Iterable[Tree],
    rules: str = "disco",
    parameters: Parameters | None = None,
    missing: Missing = Missing.ERROR,
    tell: Tell = lambda note: None,
) -> Iterator[SentenceResult]:
    """The results of every sentence, one at a time; `tell` hears what is worth knowing about the run."""
    settings = settings_for(rules, parameters)
    if rules == "evalb":
        evalb = EvalbRules(settings)
        return evalb.score_all(evalb.views(gold), evalb.views(predicted), missing, tell)
    return score_pairs(pair_in_order(gold, predicted), settings, missing, tell)


def score_pairs(
    pairs: Iterable[Pair], parameters: Parameters, missing: Missing, tell: Tell
) -> Iterator[SentenceResult]:
    """The results of pairs of trees under disco-dop's rules."""
    rules = DiscoRules(parameters)
    lost: list[str] = []
    for name, gold, predicted in pairs:
        if predicted is not None:
            result = rules.score(gold, predicted, name)
            for remark in result.remarks:
                tell(f"sentence {name}: {remark}")
            yield result
        elif missing is Missing.ERROR:
            raise EvaluationError(f"sentence {name}: there is a gold tree but no parse")
        else:
            lost.append(name)
            if missing is Missing.EMPTY:
                yield rules.score_missing(gold, name)
    if lost:
        what = "counts as empty" if missing is Missing.EMPTY else "is left out"
        tell(f"no parse for {_listed(lost)}: it {what}")


def settings_for(rules: str, parameters: Parameters | None) -> Parameters:
    """The parameters given or the default ones of a rule set, which has to exist in any case."""
    if rules not in RULES:
        raise EvaluationError(f"there are no rules {rules!r}; there are {' and '.join(RULES)}")
    return parameters or default_parameters(rules)


class Notes:
    """What was told during a run; of a great many notes, the first ones and how many followed."""

    def __init__(self) -> None:
        self._kept: list[str] = []
        self._count = 0

    def add(self, note: str) -> None:
        self._count += 1
        if self._count <= _MOST_NOTES:
            self._kept.append(note)

    def __iter__(self) -> Iterator[str]:
        yield from self._kept
        if self._count > _MOST_NOTES:
            yield f"and {self._count - _MOST_NOTES} more like these"


def summarize(
    results: Iterable[SentenceResult], rules: str, parameters: Parameters | None = None, notes: Iterable[str] = ()
) -> Scores:
    """Add up the results of sentences."""
    cutoff = settings_for(rules, parameters).cutoff_length
    short = long = Counts()
    for result in results:
        if result.length <= cutoff:
            short += result.counts
        else:
            long += result.counts
    is_evalb = rules == "evalb"
    return Scores(rules, Block(short + long, is_evalb), Block(short, is_evalb), cutoff, tuple(notes))


def _listed(names: list[str]) -> str:
    if len(names) == 1:
        return f"sentence {names[0]}"
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{len(names)} sentences ({', '.join(names[:3])}{more})"
