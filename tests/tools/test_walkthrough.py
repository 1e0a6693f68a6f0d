"""The page is what the tool prints, and what it prints is right."""

import pytest

from tools.walkthrough import ARGUMENT, HIT, MEMORY, MISS, PAGE, PROGRAM, render, run
from transputer.machines.trace.vocabulary import LAYOUT

R = 2**32


@pytest.fixture(scope="module")
def walk():
    return run(PROGRAM, "f", ARGUMENT)


def parts(token):
    """A token's fields as bytes, read without the package's own decoder."""
    found, at = {}, 0
    for name, count in LAYOUT:
        found[name], at = list(token[at : at + count]), at + count
    return found


def look(walk, step, name):
    return next(k for k in walk.inside.looks(walk.steps[step]) if k.name == name)


def test_the_page_is_fresh():
    fresh = PAGE.read_text(encoding="utf-8") == render()
    assert fresh, "docs/how-it-works.md is stale: run `python -m tools.walkthrough`"


def test_the_program_adds(walk):
    assert walk.result == ARGUMENT + 7 == 42
    values = [parts(walk.inside.tokens[p + 1])["value"][0] for p in walk.steps]
    assert values == [35, 7, 42, 42]


@pytest.mark.parametrize("step", range(4))
def test_scores_of_a_fetch_by_hand(walk, step):
    """R (2 q.a - |a|^2) + position, from the digits of the tokens."""
    pc = parts(walk.inside.tokens[walk.steps[step]])["pc"]
    query = [3, *pc]
    for position, score in enumerate(look(walk, step, "instruction").scores):
        found = parts(walk.inside.tokens[position])
        space = 0 if found["space"] == [9] else found["space"][0]
        key = [space, *found["at"][:3]]
        dot = sum(2 * q * a - a * a for q, a in zip(query, key, strict=True))
        assert score == R * dot + position


def test_the_later_write_wins_by_its_position(walk):
    top = look(walk, 3, "T")
    assert 0 < top.margin == top.position - top.second
    assert 42 in top.copied.values()
    assert parts(walk.inside.tokens[top.second])["value"][0] == 35


@pytest.mark.parametrize("address, result, sentinel", [(HIT, 99, False), (MISS, 0, True)])
def test_a_miss_reads_the_sentinel(address, result, sentinel):
    walk = run(MEMORY, "g", address)
    assert walk.result == result
    p = look(walk, 4, "P")
    square = 16**2 + (address // 8) ** 2
    assert p.score == square * R + (0 if sentinel else p.position)
    assert (p.position == 0) is sentinel


@pytest.mark.parametrize("argument", [0, 0xFF, 0x00FFFFFF, 0xFFFFFFFF])
def test_the_adder_gives_the_bytes_of_the_sum(argument):
    walk = run(PROGRAM, "f", argument)
    total = (argument + 7) % 2**32
    assert walk.result == total
    firings = walk.inside.firings(walk.steps[2], 1, "add")
    for d in range(4):
        lane = f"next value{d}"
        made = sum(f.product * f.writes.get(lane, 0) for f in firings)
        assert made == walk.inside.final(lane, walk.steps[2]) == total >> 8 * d & 0xFF
