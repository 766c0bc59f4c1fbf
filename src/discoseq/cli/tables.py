"""Tables for the terminal, for documents and for papers."""

from collections.abc import Iterable, Sequence
from html import escape

_LATEX_ESCAPES = str.maketrans(
    {character: f"\\{character}" for character in "#$%&_{}"}
    | {"±": r"$\pm$", "–": "--", "≥": r"$\geq$", "<": "$<$", ">": "$>$"}
)


def format_table(header: Sequence[str], rows: Iterable[Sequence[str]], align: str = "") -> str:
    """A table with aligned columns, without a final newline.

    `align` has an l or an r for every column; by default, the first column is left-aligned and the rest right-aligned.
    """
    lines = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    columns = list(zip(align or _default_align(header), widths, strict=True))
    return "\n".join("  ".join(map(_pad, line, columns)).rstrip() for line in lines)


def format_latex(header: Sequence[str], rows: Iterable[Sequence[str]], align: str = "") -> str:
    """The same table for LaTeX with the package booktabs, without a final newline."""
    lines = [rf"\begin{{tabular}}{{{align or _default_align(header)}}}", r"\toprule", _latex_row(header), r"\midrule"]
    return "\n".join([*lines, *map(_latex_row, rows), r"\bottomrule", r"\end{tabular}"])


def format_markdown(header: Sequence[str], rows: Iterable[Sequence[str]], align: str = "") -> str:
    """The same table for Markdown, without a final newline."""
    lines = [[cell.replace("|", r"\|") for cell in line] for line in (header, *rows)]
    sides = [":--" if side == "l" else "--:" for side in align or _default_align(header)]
    return "\n".join(f"| {' | '.join(line)} |" for line in (lines[0], sides, *lines[1:]))


def format_html(header: Sequence[str], rows: Iterable[Sequence[str]], align: str = "") -> str:
    """The same table for a web page, without a final newline."""
    sides = ["left" if side == "l" else "right" for side in align or _default_align(header)]
    lines = ["<table>", _html_row("th", header, sides), *(_html_row("td", row, sides) for row in rows), "</table>"]
    return "\n".join(lines)


def escape_latex(text: str) -> str:
    """Text as LaTeX has to have it."""
    return text.translate(_LATEX_ESCAPES)


def _html_row(kind: str, cells: Sequence[str], sides: Sequence[str]) -> str:
    inner = "".join(
        f'<{kind} style="text-align:{side}">{escape(cell)}</{kind}>' for cell, side in zip(cells, sides, strict=True)
    )
    return f"<tr>{inner}</tr>"


def _default_align(header: Sequence[str]) -> str:
    return "l" + "r" * (len(header) - 1)


def _pad(cell: str, column: tuple[str, int]) -> str:
    side, width = column
    return cell.ljust(width) if side == "l" else cell.rjust(width)


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(escape_latex, cells)) + r" \\"
