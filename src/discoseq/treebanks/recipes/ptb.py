"""The Penn Treebank as continuous parsers use it: traces, functions and indices removed."""

from discoseq.treebanks.recipes.penn import EXPECTED, SIZES, locate_penn
from discoseq.treebanks.recipes.recipe import Recipe, Settings, Step
from discoseq.treebanks.recipes.steps import give_root, return_to_traces


def _steps(settings: Settings) -> tuple[Step, ...]:
    # TOP, since EVALB's COLLINS.prm does not count that label, but does count ROOT and the empty one of `( (S`
    return give_root("TOP"), return_to_traces(())


PTB = Recipe(
    name="ptb",
    title="Penn Treebank, WSJ sections 2-21 / 22 / 23",
    language="English",
    licence="licensed by the LDC (LDC99T42, also LDC95T7)",
    address="https://catalog.ldc.upenn.edu/LDC99T42",
    expected=EXPECTED,
    sizes=SIZES,
    locate=locate_penn,
    steps=_steps,
    has_gaps=False,
)
