"""What shows a problem becomes small and still shows it."""

from collections.abc import Iterator

import pytest

from tests.sampling import sampled
from transputer.check.fuzz.c.make import program
from transputer.check.fuzz.c.smaller import smaller_program
from transputer.check.fuzz.c.tree import CProgram, print_program, print_programs
from transputer.check.fuzz.campaign import alike
from transputer.check.fuzz.choose import Seeded
from transputer.check.fuzz.modules import ModuleCase, case
from transputer.check.fuzz.shrink import ShrinkBudget, fewer, simpler
from transputer.check.fuzz.smaller import smaller_case
from transputer.ir.verify import verify


@pytest.mark.parametrize("needed", [{3}, {0, 49}, set(range(20, 31)), set()])
def test_only_what_is_needed_is_left(needed: set[int]) -> None:
    assert fewer(range(50), lambda kept: needed <= set(kept)) == tuple(sorted(needed))


def test_each_item_becomes_the_first_that_will_do() -> None:
    def below(x: int) -> Iterator[int]:
        yield from range(x)

    assert simpler((5, 9, 2), below, lambda kept: sum(kept) >= 10) == (0, 8, 2)


def test_patience_ends() -> None:
    asked = []
    shows = ShrinkBudget(tries=5).within(lambda kept: bool(asked.append(kept)))
    fewer(range(100), shows)
    assert len(asked) == 5
    assert not ShrinkBudget(seconds=0).within(lambda thing: True)(1)


def _uses(name: str, made: ModuleCase) -> bool:
    return any(i.name == name for f in made.module.functions for i in f.body)


@pytest.mark.parametrize(
    "name", sampled(["i64.mul", "f32.sqrt", "call_indirect", "memory.copy"], 4)
)
def test_a_module_shrinks_to_one_instruction(name: str) -> None:
    seed = next(s for s in range(200) if _uses(name, case(Seeded(s))))
    made = case(Seeded(seed))
    small = smaller_case(made, lambda c: _uses(name, c))
    verify(small.module)
    assert _uses(name, small)
    assert sum(len(f.body) for f in small.module.functions) <= len(small.module.functions) * 4 + 8
    assert (small.calls, small.module.exports) == ((), ())


def test_a_c_program_shrinks_to_one_expression() -> None:
    made = next(p for p in map(program, range(50)) if "sqrt(" in print_program(p))

    def shows(candidate: CProgram) -> bool:
        return "sqrt(" in print_program(candidate)

    small = smaller_program(made, shows)
    assert shows(small)
    assert len(print_program(small).splitlines()) < 25
    assert len(print_programs([small])) > len(print_program(small))


ORACLE = "call 1: wasmtime has 1, the oracle has 2"
WEIGHTS = "call 1: the oracle has 1, the weights has 2"


@pytest.mark.parametrize(
    "one, other, same",
    [
        (ORACLE, "globals: wasmtime has 0, the oracle has 1", True),
        (ORACLE, WEIGHTS, False),
        ("TypeError: x", "TypeError: y", True),
        ("TypeError: x", "StepLimitError: y", False),
        (ORACLE, "StepLimitError: y", False),
        ("", "", False),
    ],
)
def test_problems_of_one_kind(one: str, other: str, same: bool) -> None:
    assert alike(one, other) is same
