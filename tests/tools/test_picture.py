"""The README's moving picture is what a run gives."""

import xml.etree.ElementTree as ElementTree

from tools.picture import ARGUMENT, PICTURE, PROGRAM, Picture, render
from tools.walkthrough import run


def test_the_picture_is_fresh():
    assert PICTURE.read_text(encoding="utf-8") == render(), "run `python -m tools.picture`"


def test_the_picture_is_small_and_needs_nothing_from_elsewhere():
    text = PICTURE.read_text(encoding="utf-8")
    assert len(text) < 60_000
    assert {part for part in text.split('"') if part.startswith("http")} == {
        "http://www.w3.org/2000/svg"
    }
    ElementTree.fromstring(text)


def test_heads_read_what_was_last_written():
    """The sum of 1 to 3, followed by hand: what the heads read at the first addition."""
    picture = Picture(run(PROGRAM, "sum", ARGUMENT))
    assert picture.walk.result == 6
    ops = [picture.walk.code[picture.walk.record(p).pc] for p in picture.walk.steps]
    first = ops.index("i32.add")
    reads = picture.read(first)
    assert [picture.walk.record(reads[head]).value for head in "ST"] == [0, 3]
