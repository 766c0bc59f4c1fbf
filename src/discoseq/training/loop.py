"""Training: epochs of batches, dev scored after each, checkpoints on the way, the best weights averaged at the end."""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import cast

import torch
from accelerate import Accelerator, PartialState
from accelerate.utils import DistributedDataParallelKwargs, gather_object, set_seed
from torch.autograd.graph import increment_version

from discoseq.batching.batches import batches_by_length, batches_by_words, training_batches
from discoseq.batching.examples import Example, make_batch
from discoseq.decoding.decode import Candidate, decode
from discoseq.errors import TrainingError
from discoseq.evaluation import CorpusScores, evaluate
from discoseq.model.directory import pack_weights, unpack_weights
from discoseq.model.pretrained.lora import merge_adapters, without_adapters
from discoseq.search.beam import DEFAULT_PRUNE, Score, SearchOptions
from discoseq.search.search import BATCH_WORDS
from discoseq.training.checkpoints import (
    Position,
    average_weights,
    best_epochs,
    keep_if_best,
    load_checkpoint,
    newest_checkpoint,
    save_checkpoint,
)
from discoseq.training.config import Config
from discoseq.training.data import TrainingData
from discoseq.training.events import EpochDone, Event, Finished, Noted, Stage, Started, StepDone
from discoseq.training.record import defined_f1
from discoseq.training.setup import set_up, store_language_model
from discoseq.training.silver import draw_silver
from discoseq.training.update import learning_rate, make_optimizer, set_learning_rate, total_loss
from discoseq.trees.tree import Token

FINAL_BEAM = 10  # for the final scores on dev; after every epoch dev is parsed greedily
_CHECKPOINT_SECONDS = 300.0


def train(config: Config, data: TrainingData, folder: Path, is_resumed: bool) -> Iterator[Event]:
    """Fit a network and report every step; checkpoints and the best weights go into the folder."""
    return _Run(config, data, folder).events(is_resumed)


def is_main_process() -> bool:
    """Whether this process writes and reports for all processes of the run."""
    return bool(PartialState().is_main_process)


