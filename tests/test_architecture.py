"""Folders import only from folders above them, five of them never import torch, and importing discoseq is quick."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import discoseq

PACKAGE = Path(discoseq.__file__).parent
# the way the data flows; a name is a folder or a module right under the package
LAYERS = [
    "errors",
    "storage",
    "trees",
    "treebanks",
    "linearization",
    "evaluation",
    "text",
    "batching",
    "model",
    "search",
    "decoding",
    "training",
    "parser",
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
    "linearization",
    "evaluation",
    "text",
    "search",
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
    # the parser is fetched when it is asked for
    assert set(discoseq.__all__) == offered | {"Parser"}
    assert discoseq.Parser.__module__.startswith("discoseq.parser")
    with pytest.raises(AttributeError):
        _ = discoseq.Parzer  # type: ignore[attr-defined]


def test_importing_discoseq_imports_nothing_heavy() -> None:
    code = "import sys, discoseq; print(' '.join(sorted({name.partition('.')[0] for name in sys.modules})))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "discoseq" in loaded
    assert not {"torch", "numpy", "nltk", "transformers", "matplotlib"} & set(loaded)


def test_no_error_class_stands_outside_the_hierarchy() -> None:
    for path in FILES:
        for node in ast.walk(ast.parse((PACKAGE / path).read_text())):
            if isinstance(node, ast.ClassDef) and node.name.endswith("Error"):
                bases = [ast.unparse(base) for base in node.bases]
                assert all(base.endswith("Error") or base == "Exception" for base in bases), f"{path}: {node.name}"
                assert bases != ["Exception"] or node.name == "DiscoseqError", f"{path}: {node.name}"
