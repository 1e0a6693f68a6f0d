"""Run many random programs and shrink one that differs."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from transputer.check.fuzz.smallc.grammar import generate
from transputer.check.fuzz.smallc.judge import MACHINES, in_c
from transputer.check.fuzz.smallc.spelling import SmallCNode, SmallCProgram
from transputer.errors import TransputerError

#: Statements without which a program has no result or does not end.
_NEEDED = re.compile(r"return |i\d+--;|if \(x0 <= 0\)|int main")


@dataclass(frozen=True, slots=True)
class SmallCDifference:
    """A program on which a machine and C disagree."""

    seed: int
    program: SmallCProgram
    seen: str
    real: str


@dataclass(slots=True)
class SmallCTally:
    """Counts of a campaign."""

    programs: int = 0
    too_large: int = 0
    differences: tuple[SmallCDifference, ...] = ()


def campaign(
    programs: int, seed: int, batch: int = 250, machine: str = "loom"
) -> Iterator[SmallCTally]:
    """Run programs of consecutive seeds at each width in turn; yield a tally after each batch."""
    tally = SmallCTally()
    _, widths = MACHINES[machine]
    for start in range(0, programs, batch):
        seeds = range(seed + start, seed + min(start + batch, programs))
        cases = [(s, generate(s, widths[s % len(widths)])) for s in seeds]
        for (s, program), real in zip(cases, in_c([p for _, p in cases]), strict=True):
            seen = observed(program, machine)
            tally.programs += 1
            if seen is None:
                tally.too_large += 1
            elif seen != str(real):
                tally.differences += (SmallCDifference(s, program, seen, str(real)),)
        yield tally


def observed(program: SmallCProgram, machine: str) -> str | None:
    """The behaviour on a machine, or its error, as text; None if the program does not fit."""
    run, _ = MACHINES[machine]
    try:
        seen = run(program)
    except TransputerError as problem:
        return f"{type(problem).__name__}: {problem}"
    return None if seen is None else str(seen)


def differs(program: SmallCProgram, machine: str = "loom") -> bool:
    """Whether a machine and C disagree; False for a program that C refuses."""
    try:
        (real,) = in_c([program])
    except (TransputerError, ValueError):
        return False
    seen = observed(program, machine)
    return seen is not None and seen != str(real) and not seen.startswith("SmallCError")


def shrunk(program: SmallCProgram, bad: Callable[[SmallCProgram], bool] = differs) -> SmallCProgram:
    """Remove every statement without which the program is still bad."""
    changed = True
    while changed:
        changed = False
        for nodes in list(_smaller(program.nodes)):
            watched = tuple(w for w in program.watched if any(_declares(n, w[0]) for n in nodes))
            candidate = replace(program, nodes=nodes, watched=watched)
            if bad(candidate):
                program, changed = candidate, True
                break
    return program


def _declares(node: SmallCNode, name: str) -> bool:
    return f" {name} " in node.small or f" {name}[" in node.small


def _smaller(nodes: tuple[SmallCNode, ...]) -> Iterator[tuple[SmallCNode, ...]]:
    """The statements without one of them, largest first; those that end loops stay."""
    for i, node in enumerate(nodes):
        if _NEEDED.match(node.small):
            continue
        yield nodes[:i] + nodes[i + 1 :]
        if node.inside and node.close == "}":
            yield nodes[:i] + node.inside + nodes[i + 1 :]
    for i, node in enumerate(nodes):
        for inside in _smaller(node.inside):
            yield (*nodes[:i], replace(node, inside=inside), *nodes[i + 1 :])
