"""Which sentences of a raw text get silver trees, with which weights, and that it does not matter where one goes on."""

import math
from collections.abc import Iterable, Iterator
from functools import reduce

import pytest

from discoseq.batching.vocabularies import Vocabularies
from discoseq.decoding.decode import Candidate
from discoseq.errors import ParserError
from discoseq.evaluation import evaluate
from discoseq.linearizations.linearization import linearization
from discoseq.model.network import Model
from discoseq.model.settings import ModelSettings
from discoseq.parser import labelling
from discoseq.parser.labelling import (
    Agreement,
    LabelCounts,
    LabelledPart,
    LabelOptions,
    ParseAll,
    Tokens,
    certainty,
    check_labels,
    label,
    parse_with,
)
from discoseq.parser.parser import Parser
from discoseq.training.silver import tree_weight
from discoseq.trees.tree import Token, Tree
from parser.trained import example_trees, trained


def tokens_of(*sentences: str) -> list[Tokens]:
    return [tuple(map(Token, sentence.split())) for sentence in sentences]


def known() -> list[Tokens]:
    return [tuple(map(Token, tree.words)) for tree in example_trees()]


def noise(count: int) -> list[Tokens]:
    """Sentences that the model has never seen."""
    words = sorted({word for tree in example_trees() for word in tree.words})
    return [tuple(Token(words[(7 * i + k * k) % len(words)]) for k in range(3 + i % 5)) for i in range(count)]


def labelled(sentences: Iterable[Tokens], options: LabelOptions, *models: ParseAll) -> LabelledPart:
    parts = list(label(sentences, models or [parse_with(trained(), 1)], options))
    return LabelledPart(reduce(LabelCounts.__add__, (x.counts for x in parts)), [t for x in parts for t in x.trees])


def test_the_certainty_is_the_geometric_mean_of_the_probabilities() -> None:
    (candidate,) = trained().nbest(["Which", "letter", "did", "Ben", "find", "?"], 1)
    product = math.prod(math.exp(x) for x in candidate.step_log_probabilities)
    assert certainty(candidate) == pytest.approx(product ** (1 / len(candidate.actions)))


A = "(ROOT (S (NP (DT 0=the) (NN 1=dog)) (VP (VB 2=sees) (NP (PR 3=it)))) (. 4=.))"
B = "(ROOT (S (NP (DT 0=the) (NN 1=dog)) (VP (VB 2=sees) (PP (PR 3=it)))) (. 4=.))"
C = "(ROOT (S (NP (DT 0=the) (NN 1=dog)) (VB 2=sees) (PR 3=it) (. 4=.)))"


def test_the_agreement_is_the_mean_f1_of_all_pairs_without_the_root() -> None:
    a, b, c = map(Tree.fromstring, (A, B, C))
    pairs = [evaluate([one], [two]).all.f1 or 0.0 for one, two in [(a, b), (a, c), (b, c)]]
    assert pairs[0] == 75.0  # of S, NP, VP and the last one; the root would make it 80
    assert Agreement().of([a, b, c]) == pytest.approx(sum(pairs) / 300)
    assert Agreement().of([a, a]) == 1.0


def test_trees_without_constituents_agree_and_those_with_nothing_in_common_do_not() -> None:
    flat, other = Tree.fromstring("(ROOT (A 0=a) (B 1=b))"), Tree.fromstring("(ROOT (X (A 0=a) (B 1=b)))")
    assert Agreement().of([flat, flat]) == 1.0
    assert Agreement().of([flat, other]) == 0.0


def test_a_weight_is_certainty_times_agreement_and_is_read_back_from_the_comment() -> None:
    other: ParseAll = parse_with(trained(), 1)
    alone = labelled(known(), LabelOptions())
    assert [tree.words for tree in alone.trees] == [tree.words for tree in example_trees()]
    together = labelled(known(), LabelOptions(), parse_with(trained(), 1), other)
    for one, two in zip(alone.trees, together.trees, strict=True):
        assert tree_weight(one) == tree_weight(two)  # the two models are the same one
        assert two.comment == f"{one.comment} agreement=1.000"
    assert alone.counts.weight / alone.counts.kept == pytest.approx(
        sum(map(tree_weight, alone.trees)) / len(alone.trees), abs=1e-3
    )


def flat(parts: Iterable[list[Tokens]]) -> Iterator[list[Candidate]]:
    """A model that finds no constituents."""
    for part in parts:
        for tokens in part:
            leaves = " ".join(f"(X {i}={token.word})" for i, token in enumerate(tokens))
            yield [Candidate(Tree.fromstring(f"(ROOT {leaves})"), -1.0, 1.0, actions=(1, 2))]


