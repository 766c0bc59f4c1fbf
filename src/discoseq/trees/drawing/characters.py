"""The widths of characters, and replacements for those that can't be displayed."""

import unicodedata

REPLACEMENT = "\ufffd"
DOTTED_CIRCLE = "\u25cc"  # the base of accents without a letter

# In hundredths of the font size, after the widest of the usual sans-serif fonts: a column that is a little too wide
# looks better than two words that touch.
_NARROW, _SLIM, _USUAL, _BROAD, _FULL = 32, 45, 63, 80, 100
_WIDTHS = {
    **dict.fromkeys("ijlI!|.,:;'` ", _NARROW),
    **dict.fromkeys('frt()[]{}-"/\\°', _SLIM),
    **dict.fromkeys("ABCDGHKNOQRTUVXYZwÄÖÜ+=<>~#&^", _BROAD),
    **dict.fromkeys("mMW@%—", _FULL),
}
_ZERO_WIDTH_CATEGORIES = {"Mn", "Me", "Cf"}
# characters that would reorder the whole line, not only their word
_REORDERING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def visible(text: str) -> str:
    """The text on one line, with replacements for characters that XML or a terminal can't display."""
    if text.isascii() and text.isprintable():
        return text
    shown = "".join(map(_displayed, text))
    return shown if cell_width(shown) else DOTTED_CIRCLE + shown


def cell_width(text: str) -> int:
    """The number of terminal columns."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def hundredths(text: str) -> int:
    """An estimate of the printed width, in hundredths of the font size."""
    return sum(_WIDTHS.get(character) or _printed(character) for character in text)


def _displayed(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)  # Unicode has a symbol for each control character
    category = unicodedata.category(character)
    if category in ("Zl", "Zp"):
        return "\u2424"  # the symbol for a new line
    if category in ("Cc", "Cs") or code & 0xFFFE == 0xFFFE or unicodedata.bidirectional(character) in _REORDERING:
        return REPLACEMENT
    return character


def _cells(character: str) -> int:
    if unicodedata.category(character) in _ZERO_WIDTH_CATEGORIES:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _printed(character: str) -> int:
    cells = _cells(character)
    if cells == 1:
        return _BROAD if character.isupper() else _USUAL
    return cells * _FULL // 2