def search_options(config: Config, beam: int) -> SearchOptions:
    """Greedy search has nothing to choose from; otherwise as the finished model will search."""
    if beam == 1:
        return SearchOptions(beam)
    score = cast("Score", config.search.score)
    return SearchOptions(beam, score=score, prune=None if score == "mean" else DEFAULT_PRUNE)


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
        self.model, self.dev_vectors = self.setup.model, self.setup.dev_vectors
        self.network = self.model.network
        self.optimizer = make_optimizer(self.network, self.settings)
        if is_resumed:
            self.position, errors = load_checkpoint(self.folder / "checkpoints", self.network, self.optimizer)
            for error in errors:
                yield Noted(str(error))
        self.wrapped, self.optimizer = self.accelerator.prepare(self.network, self.optimizer)
        yield self._started()
        while self.position.epoch < self.settings.epochs:
            yield from self._epoch()
        yield from self._finish()

    def _started(self) -> Started:
        return Started(
            train_sentences=len(self.setup.examples),
            dev_sentences=len(self.data.dev),
            silver_sentences=len(self.setup.silver),
            too_long=self.setup.too_long,
            unknown=self.setup.unknown,
            actions=len(self.model.vocabularies.actions),
            parameters=sum(parameter.numel() for parameter in self.network.parameters()),
            epoch=self.position.epoch + 1,
            epochs=self.settings.epochs,
        )

    def _epoch(self) -> Iterator[Event]:
        position, settings = self.position, self.settings
        gold, silver, share = self.setup.examples, self.setup.silver, self.config.data.silver_share
        drawn = draw_silver(silver, gold, share, settings.seed, position.epoch) if silver else []
        budget, costs = settings.batch_tokens, [example.cost for example in gold]
        if settings.batch_order == "words":
            words = [len(example.tree.tokens) for example in gold]
            batches = batches_by_words(words, costs, budget, settings.seed, position.epoch)
        else:
            silver_costs = [example.cost for example in drawn]
            batches = training_batches(costs, budget, settings.seed, position.epoch, silver_costs, share)
        of_epoch = [*gold, *drawn]
        self.wrapped.train()
        for index in range(position.batch, len(batches)):
            start, cpu_start = time.monotonic(), time.process_time()
            progress = (position.epoch + index / len(batches)) / settings.epochs
            examples = [of_epoch[i] for i in batches[index]]
            loss, targets = self._update(examples, progress)
            position.batch = index + 1
            position.step += 1
            position.epoch_loss += loss
            position.epoch_targets += targets
            position.seconds += time.monotonic() - start
            position.cpu_seconds += time.process_time() - cpu_start
            yield StepDone(position.epoch + 1, position.step, progress, loss / targets, targets, self._rate)
            if time.monotonic() - self.last_saved > _CHECKPOINT_SECONDS:
                self._check_weights()
                self._save()
        self._check_weights()
        yield from self._end_epoch()
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
        summed = self._summed(float(loss.detach()) if share else 0.0)
        if not math.isfinite(summed):
            raise self._diverged(f"the loss is {summed}")
        targets = sum(len(example.actions) for example in examples)
        # accelerate averages the gradients of the processes, but they are shares of one sum
        weight = accelerator.num_processes / targets if share else 0.0
        accelerator.backward(total * weight)
        if settings.clip_norm:
            accelerator.clip_grad_norm_(self.wrapped.parameters(), settings.clip_norm)
        set_learning_rate(self.optimizer, learning_rate(settings, self.position.step + 1, progress))
        self.optimizer.step()
        increment_version(self.network.parameters())  # a fused step does not, and copies of the weights go by it
        self.optimizer.zero_grad()
        return summed, targets

    def _diverged(self, what: str) -> TrainingError:
        good = newest_checkpoint(self.folder / "checkpoints")
        kept = "there is no checkpoint yet" if good is None else f"{good} is the last good checkpoint"
        return TrainingError(
            f"{what} in epoch {self.position.epoch + 1}, after step {self.position.step}, and {kept}; start another "
            "run with a lower training.learning_rate, more training.warmup_steps, or training.clip_norm = 1.0"
        )

    def _summed(self, value: float) -> float:
        """The sum over all processes."""
        if self.accelerator.num_processes == 1:
            return value
        mine = torch.tensor(value, device=self.accelerator.device, dtype=torch.float64)
        return float(self.accelerator.reduce(mine, reduction="sum"))

    def _end_epoch(self) -> Iterator[Event]:
        position = self.position
        scores, is_best = None, False
        if position.epoch + 1 >= self.settings.first_scored_epoch:
            scores = yield from self._score(1)
            f1 = defined_f1(scores.counts.brackets) or 0.0
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
            cpu_seconds=position.cpu_seconds,
            is_scored=scores is not None,
            f1=defined_f1(scores.counts.brackets) if scores else None,
            discontinuous_f1=defined_f1(scores.discontinuous) if scores else None,
            is_best=is_best,
        )
        position.epoch += 1
        position.batch, position.epoch_loss, position.epoch_targets = 0, 0.0, 0
        yield done

    def _targets_per_second(self) -> float:
        targets: float = sum(len(example.actions) for example in self.setup.examples)
        if self.setup.silver:
            targets /= 1 - self.config.data.silver_share
        return targets * (self.position.epoch + 1) / max(self.position.seconds, 1e-9)

    def _score(self, beam: int) -> Generator[Stage | Noted, None, CorpusScores]:
        """Dev parsed from its words alone, a share by each process.

        EVALB's rules depend on the tags of the parses, so there the gold tags are kept, as is usual.
        """
        trees, processes = self.data.dev, self.accelerator.num_processes
        share = range(self.accelerator.process_index, len(trees), processes)
        name, predicted = f"parsing dev {'greedily' if beam == 1 else f'with beam {beam}'}", dict[int, Candidate]()
        for batch in batches_by_length([len(trees[i].words) for i in share], BATCH_WORDS):
            yield Stage(name, len(predicted), len(share))
            numbers = [share[i] for i in batch]
            keeps_tags = self.data.rules == "evalb"
            words = [trees[i].tokens if keeps_tags else [Token(word) for word in trees[i].words] for i in numbers]
            vectors = None if self.dev_vectors is None else [self.dev_vectors[i] for i in numbers]
            found = decode([self.model], words, search_options(self.config, beam), vectors=vectors)
            predicted.update((i, candidates[0]) for i, candidates in zip(numbers, found, strict=True))
        if processes > 1:
            for of_process in gather_object([predicted]):
                predicted |= of_process
        if repaired := sum(candidate.is_repaired for candidate in predicted.values()):
            yield Noted(f"{name}: {repaired:,} of {len(trees):,} sequences were no trees, and were repaired")
        return evaluate(trees, [predicted[i].tree for i in range(len(trees))], self.data.rules).all

    def _keep_if_best(self) -> None:
        if self.accelerator.is_main_process:
            network = without_adapters(self.network) if self._has_adapters else self.network
            keep_if_best(self.folder / "best", network, self.position.scores, self.settings.averaged)

    def _finish(self) -> Iterator[Event]:
        if not self.position.scores:  # no epoch was scored: the last one is taken
            self.position.scores.append([self.position.epoch, 0.0])
            self._keep_if_best()
        epochs = best_epochs(self.position.scores, self.settings.averaged)
        self.accelerator.wait_for_everyone()
        if self._has_adapters:
            merge_adapters(self.network)  # the weights of the best epochs are merged, too
        self.network.load_state_dict(average_weights(self.folder / "best", epochs))
        if self.settings.pretrained_stored:
            self.model = store_language_model(self.model)
        network = self.model.network
        if self.settings.compact:
            network.load_state_dict(unpack_weights(pack_weights(network.state_dict())))
        if network.features.language_model is not None:
            self.dev_vectors = None  # the finished model computes them itself, and is scored like that
        scores = yield from self._score(FINAL_BEAM)
        yield Finished(self.model, self.data.language, tuple(epochs), FINAL_BEAM, scores, self.position.seconds)

    @property
    def _has_adapters(self) -> bool:
        return self.settings.pretrained_training == "lora" and bool(self.config.model.pretrained)

    @property
    def _rate(self) -> float:
        return float(self.optimizer.param_groups[0]["lr"])

    def _check_weights(self) -> None:
        """Weights that are no numbers are neither scored nor saved, even if the last loss was one."""
        if not all(bool(x.isfinite().all()) for x in self.network.parameters()):
            raise self._diverged("weights are not finite")

    def _save(self) -> None:
        if self.accelerator.is_main_process:
            optimizer = getattr(self.optimizer, "optimizer", self.optimizer)  # as it was before accelerate wrapped it
            save_checkpoint(self.folder / "checkpoints", self.network, optimizer, self.position)
        self.last_saved = time.monotonic()