def flat_model(parts: Iterable[list[Tokens]]) -> Iterator[list[Candidate]]:
    yield from flat(parts)


def test_a_tree_on_which_the_models_do_not_agree_is_left_out() -> None:
    with_another = labelled(known(), LabelOptions(agreement=0.5), parse_with(trained(), 1), flat_model)  # type: ignore[arg-type]
    assert (with_another.counts.kept, with_another.counts.disputed) == (0, len(known()))
    assert with_another.counts.agreements[0] == len(known())


def test_the_trees_are_those_of_the_first_model() -> None:
    found = labelled(known(), LabelOptions(), flat_model, parse_with(trained(), 1))  # type: ignore[arg-type]
    assert all(len(list(tree.root.walk())) == 1 for tree in found.trees)
    assert {tree.comment for tree in found.trees} == {"weight=0.000 certainty=0.607 agreement=0.000"}


def test_uncertain_trees_are_left_out_and_the_histogram_says_how_many_any_threshold_would_keep() -> None:
    sentences = [*known(), *noise(40)]
    everything = labelled(sentences, LabelOptions())
    assert everything.counts.kept == everything.counts.parsed == sum(everything.counts.certainties)
    threshold = 0.95
    chosen = labelled(sentences, LabelOptions(certainty=threshold))
    assert 0 < chosen.counts.uncertain < everything.counts.parsed
    assert chosen.counts.kept == sum(everything.counts.certainties[95:])
    assert chosen.counts.certainties == everything.counts.certainties
    assert all(tree_weight(tree) >= threshold - 0.0005 for tree in chosen.trees)


def test_short_long_repeated_and_excluded_sentences_are_counted_and_not_parsed() -> None:
    sentences = tokens_of("a", "", "the dog sees it", "the dog sees it", "no one sees me", "a b c d e f")
    parts = label(
        sentences, [parse_with(trained(), 1)], LabelOptions(shortest=2, longest=5), [["no", "one", "sees", "me"]]
    )
    (part,) = parts
    counts = part.counts
    assert (counts.read, counts.parsed, counts.kept) == (6, 1, 1)
    assert (counts.too_short, counts.too_long, counts.duplicates, counts.excluded) == (2, 1, 1, 1)
    assert [(tree.id, tree.words) for tree in part.trees] == [("3", ("the", "dog", "sees", "it"))]


def test_nothing_is_read_after_the_limit_and_nothing_after_it_counts() -> None:
    found = labelled([*known(), *tokens_of("")], LabelOptions(limit=3))
    assert (found.counts.kept, len(found.trees), found.counts.read) == (3, 3, 3)
    assert not list(label(known(), [parse_with(trained(), 1)], LabelOptions(limit=3), done=found.counts))
    without_words = labelled(tokens_of("", ""), LabelOptions(limit=3))
    assert (without_words.counts.kept, without_words.counts.read) == (0, 2)


@pytest.mark.parametrize("limit", [None, 17])
def test_one_may_stop_after_any_part_and_go_on(monkeypatch: pytest.MonkeyPatch, limit: int | None) -> None:
    monkeypatch.setattr(labelling, "_PART", 4)
    sentences = [*known(), *known()[:3], *noise(9), *tokens_of("", "")]
    options, models = LabelOptions(certainty=0.5, limit=limit), [parse_with(trained(), 1)]
    whole = list(label(sentences, models, options))
    assert len(whole) > 4
    for end in range(1, len(whole), 3):
        done = reduce(LabelCounts.__add__, (part.counts for part in whole[:end]))
        rest = list(label(sentences, models, options, done=done))
        assert [x.counts for x in rest] == [x.counts for x in whole[end:]]
        assert [[(t, t.id, t.comment) for t in x.trees] for x in rest] == [
            [(t, t.id, t.comment) for t in x.trees] for x in whole[end:]
        ]


def test_models_without_a_common_label_are_refused() -> None:
    check_labels([trained(), trained()])
    with pytest.raises(ParserError, match="models 1 and 2 can't agree: they have no label in common"):
        check_labels([trained(), Parser(model_with("XX"))])


def model_with(label: str) -> Model:
    system = linearization("in-order")
    vocabularies = Vocabularies.of([Tree.fromstring(f"(ROOT ({label} (A a) (B b)))")], system)
    settings = ModelSettings(width=8, hidden=8, encoder_layers=1, decoder_layers=1, character_filters=4)
    return Model.create(settings, vocabularies, "in-order")


@pytest.mark.parametrize("options", [{"certainty": 1.5}, {"agreement": -0.1}, {"shortest": 5, "longest": 4}])
def test_options_that_keep_nothing_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(ParserError):
        LabelOptions(**options)  # type: ignore[arg-type]
