"""A plan whose cells are trained in a second or two, and how its command is run."""

from pathlib import Path

from cli.command import Command, Outcome

ROOT = Path(__file__).resolve().parents[2]
TWENTY = (ROOT / "examples" / "twenty.discbracket").read_text(encoding="utf-8").splitlines(keepends=True)

PLAN = """# A tiny plan.
linearizations = ["in-order+swap", "top-down+swap"]
seeds = 2
splits = ["dev", "test"]
beams = [2, 1]

[treebanks.twenty]
config = "tiny.toml"
prepared = "data"

[settings.training]
epochs = 2
first_scored_epoch = 1
batch_tokens = 100

[settings.model]
width = 16
hidden = 16

[variants.heads]

[variants.plain]
linearizations = ["in-order+swap"]
seeds = 1
settings.model.stack_heads = 0
settings.model.buffer_heads = 0

[[overrides]]
linearizations = ["top-down+swap"]
settings.training.epochs = 3
"""
CELLS = [
    "twenty/heads/in-order+swap/seed-1",
    "twenty/heads/in-order+swap/seed-2",
    "twenty/heads/top-down+swap/seed-1",
    "twenty/heads/top-down+swap/seed-2",
    "twenty/plain/in-order+swap/seed-1",
]


def write_plan(folder: Path, text: str = PLAN) -> Path:
    """The plan, its configuration and its treebank, in one folder."""
    (folder / "data").mkdir(exist_ok=True)
    (folder / "data" / "train.discbracket").write_text("".join(TWENTY), "utf-8")
    (folder / "data" / "dev.discbracket").write_text("".join(TWENTY[:8]), "utf-8")
    (folder / "tiny.toml").write_text((ROOT / "examples" / "tiny.toml").read_text("utf-8"), "utf-8")
    plan = folder / "plan.toml"
    plan.write_text(text, "utf-8")
    return plan


def experiment(discoseq: Command, plan: Path | str, *arguments: object) -> Outcome:
    return discoseq("experiment", plan, *arguments)
