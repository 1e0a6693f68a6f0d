"""What `bench commands` says of its own rows."""

from transputer.check.bench.commands import COLUMNS, _notes


def row(name: str, **seconds: float) -> tuple[str | int | float | None, ...]:
    times = {column.replace(" ", "_"): None for column in COLUMNS[3:]} | seconds
    return (name, "10^6", 7, *times.values())


def test_rows_beyond_a_rule_are_named() -> None:
    good = {"auto_first": 2.0, "auto_again": 1.0, "native_first": 1.5, "native_again": 1.5}
    lifted = {"lifted_first": 3.0, "lifted_again": 0.8}
    slow = {**good, **lifted, "auto_first": 3.6, "auto_again": 1.05}
    first, again, over, *_ = _notes([row("fine", **good, **lifted), row("slow", **slow)])
    assert first.endswith("first: 1 of 2; not slow 10^6")
    assert again.endswith("again: 1 of 2; not slow 10^6")
    assert over.endswith("first: 1 of 2; not slow 10^6")
