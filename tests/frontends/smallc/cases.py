"""The compiled C programs of the loom machine: one list for interpreter, engines and weights.

`CASES` has every program with the ticks it is run for (the host writes globals before each run of
main, whose memory stays) and the globals to look at after each. What must come out is in
`golden.json`, which gcc wrote: see golden.py.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[2] / "examples" / "loom"
GOLDEN = HERE / "golden.json"

Tick = dict[str, int]

_UP, _RIGHT, _DOWN, _LEFT = ({"key": k} for k in (1, 2, 3, 4))
_GO, _TURN_RIGHT, _BACK, _TURN_LEFT, _FIRE = ({"key": k} for k in (1, 2, 3, 4, 5))
_STAY: Tick = {"key": 0}


@dataclass(frozen=True)
class Case:
    """A program, the globals to look at (with their lengths, 0 for scalars) and its ticks."""

    name: str
    path: Path
    watch: dict[str, int] = field(default_factory=dict)
    ticks: tuple[Tick, ...] = ({},)
    limit: int = 1_000_000  # steps of one tick, at most

    @property
    def text(self) -> str:
        return self.path.read_text()


@dataclass(frozen=True)
class Seen:
    """What one tick must show."""

    result: int
    output: str
    globals: dict[str, list[int]]


_WATCH = {
    "bubble": {"a": 8},
    "selection": {"a": 10},
    "insertion": {"a": 10},
    "quicksort": {"a": 12},
    "shell": {"a": 32},
    "sudoku": {"board": 81},
    "snake": {"board": 64, "alive": 0, "score": 0},
    "raycaster": {
        **{"wall": 16, "sprite": 16, "map": 64},
        **{"health": 0, "score": 0, "px": 0, "py": 0, "angle": 0},
    },
    "life": {"board": 64},
    "flood": {"picture": 64},
    "fibonacci": {"fibonacci": 10},
    "sieve": {"composite": 60, "count": 0},
    "arithmetic": {"r": 12},
    "booleans": {"r": 10},
    "element_from_element": {"a": 4, "c": 4},
    "element_of_comparison": {"a": 4},
    "increments": {"a": 3},
    "pascal": {"row": 8},
    "pointers": {"a": 4, "g": 0},
    "round_trip": {"a": 8},
    "swap_elements": {"a": 6, "x": 0, "y": 0},
    "traffic": {"light": 0, "cars": 0},
}
_TICKS: dict[str, tuple[Tick, ...]] = {
    "life": ({},) * 4,
    # eats at the right, goes round, eats again, runs into the wall
    "snake": (
        *(_RIGHT, _STAY, _STAY, _UP, _UP, _LEFT, _STAY, _DOWN, _DOWN, _RIGHT, _STAY),
        *(_DOWN, _LEFT, _LEFT, _UP, _UP, _RIGHT, _DOWN, _LEFT, _STAY, _UP, _STAY, _STAY, _STAY),
        *(_STAY, _STAY, _STAY, _STAY, _RIGHT),
    ),
    # walks, turns, shoots an enemy, is struck
    "raycaster": (
        *(_STAY, _GO, _GO, _BACK, _TURN_RIGHT, _TURN_RIGHT, _TURN_RIGHT, _TURN_RIGHT),
        *(_FIRE, _FIRE, _FIRE, _FIRE, _TURN_LEFT, _TURN_LEFT, _TURN_LEFT, _TURN_LEFT),
        *(_TURN_LEFT, _TURN_LEFT, _TURN_LEFT, _TURN_LEFT, _FIRE, _FIRE, _FIRE),
        *(_GO, _GO, _GO, _FIRE, _FIRE, _STAY, _STAY, _STAY, _STAY, _STAY, _STAY, _STAY, _STAY),
    ),
}
_LIMITS = {"sudoku": 20_000_000}


def _case(path: Path) -> Case:
    name = path.stem
    return Case(
        name,
        path,
        _WATCH.get(name, {}),
        _TICKS.get(name, ({},)),
        _LIMITS.get(name, 1_000_000),
    )


CASES = tuple(
    map(_case, sorted([*EXAMPLES.glob("*.c"), *HERE.glob("programs/*.c")], key=lambda p: p.stem))
)


def golden() -> dict[str, list[Seen]]:
    """What every case must show, tick by tick, as gcc said."""
    kept = json.loads(GOLDEN.read_text())
    return {name: [Seen(**tick) for tick in ticks] for name, ticks in kept.items()}
