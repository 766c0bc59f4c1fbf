"""The documentation is true where a test can tell: examples of the API, names of settings, links."""

import doctest
import re
import shutil
from dataclasses import fields
from pathlib import Path

import pytest

import discoseq
from discoseq.model.settings import ModelSettings
from discoseq.training.config import DataSettings, SearchSettings, TrainingSettings

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]


@pytest.mark.slow
@pytest.mark.parametrize("page", ["api.md", "integrations.md"])
def test_the_examples_of_a_page_are_true(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DISCOSEQ_CACHE", str(tmp_path / "cache"))
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```pycon\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    examples = doctest.DocTestParser().get_doctest("".join(blocks), {}, f"docs/{page}", f"docs/{page}", 0)
    report: list[str] = []
    results = doctest.DocTestRunner().run(examples, out=report.append)
    assert results.attempted > 20
    assert results.failed == 0, "".join(report)


def test_the_documentation_names_the_stable_api() -> None:
    imports = " ".join(re.findall(r"^from discoseq import (.*)$", TEXT, re.MULTILINE)[:2])
    assert sorted(re.findall(r"\w+", imports)) == sorted(discoseq.__all__)


def test_the_documentation_has_exactly_the_settings_that_there_are() -> None:
    text = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", text, re.MULTILINE)
    listed = [name for row in rows for name in re.findall(r"\w+", row)]
    settings = [
        field.name for kind in (DataSettings, ModelSettings, TrainingSettings, SearchSettings) for field in fields(kind)
    ]
    assert sorted(listed) == sorted(settings)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert "://" in target or (page.parent / target).exists(), target
