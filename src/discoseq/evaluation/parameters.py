"""Parameter files in EVALB's syntax: what is deleted before trees are compared, and what counts as equal."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

from discoseq.errors import EvaluationError
from discoseq.treebanks.escapes import unescape_bracket_label


@dataclass(frozen=True, slots=True)
class Parameters:
    """The settings of one parameter file; labels are spelled as in trees in memory (`$(`, where files say `$[`)."""

    deleted_labels: frozenset[str] = frozenset()
    deleted_words: frozenset[str] = frozenset()
    deleted_for_length: frozenset[str] = frozenset()  # tags whose tokens do not add to a sentence's length
    equal_labels: Mapping[str, str] = field(default_factory=dict)  # from each member of a class to its first member
    equal_words: Mapping[str, str] = field(default_factory=dict)
    is_labelled: bool = True
    cutoff_length: int = 40
    max_errors: int = 10


def default_parameters(rules: str) -> Parameters:
    """The parameters that the field uses with these rules: proper.prm for disco, COLLINS.prm for evalb."""
    resource = files("discoseq.evaluation") / "defaults" / f"{rules}.prm"
    return parse_parameters(resource.read_text(encoding="utf-8"), resource.name)


def read_parameters(path: str | Path) -> Parameters:
    """The settings of a parameter file."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise EvaluationError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise EvaluationError(f"{path}: the parameter file is not UTF-8") from None
    return parse_parameters(text, str(path))


def parse_parameters(text: str, place: str = "parameters") -> Parameters:
    """The settings in the text of a parameter file; what is not said has EVALB's own default."""
    lists: dict[str, list[str]] = {key: [] for key in _LISTS}
    pairs: dict[str, list[tuple[str, str]]] = {key: [] for key in _PAIRS}
    numbers: dict[str, int] = {}
    for line, content in enumerate(text.splitlines(), 1):
        if content.startswith("#") or not content.strip():
            continue
        keyword, *values = content.split()
        where = f"{place}:{line}"
        if keyword in _LISTS:
            lists[keyword].append(_one_value(keyword, values, where))
        elif keyword in _PAIRS:
            pairs[keyword].append(_two_values(keyword, values, where))
        elif keyword in _NUMBERS:
            numbers[keyword] = _number(keyword, values, where)
        elif keyword == "QUOTE_LABEL":
            raise EvaluationError(f"{where}: QUOTE_LABEL, which puts mistagged quotes back, is not supported")
        else:
            raise EvaluationError(f"{where}: there is no parameter {keyword!r}")
    return Parameters(
        deleted_labels=frozenset(map(unescape_bracket_label, lists["DELETE_LABEL"])),
        deleted_words=frozenset(lists["DELETE_WORD"]),
        deleted_for_length=frozenset(map(unescape_bracket_label, lists["DELETE_LABEL_FOR_LENGTH"])),
        equal_labels=_classes(
            (unescape_bracket_label(one), unescape_bracket_label(two)) for one, two in pairs["EQ_LABEL"]
        ),
        equal_words=_classes(pairs["EQ_WORD"]),
        is_labelled=bool(numbers.get("LABELED", 1)),
        cutoff_length=numbers.get("CUTOFF_LEN", 40),
        max_errors=numbers.get("MAX_ERROR", 10),
    )


_LISTS = ("DELETE_LABEL", "DELETE_WORD", "DELETE_LABEL_FOR_LENGTH")
_PAIRS = ("EQ_LABEL", "EQ_WORD")
# DEBUG concerns the output of EVALB, and discontinuous scores come beside the others whatever DISC_ONLY says
_NUMBERS = ("MAX_ERROR", "CUTOFF_LEN", "LABELED", "DEBUG", "DISC_ONLY")


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
    """From pairs to classes: A = B and B = C makes A = C."""
    members: dict[str, list[str]] = {}
    for one, two in pairs:
        joined = list(dict.fromkeys(members.get(one, [one]) + members.get(two, [two])))
        for member in joined:
            members[member] = joined
    return {member: others[0] for member, others in members.items()}
