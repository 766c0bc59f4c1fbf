"""What a plan makes of its axes, and what is wrong with one is said in a sentence that names the place."""

from pathlib import Path

import pytest

from discoseq.errors import ConfigError
from discoseq.experiments.plan import Treebank, select_cells
from discoseq.experiments.plan_file import named_plans, read_plan
from discoseq.experiments.published import published_score, published_size
from discoseq.experiments.treebank_files import find_treebank
from discoseq.linearizations.linearization import linearization
from discoseq.training.config import read_config
from discoseq.treebanks.recipes.apply import RECIPES
from experiments.plans import CELLS, PLAN, write_plan


def test_a_cell_is_a_treebank_a_variant_a_linearization_and_a_seed(tmp_path: Path) -> None:
    cells = read_plan(write_plan(tmp_path)).cells()
    assert [cell.name for cell in cells] == CELLS
    assert [cell.config.training.seed for cell in cells] == [1, 2, 1, 2, 1]
    assert [cell.config.training.epochs for cell in cells] == [2, 2, 3, 3, 2]
    assert [cell.config.model.stack_heads for cell in cells] == [1, 1, 1, 1, 0]
    assert {cell.config.model.width for cell in cells} == {16}
    assert {cell.config.model.decoder_layers for cell in cells} == {1}  # of the configuration


def test_the_command_line_has_the_last_word(tmp_path: Path) -> None:
    plan = write_plan(tmp_path)
    cells = read_plan(plan, ["training.epochs=7", "treebanks.twenty.prepared=elsewhere"], seeds=1).cells()
    assert {cell.config.training.epochs for cell in cells} == {7}
    assert {cell.seed for cell in cells} == {1}
    named = read_plan(plan, ["treebanks.twenty.prepared=elsewhere"])
    assert named.plan.treebanks["twenty"].prepared == "elsewhere"
    assert read_plan(plan).plan.treebanks["twenty"].prepared == str(tmp_path / "data")


def test_fewer_seeds_than_a_variant_has_are_fewer_everywhere_and_more_are_not(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, PLAN.replace("seeds = 1", "seeds = 2"))
    assert len(read_plan(plan, seeds=1).cells()) == 3
    assert [cell.seed for cell in read_plan(plan, seeds=3).cells() if cell.variant == "plain"] == [1, 2]


