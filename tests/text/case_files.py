"""The files of cases in the folder beside this one: texts with their boundaries of sentences and words."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "cases"


@dataclass(frozen=True, slots=True)
class Case:
    """A text and what it is to be split into."""

    text: str
    sentences: tuple[tuple[str, ...], ...]  # their words


def read_cases(path: Path) -> list[Case]:
    """A case a line: | between sentences, ¦ between words without a space, ↵ a line break; # begins a comment."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [_case(line) for line in lines if line.strip() and not line.startswith("# ")]


def _case(line: str) -> Case:
    text = line.replace(" | ", " ").replace("|", "").replace("¦", "").replace("↵", "\n")
    sentences = line.replace("¦", " ").replace("↵", " ").split("|")
    return Case(text, tuple(tuple(sentence.split()) for sentence in sentences))
