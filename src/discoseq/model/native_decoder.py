"""The decoder and the machine as compiled code (native/decoder.cpp): what search uses for a network on a CPU.

The package is installed without it where there is no C++ compiler; then, and where DISCOSEQ_NATIVE=0 is set, the
decoder of PyTorch and the machine of NumPy do the same, several times slower.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from functools import lru_cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary, finalize

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import linear

from discoseq.linearizations.actions import Move
from discoseq.linearizations.machine import Machine
from discoseq.linearizations.state import Bools, Ints
from discoseq.model.decoder import NEAR, Decoder
from discoseq.model.layers import DecoderLayer, frequencies

_TRAVERSALS = ("top-down", "in-order", "bottom-up")  # numbered as in native/machine.hpp


@lru_cache(maxsize=1)
def _library() -> Any | None:
    """The compiled code, or None where there is none."""
    names = [f"_decoder{suffix}" for suffix in EXTENSION_SUFFIXES]
    files = [path for path in map(Path(__file__).with_name, names) if path.is_file()]
    if not files or os.environ.get("DISCOSEQ_NATIVE") == "0":
        return None
    try:
        library = ctypes.CDLL(str(files[0]))
    except OSError:  # compiled for another machine
        return None
    for name in ("discoseq_decoder_new", "discoseq_search_new"):
        getattr(library, name).restype = ctypes.c_void_p
    return library


def has_native_decoder() -> bool:
    """Whether the compiled code is there and not switched off."""
    return _library() is not None


class NativeDecoder:
    """A copy of a decoder's weights, arranged for the compiled code."""

    def __init__(self, decoder: Decoder, machine: Machine) -> None:
        library = _library()
        assert library is not None
        self.library = library
        vocabulary = machine.vocabulary
        arrays = np.concatenate([vocabulary.moves, vocabulary.distances, vocabulary.label_indices]).astype(np.int32)
        settings = np.array(_settings(decoder, machine), dtype=np.int32)
        weights = [tensor.detach().to(torch.float32).contiguous() for tensor in _weights(decoder)]
        self.handle = ctypes.c_void_p(
            library.discoseq_decoder_new(_address(settings), _address(arrays), _addresses(weights))
        )
        finalize(self, library.discoseq_decoder_delete, self.handle)
        self._sources = [layer.cross_attention.project_source for layer in _layers(decoder)]
        self._feature_words: Tensor | None = None  # (feature words x width, width)
        if decoder.embed_words is not None:
            width = decoder.embed.embedding_dim
            by_feature = decoder.embed_words.weight.detach().view(width, decoder.feature_words, width)
            self._feature_words = by_feature.transpose(0, 1).reshape(-1, width)
        self._pointer_key = None if decoder.pointer is None else decoder.pointer.key

    def read(self, encoded: Tensor) -> list[Tensor]:
        """Of encoded words (words, width): every layer's keys and values, feature words' parts, the pointer's keys."""
        nothing = encoded.new_empty(0)
        return [
            *(project(encoded) for project in self._sources),
            nothing if self._feature_words is None else linear(encoded, self._feature_words),
            nothing if self._pointer_key is None else self._pointer_key(encoded),
        ]

    @classmethod
    def of(cls, decoder: Decoder, machine: Machine) -> NativeDecoder | None:
        """For a decoder on a CPU, where there is compiled code; made anew only when the weights have changed."""
        parameters = list(decoder.parameters())
        is_known = machine.linearization.traversal.name in _TRAVERSALS
        if not has_native_decoder() or not is_known or not all(_is_plain(x) for x in parameters):
            return None
        version = (id(machine), *((x.data_ptr(), x._version) for x in parameters))
        known = _DECODERS.get(decoder)
        if known is None or known[0] != version:
            known = _DECODERS[decoder] = (version, cls(decoder, machine))
        return known[1]


# the version of the weights and their copy, by decoder
_DECODERS: WeakKeyDictionary[nn.Module, tuple[tuple[Any, ...], NativeDecoder]] = WeakKeyDictionary()


