"""Language models in GGUF files: the same vectors as from a directory, and one sentence if a file can't be read."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import transformers

from discoseq.errors import MissingExtraError, ModelError
from discoseq.model.pretrained.language_model import embed
from discoseq.model.pretrained.loading import load_pretrained
from model.pretrained.tiny import CAUSAL_KINDS, SENTENCES, WINDOW, loaded

_NORMAL, _CONTROL = 1, 3  # types of tokens


@pytest.fixture(scope="module")
def qwen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return CAUSAL_KINDS["qwen"](tmp_path_factory.mktemp("gguf") / "qwen")


@pytest.fixture(scope="module")
def file(qwen: Path) -> Path:
    """The same model as a GGUF file, in single precision."""
    gguf = pytest.importorskip("gguf", reason="the package gguf is not installed")
    path = qwen.parent / "tiny.gguf"
    model = transformers.AutoModel.from_pretrained(qwen)
    writer = gguf.GGUFWriter(path, "qwen2")
    _write_sizes(writer, model.config)
    _write_tokenizer(writer, json.loads((qwen / "tokenizer.json").read_text()))
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.QWEN2, model.config.num_hidden_layers)
    for name, tensor in model.state_dict().items():
        stem, _, kind = name.rpartition(".")
        writer.add_tensor(f"{names.get_name(f'model.{stem}')}.{kind}", tensor.float().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _write_sizes(writer: Any, config: Any) -> None:
    writer.add_name("tiny")
    writer.add_context_length(WINDOW)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_vocab_size(config.vocab_size)


def _write_tokenizer(writer: Any, table: dict[str, Any]) -> None:
    tokens = sorted(table["model"]["vocab"], key=table["model"]["vocab"].get)
    special = {token["content"] for token in table["added_tokens"]}
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_types([_CONTROL if token in special else _NORMAL for token in tokens])
    writer.add_token_merges([" ".join(pair) for pair in table["model"]["merges"]])
    writer.add_eos_token_id(tokens.index("<|endoftext|>"))


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("output", ["last", "2"])
def test_a_gguf_file_gives_the_vectors_of_the_directory(output: str, qwen: Path, file: Path) -> None:
    for one, other in zip(vectors(file, output), vectors(qwen, output), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


def vectors(place: Path, output: str) -> list[np.ndarray]:
    language_model, tokenizer = loaded(place, output)
    found: dict[int, np.ndarray] = {}
    for numbers, arrays in embed(language_model, tokenizer, SENTENCES):
        found.update(zip(numbers, arrays, strict=True))
    return [found[i] for i in range(len(SENTENCES))]


def test_loading_a_gguf_file_prints_nothing(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    load_pretrained(str(file), "2")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("share", [0.0, 0.0001, 0.1, 0.5, 0.9, 0.999])
def test_the_error_for_a_truncated_file_is_one_sentence(share: float, file: Path, tmp_path: Path) -> None:
    content = file.read_bytes()
    (tmp_path / "part.gguf").write_bytes(content[: int(share * len(content))])
    with pytest.raises(ModelError, match=r"part\.gguf: the language model can't be read \(.+\)") as caught:
        load_pretrained(str(tmp_path / "part.gguf"), "2")
    assert "\n" not in str(caught.value)


def test_the_error_for_a_missing_file_names_it(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"none\.gguf: there is no such file"):
        load_pretrained(str(tmp_path / "none.gguf"), "last")


@pytest.mark.parametrize("package", ["gguf", "accelerate"])
def test_the_error_without_a_package_names_the_extra(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in ("gguf", "accelerate"):
        monkeypatch.setitem(sys.modules, each, None if each == package else sys)
    (tmp_path / "some.gguf").write_bytes(b"GGUF")
    with pytest.raises(MissingExtraError, match=rf"GGUF file needs {package}: pip install 'discoseq\[gguf\]'"):
        load_pretrained(str(tmp_path / "some.gguf"), "last")
