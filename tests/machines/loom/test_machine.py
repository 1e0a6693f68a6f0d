"""The loom machine's weights against the interpreter: every operation, write-back, traps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.machines.loom.support import TINY, Line, agree, engine, program, scramble
from tests.sampling import random_cases, sampled
from transputer.engines.reference.looped import LoopedReference
from transputer.errors import Unsupported
from transputer.ir.loom import PUBLISHED, LoomConfig, LoomProgram
from transputer.isa.loom import LOOM
from transputer.isa.op import Op, Table
from transputer.machines.loom.circuit import model, search_weights
from transputer.machines.loom.host import Layout, initial
from transputer.machines.loom.operations import branch, indirect, loom
from transputer.machines.loom.rows import described
from transputer.model import verify_looped

ENGINES = ("hard", "softmax", "native")
CONFIGS = (
    TINY,
    LoomConfig(128, 8, 64, 40),
    LoomConfig(128, 16, 32, 40),
    LoomConfig(64, 32, 32, 20),
)

# Words that the operands of b and c hold: 8 bits, positive, negative, zero, at the edges.
_PAIRS = ((0, 0), (5, 3), (3, 5), (0x7F, 1), (0x80, 0x7F), (0xFF, 0xFF), (0x80, 0x80), (1, 0xFF))


def test_every_row_has_its_neurons() -> None:
    assert loom.missing() == []
    assert set(indirect.rules) == {"LOAD", "STORE"}
    assert set(branch.rules) == {op.name for op in LOOM if "pc" in op.imm or op.name == "HALT"} - {
        "SUBLEQ"
    }


def test_a_row_without_a_rule_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    twice = Op("TWICE", 21, "i:i", "Twice b.", lambda n, b: 2 * b % 2**n, imm=("b",))
    monkeypatch.setattr(loom, "table", Table("loom", (*LOOM, twice)))
    with pytest.raises(Unsupported, match="the loom machine has no rule for TWICE of loom"):
        model.__wrapped__(TINY)


def opcode_cases() -> list[tuple[str, tuple[Line, ...], tuple[int, ...]]]:
    """One step of every operation that computes, then HALT, on words at the edges."""
    found = []
    for op in LOOM:
        if op.imm == ("b", "c") and op.name not in ("LOAD", "STORE", "FIND"):
            for b, c in _PAIRS:
                found.append((f"{op.name}-{b:x}-{c:x}", ((op.name, 1, 2), ("HALT",)), (0, b, c)))
        if op.imm == ("b",):
            for b, _ in _PAIRS:
                found.append((f"{op.name}-{b:x}", ((op.name, 1), ("HALT",)), (0, b)))
        if op.imm == ("b", "pc"):
            for b, _ in _PAIRS:
                code = ((op.name, 1, 2), ("HALT",), ("INC", 3), ("HALT",))
                found.append((f"{op.name}-{b:x}", code, (0, b)))
    for b, a in _PAIRS:
        code = (("SUBLEQ", 1, 2, 2), ("HALT",), ("INC", 3), ("HALT",))
        found.append((f"SUBLEQ-{b:x}-{a:x}", code, (0, a, b)))
    return found


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("case", sampled(opcode_cases(), 2), ids=lambda case: case[0])
def test_an_operation(case: tuple[str, tuple[Line, ...], tuple[int, ...]], name: str) -> None:
    agree(program(case[1], case[2]), TINY, name)


_FIND = tuple((0, start, 9, 0, 7, 9, 9) for start in (0, 2, 3, 5, 6, 7, 15, 16, 255))
MORE: dict[str, tuple[tuple[Line, ...], tuple[int, ...]]] = {
    "HALT": ((("HALT",),), ()),
    "JMP": ((("JMP", 2), ("HALT",), ("INC", 1), ("HALT",)), ()),
    "JMP to itself": ((("JMP", 0),), ()),
    "countdown": ((("SUBLEQ", 2, 1, 2), ("JMP", 0), ("HALT",)), (0, 9, 1)),
    "LOAD": ((("LOAD", 1, 2), ("HALT",)), (0, 0, 15)),
    "LOAD itself": ((("LOAD", 2, 2), ("HALT",)), (0, 0, 2)),
    "LOAD outside": ((("LOAD", 1, 2), ("HALT",)), (0, 7, 16)),
    "LOAD far outside": ((("LOAD", 1, 2), ("HALT",)), (0, 7, 255)),
    "STORE": ((("STORE", 1, 2), ("HALT",)), (0, 77, 15)),
    "STORE outside": ((("STORE", 1, 2), ("HALT",)), (0, 77, 16)),
    "an empty column": ((("INC", 1),), (0, 5)),
    **{f"FIND from {m[1]}": ((("FIND", 1, 2), ("HALT",)), m) for m in _FIND},
    "FIND nothing": ((("FIND", 1, 2), ("HALT",)), (1, 9, 200)),
    "FIND zero": ((("FIND", 1, 2), ("HALT",)), (1, 1, 0, 3, 0)),
    "FIND in its own slot": ((("FIND", 3, 3), ("HALT",)), (1, 1, 1, 2)),
}


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("case", MORE)
def test_control_and_memory(case: str, name: str) -> None:
    agree(program(*MORE[case]), TINY, name, limit=60)


# Two heads write, and what is read may be what is written.
WRITES: dict[str, tuple[tuple[Line, ...], tuple[int, ...]]] = {
    "swap": ((("SWAP", 1, 2),), (0, 11, 22)),
    "swap adjacent, other order": ((("SWAP", 2, 1),), (0, 11, 22)),
    "swap far apart": ((("SWAP", 1, 15),), (0, 11)),
    "swap with itself": ((("SWAP", 3, 3),), (0, 0, 0, 0x81)),
    "swap equal words": ((("SWAP", 1, 2),), (0, 7, 7)),
    "swap twice": ((("SWAP", 1, 2), ("SWAP", 1, 2)), (0, 11, 22)),
    "swap round": ((("SWAP", 1, 2), ("SWAP", 2, 3), ("SWAP", 3, 1)), (0, 1, 2, 3)),
    "swap with the output": ((("SWAP", 0, 1),), (65, 66)),
    "swap into the output": ((("SWAP", 1, 0),), (65, 66)),
    "swap the output with itself": ((("SWAP", 0, 0),), (65,)),
    "swap the last slots": ((("SWAP", 14, 15),), tuple(range(16))),
    "swap, then use both": ((("SWAP", 1, 2), ("ADD", 1, 2)), (0, 3, 4)),
    "move to itself": ((("MOV", 1, 1),), (0, 0x80)),
    "add to itself": ((("ADD", 1, 1),), (0, 0x81)),
    "subtract from itself": ((("SUB", 1, 1),), (0, 0x81)),
    "xor with itself": ((("XOR", 1, 1),), (0, 0x81)),
    "shift itself": ((("SHL", 1, 1), ("SHR", 1, 1)), (0, 0xC1)),
    "multiply step on itself": ((("MULACC", 1, 1),), (0, 0xC1)),
    "SUBLEQ on itself": ((("SUBLEQ", 1, 1, 1), ("INC", 2)), (0, 5)),
    "store to its own source": ((("STORE", 1, 2),), (0, 5, 1)),
    "store to its own pointer": ((("STORE", 1, 2),), (0, 5, 2)),
    "store to the output": ((("STORE", 1, 2),), (0, 67, 0)),
    "store, then load": ((("STORE", 1, 2), ("LOAD", 3, 2)), (0, 99, 14)),
    "load over the pointer": ((("LOAD", 2, 2), ("LOAD", 2, 2)), (0, 0, 3, 4, 5)),
    "load from the output": ((("LOAD", 1, 2),), (68, 0, 0)),
    "write the output twice": ((("MOV", 0, 1), ("MOV", 0, 1)), (0, 72)),
    "write what is there": ((("MOV", 0, 1),), (72, 72)),
    "test the output": ((("JZ", 0, 1), ("CMP", 0, 2)), (0x80,)),
    "find into the output": ((("FIND", 0, 1),), (0, 5, 5)),
}


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("case", WRITES)
def test_two_heads_write(case: str, name: str) -> None:
    lines, memory = WRITES[case]
    agree(program([*lines, ("HALT",)], memory), TINY, name)


@pytest.mark.parametrize("config", sampled(CONFIGS, 3), ids=lambda c: c.name)
@random_cases(25)
@given(seed=st.integers(0, 2**32))
def test_any_program_natively(config: LoomConfig, seed: int) -> None:
    agree(scramble(seed, config), config, "native", limit=300)


@pytest.mark.parametrize("name", ["hard", "softmax"])
@pytest.mark.parametrize("config", sampled(CONFIGS, 3), ids=lambda c: c.name)
def test_any_program_densely(config: LoomConfig, name: str) -> None:
    for seed in range(4):
        agree(scramble(seed, config), config, name, limit=25)


# Exhaustively, at 8 bits, all words of b and c at once

_ALU = [
    op.name
    for op in LOOM
    if "b" in op.imm and op.name not in ("LOAD", "STORE", "FIND", "SWAP", "SUBLEQ")
]


def words_of(layout: Layout, base: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Copies of a column with other words."""
    made = np.repeat(base[None], len(values), axis=0)
    for i, row in enumerate(layout.rows.memory):
        made[:, row.index] = np.where(values >> i & 1, 1, -1)
    return made


