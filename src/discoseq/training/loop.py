"""Training: epochs of batches, dev scored after each, checkpoints on the way, the best weights averaged at the end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import torch
from accelerate import Accelerator, PartialState
from accelerate.utils import DistributedDataParallelKwargs, gather_object, set_seed
from torch import nn

from discoseq.batching.batches import training_batches
from discoseq.batching.examples import Example, make_batch
from discoseq.decoding.decode import decode
from discoseq.evaluation import CorpusScores, evaluate
from discoseq.model.directory import pack_weights, unpack_weights
from discoseq.model.pretrained.lora import has_adapters, merge_adapters
from discoseq.search.beam import SearchOptions
from discoseq.training.checkpoints import (
    Position,
    average_weights,
    best_epochs,
    keep_if_best,
    load_checkpoint,
    save_checkpoint,
)
from discoseq.training.config import Config
from discoseq.training.data import TrainingData
from discoseq.training.events import EpochDone, Event, Finished, Started, StepDone
from discoseq.training.loss import total_loss
from discoseq.training.optimizer import learning_rate, make_optimizer, set_learning_rate
from discoseq.training.setup import set_up, store_language_model
from discoseq.trees.tree import Token

FINAL_BEAM = 10  # for the final scores on dev; after every epoch dev is parsed greedily
_CHECKPOINT_SECONDS = 300.0


def train(config: Config, data: TrainingData, folder: Path, is_resumed: bool) -> Iterator[Event]:
    """Fit a network and report every step; checkpoints and the best weights go into the folder."""
    return _Run(config, data, folder).events(is_resumed)


def is_main_process() -> bool:
    """Whether this process writes and reports for all processes of the run."""
    return bool(PartialState().is_main_process)


class _Run:
    """The state of a run between its steps."""

    def __init__(self, config: Config, data: TrainingData, folder: Path) -> None:
        self.config = config
        self.data = data
        self.folder = folder
        self.settings = config.training
        # the unused layers of a fine-tuned language model get no gradient
        unused = DistributedDataParallelKwargs(find_unused_parameters=bool(config.model.pretrained))
        self.accelerator = Accelerator(mixed_precision=config.training.precision, kwargs_handlers=[unused])
        self.position = Position()
        self.last_saved = time.monotonic()

    def events(self, is_resumed: bool) -> Iterator[Event]:
        set_seed(self.settings.seed)
        self.setup = yield from set_up(self.config, self.data)
        self.model, self.examples, self.dev_vectors = self.setup.model, self.setup.examples, self.setup.dev_vectors
        self.network = self.model.network
        self.optimizer = make_optimizer(self.network, self.settings)
        notes: list[str] = []
        if is_resumed:
            self.position, errors = load_checkpoint(self.folder / "checkpoints", self.network, self.optimizer)
            notes = [str(error) for error in errors]
        self.wrapped, self.optimizer = self.accelerator.prepare(self.network, self.optimizer)
        yield self._started(notes)
        while self.position.epoch < self.settings.epochs:
            yield from self._epoch()
        yield self._finish()

    def _started(self, notes: list[str]) -> Started:
        return Started(
            train_sentences=len(self.examples),
            dev_sentences=len(self.data.dev),
            too_long=self.setup.too_long,
            unknown=self.setup.unknown,
            actions=len(self.model.vocabularies.actions),
            parameters=sum(parameter.numel() for parameter in self.network.parameters()),
            epoch=self.position.epoch + 1,
            notes=tuple(notes),
        )

    def _epoch(self) -> Iterator[Event]:
        position, settings = self.position, self.settings
        costs = [example.cost for example in self.examples]
        batches = training_batches(costs, settings.batch_tokens, settings.seed, position.epoch)
        self.wrapped.train()
        for index in range(position.batch, len(batches)):
            start = time.monotonic()
            progress = (position.epoch + index / len(batches)) / settings.epochs
            examples = [self.examples[i] for i in batches[index]]
            loss, targets = self._update(examples, progress)
            position.batch = index + 1
            position.step += 1
            position.epoch_loss += loss
            position.epoch_targets += targets
            position.seconds += time.monotonic() - start
            yield StepDone(position.epoch + 1, position.step, progress, loss / targets, targets, self._rate)
            if time.monotonic() - self.last_saved > _CHECKPOINT_SECONDS:
                self._save()
        yield self._end_epoch()
        self._save()  # after the epoch was recorded: a run killed in between repeats it, and its record loses nothing

    def _update(self, examples: list[Example], progress: float) -> tuple[float, int]:
        """Learn from one batch, of which each process takes its share; the loss and the targets of the whole batch."""
        accelerator, settings = self.accelerator, self.settings
        # random numbers are a function of the step, so that a resumed run draws the same ones
        torch.manual_seed(hash((settings.seed, self.position.step, accelerator.process_index)) % 2**63)
        share = examples[accelerator.process_index :: accelerator.num_processes]
        # a process without a share must still take part: gradients are summed over all processes
        batch = make_batch(self.model.vocabularies, self.model.machine, share or examples[:1])
        batch = batch.to(accelerator.device)
        with accelerator.autocast():
            scores = self.wrapped(batch)
        total, loss = total_loss(scores, batch, settings)
        targets = sum(len(example.actions) for example in examples)
        # accelerate averages the gradients of the processes, but they are shares of one sum
        weight = accelerator.num_processes / targets if share else 0.0
        accelerator.backward(total * weight)
        if settings.clip_norm:
            accelerator.clip_grad_norm_(self.wrapped.parameters(), settings.clip_norm)
        set_learning_rate(self.optimizer, learning_rate(settings, self.position.step + 1, progress))
        self.optimizer.step()
        self.optimizer.zero_grad()
        return self._summed(float(loss.detach()) if share else 0.0), targets

    def _summed(self, value: float) -> float:
        """The sum over all processes."""
        if self.accelerator.num_processes == 1:
            return value
        mine = torch.tensor(value, device=self.accelerator.device, dtype=torch.float64)
        return float(self.accelerator.reduce(mine, reduction="sum"))

    def _end_epoch(self) -> EpochDone:
        position = self.position
        scores = self._score(1) if position.epoch + 1 >= self.settings.first_scored_epoch else None
        is_best = False
        if scores is not None:
            f1 = scores.f1 or 0.0
            is_best = all(f1 > other for _, other in position.scores)
            position.scores.append([position.epoch + 1, f1])
            self._keep_if_best()
        done = EpochDone(
            epoch=position.epoch + 1,
            step=position.step,
            loss=position.epoch_loss / max(1, position.epoch_targets),
            learning_rate=self._rate,
            seconds=position.seconds,
            targets_per_second=self._targets_per_second(),
            f1=scores.f1 if scores else None,
            discontinuous_f1=scores.discontinuous.f1 if scores else None,
            is_best=is_best,
        )
        position.epoch += 1
        position.batch, position.epoch_loss, position.epoch_targets = 0, 0.0, 0
        return done

    def _targets_per_second(self) -> float:
        targets = sum(len(example.actions) for example in self.examples)
        return targets * (self.position.epoch + 1) / max(self.position.seconds, 1e-9)

    def _score(self, beam: int) -> CorpusScores:
        """Dev parsed from its words alone, a share by each process."""
        trees, vectors, processes = self.data.dev, self.dev_vectors, self.accelerator.num_processes
        share = range(self.accelerator.process_index, len(trees), processes)
        words = [[Token(word) for word in trees[i].words] for i in share]
        share_vectors = None if vectors is None else [vectors[i] for i in share]
        found = decode([self.model], words, SearchOptions(beam), vectors=share_vectors)
        predicted = [candidates[0].tree for candidates in found]
        if processes > 1:
            shares = gather_object([predicted])  # in the order of the processes
            predicted = [shares[i % processes][i // processes] for i in range(len(trees))]
        return evaluate(trees, predicted).all

    def _keep_if_best(self) -> None:
        if self.accelerator.is_main_process:
            network = _without_adapters(self.network)
            keep_if_best(self.folder / "best", network, self.position.scores, self.settings.averaged)

    def _finish(self) -> Finished:
        if not self.position.scores:  # no epoch was scored: the last one is taken
            self.position.scores.append([self.position.epoch, 0.0])
            self._keep_if_best()
        epochs = best_epochs(self.position.scores, self.settings.averaged)
        self.accelerator.wait_for_everyone()
        merge_adapters(self.network)  # the weights of the best epochs are merged, too
        self.network.load_state_dict(average_weights(self.folder / "best", epochs))
        if self.settings.pretrained_stored:
            self.model = store_language_model(self.model)
        network = self.model.network
        if self.settings.compact:
            network.load_state_dict(unpack_weights(pack_weights(network.state_dict())))
        if network.features.language_model is not None:
            self.dev_vectors = None  # the finished model computes them itself, and is scored like that
        scores = self._score(FINAL_BEAM)
        return Finished(self.model, tuple(epochs), FINAL_BEAM, scores, self.position.seconds)

    @property
    def _rate(self) -> float:
        return float(self.optimizer.param_groups[0]["lr"])

    def _save(self) -> None:
        if self.accelerator.is_main_process:
            optimizer = getattr(self.optimizer, "optimizer", self.optimizer)  # as it was before accelerate wrapped it
            save_checkpoint(self.folder / "checkpoints", self.network, optimizer, self.position)
        self.last_saved = time.monotonic()


def _without_adapters(network: nn.Module) -> nn.Module:
    """A copy with the adapters merged, or the network itself if it has none."""
    if not has_adapters(network):
        return network
    copy = deepcopy(network)
    merge_adapters(copy)
    return copy
