"""Random programs against a C compiler, and the smallest form of one that differs."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from transputer.check.fuzz.campaign import Failure, Tally, reproduction
from transputer.check.fuzz.smallc.grammar import generate
from transputer.check.fuzz.smallc.judge import MACHINES, in_c
from transputer.check.fuzz.smallc.spelling import SmallCNode, SmallCProgram
from transputer.errors import TransputerError

#: Statements without which a program has no result or does not end.
_NEEDED = re.compile(r"return |i\d+--;|if \(x0 <= 0\)|int main")
#: Widths of words, used in turn.
WIDTHS = tuple(sorted({bits for _, widths in MACHINES.values() for bits in widths}))


def try_smallc(
    seeds: Sequence[int], engine: str = "", machines: Sequence[str] = tuple(MACHINES)
) -> Tally:
    """A random program for each seed, on those machines that have words of its width, against C.

    The machines' interpreters run it; `engine` runs weights and is not used.
    """
    programs = [generate(seed, WIDTHS[seed % len(WIDTHS)]) for seed in seeds]
    tally = Tally(Counter({"smallc": len(programs)}))
    for seed, program, real in zip(seeds, programs, in_c(programs), strict=True):
        for machine in machines:
            if program.bits not in MACHINES[machine][1]:
                continue
            seen = observed(program, machine)
            if seen is None:
                tally.outcomes[f"too large for {machine}"] += 1
            elif seen != str(real):
                tally.failures.append(_failure(seed, program, machine, f"{seen}; C: {real}"))
    return tally


def _failure(seed: int, program: SmallCProgram, machine: str, problem: str) -> Failure:
    """The failure of a seed, with the smallest program that still differs."""
    small = shrunk(program, partial(differs, machine=machine))
    problem = f"{machine}: {problem}"
    text = f"// seed {seed}, {program.bits} bits\n// {problem}\n{small.small()}"
    name = f"smallc-{machine}-{seed}.txt"
    return Failure(problem, reproduction("smallc", seed), name, text.encode())


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
