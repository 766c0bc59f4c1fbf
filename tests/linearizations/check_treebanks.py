"""Every tree of whole treebanks through every linearization: round trip, and gold actions that the mask blocks.

python tests/linearizations/check_treebanks.py TREEBANK...    (minutes for 30,000 trees; the test suite takes a sample)
"""

import sys

import numpy as np

from discoseq.linearizations.action_vocabulary import PAD_INDEX, ActionVocabulary
from discoseq.linearizations.linearization import LINEARIZATIONS, Linearization, linearization, longest_unary_chain
from discoseq.linearizations.machine import Machine, states_before
from discoseq.treebanks.files import read_trees
from discoseq.trees.transforms import drop_functions
from discoseq.trees.tree import Tree

ROWS = 256


def main() -> None:
    failures = 0
    for path in sys.argv[1:]:
        trees = [drop_functions(tree) for tree in read_trees(path, on_bad=lambda error: print(error, file=sys.stderr))]
        print(f"{path}: {len(trees)} trees, {sum(tree.is_discontinuous for tree in trees)} of them discontinuous")
        for chosen in map(linearization, LINEARIZATIONS):
            usable = [tree for tree in trees if chosen.reordering.can_reorder or not tree.is_discontinuous]
            changed, blocked, steps = check(chosen, usable)
            print(
                f"  {chosen.name:26} {len(usable):7} trees, {changed} changed; {steps:9} actions, {blocked} blocked",
                flush=True,
            )
            failures += changed + blocked
    sys.exit(failures > 0)


def check(chosen: Linearization, trees: list[Tree]) -> tuple[int, int, int]:
    """The numbers of trees that come back changed, of actions that are blocked, and of all actions."""
    sequences = [chosen.linearize(tree) for tree in trees]
    changed = sum(chosen.build(x.tokens, y) != x for x, y in zip(trees, sequences, strict=True))
    limit = max(1, *(longest_unary_chain(tree.root) for tree in trees))
    machine = Machine(chosen, ActionVocabulary.of(chosen, sequences), limit)
    order = sorted(range(len(trees)), key=lambda i: len(sequences[i]))
    blocked = steps = 0
    for start in range(0, len(order), ROWS):
        batch = order[start : start + ROWS]
        actions = machine.vocabulary.encode_all(sequences[i] for i in batch)
        lengths = [len(trees[i].tokens) for i in batch]
        for state, column in zip(states_before(machine, lengths, actions), actions.T, strict=True):
            blocked += int(np.count_nonzero(~machine.action_mask(state)[np.arange(len(batch)), column]))
            steps += int(np.count_nonzero(column != PAD_INDEX))
    return changed, blocked, steps


if __name__ == "__main__":
    main()
