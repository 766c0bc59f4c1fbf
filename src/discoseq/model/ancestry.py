"""Where in the decoder's memory the past of each hypothesis is.

The hypotheses of a sentence have much of their past in common, so the sentence has one memory for all of them: a place
for every action that some hypothesis still has in its past, and a row of bits for every hypothesis that says which
places are its own. When the beam changes, bits are copied and not keys and values; a place that is in no one's past any
more is used again.
"""

from __future__ import annotations

import numpy as np

from discoseq.linearization.state import Bools, Ints

_LEAST_GROWTH = 32  # places


class Ancestry:
    """Begins with a row for every sentence and an empty past. Each step is `follow`, then `allot`."""

    def __init__(self, sentences: int, capacity: int) -> None:
        self.sentences = sentences  # those that have a memory; one without rows keeps it until it is dropped
        self.sentence_of_row: Ints = np.arange(sentences)
        self.capacity = capacity  # places of a sentence
        self.reach: Ints = np.zeros(sentences, dtype=np.int64)  # (sentences,) all places in use are below this one
        self.is_past: Bools = np.zeros((sentences, capacity), dtype=np.bool_)  # (rows, capacity) what each row sees

    def follow(self, parents: Ints) -> None:
        """Go on with these rows (rows,) of the step before."""
        self.sentence_of_row = self.sentence_of_row[parents]
        self.is_past = self.is_past[parents]

    def living(self) -> Ints:
        """The sentences that have rows."""
        return np.unique(self.sentence_of_row)

    def keep(self, sentences: Ints) -> None:
        """Only these sentences keep a memory; all rows belong to one of them."""
        self.sentence_of_row = np.searchsorted(sentences, self.sentence_of_row)
        self.sentences = len(sentences)
        self.reach = self.reach[sentences]

    def allot(self) -> Ints:
        """A new place for every row (rows,) in the memory of its sentence."""
        is_first = np.diff(self.sentence_of_row, prepend=-1) != 0
        starts = np.flatnonzero(is_first)
        counts = np.diff(starts, append=len(is_first))
        most = int(self.reach.max()) + int(counts.max())  # places that may be in use after this step, or less
        if most > self.capacity:
            self._grow(most)
        is_free = ~np.logical_or.reduceat(self.is_past[:, :most], starts, axis=0)
        # the first free places of a sentence, one for each of its rows; both are found in the order of the sentences
        is_new = is_free & (np.cumsum(is_free, axis=1, dtype=np.int32) <= counts[:, None])
        places: Ints = np.nonzero(is_new)[1]
        self.is_past[np.arange(len(places)), places] = True
        is_used = is_new | ~is_free
        self.reach[:] = 0
        self.reach[self.sentence_of_row[starts]] = most - is_used[:, ::-1].argmax(axis=1)
        return places

    def _grow(self, least: int) -> None:
        # by half of what there is: in a long sequence no key is copied more than a few times
        growth = max(least - self.capacity, _LEAST_GROWTH, self.capacity // 2)
        self.capacity += growth
        self.is_past = np.pad(self.is_past, ((0, 0), (0, growth)))
