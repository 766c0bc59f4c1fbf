"""Parameters of scoring in EVALB's syntax: what is deleted before trees are compared, and which labels are equal."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Literal, TypeAlias

from discoseq.errors import EvaluationError
from discoseq.trees.escapes import unescape_bracket_label

RuleName: TypeAlias = Literal["disco", "evalb"]
RULES: tuple[RuleName, ...] = ("disco", "evalb")

_LISTS = ("DELETE_LABEL", "DELETE_WORD", "DELETE_LABEL_FOR_LENGTH", "QUOTE_LABEL")
_PAIRS = ("EQ_LABEL", "EQ_WORD")
# DEBUG is about EVALB's own output; DISC_ONLY is not needed, because discontinuous scores are always computed
_NUMBERS = ("MAX_ERROR", "CUTOFF_LEN", "LABELED", "DEBUG", "DISC_ONLY")
_SUFFIX = re.compile(r"[-=].*", re.DOTALL)


class Missing(StrEnum):
    """What to do with a gold sentence that has no parse."""

    ERROR = "error"  # stop with an error
    EMPTY = "empty"  # count it as a parse without brackets, which lowers recall
    SKIP = "skip"  # leave the sentence out, as disco-dop does


@dataclass(frozen=True, slots=True)
class Parameters:
    """The contents of a parameter file; labels are spelled as in trees in memory (`$(`, where files have `$[`)."""

    deleted_labels: frozenset[str] = frozenset()
    deleted_words: frozenset[str] = frozenset()
    deleted_for_length: frozenset[str] = frozenset()  # tags whose tokens do not add to a sentence's length
    quote_labels: frozenset[str] = frozenset()  # tags of quotes that EVALB puts back if only one side deletes them
    equal_labels: Mapping[str, str] = field(default_factory=dict)  # from every label of a class to the first one
    equal_words: Mapping[str, str] = field(default_factory=dict)
    is_labelled: bool = True
    cutoff_length: int = 40
    max_errors: int = 10


def default_parameters(rules: str) -> Parameters:
    """The standard parameters of a rule set: proper.prm for disco, COLLINS.prm for evalb."""
    check_rules(rules)
    resource = files("discoseq.evaluation") / "defaults" / f"{rules}.prm"
    return parse_parameters(resource.read_text(encoding="utf-8"), resource.name)


def check_rules(rules: str) -> None:
    """Raise an error if there is no rule set with this name."""
    if rules not in RULES:
        raise EvaluationError(f"unknown rules {rules!r}; choose {' or '.join(RULES)}")


def read_parameters(path: str | Path) -> Parameters:
    """Read a parameter file."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise EvaluationError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise EvaluationError(f"{path}: the parameter file is not UTF-8") from None
    return parse_parameters(text, str(path))


def parse_parameters(text: str, source: str = "parameters") -> Parameters:
    """Parse the text of a parameter file; parameters that are not in it have EVALB's defaults."""
    lists: dict[str, list[str]] = {key: [] for key in _LISTS}
    pairs: dict[str, list[tuple[str, str]]] = {key: [] for key in _PAIRS}
    numbers: dict[str, int] = {}
    for line, content in enumerate(text.splitlines(), 1):
        if content.startswith("#") or not content.strip():
            continue
        keyword, *values = content.split()
        where = f"{source}:{line}"
        if keyword in _LISTS:
            lists[keyword].append(_one_value(keyword, values, where))
        elif keyword in _PAIRS:
            pairs[keyword].append(_two_values(keyword, values, where))
        elif keyword in _NUMBERS:
            numbers[keyword] = _number(keyword, values, where)
        else:
            raise EvaluationError(f"{where}: unknown parameter {keyword!r}")
    return Parameters(
        deleted_labels=frozenset(map(unescape_bracket_label, lists["DELETE_LABEL"])),
        deleted_words=frozenset(lists["DELETE_WORD"]),
        deleted_for_length=frozenset(map(unescape_bracket_label, lists["DELETE_LABEL_FOR_LENGTH"])),
        quote_labels=frozenset(map(unescape_bracket_label, lists["QUOTE_LABEL"])),
        equal_labels=_classes(
            (unescape_bracket_label(one), unescape_bracket_label(two)) for one, two in pairs["EQ_LABEL"]
        ),
        equal_words=_classes(pairs["EQ_WORD"]),
        is_labelled=bool(numbers.get("LABELED", 1)),
        cutoff_length=numbers.get("CUTOFF_LEN", 40),
        max_errors=numbers.get("MAX_ERROR", 10),
    )


def strip_label_disco(label: str) -> str:
    """Strip functions and indices (`NP-SBJ`, `NP=2`), but not if the first `-` (or `=`) begins the label."""
    dash = label.find("-")
    if dash > 0:
        label = label[:dash]
    equals = label.find("=")
    return label[:equals] if equals > 0 else label


def strip_label_evalb(label: str) -> str:
    """Strip everything from the first `-` or `=`, so that `-X-` becomes the empty label."""
    return _SUFFIX.sub("", label)


def bracket_labeller(parameters: Parameters, strip: Callable[[str], str]) -> Callable[[str], str | None]:
    """A function from the label of a constituent to the label to compare, None if the constituent is not scored."""
    equal = parameters.equal_labels
    deleted = {equal.get(label, label) for label in parameters.deleted_labels}

    @lru_cache(maxsize=1 << 16)
    def label_to_compare(label: str) -> str | None:
        stripped = strip(label)
        stripped = equal.get(stripped, stripped)
        if stripped in deleted:
            return None
        return stripped if parameters.is_labelled else ""

    return label_to_compare


def _one_value(keyword: str, values: list[str], where: str) -> str:
    if len(values) != 1:
        raise EvaluationError(f"{where}: {keyword} takes one value, not {len(values)}")
    return values[0]


def _two_values(keyword: str, values: list[str], where: str) -> tuple[str, str]:
    if len(values) != 2:
        raise EvaluationError(f"{where}: {keyword} takes two values, not {len(values)}")
    return values[0], values[1]


def _number(keyword: str, values: list[str], where: str) -> int:
    value = _one_value(keyword, values, where)
    if not (value.isascii() and value.isdigit()):
        raise EvaluationError(f"{where}: {keyword} takes a number, not {value!r}")
    return int(value)


def _classes(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Equivalence classes: A = B and B = C imply A = C."""
    members: dict[str, list[str]] = {}
    for one, two in pairs:
        joined = list(dict.fromkeys(members.get(one, [one]) + members.get(two, [two])))
        for member in joined:
            members[member] = joined
    return {member: others[0] for member, others in members.items()}
