"""A handful of trees, and networks that are small enough to be built and run in no time."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from discoseq.batching.examples import Batch, make_batch, make_examples
from discoseq.batching.vocabularies import Vocabularies
from discoseq.linearizations.linearization import linearization
from discoseq.model.network import Heads, Model
from discoseq.model.settings import ModelSettings
from discoseq.treebanks.files import parse_trees
from discoseq.trees.tree import Tree

torch.set_num_threads(1)  # tests run side by side, and threads that wait for each other take longer than one

TREES = parse_trees(
    """
(ROOT (S (VP (NP (DT 0=Das) (NN 1=Buch)) (VVPP 4=gelesen)) (VAFIN 2=hat) (NP (PPER 3=er))) ($. 5=.))
(ROOT (NP (NN 0=Ruhe)))
(ROOT (S (NP (DT 0=der) (NN 1=Mann) (PP (APPR 4=mit) (NP (NN 5=Hut)))) (VVFIN 2=kam) (ADV 3=gestern)))
(ROOT (S (VP (ADV 0=darüber) (VP (PPER 3=nicht) (VVPP 4=gesprochen))) (VAFIN 1=wird) (NP (PIS 2=nichts))) ($. 5=!))
(ROOT (S (NP (NN 0=Hans)) (VP (VVFIN 1=sieht) (NP (DT 2=das) (AP (ADJ 3=sehr) (ADJ 4=alte)) (NN 5=Haus)))))
""",
    "discbracket",
)
CONTINUOUS = [tree for tree in TREES if not tree.is_discontinuous]

# all parts in small: features of every kind but vectors, and state features
EVERYTHING = ModelSettings(
    width=32,
    hidden=48,
    encoder_layers=2,
    decoder_layers=2,
    word_width=12,
    character_filters=10,
    min_word_count=1,
    positions=True,
    state_features="words",
)
PLAIN = replace(EVERYTHING, state_features="none")
POINTER = replace(EVERYTHING, state_features="corners", pointer=True)
VECTORS = replace(PLAIN, word_width=0, character_filters=0)  # needs a vector width
VECTOR_WIDTH = 20
HEADS = Heads(tags=True, ancestors=True)


def small_model(
    settings: ModelSettings = EVERYTHING, name: str = "in-order+swap", seed: int = 1, heads: Heads = HEADS
) -> Model:
    """A network with random weights over the trees that the linearization can express."""
    torch.manual_seed(seed)
    vocabularies = Vocabularies.of(trees_for(name), linearization(name), settings.min_word_count)
    vector_width = 0 if settings.word_width or settings.character_filters else VECTOR_WIDTH
    model = Model.create(settings, vocabularies, name, heads, vector_width=vector_width)
    model.network.eval()
    return model


def trees_for(name: str) -> list[Tree]:
    return TREES if linearization(name).reordering.can_reorder else CONTINUOUS


def batch_of(model: Model, trees: Sequence[Tree]) -> Batch:
    """The trees as a batch, with random vectors if the network reads them, which depend on nothing but the words."""
    batch = make_batch(model.vocabularies, model.machine, make_examples(model.machine, trees))
    if not model.network.features.vector_width:
        return batch
    return replace(batch, sentences=batch.sentences.with_vectors([vectors_of(model, tree) for tree in trees]))


def vectors_of(model: Model, tree: Tree) -> np.ndarray:
    seeds = [sum(map(ord, word)) for word in tree.words]
    return np.stack([np.random.default_rng(seed).random(VECTOR_WIDTH, np.float32) for seed in seeds])
