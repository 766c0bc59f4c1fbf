"""How the text formats spell special characters, labels with functions (`NP-SBJ-1`, `NP=2`) and empty fields.

disco-dop writes `(` and `)` in words as `#LRB#` and `#RRB#`; discoseq adds `#U+0020#` for any other character by its
code point and `#HASH#` for a `#` that would otherwise be taken for the start of one of these.
"""

import re
from functools import lru_cache

NONE = "--"  # what treebanks write where there is no tag, lemma, morphology or function

_ESCAPE = re.compile(r"#(?:(LRB)|(RRB)|(HASH)|U\+([0-9A-F]{4,6}))#")
_LOOKS_LIKE_AN_ESCAPE = re.compile(r"#(?=LRB|RRB|HASH|U\+)")
_BLANK = re.compile(r"[\s\x00-\x1f\x7f-\x9f]")
_BRACKET = re.compile(r"[()]")
_EXPORT_MARK = re.compile(r"^#(?=[5-9][0-9]{2}$|BOS|EOS)")
# A label that begins with a separator (-NONE-, -LRB-, =) has no function. disco-dop splits labels in the same way.
_WITH_FUNCTION = re.compile(r"([^-=][^-=]*)(?:-(.+)|(=.+))", re.DOTALL)
_SEPARATOR = re.compile(r"[-=]")
_WITH_FEATURES = re.compile(r"(.+?)##(.*)##([-=].+)?", re.DOTALL)  # a tag of the SPMRL treebanks: DET##lem=le|g=m##


def unescape(text: str) -> str:
    """Undo any of the escapes."""
    return _ESCAPE.sub(_character, text) if "#" in text else text


def escape_bracket_word(word: str) -> str:
    """A word as a leaf of the bracket formats: no brackets, no white space."""
    return _BRACKET.sub(lambda match: "#LRB#" if match[0] == "(" else "#RRB#", _escape_blanks(word))


def escape_export_word(word: str) -> str:
    """A word as the first field of an export line: no white space, no comment mark, no node number."""
    return _EXPORT_MARK.sub("#HASH#", escape_export_field(word))


def escape_export_field(value: str) -> str:
    """A lemma, tag or label as a field of an export line."""
    return _escape_blanks(value).replace("%%", "#U+0025#%")


def escape_bracket_label(label: str) -> str:
    """A label for the bracket formats: `(` is written `[` as disco-dop does, so a `[` has to be escaped."""
    escaped = _escape_blanks(label).replace("[", "#U+005B#").replace("]", "#U+005D#")
    return escaped.replace("(", "[").replace(")", "]")


def unescape_bracket_label(label: str) -> str:
    """Undo `escape_bracket_label`."""
    return unescape(label.replace("[", "(").replace("]", ")"))


def split_features(text: str) -> tuple[str, str | None]:
    """Cut the features out of a tag: `DET-SUJ##lem=le|g=m##` is the tag `DET-SUJ` with the features `lem=le|g=m`."""
    match = _WITH_FEATURES.fullmatch(text) if "##" in text and not _ESCAPE.search(text) else None
    return (text, None) if match is None else (match[1] + (match[3] or ""), match[2])


@lru_cache(maxsize=65536)
def split_label(text: str) -> tuple[str, str | None]:
    """The label and the function of the text after an opening bracket."""
    match = _WITH_FUNCTION.fullmatch(text) if text != NONE else None
    if match is None:
        return unescape_bracket_label(text), None
    return unescape_bracket_label(match[1]), unescape_bracket_label(match[2] or match[3])


@lru_cache(maxsize=65536)
def join_label(label: str, function: str | None) -> str:
    """The text after an opening bracket; a gapping index (`=2`) brings its own separator.

    A `-` or `=` that would be taken for the separator of a function (R-SIMPX) is spelled out.
    """
    text = escape_bracket_label(label)
    if _SEPARATOR.search(text) and (function is not None or split_label(text) != (label, None)):
        text = _SEPARATOR.sub(lambda match: f"#U+{ord(match[0]):04X}#", text)
    if function is not None:
        text += escape_bracket_label(function if function.startswith("=") else f"-{function}")
    if split_features(text)[1] is not None:
        text = text.replace("##", "#HASH##HASH#")
    return text


def optional(value: str | None) -> str | None:
    """The value of a field; None if it is empty or `--`."""
    return None if value in (None, "", NONE) else value


def optional_tag(value: str | None) -> str | None:
    """The value of a tag field; `$[`, which disco-dop writes for `$(` in every format, is read as `$(`."""
    return "$(" if value == "$[" else optional(value)


def _escape_blanks(text: str) -> str:
    if "#" in text:
        text = _LOOKS_LIKE_AN_ESCAPE.sub("#HASH#", text)
    return _BLANK.sub(lambda match: f"#U+{ord(match[0]):04X}#", text)


def _character(match: re.Match[str]) -> str:
    if match[1]:
        return "("
    if match[2]:
        return ")"
    if match[3]:
        return "#"
    code = int(match[4], 16)
    is_character = code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF
    return chr(code) if is_character else match[0]