def stepped(config: LoomConfig, given: LoomProgram, slots: dict[int, np.ndarray]) -> np.ndarray:
    """Place, output, traps, and the words of the slots after one step, for many words at once."""
    layout, state = Layout.of(config), initial(given, config)
    runner = engine("native", given, config)
    columns = [0, *(config.scratch + slot for slot in slots)]
    count = len(next(iter(slots.values())))
    values = [np.repeat(state[None, :, 0], count, axis=0)]
    pairs = zip(columns[1:], slots.values(), strict=True)
    values += [words_of(layout, state[:, column], words) for column, words in pairs]
    first, cell = layout.watch()
    told, cells = runner.each(columns, np.stack(values, axis=1), 1, first, cell)  # type: ignore[attr-defined]
    places = (told[:, :1] + (1 << config.address) - 1) // 2 - config.scratch - config.memory
    words = (cells[:, 1:] + (1 << config.bits) - 1) // 2
    return np.concatenate([places, told[:, 1:], words], axis=1)


def every_pair() -> tuple[np.ndarray, np.ndarray]:
    grid = np.arange(1 << 16)
    return grid & 0xFF, grid >> 8


@pytest.mark.parametrize("name", sampled(_ALU, 12))
def test_all_pairs_of_words(name: str) -> None:
    op, (b, c) = LOOM[name], every_pair()
    given = program([(name, *(1 if k == "b" else 2 for k in op.imm)), ("HALT",), ("HALT",)])
    found = stepped(TINY, given, {1: b, 2: c})
    pure = [op.pure(8, *pair[: op.pops]) for pair in zip(b.tolist(), c.tolist(), strict=True)]
    jumps = "pc" in op.imm
    assert found[:, 0].tolist() == [2 if jumps and taken_ else 1 for taken_ in pure]
    assert found[:, 4].tolist() == (b.tolist() if jumps else pure)
    assert (found[:, 5] == c).all() and not found[:, 1:4].any()


