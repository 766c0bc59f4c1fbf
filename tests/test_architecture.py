"""Folders import only from folders above them, five of them never import torch, and importing discoseq is quick."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import discoseq
from discoseq.model.native_decoder import has_native_decoder

PACKAGE = Path(discoseq.__file__).parent
ROOT = Path(__file__).resolve().parents[1]
# the way the data flows; a name is a folder or a module right under the package
LAYERS = [
    "errors",
    "storage",
    "trees",
    "treebanks",
    "linearizations",
    "evaluation",
    "text",
    "batching",
    "model",
    "search",
    "decoding",
    "training",
    "parser",
    "experiments",
    "corpus",
    "integrations",
    "web",
    "cli",
    "__main__",
]
TORCH_FREE = [
    "errors",
    "storage",
    "trees",
    "treebanks",
    "linearizations",
    "evaluation",
    "text",
    "search",
    "experiments",
    "corpus",
    "cli",
]
FILES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))


def layer_of(path: Path) -> str:
    return path.parts[0].removesuffix(".py")


def imports_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse((PACKAGE / path).read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", [path for path in FILES if path != Path("__init__.py")], ids=str)
def test_imports_flow_downwards(path: Path) -> None:
    own = layer_of(path)
    assert own in LAYERS, f"{own} has no place in the architecture"
    for name in imports_of(path):
        if own in TORCH_FREE:
            assert not name.startswith(("torch", "transformers")), f"{path} imports {name}"
        parts = name.split(".")
        if parts[0] == "discoseq" and len(parts) > 1 and parts[1] in LAYERS:
            assert LAYERS.index(parts[1]) <= LAYERS.index(own), f"{path} imports {name}"


def test_the_public_names_are_exactly_those_listed() -> None:
    # submodules become attributes when they are imported; they are no part of what is offered
    offered = {
        name
        for name, value in vars(discoseq).items()
        if not name.startswith("_") and getattr(value, "__module__", "").startswith("discoseq.")
    }
    # imported when they are first used
    lazy = {"Parser", "evaluate", "linearization", "read_trees", "to_dataframe", "write_trees"}
    assert set(discoseq.__all__) == offered | lazy
    assert all(getattr(discoseq, name).__module__.startswith("discoseq.") for name in lazy)
    with pytest.raises(AttributeError):
        _ = discoseq.Parzer  # type: ignore[attr-defined]


def test_importing_discoseq_imports_nothing_heavy() -> None:
    code = "import sys, discoseq; print(' '.join(sorted({name.partition('.')[0] for name in sys.modules})))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "discoseq" in loaded
    assert not {"torch", "numpy", "nltk", "transformers", "matplotlib", "pandas", "spacy"} & set(loaded)


def test_parsing_needs_no_package_of_an_extra() -> None:
    code = """
import sys
for name in ("accelerate", "tensorboard", "matplotlib", "peft", "transformers", "huggingface_hub", "spacy"):
    sys.modules[name] = None  # to import it is now an error
from discoseq import Parser
print(Parser.load("nl").parse("Het werkt.", beam_size=1).words)
from discoseq.training.run import start_run
from discoseq.training.config import Config
from pathlib import Path
try:
    next(start_run(Config(), Path("nowhere")))
except Exception as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [
        "('Het', 'werkt', '.')",
        "training needs accelerate: pip install 'discoseq[train]'",
    ], done.stderr


def test_no_error_class_stands_outside_the_hierarchy() -> None:
    for path in FILES:
        for node in ast.walk(ast.parse((PACKAGE / path).read_text())):
            if isinstance(node, ast.ClassDef) and node.name.endswith("Error"):
                bases = [ast.unparse(base) for base in node.bases]
                assert all(base.endswith("Error") or base == "Exception" for base in bases), f"{path}: {node.name}"
                assert bases != ["Exception"] or node.name == "DiscoseqError", f"{path}: {node.name}"


WALKS = {
    "Parse": ["parse", "--text", "It works."],
    "Train": ["train", str(ROOT / "examples" / "tiny.toml"), "--set", "training.epochs=1", "--out"],
    "Evaluate": ["evaluate", *[str(ROOT / "examples" / "twenty.discbracket")] * 2],
}


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_passes_through_the_files_that_the_documentation_lists(name: str, tmp_path: Path) -> None:
    if name != "Evaluate" and not has_native_decoder():
        pytest.skip("the walk is that with the compiled decoder")
    arguments = [*WALKS[name], *([str(tmp_path / "run")] if WALKS[name][-1] == "--out" else [])]
    command = [sys.executable, str(Path(__file__).with_name("walk.py")), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    passed = [line for line in done.stderr.splitlines() if (PACKAGE / line).is_file()]
    listed = walk_in_documentation(name)
    assert set(passed) <= set(listed), f"docs/architecture.md does not list {sorted(set(passed) - set(listed))}"
    assert set(listed) <= set(passed), f"docs/architecture.md lists {sorted(set(listed) - set(passed))}"
    assert len(listed) <= {"Parse": 45, "Train": 55, "Evaluate": 20}[name]


def walk_in_documentation(name: str) -> list[str]:
    """The files of the section with this title in docs/architecture.md, in backquotes."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = re.search(rf"^### {name}\n(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)
    assert section is not None
    return re.findall(r"^\d+\. `([\w/]+\.py)`", section[1], re.MULTILINE)
