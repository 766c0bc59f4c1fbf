"""What the formats look like, on examples small enough for a board."""

import pytest

from discoseq.treebanks.files import format_trees, parse_trees
from discoseq.trees.tree import Constituent, SecondaryEdge, Token, Tree
from tree_strategies import without_tags

EXPORT = """\
%% a line before the first sentence
#FORMAT 4
#BOT ORIGIN
0\tNULL\t--
#EOT ORIGIN
#BOS 7 1 0 1 %% first
Das\t\tder\tPDS\tAcc\tOA\t500
muss\tmüssen\tVMFIN\t--\tHD\t501
man\tman\tPIS\t--\tSB\t501\tSB\t500 %% a remark
tun\ttun\tVVINF\t--\tHD\t500
.\t--\t$.\t--\t--\t0
#500\t--\tVP\t--\tOC\t501
#501\t--\tS\t--\t--\t0
#EOS 7
"""


def test_export_4() -> None:
    (tree,) = parse_trees(EXPORT, "export")
    assert without_tags(tree) == "(ROOT (S (VP 0=Das 3=tun) 1=muss 2=man) 4=.)"
    assert (tree.id, tree.comment) == ("7", "first")
    assert tree.tokens[0] == Token("Das", "PDS", "der", "Acc", "OA")
    assert tree.tokens[4] == Token(".", "$.")
    assert [c.function for c in tree.root.walk()] == [None, None, "OC"]
    assert tree.secondary_edges == (SecondaryEdge(2, "SB", -3),)


def test_export_3_has_no_lemma_and_is_told_by_the_number_of_fields() -> None:
    lines = "#BOS 1\na\tA\t--\tNK\t500\tSB\t501\nb B -- HD 501\n#500\tNP\t--\tSB\t501\n#501\tS\t--\t--\t0\n#EOS 1\n"
    (tree,) = parse_trees(lines, "export")
    assert without_tags(tree) == "(ROOT (S (NP 0=a) 1=b))"
    assert tree.tokens == (Token("a", "A", function="NK"), Token("b", "B", function="HD"))
    assert tree.secondary_edges == (SecondaryEdge(0, "SB", -2),)


def test_export_tokens_may_look_like_nodes_or_comments() -> None:
    tokens = ["#1", "#5000", "%%", "10\u00a0%"]
    lines = "".join(f"{word}\tA\t--\t--\t0\n" for word in tokens)
    lines = f"#BOS 1\n{lines}%% a comment\n#EOS 1\n"
    (tree,) = parse_trees(lines, "export")
    assert list(tree.words) == tokens


def test_export_is_written_with_children_before_parents() -> None:
    text = format_trees(parse_trees(EXPORT, "export"), "export")
    assert text == (
        "#FORMAT 4\n#BOS 7 %% first\n"
        "Das\tder\tPDS\tAcc\tOA\t500\nmuss\tmüssen\tVMFIN\t--\tHD\t501\nman\tman\tPIS\t--\tSB\t501\tSB\t500\n"
        "tun\ttun\tVVINF\t--\tHD\t500\n.\t--\t$.\t--\t--\t0\n"
        "#500\t--\tVP\t--\tOC\t501\n#501\t--\tS\t--\t--\t0\n#EOS 7\n"
    )


def test_discbracket() -> None:
    line = "(ROOT (S (VP-OC (PDS-OA 0=Das) (VVINF 3=x=y)) (VMFIN 1=#LRB#) (PIS 2==)) ($[ 4=#)) \ta note\n"
    (tree,) = parse_trees(line, "discbracket")
    assert without_tags(tree) == "(ROOT (S (VP 0=Das 3=x=y) 1=( 2==) 4=#)"
    assert tree.tokens[0] == Token("Das", "PDS", function="OA")
    assert tree.tokens[4].tag == "$("
    assert tree.comment == "a note"
    assert format_trees([tree], "discbracket") == line.replace(" \t", "\t")


def test_words_without_tags_are_read_and_get_a_placeholder_when_written() -> None:
    (tree,) = parse_trees("( (S (VP 0=a 2=c) 1=b))\n", "discbracket")
    assert without_tags(tree) == "( (S (VP 0=a 2=c) 1=b))"
    assert {token.tag for token in tree.tokens} == {None}
    assert format_trees([tree], "discbracket") == "( (S (VP (-- 0=a) (-- 2=c)) (-- 1=b)))\n"


def test_the_discbracket_of_treetools_is_read_too() -> None:
    (tree,) = parse_trees("(VROOT(S(VP(PDS 1)(VVINF 3))(VMFIN 2))($. 4))\tDas muss tun .\n", "discbracket")
    assert without_tags(tree) == "(VROOT (S (VP 0=Das 2=tun) 1=muss) 3=.)"


PTB = """\

( (S (NP-SBJ-1 (NNP Ann))
     (VP (VBD wanted)
\t (S (NP-SBJ (-NONE- *-1))
(VP (TO to) (VP (VB go)))))
     (-LRB- -LRB-) (. .)) )
( (NP=2 (NN tea)) ) ( (NP (NN cake)) )
"""


def test_bracket_on_one_line_or_many() -> None:
    first, second, third = parse_trees(PTB, "bracket")
    assert without_tags(first) == "( (S (NP 0=Ann) (VP 1=wanted (S (NP 2=*-1) (VP 3=to (VP 4=go)))) 5=-LRB- 6=.))"
    assert [c.function for c in first.root.walk()][2] == "SBJ-1"
    assert first.tokens[2] == Token("*-1", "-NONE-")
    assert first.tokens[5] == Token("-LRB-", "-LRB-")
    assert (second.id, third.id) == ("2", "3")
    assert format_trees([first, second], "bracket").splitlines() == [
        "( (S (NP-SBJ-1 (NNP Ann)) (VP (VBD wanted) (S (NP-SBJ (-NONE- *-1)) (VP (TO to) (VP (VB go))))) "
        "(-LRB- -LRB-) (. .)))",
        "( (NP=2 (NN tea)))",
    ]


