"""The figures of the paper, Tables 3 to 7 of *Discontinuous grammar as a foreign language* (Neurocomputing, 2023).

Treebanks have the names of their recipes, and linearizations those of discoseq.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from discoseq.evaluation.significance import Average

BEAM = 10  # with which all of them were made
_SEEDS = 3

_Mean: TypeAlias = tuple[float, float]  # over the seeds, with the standard deviation


@dataclass(frozen=True, slots=True)
class PublishedScore:
    """F1 and discontinuous F1 of a linearization on one split."""

    f1: Average
    discontinuous_f1: Average | None = None


@dataclass(frozen=True, slots=True)
class PublishedSize:
    """Table 7: the size of the output dictionary, and the length of the longest target sequence in train."""

    vocabulary: int
    longest: int


# Table 3, F-score on PTB: dev, test
_CONTINUOUS: dict[str, tuple[_Mean, _Mean]] = {
    "top-down": ((95.56, 0.09), (95.78, 0.06)),
    "enriched-top-down": ((95.63, 0.07), (95.70, 0.10)),
    "in-order": ((95.46, 0.03), (95.84, 0.02)),
    "enriched-in-order": ((95.48, 0.03), (95.71, 0.02)),
    "bottom-up": ((95.40, 0.15), (95.58, 0.04)),
}

_DISCONTINUOUS = ("tiger", "negra", "dptb")  # the columns of Tables 4 to 7

# Table 4, F-score on dev
_DEV: dict[str, tuple[_Mean, ...]] = {
    "top-down+swap": ((92.36, 0.07), (90.14, 0.03), (95.44, 0.03)),
    "bottom-up+swap": ((91.48, 0.09), (88.14, 0.02), (94.81, 0.08)),
    "in-order+swap": ((92.32, 0.02), (90.79, 0.08), (95.32, 0.09)),
    "in-order+swap#k": ((92.27, 0.06), (90.36, 0.14), (95.25, 0.16)),
    "in-order+shift#k": ((91.11, 0.04), (88.81, 0.16), (94.76, 0.12)),
}

# Table 5, F-score and discontinuous F-score on test
_TEST: dict[str, tuple[tuple[_Mean, _Mean], ...]] = {
    "top-down+swap": (
        ((88.28, 0.05), (67.95, 0.27)),
        ((88.59, 0.09), (67.43, 1.35)),
        ((95.37, 0.06), (83.85, 0.46)),
    ),
    "bottom-up+swap": (
        ((87.02, 0.14), (63.20, 0.61)),
        ((85.74, 0.19), (57.76, 0.65)),
        ((95.12, 0.04), (82.40, 0.49)),
    ),
    "in-order+swap": (
        ((88.53, 0.04), (67.76, 0.45)),
        ((89.08, 0.02), (67.06, 0.84)),
        ((95.47, 0.06), (83.80, 0.25)),
    ),
    "in-order+swap#k": (
        ((88.36, 0.08), (65.68, 0.49)),
        ((88.93, 0.10), (65.38, 0.76)),
        ((95.48, 0.01), (82.86, 0.38)),
    ),
    "in-order+shift#k": (
        ((87.10, 0.12), (54.27, 0.16)),
        ((86.76, 0.13), (46.86, 0.41)),
        ((94.96, 0.09), (69.17, 0.66)),
    ),
}

# Table 6, sentences a second on test, with a GPU
_SPEEDS: dict[str, dict[str, int]] = {
    "top-down": {"ptb": 29},
    "bottom-up": {"ptb": 39},
    "in-order": {"ptb": 29},
    "top-down+swap": {"tiger": 26, "negra": 21, "dptb": 21},
    "bottom-up+swap": {"tiger": 29, "negra": 27, "dptb": 26},
    "in-order+swap": {"tiger": 26, "negra": 21, "dptb": 21},
    "in-order+swap#k": {"tiger": 30, "negra": 29, "dptb": 24},
    "in-order+shift#k": {"tiger": 47, "negra": 50, "dptb": 29},
}

# Table 7
_SIZES: dict[str, dict[str, tuple[int, int]]] = {
    "top-down": {"ptb": (29, 367)},
    "enriched-top-down": {"ptb": (55, 367)},
    "in-order": {"ptb": (30, 368)},
    "enriched-in-order": {"ptb": (56, 368)},
    "bottom-up": {"ptb": (202, 255)},
    "top-down+swap": {"tiger": (28, 2067), "negra": (30, 2061), "dptb": (31, 1497)},
    "bottom-up+swap": {"tiger": (191, 2039), "negra": (205, 2021), "dptb": (204, 1444)},
    "in-order+swap": {"tiger": (29, 2068), "negra": (31, 2062), "dptb": (32, 1498)},
    "in-order+swap#k": {"tiger": (66, 1150), "negra": (63, 1202), "dptb": (57, 873)},
    "in-order+shift#k": {"tiger": (66, 257), "negra": (63, 208), "dptb": (57, 368)},
}


def published_score(recipe: str, split: str, linearization: str) -> PublishedScore | None:
    """Of Table 3, 4 or 5; None if the paper has no such figure."""
    if recipe == "ptb" and linearization in _CONTINUOUS:
        dev, test = _CONTINUOUS[linearization]
        return PublishedScore(_average(dev if split == "dev" else test))
    if recipe not in _DISCONTINUOUS or linearization not in _DEV:
        return None
    column = _DISCONTINUOUS.index(recipe)
    if split == "dev":
        return PublishedScore(_average(_DEV[linearization][column]))
    f1, discontinuous = _TEST[linearization][column]
    return PublishedScore(_average(f1), _average(discontinuous))


def published_speed(recipe: str, linearization: str) -> int | None:
    """Of Table 6."""
    return _SPEEDS.get(linearization, {}).get(recipe)


def published_size(recipe: str, linearization: str) -> PublishedSize | None:
    """Of Table 7."""
    size = _SIZES.get(linearization, {}).get(recipe)
    return None if size is None else PublishedSize(*size)


def _average(mean: _Mean) -> Average:
    return Average(*mean, _SEEDS)
