"""Put the tables and figures of `discoseq report runs/open --out REPORT` into docs/experiments.md."""

import shutil
import sys
from pathlib import Path

DOCS = Path(__file__).parent
BEGIN, END = "<!-- report -->", "<!-- end of report -->"
FIGURES = {"analysis-alpino-heads.svg": "open-alpino.svg", "analysis-pcc-heads.svg": "open-pcc.svg"}


def main(report: Path) -> None:
    """The tables become sections of a section, and the figures of the paper's heads come first."""
    text = (report / "report.md").read_text("utf-8")
    tables = text[text.index("\n## ") + 1 : text.index("\n## Figures\n")].replace("\n## ", "\n### ")
    parts = ["### Figures"]
    for name, copied in FIGURES.items():
        shutil.copyfile(report / name, DOCS / "images" / copied)
        caption = text.partition(f"]({name})")[0].rpartition("![")[2]
        parts.append(f"![{caption}](images/{copied})")
    page = DOCS / "experiments.md"
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    inserted = "\n\n".join([BEGIN, *parts, f"#{tables.strip()}", END])
    page.write_text(before + inserted + after, "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
