"""The discontinuous Penn Treebank (Evang & Kallmeyer 2011), made from the .mrg files or taken from dptb7.export."""

import re
from pathlib import Path

from discoseq.treebanks.recipes import penn
from discoseq.treebanks.recipes.recipe import Layout, Recipe, Settings, Step
from discoseq.treebanks.recipes.sources import check_format, cut, find_file, not_expected
from discoseq.treebanks.recipes.steps import change_words, give_root, return_to_traces

_EXPORT_NAME = re.compile(r"dptb.*\.export(?:\.gz)?", re.IGNORECASE)
_EXPECTED = f"dptb7.export, or {penn.EXPECTED}"


def _locate(source: Path) -> Layout:
    if not source.exists():
        raise not_expected(source, _EXPECTED)
    if source.is_file():
        is_export = check_format(source, ["export", "bracket"], _EXPECTED) == "export"
    else:
        is_export = any(_EXPORT_NAME.fullmatch(path.name) for path in source.rglob("*"))
    if not is_export:
        return penn.locate_penn(source, _EXPECTED)
    path = find_file(source, _EXPORT_NAME, _EXPECTED)
    check_format(path, ["export"], _EXPECTED)
    return cut(path, source, "export", penn.RANGES)


def _steps(settings: Settings) -> tuple[Step, ...]:
    return (
        give_root("ROOT"),
        return_to_traces(settings.moved),  # finds nothing to do in dptb7.export
        change_words(r"backslashes are left out of words (\/ is /)", lambda word: word.replace("\\", "") or word),
    )


DPTB = Recipe(
    name="dptb",
    title="Discontinuous Penn Treebank, WSJ sections 2-21 / 22 / 23",
    language="English",
    licence="licensed by the LDC, as ptb; dptb7.export from its author to those who have that licence",
    address="https://catalog.ldc.upenn.edu/LDC99T42, or K. Evang for dptb7.export",
    expected=_EXPECTED,
    sizes=penn.SIZES,
    locate=_locate,
    steps=_steps,
    has_traces=True,
)
