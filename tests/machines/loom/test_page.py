"""The counts in docs/loom.md are those of the models."""

from pathlib import Path

import pytest

from transputer.ir.loom import configuration
from transputer.machines.loom.circuit import model
from transputer.model import looped_card
from transputer.runtime.loom.export import onnx_sizes

PAGE = (Path(__file__).parents[3] / "docs" / "loom.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.split("## Counts")[1].split("Counts are")[0].splitlines()
    if line.startswith("| 1")
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_counts(row: list[str]) -> None:
    card = looped_card(model(configuration(row[0])))
    paper = card["published"]
    assert row[1:9] == [
        str(card["rows"]),
        str(paper["rows"]) if paper else "",
        f"{card['parameters']['dense']:,}",
        f"{paper['parameters']:,}" if paper else "",
        f"{card['parameters']['nonzero']:,}",
        f"{paper['nonzeros']:,}" if paper else "",
        f"{card['neurons']:,}",
        card["exact_in"],
    ]
    largest = max(found["magnitude"] for found in card["bounds"]["largest"].values())
    assert row[9] == f"{largest:,}"
    assert (card["layers"], card["heads"]) == (8, 9)


def test_there_are_the_published_ones() -> None:
    assert [row[0] for row in ROWS[:3]] == ["146x512", "155x1024", "164x2048"]


def test_sizes_of_onnx_files() -> None:
    pytest.importorskip("onnx")
    table = PAGE.split("| | step | whole run |")[1].split("\n\n")[0]
    rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("| 1")]
    assert len(rows) == 4
    for name, *sizes in rows:
        found = onnx_sizes(model(configuration(name.strip())))
        said = [int(size.replace("bytes", "").replace(",", "")) for size in sizes]
        assert found is not None and said == [found["step"], found["loop"]]
