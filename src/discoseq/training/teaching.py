"""Learning from finished models beside the treebank: what they find probable is a softer target than one right action.

Hinton, Vinyals & Dean (2015); for parsers that learn from an ensemble, Kuncoro et al. (2016).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from discoseq.batching.examples import Example, make_batch
from discoseq.errors import ConfigError
from discoseq.linearization.action_vocabulary import ActionVocabulary
from discoseq.model.bundle import Model
from discoseq.model.directory import load_model


class Teachers:
    """Models with the actions of the one that learns; together they say the mean of their probabilities."""

    def __init__(self, models: Sequence[Model]) -> None:
        self.models = models

    @classmethod
    def load(cls, directories: Sequence[str], vocabulary: ActionVocabulary) -> Teachers:
        """From model directories; one with other actions is refused."""
        models = [load_model(Path(directory)) for directory in directories]
        for directory, model in zip(directories, models, strict=True):
            if model.vocabularies.actions.tokens != vocabulary.tokens:
                raise ConfigError(f"{directory}: this teacher has other actions than the model that learns")
        return cls(models)

    @torch.no_grad()
    def probabilities(self, examples: Sequence[Example], device: torch.device) -> Tensor:
        """Of all actions at all steps of the sequences (batch, steps, actions)."""
        opinions = []
        for model in self.models:
            batch = make_batch(model.vocabularies, model.machine, examples).to(device)
            scores = model.network.to(device)(batch).actions.float()
            opinions.append(scores.masked_fill(~batch.is_allowed, -torch.inf).softmax(dim=-1))
        return torch.stack(opinions).mean(dim=0)
