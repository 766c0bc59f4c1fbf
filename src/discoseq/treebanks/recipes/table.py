"""The table of recipes."""

from discoseq.errors import TreebankError
from discoseq.treebanks.recipes.alpino import ALPINO
from discoseq.treebanks.recipes.craft import CRAFT
from discoseq.treebanks.recipes.dptb import DPTB
from discoseq.treebanks.recipes.masc import MASC
from discoseq.treebanks.recipes.negra import NEGRA
from discoseq.treebanks.recipes.pcc import PCC
from discoseq.treebanks.recipes.ptb import PTB
from discoseq.treebanks.recipes.recipe import Recipe
from discoseq.treebanks.recipes.tiger import TIGER
from discoseq.treebanks.recipes.tiger_hall_nivre import TIGER_HALL_NIVRE

RECIPES: dict[str, Recipe] = {
    recipe.name: recipe for recipe in [PTB, DPTB, NEGRA, TIGER, TIGER_HALL_NIVRE, CRAFT, MASC, ALPINO, PCC]
}


def recipe_named(name: str) -> Recipe:
    """The recipe of that name; an unknown one lists those there are."""
    if name not in RECIPES:
        raise TreebankError(f"there is no recipe {name!r}; there are {', '.join(RECIPES)}")
    return RECIPES[name]
