"""Gradual unfreezing (Howard and Ruder, 2018): the layers of an encoder begin to learn one after the other."""

from __future__ import annotations

from dataclasses import dataclass

from torch import nn

from discoseq.model.pretrained.language_model import LanguageModel


@dataclass(frozen=True, slots=True, eq=False)
class Thawing:
    """Which parameters learn is a function of the epoch, so a run that is taken up again goes on as it would have."""

    stages: list[list[nn.Parameter]]  # the topmost layer first; last of all what lies below the layers
    every: int  # epochs; 0: all learn from the beginning

    @classmethod
    def of(cls, language_model: LanguageModel, every: int) -> Thawing:
        """Of all that learns when the encoder is prepared."""
        blocks = list(reversed(language_model.used_blocks()))
        stages = [[x for x in block.parameters() if x.requires_grad] for block in blocks]
        of_blocks = {id(parameter) for stage in stages for parameter in stage}
        rest = [x for x in language_model.parameters() if x.requires_grad and id(x) not in of_blocks]
        return cls([*stages, rest], every)

    def at(self, epoch: int) -> None:
        """Let learn what is to learn in this epoch, counted from 0; in the first ones the encoder stands still."""
        thawed = epoch // self.every if self.every else len(self.stages)
        for number, stage in enumerate(self.stages):
            for parameter in stage:
                parameter.requires_grad_(number < thawed)
                if number >= thawed:
                    parameter.grad = None  # or the optimizer would go on with it
