"""Files with the quirks of real treebanks, each of a few made-up sentences: what is read, noted and refused."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discoseq.errors import NoTreesError, TreebankError
from discoseq.treebanks.files import format_trees, parse_trees, read_trees, write_trees
from discoseq.trees.bracket_parser import ORDINARY_LEAVES, Leaves, Multiword, Wordless
from discoseq.trees.notes import Note
from discoseq.trees.transforms import drop_functions
from discoseq.trees.tree import Constituent, Token, Tree
from tree_strategies import without_tags


def read(path: Path, text: str, leaves: Leaves = ORDINARY_LEAVES) -> tuple[list[str], list[str]]:
    """The trees and the notes, with the line of each."""
    path.write_text(text, encoding="utf-8")
    notes: list[Note] = []
    trees = [without_tags(tree) for tree in read_trees(path, on_note=notes.append, leaves=leaves)]
    return trees, [f"{note.line}: {note.text}" for note in notes]


def read_skipping(path: Path, text: str) -> tuple[list[str], list[str]]:
    """The trees that can be read, and the errors."""
    path.write_text(text)
    errors: list[TreebankError] = []
    words = [" ".join(tree.words) for tree in read_trees(path, on_bad=errors.append)]
    return words, [f"{error.line}: {error.reason}" for error in errors]


# --- bracket files are read by balance


def test_a_bracket_at_the_margin_does_not_end_a_tree(tmp_path: Path) -> None:
    text = "(S (NP (NN a))\n   (VP (VB b)))\n(S (NP (NN c))\n(VP (VB d)))\n"
    assert read_skipping(tmp_path / "x.mrg", text) == (["a b", "c d"], [])


LINES = ["(S", "(NP (NN a)", "(PP (IN b)", "(NP (NN c))", ")", ")", "(VP", "(VB d)", ")", ")"]


@given(indents=st.lists(st.sampled_from(["", " ", "\t", "     "]), min_size=len(LINES), max_size=len(LINES)))
def test_indentation_means_nothing(indents: list[str]) -> None:
    text = "".join(f"{indent}{line}\n" for indent, line in zip(indents, LINES, strict=True))
    one = parse_trees(" ".join(LINES), "bracket")
    assert parse_trees(text * 3, "bracket") == one * 3


def test_an_error_has_the_line_of_its_place(tmp_path: Path) -> None:
    text = "(S (A a)\n   (B b))\n(S (A a)\n   (B b)\n   ))\n   )\n(S (A c)\n   (X (B))\n   (C d))\n"
    words, errors = read_skipping(tmp_path / "x.mrg", text)
    assert words == ["a b"]
    assert errors[0] == "5: a closing bracket has no opening one"
    assert errors[1].startswith("8: the bracket (B) contains no word")


def test_an_unclosed_tree_is_found_at_its_last_open_bracket(tmp_path: Path) -> None:
    text = "(S (A a)\n   (B b))\n(S (A c)\n  (X\n    (B d)\n"
    assert read_skipping(tmp_path / "x.mrg", text) == (["a b"], ["4: 2 brackets are not closed"])


def test_after_an_unclosed_tree_the_margin_tells_where_the_next_begins(tmp_path: Path) -> None:
    text = "(S (A a))\n(S (A b)\n(NP (A c))\n(S (A d))\n"
    assert read_skipping(tmp_path / "x.mrg", text) == (["a", "c", "d"], ["2: a bracket is not closed"])


def test_fragments_are_no_trees_if_brackets_inside_trees_are_at_the_margin(tmp_path: Path) -> None:
    good = "(S (NP (NN {}))\n(ADVP (RB x))\n(VP (VB y)))\n"
    text = good.format("a") + "(S (NP (NN b))\n(ADVP (RB x))\n(VP (VB y))\n" + good.format("c")
    assert read_skipping(tmp_path / "x.mrg", text) == (["a x y", "c x y"], ["4: a bracket is not closed"])


def test_the_empty_bracket_around_a_tree_of_the_ptb_ends_an_unclosed_one(tmp_path: Path) -> None:
    text = "( (S (A a)\n\n( (S (A b)))\n\n( (S (A c)))\n   )\n\n( (S (A d)))\n"
    words, errors = read_skipping(tmp_path / "x.mrg", text)
    assert words == ["b", "d"]
    assert [error.partition(":")[0] for error in errors] == ["1", "6"]


def test_a_tree_after_an_unclosed_first_one_is_read_by_balance(tmp_path: Path) -> None:
    text = "(S (A a)\n" + "# a comment (\n\n(S (A b)\n(B c)\n(B d))\n" * 2
    assert read_skipping(tmp_path / "x.mrg", text) == (["b c d"] * 2, ["1: a bracket is not closed"])


# --- lines that are no trees

CTB = """\
<DOC>
<DOCID> 900 </DOCID>
<DATE> (1994/01/01) </DATE>
<BODY>
<S ID=1>
( (IP-HLN (NP-PN-SBJ (NR 小明))
(VP (VV 喝) (NP-OBJ (NN 茶)))) )
</S>
<S ID=2>
( (IP (NP-SBJ (-NONE- *pro*))
      (VP (VV 走)))
</S>
<S ID=3>
( (FRAG (NN 完)) )
</S>
</BODY>
"""


def test_the_sgml_of_the_chinese_treebank_is_skipped_and_ends_an_unclosed_tree(tmp_path: Path) -> None:
    (tmp_path / "chtb_900.fid").write_text(CTB, encoding="utf-8")
    errors: list[TreebankError] = []
    trees = list(read_trees(tmp_path, on_bad=errors.append))
    assert [without_tags(tree) for tree in trees] == ["( (IP (NP 0=小明) (VP 1=喝 (NP 2=茶))))", "( (FRAG 0=完))"]
    assert [(error.line, error.reason) for error in errors] == [(10, "a bracket is not closed")]


def test_sgml_in_lower_case_is_not_taken_for_xml(tmp_path: Path) -> None:
    assert read(tmp_path / "x", "<s id=1>\n(S (A a))\n</s>\n")[0] == ["(S 0=a)"]


def test_comments_and_an_empty_first_column_are_no_part_of_discbracket(tmp_path: Path) -> None:
    text = "# from a parser (version 1)\n\t(S (A 0=a) (B 1=b))\tnote\n\n# end\n\t(S (# 0=#))\n"
    assert read(tmp_path / "x", text) == (["(S 0=a 1=b)", "(S 0=#)"], [])
    assert next(read_trees(tmp_path / "x")).comment == "note"


FLORESTA = """\
#1 CF1-1 Vinho novo (tinto).
((UTT+np
    (H+n Vinho)
    (N<+adj novo)
    (.)))

#2 CF1-2 Ela canta
((STA+fcl
    (SUBJ+pron-pers Ela)
    (P+v-fin canta)
    (,)))
"""


def test_leaves_without_a_word_as_in_floresta_are_refused_left_out_or_their_labels_are_words(tmp_path: Path) -> None:
    path = tmp_path / "floresta.ptb"
    with pytest.raises(
        TreebankError, match=r"ptb:5: the bracket \(\.\) contains no word; convert with --wordless skip"
    ):
        read(path, FLORESTA)
    trees, notes = read(path, FLORESTA, Leaves(wordless=Wordless.SKIP))
    assert trees == ["( (UTT+np 0=Vinho 1=novo))", "( (STA+fcl 0=Ela 1=canta))"]
    assert notes == ["5: a bracket without a word is left out", "11: a bracket without a word is left out"]
    trees, notes = read(path, FLORESTA, Leaves(wordless=Wordless.LABEL))
    assert trees == ["( (UTT+np 0=Vinho 1=novo 2=.))", "( (STA+fcl 0=Ela 1=canta 2=,))"]
    assert [token.tag for token in next(read_trees(path, leaves=Leaves(wordless=Wordless.LABEL))).tokens][2] == "."
    assert notes[0] == "5: the label of a bracket without a word is taken for its word"


def test_phrases_of_leaves_without_a_word_are_left_out_too(tmp_path: Path) -> None:
    trees, notes = read(tmp_path / "x.mrg", "(S (NP (X) (Y)) (A a))\n(S (NP (X)))\n", Leaves(wordless=Wordless.SKIP))
    assert trees == ["(S 0=a)", "(S )"]
    assert len(notes) == 5


VIETNAMESE = "(S (NP-SUB (Np Hà Nội)) (VP (V có) (NP (N mưa))) (. .))\n"
CESS = """\
(S
  (sn-SUJ
    (espec.ms
      (da0ms0 El el))
    (grup.nom.ms
      (ncms000 tren tren)))
  (grup.verb
    (vmis3s0 llegó llegar)))
"""


@pytest.mark.parametrize(
    ("multiword", "tree"),
    [
        (None, "(S (NP (Np 0=Hà 1=Nội)) (VP 2=có (NP 3=mưa)) 4=.)"),
        (Multiword.JOIN, "(S (NP 0=Hà_Nội) (VP 1=có (NP 2=mưa)) 3=.)"),
        (Multiword.FIRST, "(S (NP 0=Hà) (VP 1=có (NP 2=mưa)) 3=.)"),
        (Multiword.SPLIT, "(S (NP 0=Hà 1=Nội) (VP 2=có (NP 3=mưa)) 4=.)"),
    ],
)
def test_several_words_in_a_bracket_are_read_as_wanted(tmp_path: Path, multiword: Multiword | None, tree: str) -> None:
    trees, notes = read(tmp_path / "x.prd", VIETNAMESE, Leaves(multiword))
    assert trees == [tree]
    assert len(notes) == 1
    assert notes[0].startswith("1: ")
    (again,) = read_trees(tmp_path / "x.prd", leaves=Leaves(multiword))
    assert again.tokens[0].tag == ("Np" if multiword else None)


def test_the_lemmas_of_cess_are_left_out_with_a_note(tmp_path: Path) -> None:
    trees, notes = read(tmp_path / "1.tbf", CESS, Leaves(Multiword.FIRST))
    assert trees == ["(S (sn (espec.ms 0=El) (grup.nom.ms 1=tren)) (grup.verb 2=llegó))"]
    assert Counter(note.partition(": ")[2] for note in notes) == {
        "of several words in a bracket only the first is kept": 3
    }


def test_a_bracket_of_several_words_alone_gets_a_root(tmp_path: Path) -> None:
    assert (
        read(tmp_path / "x.mrg", "(Np Hà Nội)\n(Np Hà Nội)\n", Leaves(Multiword.SPLIT))[0] == ["(ROOT 0=Hà 1=Nội)"] * 2
    )


# --- secondary edges

SMULTRON = """\
<corpus><body>
<s id="s1"><graph root="s1_500" discontinuous="true"><terminals>
<t id="s1_1" word="Sofie" pos="NE" morph="--"><secedge label="SB" idref="s1_2"/></t>
<t id="s1_2" word="kam" pos="VVFIN" morph="--"/>
</terminals><nonterminals>
<nt id="s1_500" cat="S"><edge idref="s1_1" label="SB"/><edge idref="s1_2" label="HD"/>
<secedge label="CJ" idref="s1_777"/><secedge label="OK" idref="s1_500"/></nt>
<nt id="s1_501" cat="NP"/>
</nonterminals></graph></s>
</body></corpus>
"""
TUEBA = """\
#FORMAT 4
#BOS 1 0 1098266456 1 %% HEADDATE: May 3, 1999
Wer\twer\tPWS\tns*\tHD\t500\tREFINT\t3 %% LM=wer
Peter\tPeter\tNE\tnsm\t-\t501\tREFMOD\t777
kennt\tkennen#verb\tVVFIN\t3sis\tHD\t502
lacht\tlachen\tVVFIN\t3sis\tHD\t504
.\t.\t$.\t--\t--\t0
#500\t--\tNX\t--\tON\t503
#501\t--\tNX=PER\t--\tOA\t503
#502\t--\tVXFIN\t--\tHD\t503
#503\t--\tR-SIMPX\t--\tON\t505
#504\t--\tVXFIN\t--\tHD\t505
#505\t--\tSIMPX\t--\t--\t0\tREF\t503
#EOS 1
"""


def test_secondary_edges_that_lead_to_no_phrase_are_notes(tmp_path: Path) -> None:
    trees, notes = read(tmp_path / "x.xml", SMULTRON)
    assert trees == ["(VROOT (S 0=Sofie 1=kam))"]
    assert notes == [
        "3: a secondary edge to a terminal is left out",
        "7: a secondary edge to a node that is not in the sentence is left out",
        "2: a constituent without words is left out",
    ]
    (tree,) = parse_trees(TUEBA, "export")
    assert len(tree.secondary_edges) == 1
    assert read(tmp_path / "x.export", TUEBA)[1] == [
        "3: a secondary edge to a terminal is left out",
        "4: a secondary edge to a node that is not in the sentence is left out",
    ]


def test_a_secondary_edge_outside_the_nodes_is_a_note(tmp_path: Path) -> None:
    text = '<corpus><s id="1"><graph>\n<secedge idref="2"/><t id="1" word="a"/></graph></s></corpus>'
    assert read(tmp_path / "x.xml", text)[1] == ["2: a secondary edge outside the nodes is left out"]


def test_an_alpino_node_that_refers_to_nothing_is_a_note(tmp_path: Path) -> None:
    text = '<alpino_ds>\n<node cat="top"><node word="a" begin="0"/>\n<node index="3" rel="su"/></node></alpino_ds>'
    assert read(tmp_path / "x.xml", text)[1] == ["3: a node without a word that refers to no other node is left out"]


# --- labels


@pytest.mark.parametrize("format", ["discbracket", "bracket"])
def test_the_labels_of_tueba_come_back(format: str) -> None:
    (tree,) = parse_trees(TUEBA, "export")
    (back,) = parse_trees(format_trees([tree], format), format)
    assert back.root == tree.root
    assert [(x.label, x.function) for x in back.root.walk()][2:4] == [("R-SIMPX", "ON"), ("NX", "ON")]
    assert "(R#U+002D#SIMPX-ON " in format_trees([tree], format)


ANY_LABEL = (
    st.lists(st.sampled_from([*"AB-=#[](|_ ", "##", "#HASH#"]), min_size=1, max_size=6)
    .map("".join)
    .filter(lambda label: label != "--")
)
ANY_FUNCTION = st.none() | st.sampled_from(["SB", "-", "--", "1=2", "=2", "A##b##", "#"])


@pytest.mark.parametrize("format", ["discbracket", "bracket"])
@given(label=ANY_LABEL, tag=ANY_LABEL, one=ANY_FUNCTION, two=ANY_FUNCTION)
def test_every_label_and_tag_comes_back_from_brackets(
    format: str, label: str, tag: str, one: str | None, two: str | None
) -> None:
    tree = Tree(
        Constituent("ROOT", (Constituent(label, (0, 1), one),)), (Token("a", tag, function=two), Token("b", "X"))
    )
    assert parse_trees(format_trees([tree], format), format) == [tree]


def test_the_tags_of_the_ptb_are_written_as_they_are() -> None:
    text = "( (S (-LRB- -LRB-) (NP-SBJ-1=2 (-NONE- *)) (WHNP- (WP$ x)) (: --)))\n"
    assert format_trees(parse_trees(text, "bracket"), "bracket") == text


def test_a_label_that_lacks_its_function_loses_its_dash_with_the_functions() -> None:
    (tree,) = parse_trees("(S (WHNP- (NN- a) (-LRB- b) (: -)) (-- c))\n", "bracket")
    bare = drop_functions(tree)
    assert [x.label for x in bare.root.walk()] == ["S", "WHNP"]
    assert [token.tag for token in bare.tokens] == ["NN", "-LRB-", ":", None]


def test_the_tags_of_spmrl_become_tag_and_morphology() -> None:
    text = "(SENT (NP-SUJ (DET##lem=le|g=m## le) (NC-X##lem=vin|n=s## vin) (ADJ##lem=bon##-MOD bon)))\n"
    (tree,) = parse_trees(text, "bracket")
    assert tree.tokens == (
        Token("le", "DET", None, "lem=le|g=m"),
        Token("vin", "NC", None, "lem=vin|n=s", "X"),
        Token("bon", "ADJ", None, "lem=bon", "MOD"),
    )
    assert parse_trees(format_trees([tree], "export"), "export")[0].tokens == tree.tokens


def test_features_of_phrases_are_left_out_with_a_note(tmp_path: Path) -> None:
    assert read(tmp_path / "x.mrg", "(S (NP-SUJ##n=s##\n (A a)))\n") == (
        ["(S (NP 0=a))"],
        ["2: the features of a phrase are left out"],
    )


def test_alpino_keeps_labels_in_lower_case() -> None:
    tree = Tree(
        Constituent("top", (Constituent("sn", (Constituent("Np", (Constituent("NP", (0,)),)),)),)), (Token("a"),)
    )
    assert parse_trees(format_trees([tree], "alpino"), "alpino") == [tree]
    assert '<node cat="np" rel="--"' in format_trees([tree], "alpino")


# --- folders


def test_a_file_without_trees_in_a_folder_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "1.mrg").write_text("(S (A a))\n")
    (tmp_path / "2.mrg").write_text("")
    (tmp_path / "3.xml").write_text("<meta/>\n")
    notes: list[Note] = []
    assert [tree.words for tree in read_trees(tmp_path, on_note=notes.append)] == [("a",)]
    assert [(note.place, note.text) for note in notes] == [
        (str(tmp_path / "2.mrg"), "the file is empty; it is passed over"),
        (str(tmp_path / "3.xml"), "there are no sentences in this file (read as tigerxml); it is passed over"),
    ]
    (tmp_path / "1.mrg").write_text("\n")
    with pytest.raises(NoTreesError, match="there are no trees in the files of this folder"):
        list(read_trees(tmp_path))


def test_a_named_format_holds_for_every_file_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("(S (A a))\n")
    (tmp_path / "b.nw").write_text("<S ID=1>\n(S (A b))\n</S>\n")
    (tmp_path / "README").write_text("These are trees.\n")
    (tmp_path / ".DS_Store").write_bytes(b"\0\1")
    notes: list[Note] = []
    trees = list(read_trees(tmp_path, "bracket", on_note=notes.append))
    assert [tree.words for tree in trees] == [("a",), ("b",)]
    assert [(note.place, note.text) for note in notes] == [
        (str(tmp_path / "README"), "this is not bracket; it is passed over")
    ]


@pytest.mark.parametrize("suffix", [".prd", ".parse", ".fid", ".tbf", ".mrg.gz"])
def test_more_suffixes_are_known(tmp_path: Path, suffix: str) -> None:
    write_trees(parse_trees("(S (A a))\n", "bracket"), tmp_path / f"x{suffix}")
    assert [tree.words for tree in read_trees(tmp_path)] == [("a",)]
