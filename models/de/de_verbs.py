"""Forms of German verbs: the infinitive of a finite verb, its imperatives, and its separable particle."""

from __future__ import annotations

import re
from random import Random

# plural forms of strong verbs in the past, which look like an infinitive; a weak one ends in -ten
_PRETERITE = re.compile(
    r".*(nahm|kam|ging|stand|sah|gab|lag|saß|fand|sprach|traf|blieb|schrieb|lief|ließ|fuhr|trug|schlug|wuchs|stieg|zog|"
    r"flog|lor|fiel|hieß|rief|trieb|wies|schien|gann|wann|starb|warf|brach|sank|trank|sang|sprang|zwang|drang|lang|lud|"
    r"grub|schuf|fing|hing|warb|hob|schob|wog|log|bog|schwand|band|schied|griff|glich|wich|schlich|strich|lieh|schwieg|"
    r"mied|rieb|fahl|stahl|aß|las|schloss|floss|goss|noss|kroch|wurd|brann|kann|wusch|schwamm|schwang|half|pfiff)en"
)
# the singular has another vowel, or never -e
_STRONG_PAIRS = """
    befehlen:befiehl bewerben:bewirb brechen:brich empfehlen:empfiehl geben:gib helfen:hilf kommen:komm lassen:lass
    lesen:lies nehmen:nimm sehen:sieh sprechen:sprich stechen:stich stehlen:stiehl treffen:triff treten:tritt tun:tu
    vergessen:vergiss werfen:wirf
"""
_STRONG = dict(pair.split(":") for pair in _STRONG_PAIRS.split())
_STRONG_ALONE = {"essen": "iss", "messen": "miss", "werben": "wirb"}  # others end like them: «pressen»
_PREFIXES = (
    *("bereit", "sicher", "herab", "herauf", "herunter", "hinab", "hinauf", "heran", "voraus", "überein", "gegenüber"),
    *("zusammen", "zurück", "entgegen", "weiter", "hervor", "heraus", "hinaus", "herein", "hinein", "hinzu", "vorbei"),
    *("voran", "fest", "fort", "nach", "statt", "teil", "auf", "aus", "bei", "dar", "ein", "her", "hin", "los", "mit"),
    *("vor", "weg", "ab", "an", "zu"),
)
_SEPARABLE = re.compile(rf"({'|'.join(_PREFIXES)})([^\W\d_]{{4,}}n)")
_INSEPARABLE = re.compile(
    r"(ant|ani|anal|abo|beinh|herrsch|hind|hink|einig|einen|festig|vereinb|zuck|zuletzt|losen|auster|nachten|mitteln|"
    r"einschücht|dart|fortifi|teilen|weitern|vorz.*lich|zünd|zur(n|ück)|ander|anker|angeln|aben|abn$|mittel).*"
)
_CLUSTER = re.compile(r".*[^aeiouäöüylrhmn][nm]")  # «öffn», «atm», but «lern», «komm»


def infinitive_of(form: str) -> str | None:
    """The infinitive of a form in the present, of the first person or the plural; None if it may be another form."""
    form = form.lower()
    if form.endswith(("te", "ten")):
        return None
    if re.fullmatch(r".*([^aeiouäöüylrh]le|[^i]ere)", form):
        return form[:-2] + "eln" if form.endswith("le") else form[:-1] + "n"
    if form.endswith("e"):
        return form + "n"
    return form if form.endswith("n") and not _PRETERITE.fullmatch(form) else None


def separated(infinitive: str) -> tuple[str, str]:
    """The verb and its separable particle, which may be empty: nehmen, mit."""
    match = _SEPARABLE.fullmatch(infinitive)
    if not match or _INSEPARABLE.fullmatch(infinitive):
        return infinitive, ""
    return match[2], match[1]


def singular_imperative_of(infinitive: str, random: Random) -> str:
    """Nimm, arbeite, kauf or kaufe."""
    for ending, form in _STRONG.items():
        if infinitive.endswith(ending):
            return infinitive.removesuffix(ending) + form
    if infinitive in _STRONG_ALONE:
        return _STRONG_ALONE[infinitive]
    if infinitive.endswith("eln"):
        return infinitive[:-3] + "le"
    if infinitive.endswith("ern"):
        return infinitive[:-1] + "e"
    stem = infinitive.removesuffix("n").removesuffix("e")
    needs_ending = stem.endswith(("t", "d", "ier", "ig")) or _CLUSTER.fullmatch(stem)
    return stem + "e" if needs_ending or random.random() < 0.4 else stem


def plural_imperative_of(infinitive: str) -> str:
    """Nehmt, arbeitet, sammelt."""
    stem = infinitive.removesuffix("n")
    if not infinitive.endswith(("eln", "ern")):
        stem = stem.removesuffix("e")
    return stem + ("et" if stem.endswith(("t", "d")) or _CLUSTER.fullmatch(stem) else "t")
