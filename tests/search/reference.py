"""Search written down as plainly as can be: one sentence, lists, every hypothesis to its end."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from discoseq.linearizations.action_vocabulary import PAD_INDEX
from discoseq.linearizations.machine import Machine
from discoseq.linearizations.state import Bools, ParserState
from discoseq.search.beam import SearchOptions
from discoseq.trees.tree import Constituent, Token
from search.fakes import FakeScorer


@dataclass(frozen=True)
class Sequence:
    """What has been done of a sentence, complete or not."""

    state: ParserState
    actions: tuple[int, ...] = ()
    step_log_probabilities: tuple[float, ...] = ()

    @property
    def log_probability(self) -> float:
        return sum(self.step_log_probabilities)

    def score(self, options: SearchOptions) -> float:
        return self.log_probability / (len(self.step_log_probabilities) if options.score == "mean" else 1)


def continuations(machine: Machine, scorer: FakeScorer, seed: int, sequence: Sequence) -> list[Sequence]:
    """All that may follow."""
    scores = scorer.scores((seed, PAD_INDEX, *sequence.actions))
    allowed: Bools = machine.action_mask(sequence.state)[0]
    total = np.log(sum(np.exp(scores[action]) for action in np.flatnonzero(allowed)))
    return [
        Sequence(
            machine.apply(sequence.state, np.array([action])),
            (*sequence.actions, action),
            (*sequence.step_log_probabilities, float(scores[action] - total)),
        )
        for action in np.flatnonzero(allowed).tolist()
    ]


def all_sequences(machine: Machine, scorer: FakeScorer, seed: int, length: int) -> Iterator[Sequence]:
    """Every complete sequence there is."""
    agenda = [Sequence(machine.start([length]))]
    while agenda:
        sequence = agenda.pop()
        if sequence.state.is_finished[0]:
            yield sequence
        else:
            agenda += continuations(machine, scorer, seed, sequence)


def plain_beam(machine: Machine, scorer: FakeScorer, seed: int, length: int, options: SearchOptions) -> list[Sequence]:
    """All complete sequences of a beam search that stops when there is nothing left to go on with, and not before.

    By the mean it stops when as many are complete as the beam holds, and the beam always holds as many as it can.
    """
    beam, complete = list[Sequence]([Sequence(machine.start([length]))]), list[Sequence]()
    is_mean = options.score == "mean"
    while beam and not (is_mean and len(complete) == options.beam_size):
        candidates = [x for sequence in beam for x in continuations(machine, scorer, seed, sequence)]
        candidates.sort(key=lambda x: -x.log_probability)
        least = -np.inf if options.prune is None else candidates[0].log_probability - options.prune
        candidates = [x for x in candidates if x.log_probability >= least]
        complete += [x for x in candidates[: options.beam_size] if x.state.is_finished[0]]
        considered = candidates[: 2 * options.beam_size if is_mean else options.beam_size]
        beam = [x for x in considered if not x.state.is_finished[0]][: options.beam_size]
        complete = complete[: options.beam_size] if is_mean else complete
    return complete


def best_trees(machine: Machine, complete: list[Sequence], length: int, options: SearchOptions) -> list[Sequence]:
    """The best sequences that build different trees, best first."""
    found: dict[Constituent, Sequence] = {}
    for sequence in sorted(complete, key=lambda x: -x.score(options)):
        found.setdefault(tree_of(machine, sequence.actions, length), sequence)
    return list(found.values())[: options.nbest]


def tree_of(machine: Machine, actions: tuple[int, ...], length: int) -> Constituent:
    return machine.linearization.build([Token("w")] * length, machine.vocabulary.decode(actions)).root