def test_all_pairs_of_words_subtracted_and_compared() -> None:
    b, a = every_pair()
    given = program([("SUBLEQ", 2, 1, 2), ("HALT",), ("HALT",)])
    found = stepped(TINY, given, {1: b, 2: a})
    signed_b, signed_a = (np.where(w > 127, w - 256, w) for w in (b, a))
    assert (found[:, 4] == (b - a) % 256).all() and (found[:, 5] == a).all()
    assert (found[:, 0] == np.where(signed_b <= signed_a, 2, 1)).all()


@pytest.mark.slow
def test_all_pairs_of_words_swapped() -> None:
    b, c = every_pair()
    found = stepped(TINY, program([("SWAP", 1, 2), ("HALT",)]), {1: b, 2: c})
    assert (found[:, 4] == c).all() and (found[:, 5] == b).all()


@pytest.mark.parametrize("config", PUBLISHED)
def test_every_pointer(config: str) -> None:
    """LOAD and STORE through all 256 words: every slot is reached, all others trap."""
    size = PUBLISHED[config]
    pointers = np.arange(256)
    contents = (np.arange(size.memory) * 37 + 11) % 256
    inside = pointers < size.memory
    given = program([("LOAD", 1, 2), ("HALT",)], contents.tolist())
    found = stepped(size, given, {2: pointers, 1: np.full(256, 5)})
    expected = np.where(inside, contents[np.minimum(pointers, size.memory - 1)], 5)
    expected[1], expected[2] = 5, 2
    assert (found[:, 5] == expected).all()
    assert (found[:, 3] == ~inside).all() and not found[:, 2].any()
    assert (found[inside, 0] == 1).all() and (found[~inside, 0] < 0).all()
    given = program([("STORE", 1, 2), ("HALT",)])
    slots = {slot: np.zeros(256, dtype=np.int64) for slot in range(size.memory)}
    slots |= {1: np.full(256, 201), 2: pointers}
    found = stepped(size, given, slots)
    wanted = np.stack(list(slots.values()), axis=1)
    wanted[pointers[inside], pointers[inside]] = 201
    assert (found[:, 4:] == wanted).all()
    assert (found[:, 3] == ~inside).all() and (found[:, 1] == (pointers == 0)).all()


