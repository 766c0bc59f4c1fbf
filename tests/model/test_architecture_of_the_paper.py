"""The paper's network has the parameters of the published code, counted here from its description."""

import torch

from discoseq.batching.vocabularies import Vocabularies, Vocabulary
from discoseq.linearizations.action_vocabulary import ActionVocabulary
from discoseq.linearizations.actions import non_terminal
from discoseq.linearizations.linearization import linearization
from discoseq.model.network import Model
from discoseq.model.settings import ModelSettings

ACTIONS = 70
WIDTH, HIDDEN, VECTOR, LAYERS = 256, 512, 1024, 6


def paper_network() -> dict[str, torch.Tensor]:
    """In-order+SWAP: PAD, SHIFT, SWAP, REDUCE and FINISH, and labels up to the number of actions."""
    chosen = linearization("in-order+swap")
    labels = [non_terminal(f"L{number}") for number in range(ACTIONS - 5)]
    actions = ActionVocabulary.of(chosen, [labels])
    assert len(actions) == ACTIONS
    nothing = Vocabulary(())
    vocabularies = Vocabularies(nothing, nothing, nothing, nothing, actions)
    model = Model.create(ModelSettings(), vocabularies, chosen.name, vector_width=VECTOR)
    return dict(model.network.named_parameters())


def linear(inputs: int, outputs: int) -> list[tuple[int, ...]]:
    return [(outputs, inputs), (outputs,)]


def described_shapes() -> list[tuple[int, ...]]:
    """Queries, keys, values and output have a matrix and a bias each; post-norm has none but the layers' norms."""
    attention = 4 * linear(WIDTH, WIDTH)
    feed_forward = linear(WIDTH, HIDDEN) + linear(HIDDEN, WIDTH)
    norm: list[tuple[int, ...]] = [(WIDTH,), (WIDTH,)]
    encoder_layer = attention + feed_forward + 2 * norm
    decoder_layer = 2 * attention + feed_forward + 3 * norm
    # a projection without bias; no positions learnt; the output matrix is not the embeddings
    outside: list[tuple[int, ...]] = [(WIDTH, VECTOR), (ACTIONS, WIDTH), (ACTIONS, WIDTH)]
    return LAYERS * (encoder_layer + decoder_layer) + outside


def unstacked(name: str, shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Queries, keys and values are rows of one matrix here."""
    parts = {"self_attention.project.": 3, "attention.project.": 3, "project_source.": 2}
    count = next((count for part, count in parts.items() if part in name), 1)
    return count * [(shape[0] // count, *shape[1:])]


def test_the_shapes_are_those_described() -> None:
    found = [part for name, tensor in paper_network().items() for part in unstacked(name, tuple(tensor.shape))]
    assert sorted(found) == sorted(described_shapes())


def test_the_number_of_parameters_is_that_described() -> None:
    described = sum(int(torch.tensor(shape).prod()) for shape in described_shapes())
    assert sum(tensor.numel() for tensor in paper_network().values()) == described == 8_205_312
