"""Small C on the soft machine: its hard path in C, against what gcc says."""

import numpy as np
import pytest

from tests.frontends.smallc.cases import CASES, Case, golden
from tests.images import run_image
from transputer.errors import CapacityError, Trap
from transputer.frontends.smallc.soft.code import FIRST, shuffled
from transputer.frontends.smallc.soft.compile import compile as compile_soft
from transputer.host.result import Result
from transputer.ir.image import ZERO
from transputer.ir.soft import encode
from transputer.isa.integers import signed
from transputer.machines.soft.config import Config
from transputer.machines.soft.hardstate import blank
from transputer.machines.soft.native import Hard
from transputer.runtime.soft.run import library

GOLDEN = golden()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_program_does_what_gcc_says(case: Case) -> None:
    image = compile_soft(case.text, case.path.name)
    config = Config(length=len(image.code), memory=image.memory, outputs=1 << 16)
    memory = np.zeros(image.memory, np.uint32)
    memory[: len(image.words)] = image.words
    places = {symbol.name: slice(symbol.slot, symbol.slot + symbol.count)
              for symbol in image.symbols}  # fmt: skip
    for tick, expected in zip(case.ticks, GOLDEN[case.name], strict=True):
        for name, value in tick.items():
            memory[places[name]] = value
        state = blank(config)
        state.memory[:] = memory
        machine = Hard(library(), encode(image.code), state, config)
        machine.advance(case.limit)
        assert machine.ended and machine.registers[ZERO] == 0
        assert signed(32, int(machine.registers[0])) == expected.result
        after = machine.state
        assert after.outputs[: int(after.wrote)].astype(np.uint8).tobytes().hex() == expected.output
        memory = after.memory
        seen = {name: [signed(32, int(word)) for word in memory[places[name]]]
                for name in case.watch}  # fmt: skip
        assert seen == expected.globals


def ran(text: str, stdin: bytes = b"", **how: int) -> Result:
    return run_image(compile_soft(text, **how), stdin=stdin)


def test_input_comes_and_ends() -> None:
    echo = "int main(void) { int c, n = 0; while ((c = getchar()) >= 0) { putchar(c + 1); n++; }"
    found = ran(echo + " return n * 1000; }", stdin=b"HAL")
    assert (found.stdout, found.results, found.exit_code) == (b"IBM", [3000], 0)


def test_more_output_than_is_kept_at_once() -> None:
    found = ran("int main(void) { for (int i = 0; i < 10000; i++) putchar(i); return 0; }")
    assert found.stdout == bytes(i & 0xFF for i in range(10_000))


def test_every_way_to_write_a_character() -> None:
    written = r"""hé\303\251\x1\x41\0141 \a\b\f\n\r\t\v\\\"\'?'"""
    text = f'char *s = "{written}"; int main(void) {{ while (*s) putchar(*s++); return \'"\'; }}'
    found = ran(text)
    assert found.stdout == b"h\xc3\xa9\xc3\xa9\x01A\x0c1 \a\b\f\n\r\t\v\\\"'?'"
    assert found.results == [34]


def test_many_arguments() -> None:
    """More than there are registers for them, and recursion, so that nothing is inlined."""
    names = "a b c d e f g h i j k l".split()
    weighted = " + ".join(f"{k} * {name}" for k, name in enumerate(names, 1))
    params = ", ".join(f"int {name}" for name in names)
    turned = ", ".join([*names[1:], names[0]])
    text = f"""
    int turn(int n, {params}) {{
        if (n == 0) return {weighted};
        return 1 + turn(n - 1, {turned});
    }}
    int main(void) {{ return turn(5, {", ".join(map(str, range(12)))}); }}
    """
    values = [*range(5, 12), *range(5)]
    assert ran(text).results == [5 + sum(k * v for k, v in enumerate(values, 1))]


def test_division_by_zero_is_a_trap() -> None:
    found = ran("int main(void) { int c = getchar(); return 1 / (c + 1); }")
    assert (found.trap, found.results, found.exit_code) == (Trap.DIVIDE_BY_ZERO, [], 134)


def test_too_deep_a_recursion_is_a_trap() -> None:
    text = """
    int kept[50];
    int f(int n) { kept[0]++; return n ? f(n - 1) + 1 : 0; }
    int main(void) { kept[49] = 7; return f(getchar()) + kept[49]; }
    """
    assert ran(text, b"\x0a", stack=40).results == [17]
    assert ran(text, b"\x40", stack=40).trap is Trap.STACK_EXHAUSTED


def test_what_needs_more_memory_than_there_is() -> None:
    with pytest.raises(CapacityError, match="needs 100,000,00. words of memory, there are at most"):
        compile_soft("int a[100000000]; int main(void) { return a[getchar()]; }")


@pytest.mark.parametrize("moves", [
    {0: 1, 1: 0}, {0: 1, 1: 2, 2: 0, 3: 0}, {0: 0, 1: 0, 2: 1}, {0: 1, 1: 0, 2: 3, 3: 2}, {},
])  # fmt: skip
def test_copies_all_at_once(moves: dict[int, int]) -> None:
    held = {i: i for i in (0, 1, 2, 3, FIRST)}
    for to, source in shuffled(moves):
        held[to] = held[source]
    assert {to: held[to] for to in moves} == moves
