"""Tables of docs/exchange.md from the declarations of the formats.

`python -m tests.exchange_tables` writes them into the page.
"""

from __future__ import annotations

from pathlib import Path

from orchestration.interchange import FORMATS, mapping_table

PAGE = Path(__file__).resolve().parents[1] / "docs" / "exchange.md"


def format_table() -> str:
    """Return a table of the formats with their directions."""
    lines = ["| format | name in commands | content | direction |\n", "|---|---|---|---|\n"]
    for each in FORMATS:
        directions = [
            name for name, function in (("out", each.write), ("in", each.read)) if function
        ]
        cells = (each.title, f"`{each.key}`", each.summary, ", ".join(directions))
        lines.append(f"| {' | '.join(cells)} |\n")
    lines += [f"| {title} | `{title.lower()}` | picture | out |\n" for title in ("SVG", "PNG")]
    return "".join(lines)


def with_tables(text: str) -> str:
    """Return the text of the page with the present tables."""
    for name, table in (("formats", format_table()), ("table", mapping_table(FORMATS))):
        begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
        before, _, rest = text.partition(begin)
        _, _, after = rest.partition(end)
        text = f"{before}{begin}{table}{end}{after}"
    return text


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