class NativeDerivations:
    """Derivations (see search/derivations.py) of sentences whose words are encoded: (words, width) each."""

    def __init__(self, native: NativeDecoder, machine: Machine, encoded: Sequence[Tensor]) -> None:
        self.machine = machine
        self._native = native
        self._encoded = encoded
        self._library = native.library
        self._search = ctypes.c_void_p(self._library.discoseq_search_new(native.handle))
        self._rows = 0
        finalize(self, self._library.discoseq_search_delete, self._search)

    def start(self, sentences: Sequence[int]) -> Bools:
        """One derivation for each of these sentences."""
        chosen = [self._encoded[i] for i in sentences]
        offsets = np.cumsum([0, *map(len, chosen)], dtype=np.int32)
        # they are read until the next start, so they must not be freed
        self._sources = self._native.read(torch.cat(chosen))
        self._rows = len(chosen)
        self._library.discoseq_search_start(self._search, len(chosen), _address(offsets), _addresses(self._sources))
        return self._is_finished()

    def keep(self, rows: Ints) -> None:
        """Only these rows, in this order."""
        kept = np.ascontiguousarray(rows, dtype=np.int64)
        self._rows = len(kept)
        self._library.discoseq_search_keep(self._search, len(kept), _address(kept))

    def log_probabilities(self) -> NDArray[np.float32]:
        """Of the next action (rows, actions)."""
        found = np.empty((self._rows, len(self.machine.vocabulary)), dtype=np.float32)
        self._library.discoseq_search_score(self._search, _address(found))
        return found

    def apply(self, parents: Ints, actions: Ints) -> Bools:
        """Each new row continues a row by an action."""
        parents, actions = (np.ascontiguousarray(x, dtype=np.int64) for x in (parents, actions))
        self._rows = len(parents)
        self._library.discoseq_search_advance(self._search, len(parents), _address(parents), _address(actions))
        return self._is_finished()

    def _is_finished(self) -> Bools:
        found = np.empty(self._rows, dtype=np.bool_)
        self._library.discoseq_search_finished(self._search, _address(found))
        return found


def _settings(decoder: Decoder, machine: Machine) -> list[int]:
    """In the order of `Settings` in native/weights.hpp."""
    linearization, pointer, vocabulary = machine.linearization, decoder.pointer, machine.vocabulary
    return [
        len(vocabulary),
        len(decoder.layers),
        decoder.embed.embedding_dim,
        decoder.heads,
        _layers(decoder)[0].feed_forward.get_parameter("0.bias").numel(),
        int(isinstance(decoder.norm, nn.LayerNorm)),
        decoder.buffer_heads,
        decoder.stack_heads,
        decoder.dedicated_layers,
        decoder.feature_words,
        0 if decoder.embed_labels is None else decoder.embed_labels.kinds,
        0 if pointer is None else pointer.query.out_features,
        NEAR,
        1 + int(vocabulary.distances[vocabulary.columns(Move.SHIFT)].max()),
        _TRAVERSALS.index(linearization.traversal.name),
        linearization.traversal.children_before_label,
        machine.unary_limit,
        int(linearization.reordering.has_swap),
        int(linearization.reordering.has_counted_shift),
        int(linearization.is_enriched),
        int(machine.is_weak),
    ]


def _weights(decoder: Decoder) -> list[Tensor]:
    """In the order in which the constructor of `Decoder` in native/weights.hpp reads them."""
    weights: list[Tensor] = [decoder.embed.weight, frequencies(decoder.embed.embedding_dim // 2)]
    modules: list[nn.Module] = [] if decoder.embed_labels is None else [decoder.embed_labels]
    for layer in _layers(decoder):
        modules += [layer.self_attention.project, layer.self_attention.out]
        modules += [layer.cross_attention.project_query, layer.cross_attention.out]
        modules += [layer.feed_forward, layer.residuals]
    modules += [decoder.norm, decoder.out]
    if decoder.pointer is not None:
        modules += [decoder.pointer.query, decoder.pointer.nearness]
    return [*weights, *(parameter for module in modules for parameter in module.parameters())]


def _is_plain(parameter: Tensor) -> bool:
    """Whether the compiled code can use it; changes of an inference tensor would go unnoticed."""
    is_tracked = not parameter.is_inference()
    return parameter.device.type == "cpu" and parameter.dtype == torch.float32 and is_tracked


def _layers(decoder: Decoder) -> list[DecoderLayer]:
    return [layer for layer in decoder.layers if isinstance(layer, DecoderLayer)]


def _address(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _addresses(tensors: Sequence[Tensor]) -> Any:
    return (ctypes.c_void_p * len(tensors))(*(tensor.data_ptr() for tensor in tensors))
