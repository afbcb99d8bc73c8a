"""The tables of docs/exchange.md."""

from orchestration.interchange import FEATURES, FORMATS
from tests.exchange_tables import PAGE, with_tables


def test_the_tables_of_the_page_are_those_of_the_declarations() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text == with_tables(text), "write them with python -m tests.exchange_tables"
    titles = [*(each.title for each in FEATURES), *(each.title for each in FORMATS)]
    assert [title for title in titles if f"| {title} |" not in text] == []
