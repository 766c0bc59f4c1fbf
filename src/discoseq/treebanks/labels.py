"""Labels with their functions as the bracket formats write them: `NP-SBJ-1`, `NP=2`, `VP-OC`."""

import re
from functools import lru_cache

from discoseq.treebanks.escapes import escape_bracket_label, unescape_bracket_label

NONE = "--"  # what the field writes where there is no tag, lemma, morphology or function

# A label that begins with a separator (-NONE-, -LRB-, =) has no function. disco-dop cuts at the same places.
_WITH_FUNCTION = re.compile(r"([^-=][^-=]*)(?:-(.+)|(=.+))", re.DOTALL)


@lru_cache(maxsize=65536)
def split_label(text: str) -> tuple[str, str | None]:
    """The label and the function of what stands after an opening bracket."""
    match = _WITH_FUNCTION.fullmatch(text) if text != NONE else None
    if match is None:
        return unescape_bracket_label(text), None
    return unescape_bracket_label(match[1]), unescape_bracket_label(match[2] or match[3])


@lru_cache(maxsize=65536)
def join_label(label: str, function: str | None) -> str:
    """What stands after an opening bracket; a gapping index (`=2`) brings its own separator."""
    if function is None:
        return escape_bracket_label(label)
    separator = "" if function.startswith("=") else "-"
    return escape_bracket_label(label + separator + function)


def known(value: str | None) -> str | None:
    """None for a field that is empty or holds the field's sign for nothing."""
    return None if value in (None, "", NONE) else value


def known_tag(value: str | None) -> str | None:
    """A tag, with `$[` (disco-dop's spelling of `$(`, which it writes into any format) as the treebanks have it."""
    return "$(" if value == "$[" else known(value)
