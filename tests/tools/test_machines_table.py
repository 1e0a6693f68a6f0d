"""The table of machines in docs/machines.md is what the registry says."""

from tools.machines_table import PAGE, page


def test_the_table_is_fresh() -> None:
    text = PAGE.read_text()
    assert page(text) == text, "run: python tools/machines_table.py"
