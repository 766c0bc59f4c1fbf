"""The derivation of one sentence as JSON."""

from __future__ import annotations

from pydantic import BaseModel, Field

from discoseq.decoding.derivation import Derivation, DerivationStep
from discoseq.linearizations.linearization import Linearization
from discoseq.linearizations.trace import ElementKind, action_name


class StackElementAnswer(BaseModel):
    """A word, a constituent, or the label of an open constituent."""

    kind: ElementKind
    label: str | None = Field(description="null for a word")
    words: list[int] = Field(description="The indices of its words; none for an open constituent.")


class AlternativeAnswer(BaseModel):
    """An action that was allowed."""

    action: str
    name: str
    probability: float


class StepAnswer(BaseModel):
    """An action and the state after it; the first step is the initial state."""

    action: str | None = Field(description="As sequences write it, such as SH#1; null for the initial state.")
    name: str | None = Field(description="As the paper's figures have it, such as Shift#1.")
    probability: float | None
    alternatives: list[AlternativeAnswer] = Field(description="The best five, the chosen one included, best first.")
    stack: list[StackElementAnswer] = Field(description="Bottom first.")
    buffer: list[int] = Field(description="Indices of words, front first.")
    stack_head: list[bool] = Field(description="For every word, whether attention heads for the stack see it.")
    buffer_head: list[bool] = Field(description="For every word, whether attention heads for the buffer see it.")


class StepsAnswer(BaseModel):
    """How the model builds a tree."""

    model: str
    linearization: str
    words: list[str]
    log_probability: float
    steps: list[StepAnswer]


def steps_answer(model: str, linearization: Linearization, derivation: Derivation) -> StepsAnswer:
    """All steps of a derivation."""
    return StepsAnswer(
        model=model,
        linearization=linearization.name,
        words=list(derivation.tree.words),
        log_probability=derivation.log_probability,
        steps=[_step(step, linearization) for step in derivation.steps],
    )


def _step(step: DerivationStep, linearization: Linearization) -> StepAnswer:
    state = step.replayed
    return StepAnswer(
        action=None if state.action is None else linearization.token(state.action),
        name=None if state.action is None else action_name(state.action),
        probability=None if state.action is None else step.probability,
        alternatives=[
            AlternativeAnswer(
                action=linearization.token(x.action), name=action_name(x.action), probability=x.probability
            )
            for x in step.alternatives
        ],
        stack=[StackElementAnswer(kind=x.kind, label=x.label, words=list(x.words)) for x in state.stack],
        buffer=list(state.buffer),
        stack_head=state.stack_mask.tolist(),
        buffer_head=state.buffer_mask.tolist(),
    )