def test_names_of_one_kind_are_alternatives_and_kinds_are_combined(tmp_path: Path) -> None:
    cells = read_plan(write_plan(tmp_path)).cells()
    assert [cell.name for cell in select_cells(cells, ["plain"])] == CELLS[4:]
    assert [cell.name for cell in select_cells(cells, ["heads", "top-down+swap"])] == CELLS[2:4]
    assert len(select_cells(cells, ["heads", "plain"])) == len(select_cells(cells, [])) == 5
    with pytest.raises(ConfigError, match=r"no treebank, variant or linearization 'twnty': choose from heads, "):
        select_cells(cells, ["twnty"])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seeds = 2", "sedes = 2", "there is no setting sedes; did you mean seeds?"),
        ("seeds = 2", "seeds = 0", "seeds must be from 1 to 1000, not 0"),
        ("seeds = 2", 'seeds = "two"', "seeds must be a whole number, not 'two'"),
        ("beams = [2, 1]", "beams = [0]", "beams must be from 1 to 1000, not 0"),
        ('"dev", "test"', '"dev", "tset"', "splits: there is no 'tset': choose from dev, test"),
        ("in-order+swap", "in-ordre+swap", "linearizations: there is no linearization 'in-ordre+swap'"),
        ('config = "tiny.toml"', "", "treebanks.twenty.config is missing"),
        (
            'config = "tiny.toml"',
            'config = "tiny.toml"\nrecipe = "nigra"',
            "treebanks.twenty.recipe: there is no recipe",
        ),
        ('prepared = "data"', "prepare = 1", "there is no setting treebanks.twenty.prepare; did you mean"),
        ("[treebanks.twenty]", "[treebanks]", "treebanks.config must be a table"),
        ("epochs = 2", "epochs = 0", "training.epochs must be at least 1, not 0"),
        ("settings.model.stack", "settings.model.stak", "there is no setting variants.plain.settings.model.stak_heads"),
        (
            "settings.training.epochs = 3",
            "settings.training.seed = 3",
            "overrides[1].settings.training.seed is decided",
        ),
        (
            "settings.training.epochs = 3",
            'settings.training.epochs = "x"',
            "overrides[1].settings.training.epochs must be",
        ),
        ("[[overrides]]", "[[overrides]]\nvariants = ['no']", "overrides[1].variants: there is no 'no'"),
        ("[variants.heads]", "[variants.twenty]", "twenty is the name of two things"),
        ("[variants.heads]", "[variants.all]", "variants.all: this name is taken"),
        ("[variants.heads]", '[variants."a.b"]', "variants.a.b: a name has letters"),
        ("beams = [2, 1]", "beams = [2, 2]", "beams has 2 twice"),
        ('"in-order+swap", "top', '"top-down+swap", "top', "linearizations has top-down+swap twice"),
        ("seeds = 1", "seeds = 3", "variants.plain.seeds must be from 1 to 2, not 3"),
        ("[variants.heads]", '[variants."a/b"]', "variants.a/b: a name has letters"),
        ("seeds = 2", "seeds = ", "Invalid value"),
    ],
)
def test_a_mistake_is_named_with_its_place(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in PLAN
    plan = write_plan(tmp_path, PLAN.replace(old, new, 1))
    with pytest.raises(ConfigError) as caught:
        read_plan(plan).cells()
    assert str(caught.value).startswith(f"{plan}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_wrong_setting_of_the_command_line_is_named(tmp_path: Path) -> None:
    plan = write_plan(tmp_path)
    with pytest.raises(
        ConfigError, match=r"--set model.widht=3: there is no setting model.widht; did you mean model.width"
    ):
        read_plan(plan, ["model.widht=3"])
    with pytest.raises(ConfigError, match=r"training.seed is decided by seeds in a plan"):
        read_plan(plan, ["training.seed=3"])
    with pytest.raises(ConfigError, match="no such file, and none of the plans ablation, open, paper-continuous"):
        read_plan("nowhere")


@pytest.mark.parametrize("name", ["ablation", "open", "paper-continuous", "paper-discontinuous"])
def test_the_plans_of_discoseq_are_right(name: str) -> None:
    assert name in named_plans()
    cells = read_plan(name).cells()
    assert cells
    for treebank in read_plan(name).plan.treebanks.values():
        assert treebank.recipe in RECIPES


@pytest.mark.parametrize("name", ["paper-continuous", "paper-discontinuous"])
def test_the_plans_of_the_paper_are_its_configurations_and_cover_its_tables(name: str) -> None:
    for cell in read_plan(name).cells():
        config = read_config(f"paper/{cell.treebank}", [f'linearization="{cell.linearization}"'])
        assert (cell.config.model, cell.config.search) == (config.model, config.search)
        for split in ("dev", "test"):
            assert published_score(cell.treebank, split, cell.linearization)
        assert published_size(cell.treebank, cell.linearization)
    assert len(read_plan(name).cells()) == {"paper-continuous": 15, "paper-discontinuous": 45}[name]


def test_the_ablation_varies_heads_loss_constraints_features_oracle_and_beam() -> None:
    variants = {cell.variant: cell.config for cell in read_plan("ablation").cells()}
    base, *others = variants.values()
    assert base.model.stack_heads == base.model.buffer_heads == 1
    assert any(config.model.stack_heads == config.model.buffer_heads == 0 for config in others)
    assert any(not config.training.masked_loss for config in others)
    assert {config.search.constraints for config in variants.values()} == {"weak", "exact"}
    assert {config.model.state_features for config in variants.values()} == {"none", "words", "corners", "labels"}
    assert any(linearization(config.linearization).reordering.is_eager for config in others)
    assert read_plan("ablation").plan.beams == [10, 1]


def test_a_preparation_that_was_killed_is_repeated(tmp_path: Path) -> None:
    source = Path(__file__).resolve().parents[1] / "treebanks" / "recipes" / "sources" / "tiger"
    treebank = Treebank(config="paper/tiger", recipe="tiger", source=str(source), prepared=str(tmp_path / "tiger"))
    complete = find_treebank("tiger", treebank, tmp_path, "plan.toml")
    # as between the moves of two files: the card comes last
    (tmp_path / "tiger" / ".discoseq-1234").mkdir()
    for path in (complete.paths["dev"], tmp_path / "tiger" / "card.json"):
        path.unlink()
    assert find_treebank("tiger", treebank, tmp_path, "plan.toml") == complete
    assert (tmp_path / "tiger" / "card.json").exists()