def test_a_tag_alone_gets_a_root() -> None:
    (tree,) = parse_trees("(NN Ende)\n", "bracket")
    assert without_tags(tree) == "(ROOT 0=Ende)"


def test_parentheses_in_labels_are_written_as_square_brackets() -> None:
    tree = Tree(Constituent("ROOT", (Constituent("A[b](c)", (0,)),)), (Token("a", "$("),))
    text = format_trees([tree], "bracket")
    assert text == "(ROOT (A#U+005B#b#U+005D#[c] ($[ a)))\n"
    assert parse_trees(text, "bracket") == [tree]


TIGER = """\
<?xml version="1.0" encoding="utf-8"?>
<corpus id="c"><head><meta><name>x</name></meta></head><body>
<s id="s1"><graph root="s1_501"><terminals>
<t id="s1_1" word="Das" lemma="der" pos="PDS" morph="--"/>
<t id="s1_2" word="mu&#223;" lemma="--" pos="VMFIN" morph="--"><secedge label="HD" idref="s1_500"/></t>
<t id="s1_3" word="tun" lemma="tun" pos="VVINF" morph="Inf"/>
<t id="s1_4" word="&quot;" lemma="--" pos="$(" morph="--"/>
</terminals><nonterminals>
<nt id="s1_500" cat="VP"><edge label="OA" idref="s1_1"/><edge label="HD" idref="s1_3"/></nt>
<nt id="s1_501" cat="S"><edge label="HD" idref="s1_2"/><edge label="OC" idref="s1_500"/></nt>
</nonterminals></graph></s>
<s id="s2"><graph root="s2_1"><terminals><t id="s2_1" word="Ende" pos="NN"/></terminals><nonterminals/></graph></s>
<s id="s3"><graph root="s3_500"><terminals><t id="s3_1" word="Zum" pos="APPRART"/></terminals>
<nonterminals><nt id="s3_500" cat="PP"><edge label="--" idref="s3_1"/></nt></nonterminals></graph></s>
</body></corpus>
"""


def test_tiger_xml_puts_a_virtual_root_only_over_several_tops_or_a_bare_word() -> None:
    first, second, third = parse_trees(TIGER, "tigerxml")
    assert without_tags(first) == '(VROOT (S (VP 0=Das 2=tun) 1=muß) 3=")'
    assert first.tokens[2] == Token("tun", "VVINF", "tun", "Inf", "HD")
    assert first.secondary_edges == (SecondaryEdge(1, "HD", -3),)
    assert without_tags(second) == "(VROOT 0=Ende)"
    assert without_tags(third) == "(PP 0=Zum)"
    assert [tree.id for tree in (first, second, third)] == ["s1", "s2", "s3"]


ALPINO = """\
<?xml version="1.0" encoding="UTF-8"?>
<alpino_ds version="1.3">
  <node begin="0" cat="top" end="4" id="0" rel="top">
    <node begin="0" cat="smain" end="3" id="1" rel="--">
      <node begin="0" end="1" id="2" index="1" lemma="ik" pos="noun" postag="VNW(pers)" pt="vnw" rel="su" word="Ik"/>
      <node begin="1" end="2" id="3" lemma="willen" pos="verb" rel="hd" word="wil"/>
      <node begin="0" cat="inf" end="3" id="4" rel="vc">
        <node begin="0" end="1" id="5" index="1" rel="su"/>
        <node begin="2" end="3" id="6" lemma="slapen" pos="verb" rel="hd" word="slapen"/>
      </node>
    </node>
    <node begin="3" end="4" id="7" lemma="." pos="punct" postag="LET()" pt="let" rel="--" word="."/>
  </node>
  <sentence>Ik wil slapen .</sentence>
  <comments><comment>a note</comment></comments>
</alpino_ds>
"""


def test_alpino_keeps_index_nodes_as_secondary_edges() -> None:
    (tree,) = parse_trees(ALPINO, "alpino")
    assert without_tags(tree) == "(TOP (SMAIN 0=Ik 1=wil (INF 2=slapen)) 3=.)"
    assert tree.tokens[0] == Token("Ik", "vnw", "ik", "VNW(pers)", "su")
    assert tree.tokens[1].tag == "verb"
    assert tree.secondary_edges == (SecondaryEdge(0, "su", -3),)
    assert tree.comment == "a note"


def test_several_alpino_documents_in_a_row_are_read() -> None:
    assert len(parse_trees(ALPINO * 3, "alpino")) == 3


def test_a_word_that_alpino_left_out_of_the_tree_hangs_under_the_root() -> None:
    node = ALPINO[ALPINO.index('    <node begin="3"') : ALPINO.index("  </node>\n  <sentence>")]
    (tree,) = parse_trees(ALPINO.replace(node, ""), "alpino")
    assert without_tags(tree) == "(TOP (SMAIN 0=Ik 1=wil (INF 2=slapen)) 3=.)"


@pytest.mark.parametrize("format", ["bracket", "discbracket"])
def test_an_unknown_format_lists_the_known_ones(format: str) -> None:
    from discoseq.errors import TreebankError

    with pytest.raises(TreebankError, match=f"no format 'conll'.*{format}"):
        parse_trees("", "conll")
