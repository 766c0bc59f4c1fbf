"""The spellings with which the silver treebank of the German model is made (models/de/de_spelling.py)."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "models" / "de"


@pytest.fixture(autouse=True)
def _script_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *(("Theil", "Teil"), ("Wohlthat", "Wohltat"), ("nöthig", "nötig"), ("Athem", "Atem"), ("Werth", "Wert")),
        *(("giebt", "gibt"), ("seyn", "sein"), ("Verhältniß", "Verhältnis")),
        *(("interessirt", "interessiert"), ("Uebrigens", "Übrigens"), ("todt", "tot")),
        *(("daß", "dass"), ("mußte", "musste"), ("läßt", "lässt"), ("Schloß", "Schloss"), ("blaß", "blass")),
    ],
)
def test_old_spellings_become_modern(old: str, new: str) -> None:
    assert import_module("de_spelling").modernize(old) == new


@pytest.mark.parametrize(
    "word",
    [
        "Theater",
        "Thema",
        "Thron",
        "Goethe",
        "Athen",
        "Rathaus",
        "groß",
        "Fuß",
        "Spaß",
        "Muße",
        "müßig",
        "heißt",
        "größte",
        "Maß",
        "Wirtin",
        "irren",
    ],
)
def test_modern_spellings_stay(word: str) -> None:
    assert import_module("de_spelling").modernize(word) == word


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("dass", "daß"),
        ("musste", "mußte"),
        ("bewusstes", "bewußtes"),
        ("Wasser", "Wasser"),
        ("Ausstellung", "Ausstellung"),
    ],
)
def test_the_parser_reads_the_traditional_spelling(new: str, old: str) -> None:
    assert import_module("de_spelling").in_traditional_spelling(new) == old


def test_an_unknown_compound_is_shown_by_its_last_known_part() -> None:
    last_known_part = import_module("de_spelling").last_known_part
    known = {"Versammlung", "Haus", "gehen"}
    assert last_known_part("Stadtversammlung", known) == "Versammlung"
    assert last_known_part("EU-Versammlung", known) == "Versammlung"
    assert last_known_part("entlanggehen", known) == "gehen"
    assert last_known_part("Haus", known) == "Haus"
    assert last_known_part("Baum", known) == "Baum"
