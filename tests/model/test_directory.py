"""Model directories: what was saved comes back, and whatever is wrong with one is said in one sentence."""

import json
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from discoseq import storage
from discoseq.errors import ModelError
from discoseq.model import directory as directory_module
from discoseq.model.directory import load_model, pack_weights, save_model, unpack_weights
from discoseq.model.model_files import FILES, TOKENIZER, read_extra
from model.small import EVERYTHING, PLAIN, POINTER, TREES, batch_of, small_model


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    save_model(small_model(), tmp_path / "model", {"seed": 7, "card": "# A card\n"})
    return tmp_path / "model"


@pytest.mark.parametrize("name", ["in-order+swap", "bottom-up+shift#k", "enriched-top-down", "bracketed"])
def test_what_was_saved_comes_back(name: str, tmp_path: Path) -> None:
    model = small_model(replace(EVERYTHING, pre_norm=True, dropout=0.2), name)
    save_model(model, tmp_path / "deep" / "model", {"seed": 7, "data": {"train": "abc"}})
    loaded = load_model(tmp_path / "deep" / "model")
    assert loaded.settings == model.settings
    assert loaded.machine.linearization.name == name
    assert loaded.vocabularies.as_dict() == model.vocabularies.as_dict()
    assert not loaded.network.training
    trees = TREES[1:2]
    found, expected = (x.network(batch_of(x, trees)).actions for x in (loaded, model))
    assert torch.allclose(found, expected, atol=1e-5)  # memory of another alignment may be multiplied by another kernel
    assert all(torch.equal(x, model.network.state_dict()[name]) for name, x in loaded.network.state_dict().items())
    assert read_extra(tmp_path / "deep" / "model") == {"seed": 7, "data": {"train": "abc"}}


def test_what_a_network_knows_of_its_vocabulary_comes_back_too(tmp_path: Path) -> None:
    model = small_model(POINTER, "in-order+shift#k")
    save_model(model, tmp_path / "model", {})
    loaded = load_model(tmp_path / "model")
    assert torch.equal(loaded.network(batch_of(loaded, TREES)).actions, model.network(batch_of(model, TREES)).actions)


def test_a_loaded_model_can_be_trained_further(saved: Path) -> None:
    model = load_model(saved)
    model.network.train()
    torch.autograd.backward(model.network(batch_of(model, TREES)).actions.sum())
    assert all(parameter.is_leaf and parameter.requires_grad for parameter in model.network.parameters())


def test_loading_draws_no_random_numbers(saved: Path) -> None:
    before = torch.get_rng_state()
    load_model(saved)
    assert torch.equal(torch.get_rng_state(), before)


