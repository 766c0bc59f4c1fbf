"""Where labels are cut, and what becomes of them under a set of parameters."""

import re
from collections.abc import Callable
from functools import lru_cache

from discoseq.evaluation.parameters import Parameters

_CACHE = 1 << 16

_ANY_SEPARATOR = re.compile(r"[-=].*", re.DOTALL)


def cut_for_disco(label: str) -> str:
    """`NP-SBJ` and `NP=2` without what follows; a label whose first `-` (or `=`) begins it is not cut at it."""
    dash = label.find("-")
    if dash > 0:
        label = label[:dash]
    equals = label.find("=")
    return label[:equals] if equals > 0 else label


def cut_for_evalb(label: str) -> str:
    """The same at the very first separator, so that `-X-` becomes the empty label."""
    return _ANY_SEPARATOR.sub("", label)


def bracket_labeller(parameters: Parameters, cut: Callable[[str], str]) -> Callable[[str], str | None]:
    """From the label of a phrase to the one it is compared by, None for a phrase that does not count."""
    equal = parameters.equal_labels
    deleted = {equal.get(label, label) for label in parameters.deleted_labels}

    @lru_cache(maxsize=_CACHE)
    def compared(label: str) -> str | None:
        short = cut(label)
        short = equal.get(short, short)
        if short in deleted:
            return None
        return short if parameters.is_labelled else ""

    return compared
