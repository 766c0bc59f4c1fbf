"""Spellings for characters that a text format gives a meaning of its own, so that every word survives it.

disco-dop writes `(` and `)` in words as `#LRB#` and `#RRB#`; discoseq adds `#U+0020#` for any other character by its
code point and `#HASH#` for a `#` that would otherwise be taken for the start of one of these.
"""

import re

_ESCAPE = re.compile(r"#(?:(LRB)|(RRB)|(HASH)|U\+([0-9A-F]{4,6}))#")
_LOOKS_LIKE_AN_ESCAPE = re.compile(r"#(?=LRB|RRB|HASH|U\+)")
_BLANK = re.compile(r"[\s\x00-\x1f\x7f-\x9f]")
_BRACKET = re.compile(r"[()]")
_EXPORT_MARK = re.compile(r"^#(?=[5-9][0-9]{2}$|BOS|EOS)")


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
    """The label that `escape_bracket_label` was given."""
    return unescape(label.replace("[", "(").replace("]", ")"))


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