def test_loading_does_not_import_the_compiler_of_torch(saved: Path) -> None:
    program = (
        "import sys; from discoseq.model.directory import load_model; load_model(sys.argv[1]); "
        "sys.exit('torch._dynamo' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program, str(saved)], check=False).returncode == 0


def test_a_directory_holds_four_files_and_no_pickle(saved: Path) -> None:
    assert {path.name for path in saved.iterdir()} == {*FILES} - {TOKENIZER}  # it is for models with a language model
    assert (saved / "README.md").read_text() == "# A card\n"
    assert [path.name for path in saved.parent.iterdir()] == ["model"]
    assert json.loads((saved / "config.json").read_text())["format_version"] == 2


def test_a_model_in_place_of_another_replaces_it(saved: Path) -> None:
    save_model(small_model(PLAIN), saved)
    assert load_model(saved).settings == PLAIN
    assert [path.name for path in saved.parent.iterdir()] == ["model"]
    assert "in-order+swap" in (saved / "README.md").read_text()


@pytest.mark.parametrize(("module", "function"), [(directory_module, "save_file"), (storage, "_replace_folder")])
def test_the_model_before_survives_a_full_disk(
    saved: Path, module: ModuleType, function: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, function, fail)
    with pytest.raises(ModelError, match=r"can't write the model .*No space left"):
        save_model(small_model(PLAIN), saved)
    assert load_model(saved).settings == EVERYTHING
    assert [path.name for path in saved.parent.iterdir()] == ["model"]


def test_the_model_before_comes_back_when_the_new_one_can_not_take_its_place(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.rename

    def fail_for_the_new_one(self: Path, target: Path) -> Path:
        if self.name.endswith(".partial"):
            raise OSError(5, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail_for_the_new_one)
    with pytest.raises(ModelError, match="Input/output error"):
        save_model(small_model(PLAIN), saved)
    assert load_model(saved).settings == EVERYTHING
    assert [path.name for path in saved.parent.iterdir()] == ["model"]


def test_nothing_but_a_model_is_ever_replaced(saved: Path, tmp_path: Path) -> None:
    (saved / "thesis.tex").write_text("the only copy")
    with pytest.raises(ModelError, match=r"holds thesis\.tex"):
        save_model(small_model(), saved)
    assert (saved / "thesis.tex").exists()
    (tmp_path / "file").touch()
    with pytest.raises(ModelError, match="this is a file"):
        save_model(small_model(), tmp_path / "file")


def test_a_directory_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"nowhere: there is no such model directory"):
        load_model(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["config.json", "vocabularies.json", "model.safetensors"])
def test_a_missing_file_is_named(saved: Path, name: str) -> None:
    (saved / name).unlink()
    with pytest.raises(ModelError, match=rf"{name}: the model is incomplete"):
        load_model(saved)


@pytest.mark.parametrize("name", ["config.json", "vocabularies.json", "model.safetensors"])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.99])
def test_a_file_that_is_cut_short_is_named(saved: Path, name: str, share: float) -> None:
    content = (saved / name).read_bytes()
    (saved / name).write_bytes(content[: int(len(content) * share)])
    with pytest.raises(ModelError, match=rf"{name}(:\d+)?: the file is damaged or truncated"):
        load_model(saved)


def test_weights_are_never_unpickled(saved: Path) -> None:
    class Bomb:
        def __reduce__(self) -> tuple[Callable[..., Any], tuple[str]]:
            return pytest.fail, ("unpickled",)

    (saved / "model.safetensors").write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(ModelError, match=r"model\.safetensors: the file is damaged"):
        load_model(saved)


