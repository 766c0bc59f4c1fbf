"""How many words the open constituents must still get: what keeps a row from opening more than it can fill.

Chains of unary constituents may be at most `limit` long. Take a run of open constituents, each of which has the next
one as its only child so far. If they all stay unary and stand over something that is itself `chain` unary
constituents high, they make a chain of run + chain; so at least (run + chain) // (limit + 1) of them need another
child, and each of those takes a word of its own. A constituent that has two children ends the run that it stands in,
and begins none. One without children needs a word anyway. The sum over all runs is the debt, and a row can be
completed within the limit exactly if it has as many words left.
"""

import numpy as np

from discoseq.linearization.state import Ints, ParserState


def debt_with(state: ParserState, children: Ints, chain: Ints | int, limit: int) -> Ints:
    """The debt (rows,) if the innermost open constituent had so many children, at least one.

    A single child is `chain` unary constituents high.
    """
    run = state.innermost(state.run)
    in_chain = np.where(children == 1, run + chain, run - 1)
    debt: Ints = state.innermost(state.debt) + in_chain // (limit + 1)
    return debt


def debt_of_opening(state: ParserState, base: Ints, limit: int) -> tuple[Ints, Ints]:
    """The entries `run` and `debt` (rows,) of a constituent that is opened now and whose children begin at base."""
    run = state.innermost(state.run)
    is_first_child = base == state.innermost(state.base)
    outer = state.innermost(state.debt)
    closed_run = np.maximum(run - 1, 0) // (limit + 1)  # where nothing is open there is no run to close
    return np.where(is_first_child, run + 1, 1), np.where(is_first_child, outer, outer + closed_run)
