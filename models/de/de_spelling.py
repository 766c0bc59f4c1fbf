"""German spellings: old novels in the spelling of today, and text of today in that of the parser's treebank."""

from __future__ import annotations

import re
from collections.abc import Container

# before 1901, then before 1996: a stem as it was, and as it is
_MODERN = [
    (r"^([Tt])h(?=eil|ür|al(e|es|er|s)?$|äl|ier|at|ät|u(n|t|e|st)?$|uen|or(e|en|es|s)?$|rän|[uü]rm|au|eu[re])", r"\1"),
    (r"([a-zäöü])th(?=eil|un$|at|ür|ier|urm|[uü]m|or$)", r"\1t"),
    (r"([MmWw][uü]|[NnRr][oö]|[Rr]ä|[GgFf]lu|[Bb]lü|eira|^[Rr]a|[nr]ra|[Vv]er+a)th(?!aus)", r"\1t"),
    (r"([Ww]er|[Ww]ir)th(?=$|e|[lsv])", r"\1t"),
    (r"^([Aa])th(?=e?m)", r"\1t"),
    (r"^Ae", "Ä"),
    (r"^Oe", "Ö"),
    (r"^Ue(?=b|ppig)", "Ü"),
    (r"niß$", "nis"),
    (r"^(er|ver|be|aus|auf|zu|ab|nach|hin|vor)?([Gg])ieb(t|st)?$", r"\1\2ib\3"),
    (r"^(.*[gfhGFH])ieng(en|st)?$", r"\1ing\2"),
    (r"^([Ss]e|[Bb]e)y(n|d|est|en)?$", r"\1i\2"),
    (r"^todt", "tot"),
    (r"^([a-zäöü]{3,}[^aeioäöürw])ir(en|t|te|ten|tes|ter|tem|end|ende[rnsm]?)$", r"\1ier\2"),
    # ß after a short vowel
    (r"^([Dd]a)ß$", r"\1ss"),
    (r"([Mm][uü]|[lLn][aä]|[Ww][uü]|[Ff]a|[Hh]a|[Kk]ü|pre|[Nn]a|[^Ss]pa|^pa|^Pa|oze|ngre)ß(?=$|t)", r"\1ss"),
    (r"([Ss]chlo|[Ss]chl[uü]|[Ff]lu|[Kk]u|[Gg]u|[Nn]u|[Ss]chu|dru|[Rr]i|[Bb]i|[Gg]ewi|eno|dro|spro)ß", r"\1ss"),
    (r"^(be|ver|er|zer)?(scho|flo|go|Ro|[Hh]ä)ß(?=$|l|st$)", r"\1\2ss"),
    (r"^([Mm]i)ß(?=[^e])", r"\1ss"),
    (r"^(i|fri|vergi)ßt$", r"\1sst"),
    (r"^([Ii]n|[Uu]nter)deß$", r"\1des"),
]
# the spelling of 1901 to 1996, in which ss does not stand at the end of a stem
_TRADITIONAL = [
    (r"ss$", "ß"),
    (r"ss(?=(t|te|ten|tet|test|ter|tes|tem)$)", "ß"),
    (r"^([Mm]i)ss(?=[^aeiouäöü])", r"\1ß"),
    (r"ewusst", "ewußt"),
]
_MODERN_RULES = [(re.compile(pattern), new) for pattern, new in _MODERN]
_TRADITIONAL_RULES = [(re.compile(pattern), new) for pattern, new in _TRADITIONAL]
_SHORTEST_COMPOUND = 7
_SHORTEST_PART = 5


def modernize(word: str) -> str:
    """The spelling of today for the commonest spellings of the 19th century: Theil, giebt, daß."""
    for pattern, new in _MODERN_RULES:
        word = pattern.sub(new, word)
    return word


def in_traditional_spelling(word: str) -> str:
    """The spelling before the reform of 1996: daß, muß, mußte."""
    for pattern, new in _TRADITIONAL_RULES:
        word = pattern.sub(new, word)
    return word


def last_known_part(word: str, known: Container[str]) -> str:
    """The longest known end of a word that is unknown: Versammlung for Stadtverordnetenversammlung."""
    if word in known:
        return word
    is_hyphenated = "-" in word[1:-1]
    part = word.rsplit("-", 1)[-1] if is_hyphenated else word
    is_plain = part[:1].isalpha() and part[1:].islower() and (is_hyphenated or len(word) >= _SHORTEST_COMPOUND)
    if is_plain:
        for start in range(0 if is_hyphenated else 2, len(part) - _SHORTEST_PART + 1):
            end = part[start:].capitalize() if word[0].isupper() or part[0].isupper() else part[start:]
            if end in known:
                return end
    return word