def change_json(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    value = json.loads(path.read_text())
    changed = change(value)
    path.write_text(json.dumps(value if changed is None else changed))


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        (
            "config.json",
            lambda c: c | {"format_version": 3},
            "this discoseq reads 2; use a newer",
        ),
        ("config.json", lambda c: c | {"format_version": "1"}, "no discoseq model"),
        ("config.json", lambda c: c.pop("format_version") and c, "format_version is None"),
        ("config.json", lambda c: c | {"format_version": 1}, "reads 2; train it again"),
        ("config.json", lambda c: c["model"].update(colour=3), "there is no setting colour"),
        ("config.json", lambda c: c["model"].update(width="wide"), "width must be a whole number, not 'wide'"),
        ("config.json", lambda c: c["model"].update(width=True), "width must be a whole number, not True"),
        ("config.json", lambda c: c["model"].update(heads=5), "multiple of heads, which is 5"),
        ("config.json", lambda c: c["model"].update(width=10**9), "width is 1000000000; it must be at most 8,192"),
        ("config.json", lambda c: c["model"].update(width=-1), "width is -1; it must be at least 4"),
        (
            "config.json",
            lambda c: c["model"].update(decoder_layers=10**6),
            "decoder_layers is 1000000; it must be at most",
        ),
        ("config.json", lambda c: c | {"unary_limit": 10**9}, "unary_limit is 1000000000; it must be at most 100,000"),
        ("config.json", lambda c: c | {"unary_limit": "many"}, "unary_limit must be a whole number, not 'many'"),
        ("config.json", lambda c: c.pop("model") and c, "must be a table, not None"),
        ("config.json", lambda c: c | {"linearization": "sideways"}, "no linearization 'sideways'"),
        ("config.json", lambda c: c | {"linearization": "bottom-up"}, "bottom-up"),
        ("config.json", lambda c: [1, 2], "expected a table, found list"),
        ("vocabularies.json", lambda v: v.pop("tags") and v, "no list of tags"),
        ("vocabularies.json", lambda v: v | {"words": [1]}, "no list of words"),
        ("vocabularies.json", lambda v: v["actions"].append("JUMP"), "'JUMP' is not an action"),
        ("vocabularies.json", lambda v: v["words"].append("more"), "words.embed.weight has the shape"),
    ],
)
def test_what_is_wrong_with_a_table_is_said_in_one_sentence(
    saved: Path, file: str, change: Callable[[dict[str, Any]], Any], message: str
) -> None:
    change_json(saved / file, change)
    with pytest.raises(ModelError) as caught:
        load_model(saved)
    assert message in str(caught.value)
    assert str(saved) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_tensors_that_do_not_fit_are_named(saved: Path, tmp_path: Path) -> None:
    tensors = load_file(saved / "model.safetensors")
    name = "decoder.out.weight"
    wrong = {
        f"the tensor {name} is missing": {key: value for key, value in tensors.items() if key != name},
        "the tensor extra does not belong to this network": tensors | {"extra": torch.zeros(1)},
        f"the tensor {name} has the shape": tensors | {name: torch.zeros(3, 32)},
    }
    for number, (message, content) in enumerate(wrong.items()):
        copy = shutil.copytree(saved, tmp_path / f"copy{number}")
        save_file(content, copy / "model.safetensors")
        with pytest.raises(ModelError, match=message):
            load_model(copy)


@pytest.fixture
def weights() -> dict[str, torch.Tensor]:
    torch.manual_seed(3)
    return {
        "table": torch.randn(20_000, 32),
        "layer": torch.randn(768, 768),
        "square": torch.randn(64, 64),
        "bias": torch.randn(64),
    }


def test_a_large_matrix_takes_a_byte_a_number_and_the_rest_two(weights: dict[str, torch.Tensor]) -> None:
    packed = pack_weights(weights)
    size = sum(tensor.numel() * tensor.element_size() for tensor in packed.values())
    assert size == 20_000 * (32 + 4) + 768 * (768 + 4) + 2 * (64 * 64 + 64)


def test_unpacking_gives_nearly_what_was_packed(weights: dict[str, torch.Tensor]) -> None:
    unpacked = unpack_weights(pack_weights(weights))
    assert unpacked.keys() == weights.keys()
    for name, tensor in weights.items():
        assert unpacked[name].dtype == torch.float32
        largest = tensor.abs().amax(dim=-1, keepdim=True)  # half a step of the row's scale is the most that is lost
        assert ((unpacked[name] - tensor).abs() <= largest * 0.5 / 127 + 1e-6).all()


def test_what_is_not_packed_is_left_as_it_is(weights: dict[str, torch.Tensor]) -> None:
    unpacked = unpack_weights(weights)
    assert all(torch.equal(unpacked[name], weights[name]) for name in weights)


def test_whole_numbers_stay_as_they_are() -> None:
    table = {"bytes": torch.randint(0, 256, (40_000, 32), dtype=torch.uint8)}
    assert torch.equal(unpack_weights(pack_weights(table))["bytes"], table["bytes"])


def test_a_table_with_a_row_of_zeros_comes_back(weights: dict[str, torch.Tensor]) -> None:
    weights["table"][0] = 0.0
    assert torch.equal(unpack_weights(pack_weights(weights))["table"][0], torch.zeros(32))


def test_packing_twice_changes_nothing_more(weights: dict[str, torch.Tensor]) -> None:
    once = unpack_weights(pack_weights(weights))
    twice = unpack_weights(pack_weights(once))
    assert all(torch.allclose(once[name], twice[name], atol=1e-6) for name in weights)