# What the model says about itself


@pytest.mark.parametrize("config", [*PUBLISHED.values(), *CONFIGS], ids=lambda c: c.name)
def test_a_configuration(config: LoomConfig) -> None:
    held = model(config)
    added = [group["rows"] for group in described(config) if group["added"]]
    assert held.width == config.rows + sum(added) == config.rows + 9  # type: ignore[arg-type]
    assert len(held.layers) == 8
    assert held.exact == ("float32" if config.bits == 8 else "float64")
    assert max(number for number, _ in verify_looped(held).largest.values()) < held.limit


def test_search_weights_leave_room() -> None:
    for bits in (8, 16, 32):
        for memory in (2, 3, 16, 64, 160, 224, 1000):
            times, own, apart = search_weights(LoomConfig(4096, bits, 32, min(memory, 200)))
            slots, alone = min(memory, 200), bits + 2 + own * own
            assert times * bits < alone < times * bits + 2 * times - slots
            assert 2 * apart * apart > slots * slots / 4


def test_a_halted_state_is_a_fixed_point() -> None:
    for lines, memory in [((("HALT",),), ()), ((("LOAD", 1, 2),), (0, 0, 99)), ((), ())]:
        given = program([*lines, ("JMP", 0)], memory) if lines else program([("MOV", 1, 2)])
        runner = LoopedReference(model(TINY), initial(given, TINY))
        runner.run(10)
        assert runner.halted
        before = runner.state
        runner.step()
        assert np.array_equal(before, runner.state)


def test_heads_decide_clearly_and_nothing_is_rounded() -> None:
    """Ties are the designed ones, of two; the closest loser is behind by a whole point."""
    for seed in range(6):
        given = scramble(seed, TINY)
        runner = LoopedReference(model(TINY), initial(given, TINY))
        runner.run(30)
        assert runner.margins.tie == 2 and runner.margins.rounded == 0
        assert runner.margins.gap >= 1
