"""Tables for the terminal and for papers."""

from collections.abc import Iterable, Sequence

_LATEX_ESCAPES = str.maketrans({character: f"\\{character}" for character in "#$%&_{}"})


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


def _default_align(header: Sequence[str]) -> str:
    return "l" + "r" * (len(header) - 1)


def _pad(cell: str, column: tuple[str, int]) -> str:
    side, width = column
    return cell.ljust(width) if side == "l" else cell.rjust(width)


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(cell.translate(_LATEX_ESCAPES) for cell in cells) + r" \\"
