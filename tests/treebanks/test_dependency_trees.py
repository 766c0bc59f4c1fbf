"""German dependencies to TIGER's trees: one sentence for each rule, with its dependencies written out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discoseq.errors import TreeError
from discoseq.treebanks.dependency_trees import Dependencies, build_tiger_tree
from discoseq.trees.tree import Tree


def dependencies(text: str) -> Dependencies:
    """A sentence as word/tag/function/head, words counted from 0; the root has the head -1."""
    words, tags, functions, heads = zip(*(word.split("/") for word in text.split()), strict=True)
    return Dependencies(words, tags, tuple(int(head) for head in heads), functions)


def check(text: str, expected: str, *, repaired: bool = False) -> None:
    tree = build_tiger_tree(dependencies(text), repaired=repaired)
    assert Tree.fromstring(str(tree)) == Tree.fromstring(expected)  # brackets write the tag $( as $[


# Rules for phrases


def test_noun_phrases_and_prepositional_phrases_are_flat() -> None:
    check(
        "Sie/PPER/sb/1 wohnt/VVFIN/ROOT/-1 in/APPR/mo/1 dem/ART/nk/5 alten/ADJA/nk/5 Haus/NN/nk/2 "
        "der/ART/nk/7 Tante/NN/ag/5 ./$./punct/1",
        "(ROOT (S (PPER Sie) (VVFIN wohnt) (PP (APPR in) (ART dem) (ADJA alten) (NN Haus) "
        "(NP (ART der) (NN Tante)))) ($. .))",
    )


def test_an_extraposed_relative_clause_leaves_a_gap_in_its_noun_phrase() -> None:
    check(
        "Er/PPER/sb/1 hat/VAFIN/ROOT/-1 den/ART/nk/3 Mann/NN/oa/4 gesehen/VVPP/oc/1 ,/$,/punct/4 "
        "der/PRELS/sb/7 singt/VVFIN/rc/3 ./$./punct/1",
        "(ROOT (S (PPER 0=Er) (VAFIN 1=hat) (VP (NP (ART 2=den) (NN 3=Mann) ($, 5=,) "
        "(S (PRELS 6=der) (VVFIN 7=singt))) (VVPP 4=gesehen))) ($. 8=.))",
    )


def test_a_topicalised_object_leaves_a_gap_in_its_verb_phrase() -> None:
    check(
        "Das/ART/nk/1 Buch/NN/oa/4 will/VMFIN/ROOT/-1 sie/PPER/sb/2 lesen/VVINF/oc/2 ./$./punct/2",
        "(ROOT (S (VP (NP (ART 0=Das) (NN 1=Buch)) (VVINF 4=lesen)) (VMFIN 2=will) (PPER 3=sie)) ($. 5=.))",
    )


def test_clauses_are_coordinated_with_all_that_depends_on_their_verbs() -> None:
    check(
        "Er/PPER/sb/1 lacht/VVFIN/ROOT/-1 ,/$,/punct/1 singt/VVFIN/cj/1 und/KON/cd/3 sie/PPER/sb/6 weint/VVFIN/cj/4",
        "(ROOT (CS (S (PPER Er) (VVFIN lacht)) ($, ,) (S (VVFIN singt)) (KON und) (S (PPER sie) (VVFIN weint))))",
    )


def test_coordinated_nouns_share_an_article_unless_the_second_has_its_own() -> None:
    shared = "die/ART/nk/1 Männer/NN/ROOT/-1 und/KON/cd/1 Frauen/NN/cj/2"
    check(shared, "(ROOT (NP (ART die) (CNP (NN Männer) (KON und) (NN Frauen))))")
    own = "der/ART/nk/1 Mann/NN/ROOT/-1 und/KON/cd/1 die/ART/nk/4 Frau/NN/cj/2"
    check(own, "(ROOT (CNP (NP (ART der) (NN Mann)) (KON und) (NP (ART die) (NN Frau))))")
    name = "die/ART/nk/1 Stadt/NN/ROOT/-1 und/KON/cd/1 Berlin/NE/cj/2"
    check(name, "(ROOT (CNP (NP (ART die) (NN Stadt)) (KON und) (NE Berlin)))")


@pytest.mark.parametrize(
    ("words", "label"),
    [
        ("gut/ADJD/ROOT/-1 und/KON/cd/0 schön/ADJD/cj/1", "CAP"),
        ("hier/ADV/ROOT/-1 und/KON/cd/0 da/ADV/cj/1", "CAVP"),
        ("oft/ADV/ROOT/-1 und/KON/cd/0 gern/ADJD/cj/1", "CO"),
        ("Auf-/TRUNC/ROOT/-1 und/KON/cd/0 abgerundet/VVPP/cj/1", "CVP"),
    ],
)
def test_the_label_of_a_coordination_follows_its_conjuncts(words: str, label: str) -> None:
    assert [constituent.label for constituent in build_tiger_tree(dependencies(words)).root.walk()] == ["ROOT", label]


def test_coordinated_verb_phrases_keep_their_objects() -> None:
    check(
        "Er/PPER/sb/1 will/VMFIN/ROOT/-1 Bier/NN/oa/3 trinken/VVINF/oc/1 und/KON/cd/3 Brot/NN/oa/6 essen/VVINF/cj/4",
        "(ROOT (S (PPER Er) (VMFIN will) (CVP (VP (NN Bier) (VVINF trinken)) (KON und) (VP (NN Brot) (VVINF essen)))))",
    )


def test_a_separated_prefix_belongs_to_the_clause_and_zu_to_its_infinitive() -> None:
    check(
        "Er/PPER/sb/1 fängt/VVFIN/ROOT/-1 an/PTKVZ/svp/1 ,/$,/punct/1 Briefe/NN/oa/6 zu/PTKZU/pm/6 lesen/VVINF/oc/1",
        "(ROOT (S (PPER Er) (VVFIN fängt) (PTKVZ an) ($, ,) (VP (NN Briefe) (VZ (PTKZU zu) (VVINF lesen)))))",
    )


def test_names_numbers_and_superlatives_are_constituents_below_the_phrase() -> None:
    name = "der/ART/nk/1 Maler/NN/ROOT/-1 Franz/NE/pnc/3 Marc/NE/nk/1"
    check(name, "(ROOT (NP (ART der) (NN Maler) (PN (NE Franz) (NE Marc))))")
    number = "zwei/CARD/nmc/1 Millionen/NN/ROOT/-1 Mark/NN/nk/1"
    check(number, "(ROOT (NP (NM (CARD zwei) (NN Millionen)) (NN Mark)))")
    check("am/PTKA/pm/1 besten/ADJD/ROOT/-1", "(ROOT (AA (PTKA am) (ADJD besten)))")


def test_a_quotation_is_a_clause_and_its_marks_get_one_parent() -> None:
    check(
        '"/$(/punct/2 Ich/PPER/sb/2 komme/VVFIN/oc/5 "/$(/punct/2 ,/$,/punct/5 '
        "sagt/VVFIN/ROOT/-1 sie/PPER/sb/5 ./$./punct/5",
        '(ROOT (S ($[ ") (S (PPER Ich) (VVFIN komme)) ($[ ") ($, ,) (VVFIN sagt) (PPER sie)) ($. .))',
    )


def test_a_sentence_without_a_verb_is_a_clause_if_it_has_more_than_a_phrase() -> None:
    check("Ein/ART/nk/1 Wunder/NN/ROOT/-1 !/$./punct/1", "(ROOT (NP (ART Ein) (NN Wunder)) ($. !))")
    check("Wohl/ADV/mo/2 ein/ART/nk/2 Wunder/NN/ROOT/-1", "(ROOT (S (ADV Wohl) (NP (ART ein) (NN Wunder))))")


# Repairs: the dependencies have an error


def test_a_participle_with_a_conjunction_and_a_subject_becomes_a_finite_verb() -> None:
    check(
        "weil/KOUS/cp/3 es/PPER/sb/3 ihm/PPER/da/3 gehört/VVPP/ROOT/-1",
        "(ROOT (S (KOUS weil) (PPER es) (PPER ihm) (VVFIN gehört)))",
        repaired=True,
    )


def test_the_complement_of_an_auxiliary_becomes_a_participle() -> None:
    check(
        "Er/PPER/sb/1 hat/VAFIN/ROOT/-1 sich/PRF/oa/3 bewegt/VVFIN/oc/1",
        "(ROOT (S (PPER Er) (VAFIN hat) (VP (PRF sich) (VVPP bewegt))))",
        repaired=True,
    )


def test_the_modifier_of_an_auxiliary_infinitive_goes_to_the_main_verb() -> None:
    check(
        "Es/PPER/sb/1 muss/VMFIN/ROOT/-1 dort/ADV/mo/4 gebaut/VVPP/oc/4 werden/VAINF/oc/1",
        "(ROOT (S (PPER Es) (VMFIN muss) (VP (VP (ADV dort) (VVPP gebaut)) (VAINF werden))))",
        repaired=True,
    )


def test_the_object_of_a_passive_clause_without_a_subject_becomes_the_subject() -> None:
    check(
        "Heute/ADV/mo/3 wird/VAFIN/ROOT/-1 Brot/NN/oa/3 gebacken/VVPP/oc/1",
        "(ROOT (S (VP (ADV 0=Heute) (VVPP 3=gebacken)) (VAFIN 1=wird) (NN 2=Brot)))",
        repaired=True,
    )


@pytest.mark.parametrize("head", ["2", "4"])
def test_a_relative_clause_at_an_article_or_a_verb_goes_to_the_noun(head: str) -> None:
    check(
        "Er/PPER/sb/1 hat/VAFIN/ROOT/-1 den/ART/nk/3 Mann/NN/oa/4 gesehen/VVPP/oc/1 ,/$,/punct/4 "
        f"der/PRELS/sb/7 singt/VVFIN/rc/{head}",
        "(ROOT (S (PPER 0=Er) (VAFIN 1=hat) (VP (NP (ART 2=den) (NN 3=Mann) ($, 5=,) "
        "(S (PRELS 6=der) (VVFIN 7=singt))) (VVPP 4=gesehen))))",
        repaired=True,
    )


def test_conjuncts_are_joined_with_their_like() -> None:
    check(
        "in/APPR/ROOT/-1 Rom/NE/nk/0 und/KON/cd/1 in/APPR/cj/2 Bern/NE/nk/3",
        "(ROOT (CPP (PP (APPR in) (NE Rom)) (KON und) (PP (APPR in) (NE Bern))))",
        repaired=True,
    )
    check(
        "Er/PPER/sb/1 hat/VAFIN/ROOT/-1 es/PPER/oa/3 gesehen/VVPP/oc/1 und/KON/cd/1 sie/PPER/oa/6 gehört/VVPP/cj/4",
        "(ROOT (S (PPER Er) (VAFIN hat) (CVP (VP (PPER es) (VVPP gesehen)) (KON und) (VP (PPER sie) (VVPP gehört)))))",
        repaired=True,
    )
    check(
        "Er/PPER/sb/1 kommt/VVFIN/ROOT/-1 nicht/PTKNEG/ng/1 mit/APPR/mo/1 Bier/NN/nk/3 ,/$,/punct/1 "
        "sondern/KON/cd/1 mit/APPR/cj/6 Wein/NN/nk/7",
        "(ROOT (S (PPER Er) (VVFIN kommt) (PTKNEG nicht) "
        "(CPP (PP (APPR mit) (NN Bier)) ($, ,) (KON sondern) (PP (APPR mit) (NN Wein)))))",
        repaired=True,
    )


def test_a_clause_that_begins_with_its_verb_depends_on_the_one_after_it() -> None:
    check(
        "Regnet/VVFIN/ROOT/-1 es/PPER/ep/0 ,/$,/punct/0 bleiben/VVFIN/cj/0 wir/PPER/sb/3 ./$./punct/0",
        "(ROOT (S (S (VVFIN Regnet) (PPER es)) ($, ,) (VVFIN bleiben) (PPER wir)) ($. .))",
        repaired=True,
    )


def test_what_lies_beyond_a_gap_of_an_embedded_clause_goes_to_the_clause_above() -> None:
    check(
        "Heute/ADV/mo/6 bleibt/VVFIN/ROOT/-1 sie/PPER/sb/1 ,/$,/punct/1 weil/KOUS/cp/6 es/PPER/ep/6 regnet/VVFIN/mo/1",
        "(ROOT (S (ADV Heute) (VVFIN bleibt) (PPER sie) ($, ,) (S (KOUS weil) (PPER es) (VVFIN regnet))))",
        repaired=True,
    )


def test_a_clause_that_repeats_es_forms_a_phrase_with_it() -> None:
    check(
        "Es/PPER/sb/1 stört/VVFIN/ROOT/-1 ,/$,/punct/1 dass/KOUS/cp/5 sie/PPER/sb/5 lacht/VVFIN/sb/1",
        "(ROOT (S (NP (PPER 0=Es) ($, 2=,) (S (KOUS 3=dass) (PPER 4=sie) (VVFIN 5=lacht))) (VVFIN 1=stört)))",
        repaired=True,
    )


def test_an_embedded_clause_is_coordinated_with_an_embedded_clause() -> None:
    check(
        "Unklar/ADJD/pd/1 ist/VAFIN/ROOT/-1 ,/$,/punct/1 wer/PWS/sb/5 morgen/ADV/mo/5 kommt/VVFIN/sb/1 "
        "oder/KON/cd/1 was/PWS/sb/9 dann/ADV/mo/9 geschieht/VVFIN/cj/6",
        "(ROOT (S (ADJD Unklar) (VAFIN ist) ($, ,) (CS (S (PWS wer) (ADV morgen) (VVFIN kommt)) (KON oder) "
        "(S (PWS was) (ADV dann) (VVFIN geschieht)))))",
        repaired=True,
    )


# What holds for all dependencies

_TAGS = [
    "NN",
    "NE",
    "ART",
    "ADJA",
    "VVFIN",
    "VAFIN",
    "VVPP",
    "VAINF",
    "APPR",
    "ADV",
    "KON",
    "KOUS",
    "PRELS",
    "PTKZU",
    "$,",
]
_FUNCTIONS = ["sb", "oa", "oc", "mo", "nk", "rc", "re", "cj", "cd", "cp", "pm", "pnc", "nmc", "ag", "pd", "ju", "par"]


@st.composite
def any_dependencies(draw: st.DrawFn) -> Dependencies:
    """Trees of words, sensible or not: each word depends on one that comes before it in a random order."""
    count = draw(st.integers(1, 12))
    order = draw(st.permutations(range(count)))
    heads = [-1] * count
    for rank, word in enumerate(order[1:], start=1):
        heads[word] = order[draw(st.integers(0, rank - 1))]
    tags = draw(st.lists(st.sampled_from(_TAGS), min_size=count, max_size=count))
    functions = draw(st.lists(st.sampled_from(_FUNCTIONS), min_size=count, max_size=count))
    functions[order[0]] = "ROOT"
    words = [draw(st.sampled_from(["es", "Haus", "lesen", "geht", "und", "werden"])) for _ in range(count)]
    return Dependencies(tuple(words), tuple(tags), tuple(heads), tuple(functions))


@given(sentence=any_dependencies())
def test_every_tree_of_dependencies_becomes_a_tree_over_the_same_words(sentence: Dependencies) -> None:
    tree = build_tiger_tree(sentence)
    assert tree.words == sentence.words
    assert tree.root.label == "ROOT"


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ((1, 0), "word 0 is in a cycle, or below one"),
        ((-1, 2), "the head of word 1 is 2, in a sentence of 2 words"),
        ((-1,), "words, tags, heads and functions are not of one length"),
    ],
)
def test_heads_that_make_no_tree_are_refused(heads: tuple[int, ...], message: str) -> None:
    with pytest.raises(TreeError, match=message):
        Dependencies(("a", "b"), ("NN", "NN"), heads, ("ROOT", "nk"))


def test_dependencies_that_are_too_deep_are_refused() -> None:
    count = 200
    with pytest.raises(TreeError, match="more than 150 dependencies deep"):
        Dependencies(("a",) * count, ("NN",) * count, tuple(range(-1, count - 1)), ("nk",) * count)
