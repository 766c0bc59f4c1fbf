"""Training: epochs of batches, dev scored after each, checkpoints on the way, the best weights averaged at the end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import torch
from accelerate import Accelerator, PartialState
from accelerate.utils import DistributedDataParallelKwargs, gather_object, set_seed

from discoseq.batching.batches import make_buckets
from discoseq.batching.examples import Example, make_batch
from discoseq.decoding.parse import parse_sentences
from discoseq.evaluation import CorpusScores, evaluate
from discoseq.model.compact import pack, unpack
from discoseq.model.loss import action_loss, tag_loss
from discoseq.model.pretrained.lora import merge_adapters
from discoseq.training.averaging import average, best_epochs, keep_if_best
from discoseq.training.checkpoints import Position, load_checkpoint, save_checkpoint
from discoseq.training.data import TrainingData
from discoseq.training.encoder import plain, with_encoder
from discoseq.training.events import EpochDone, Event, Finished, Started, StepDone
from discoseq.training.optimizer import make_optimizer, set_rate
from discoseq.training.schedule import learning_rate
from discoseq.training.settings import Config
from discoseq.training.setup import set_up
from discoseq.training.teaching import Teachers
from discoseq.training.thawing import Thawing


def train(config: Config, data: TrainingData, folder: Path, is_resumed: bool) -> Iterator[Event]:
    """Fit a network and report every step; checkpoints and the best weights go into the folder."""
    return _Run(config, data, folder).events(is_resumed)


def is_main_process() -> bool:
    """Whether this is the one of several processes that speaks for all of them."""
    return bool(PartialState().is_main_process)


class _Run:
    """What a run holds on to between its steps."""

    def __init__(self, config: Config, data: TrainingData, folder: Path) -> None:
        self.config = config
        self.data = data
        self.folder = folder
        self.settings = config.training
        # an encoder that is trained along may have layers that do not learn yet, or have no part in the vectors
        unused = DistributedDataParallelKwargs(find_unused_parameters=bool(config.model.encoder))
        self.accelerator = Accelerator(mixed_precision=config.training.precision, kwargs_handlers=[unused])
        self.position = Position()
        self.last_saved = time.monotonic()

    def _set_up(self) -> Iterator[Event]:
        set_seed(self.settings.seed)
        setup = yield from set_up(self.config, self.data)
        self.setup = setup
        self.model, self.examples, self.dev_vectors = setup.model, setup.examples, setup.dev_vectors
        self.network = self.model.network
        directories, actions = self.settings.teachers, self.model.vocabularies.actions
        self.teachers = Teachers.load(directories, actions) if directories else None
        self.optimizer = make_optimizer(self.network, self.settings)
        encoder = self.network.features.language_model
        self.thawing = None if encoder is None else Thawing.of(encoder, self.settings.encoder_unfreeze_epochs)

    def events(self, is_resumed: bool) -> Iterator[Event]:
        yield from self._set_up()
        notes: list[str] = []
        if is_resumed:
            self.position, errors = load_checkpoint(self.folder / "checkpoints", self.network, self.optimizer)
            notes = [str(error) for error in errors]
        self.wrapped, self.optimizer = self.accelerator.prepare(self.network, self.optimizer)
        yield self._started(notes)
        while self.position.epoch < self.settings.epochs and not self._is_out_of_patience():
            yield from self._epoch()
        yield self._finish()

    def _started(self, notes: list[str]) -> Started:
        return Started(
            train_sentences=len(self.examples),
            dev_sentences=len(self.data.dev),
            left_out=self.setup.left_out,
            unknown=self.setup.unknown,
            actions=len(self.model.vocabularies.actions),
            parameters=sum(parameter.numel() for parameter in self.network.parameters()),
            epoch=self.position.epoch + 1,
            notes=tuple(notes),
        )

    def _epoch(self) -> Iterator[Event]:
        position, settings = self.position, self.settings
        costs = [example.cost for example in self.examples]
        buckets = make_buckets(costs, settings.batch_tokens, settings.seed, position.epoch)
        self.wrapped.train()
        if self.thawing is not None:
            self.thawing.at(position.epoch)
        for index in range(position.batch, len(buckets)):
            start = time.monotonic()
            progress = (position.epoch + index / len(buckets)) / settings.epochs
            examples = [self.examples[i] for i in buckets[index]]
            loss, targets = self._update(examples, progress)
            position.batch = index + 1
            position.step += 1
            position.epoch_loss += loss
            position.epoch_targets += targets
            position.seconds += time.monotonic() - start
            yield StepDone(position.epoch + 1, position.step, progress, loss / targets, targets, self._rate)
            self._save_now_and_then()
        yield self._end_epoch()

    def _update(self, examples: list[Example], progress: float) -> tuple[float, int]:
        """Learn from one batch, of which each process takes its share; the loss of this share, and its targets."""
        accelerator, settings = self.accelerator, self.settings
        # random numbers are a function of the step, so that a resumed run draws the same ones
        torch.manual_seed(hash((settings.seed, self.position.step, accelerator.process_index)) % 2**63)
        share = examples[accelerator.process_index :: accelerator.num_processes]
        # a process without a share takes part all the same: gradients are summed over all of them
        batch = make_batch(self.model.vocabularies, self.model.machine, share or examples[:1])
        batch = batch.to(accelerator.device)
        with accelerator.autocast():
            scores = self.wrapped(batch)
        is_allowed = batch.is_allowed if settings.masked_loss else None
        taught = self.teachers.probabilities(share or examples[:1], accelerator.device) if self.teachers else None
        loss = action_loss(
            scores.actions, batch.targets, is_allowed, settings.label_smoothing, taught, settings.teacher_weight
        )
        total = loss
        if scores.tags is not None:
            total = total + settings.tag_weight * tag_loss(scores.tags.float(), batch.tags)
        if scores.spines is not None:
            total = total + settings.spine_weight * tag_loss(scores.spines.float(), batch.spines)
        targets = sum(len(example.actions) for example in examples)
        # the processes' gradients are averaged, but they are shares of one sum
        weight = accelerator.num_processes / targets if share else 0.0
        accelerator.backward(total * weight)
        if settings.clip_norm:
            accelerator.clip_grad_norm_(self.wrapped.parameters(), settings.clip_norm)
        set_rate(self.optimizer, learning_rate(settings, self.position.step + 1, progress))
        self.optimizer.step()
        self.optimizer.zero_grad()
        return self._summed(float(loss.detach()) if share else 0.0), targets

    def _summed(self, value: float) -> float:
        """Over all processes."""
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
            if self.accelerator.is_main_process:
                keep_if_best(self.folder / "best", plain(self.network), position.scores, self.settings.averaged)
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
        self._save()
        return done

    def _targets_per_second(self) -> float:
        targets = sum(len(example.actions) for example in self.examples)
        return targets * (self.position.epoch + 1) / max(self.position.seconds, 1e-9)

    def _is_out_of_patience(self) -> bool:
        scores = self.position.scores
        if not self.settings.patience or not scores:
            return False
        best = max(scores, key=lambda pair: pair[1])[0]  # of equals, the first
        return scores[-1][0] - best >= self.settings.patience

    def _score(self, beam: int) -> CorpusScores:
        """Dev parsed with the words alone, a share by each process; the treebank's tags are put back for scoring."""
        trees, vectors, processes = self.data.dev, self.dev_vectors, self.accelerator.num_processes
        share = range(self.accelerator.process_index, len(trees), processes)
        given = None if vectors is None else [vectors[i] for i in share]
        predicted = parse_sentences(self.model, [trees[i].tokens for i in share], beam, vectors=given)
        if processes > 1:
            shares = gather_object([predicted])  # in the order of the processes
            predicted = [shares[i % processes][i // processes] for i in range(len(trees))]
        return evaluate(trees, predicted).all

    def _finish(self) -> Finished:
        if not self.position.scores:  # no epoch was due: the last one has to do
            self.position.scores.append([self.position.epoch, 0.0])
            if self.accelerator.is_main_process:
                keep_if_best(self.folder / "best", plain(self.network), self.position.scores, self.settings.averaged)
        epochs = best_epochs(self.position.scores, self.settings.averaged)
        self.accelerator.wait_for_everyone()
        merge_adapters(self.network)  # what was kept of the best epochs is plain
        weights = average(self.folder / "best", epochs)
        self.network.load_state_dict(weights)
        if self.settings.encoder_stored:
            self.model = with_encoder(self.model)
        network = self.model.network
        if self.settings.compact:
            network.load_state_dict(unpack(pack(network.state_dict())))
        if network.features.language_model is not None:
            self.dev_vectors = None  # what is scored is what will be used: the model makes them itself
        scores = self._score(self.settings.beam)
        return Finished(self.model, tuple(epochs), self.settings.beam, scores, self.position.seconds)

    @property
    def _rate(self) -> float:
        return float(self.optimizer.param_groups[0]["lr"])

    def _save_now_and_then(self) -> None:
        if time.monotonic() - self.last_saved > 60 * self.settings.checkpoint_minutes:
            self._save()

    def _save(self) -> None:
        if self.accelerator.is_main_process:
            optimizer = getattr(self.optimizer, "optimizer", self.optimizer)  # as it was before accelerate wrapped it
            save_checkpoint(self.folder / "checkpoints", self.network, optimizer, self.position)
        self.last_saved = time.monotonic()
