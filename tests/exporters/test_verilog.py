"""Circuits of looped models: simulated, they have the reference's state after every step."""

import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.machines.loom.support import program, scramble
from transputer.engines.reference.looped import LoopedReference
from transputer.errors import EngineUnavailable, TransputerError, UsageError
from transputer.exporters.simulate import QUICK, SimulationResult, Simulator
from transputer.exporters.verilog import (
    LANES,
    SPAN,
    Microcode,
    VerilogCircuit,
    VerilogWidths,
    spread,
)
from transputer.ir.loom import LoomConfig, LoomProgram
from transputer.machines.loom.circuit import model
from transputer.machines.loom.host import Layout, initial
from transputer.model import Array, Looped, LoopedLayer, SelfHead, mutate, nonzeros, permute_looped
from transputer.oracle.loom import HALTED, Loom
from transputer.registry.machine import Source
from transputer.runtime.loom.program import compile_loom, compile_source

CONFIG = LoomConfig(128, 8, 32, 24)
SMALL = LoomConfig(64, 8, 32, 6)
ROUND_TRIP = [
    *(("STORE", 1, 3), ("LOAD", 2, 3), ("SUB", 2, 1), ("JNZ", 2, 9), ("INC", 3), ("INC", 1)),
    *(("MOV", 4, 3), ("SUB", 4, 5), ("JNZ", 4, 0), ("HALT",)),
]
#: The bubble sort of examples/loom, on four numbers.
SORT = b"""
int a[4] = {5, 2, 7, -1};

int main(void) {
    for (int end = 3; end; end--)
        for (int i = 0; i < end; i++)
            if (a[i] > a[i + 1]) swap(a[i], a[i + 1]);
    return a[0];
}
"""


def needs(tool: str) -> pytest.MarkDecorator:
    reason = f"{tool} is not installed; make silicon-tools"
    return pytest.mark.skipif(shutil.which(tool) is None, reason=reason)


@pytest.fixture(scope="module")
def simulator(tmp_path_factory: pytest.TempPathFactory) -> Simulator:
    if shutil.which("verilator") is None:
        pytest.skip("verilator is not installed; make silicon-tools")
    return Simulator(VerilogCircuit.of(model(CONFIG)), tmp_path_factory.mktemp("loom"))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Simulator:
    if shutil.which("verilator") is None:
        pytest.skip("verilator is not installed; make silicon-tools")
    return Simulator(VerilogCircuit.of(model(SMALL)), tmp_path_factory.mktemp("small"))


def equal(
    held: Looped, simulator: Simulator, state: Array, steps: int, rom: str | None = None
) -> SimulationResult:
    """What the circuit does, seen to be what the reference does, entry by entry."""
    ran = simulator.run(state, steps, rom=rom)
    one = LoopedReference(held, state)
    for number, found in enumerate(ran.states(state), start=1):
        assert one.run(1) == 1
        assert np.array_equal(found, one.state), f"step {number}"
    assert ran.halted == one.halted and (ran.halted or ran.steps == steps)
    return ran


def programs() -> dict[str, tuple[LoomProgram, int]]:
    """Programs that all run on one circuit, with at most so many steps."""
    return {
        "gcd": (compile_loom("examples/loom/gcd.c", 8), 400),
        "sorting": (compile_source(Source("sort.c", ".c", SORT), bits=8).code, 200),
        "store and load": (program(ROUND_TRIP, (0, 200, 0, 14, 0, 24)), 400),
        "search": (program([("FIND", 1, 2), ("FIND", 3, 2), ("HALT",)], (0, 0, 9, 3, 9, 9)), 9),
        "trap": (program([("LOAD", 1, 2), ("HALT",)], (0, 0, 24)), 9),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", list(programs()))
def test_every_state_is_the_oracles(simulator: Simulator, name: str) -> None:
    given, limit = programs()[name]
    state, layout = initial(given, CONFIG), Layout.of(CONFIG)
    ran = equal(model(CONFIG), simulator, state, limit)
    assert ran.halted and ran.working == 1
    oracle = Loom(given, CONFIG)
    place, word = layout.number(layout.rows.pc), layout.number(layout.rows.memory)
    for found in ran.states(state):
        oracle.step()
        words = (word @ found[:, CONFIG.scratch : CONFIG.scratch + CONFIG.memory] + 255) / 2
        assert words.tolist() == oracle.memory
        column = (place @ found[:, 0] + CONFIG.columns - 1) / 2
        start = CONFIG.scratch + CONFIG.memory
        assert column == (0 if oracle.pc == HALTED else start + oracle.pc)
    assert oracle.halted and oracle.steps == ran.steps


@pytest.mark.slow
def test_any_instructions_in_any_order(small: Simulator) -> None:
    for seed in range(6):
        ran = equal(model(SMALL), small, initial(scramble(seed, SMALL), SMALL), 25)
        assert ran.working == 1


@pytest.mark.slow
def test_broken_weights_break_alike(small: Simulator) -> None:
    """Only the weights differ: the circuit is the same, its read-only memory another."""
    held, circuit = model(SMALL), small.circuit
    rng, ran, changed = np.random.default_rng(5), 0, 0
    for number, which in enumerate(rng.integers(nonzeros(held), size=30).tolist()):
        mutant = mutate(held, which, "negate")
        try:
            other = VerilogCircuit.of(mutant)
        except TransputerError:
            continue
        if other.kernel != circuit.kernel:
            continue  # other bounds, so other widths
        assert other.rom != circuit.rom
        state = initial(scramble(number, SMALL), SMALL)
        found = equal(mutant, small, state, 5, other.rom)
        right = small.run(state, 5)
        ran, changed = ran + 1, changed + (found.changes != right.changes)
    assert ran >= 8 and changed >= 1


@pytest.mark.slow
@needs("verilator")
def test_words_of_32_bits_and_a_weight_less(tmp_path: Path) -> None:
    config = LoomConfig(64, 32, 32, 6)
    held = mutate(model(config), 1234, "zero")
    simulator = Simulator(VerilogCircuit.of(held), tmp_path)
    for seed in range(3):
        equal(held, simulator, initial(scramble(seed, config), config), 12)


# Models that are no machine at all


def clamp(width: int, most: int) -> LoopedLayer:
    """Every row but the first, which is 1, back between -most and most."""
    gate, value, out = (np.zeros((3 * (width - 1), width)) for _ in range(3))
    for i, row in enumerate(range(1, width)):
        # clamp(x) - x == relu(x + most) - relu(x - most) - most - x
        for k, (sign, shift) in enumerate(((1, most), (-1, -most))):
            gate[3 * i + k, [0, row]] = shift, 1
            value[3 * i + k, 0], out[3 * i + k, row] = 1, sign
        gate[3 * i + 2, 0], out[3 * i + 2, row] = 1, 1
        value[3 * i + 2, [0, row]] = -most, -1
    return LoopedLayer((), gate, value, out.T.copy())


def anything(seed: int, columns: int) -> tuple[Looped, Array]:
    """A model of random weights, and a state: most columns work, and ties are of any size."""
    rng, width, most = np.random.default_rng(seed), 5, 2

    def some(*shape: int) -> Array:
        return rng.integers(-2, 3, size=shape).astype(float) * (rng.random(shape) < 0.5)

    def free(*shape: int) -> Array:
        made = some(*shape)
        made[0] = 0  # nothing writes the row that is 1
        return made

    heads = tuple(SelfHead(some(2, width), some(2, width), free(width, 2)) for _ in range(2))
    layer = LoopedLayer(heads, some(4, width), some(4, width), free(width, 4))
    ends = ((1, 1), *[(-most, most)] * (width - 1))
    stop = np.array([-1.0, 0, 0, 0, 1])
    held = Looped(columns, ends, ends, stop, (layer, clamp(width, most)))
    state = rng.integers(-most, most + 1, size=(width, columns)).astype(float)
    state[0] = 1
    return held, state


@needs("iverilog")
@pytest.mark.parametrize("seed", range(8))
def test_random_models(tmp_path: Path, seed: int) -> None:
    held, state = anything(seed, 5 + seed)
    lanes, span = (LANES, SPAN) if seed < 2 else (4, 2)
    simulator = Simulator(VerilogCircuit.of(held, "any", lanes, span), tmp_path, "iverilog")
    one = LoopedReference(held, state)
    one.run(12)
    ran = equal(held, simulator, state, 12)
    assert ran.steps > 0 or one.halted


@needs("iverilog")
@pytest.mark.parametrize("lanes, span", [(4, 2), (8, 16)])
def test_any_number_of_lanes(tmp_path: Path, lanes: int, span: int) -> None:
    """More columns than a scan reads at once, the last group not full."""
    held, state = anything(1, 2 * SPAN + 3)
    simulator = Simulator(VerilogCircuit.of(held, "any", lanes, span), tmp_path, "iverilog")
    assert equal(held, simulator, state, 6).steps > 0


@needs("iverilog")
def test_heads_that_add_to_the_same_rows(tmp_path: Path) -> None:
    """Two rows in a lane, added to in turn: each is read again while it is being written."""
    rng, width, columns, most = np.random.default_rng(7), 9, 4, 2
    outs = rng.choice([-2.0, -1, 1, 2], size=(3, width, 1))
    outs[:, 0] = 0
    keys, values = rng.integers(-1, 2, size=(2, 3, 1, width)).astype(float)
    heads = tuple(SelfHead(*weights) for weights in zip(keys, values, outs, strict=True))
    layer = LoopedLayer(heads, *(np.zeros((0, width)),) * 2, np.zeros((width, 0)))
    ends = ((1, 1), *[(-most, most)] * (width - 1))
    held = Looped(columns, ends, ends, np.zeros(width), (layer, clamp(width, most)))
    places = Microcode(held, 4).places
    assert sorted(place % 4 for place in places[1:]) == sorted([0, 1, 2, 3] * 2)
    state = rng.integers(-most, most + 1, size=(width, columns)).astype(float)
    state[0] = 1
    simulator = Simulator(VerilogCircuit.of(held, "any", 4, 2), tmp_path, "iverilog")
    assert len(set(equal(held, simulator, state, 4).changes)) > 1


@pytest.mark.slow
@needs("iverilog")
def test_every_state_of_a_small_model(tmp_path: Path) -> None:
    """Exhaustive: all 81 states of two columns with two rows of -1, 0 and 1."""
    heads = (SelfHead(np.array([[0, 1.0, 0], [0, 1, -1]]), np.eye(3)[1:], np.eye(3)[:, 2:0:-1]),)
    layer = LoopedLayer(
        heads,
        np.array([[0, 1.0, 1], [0, 1, 1], [1, -1, 0]]),
        np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, -1]]),
        np.array([[0, 0, 0], [1.0, 0, 1], [0, -1, 1]]),
    )
    ends = ((1, 1), (-1, 1), (-1, 1))
    held = Looped(2, ends, ends, np.array([-2.0, 1, 1]), (layer, clamp(3, 1)))
    simulator = Simulator(VerilogCircuit.of(held, "any", 4, 2), tmp_path, "iverilog")
    results = set()
    for entries in itertools.product((-1.0, 0.0, 1.0), repeat=4):
        state = np.array([[1.0, 1.0], entries[:2], entries[2:]])
        results.add(equal(held, simulator, state, 3).changes)
    assert len(results) > 9


@needs("iverilog")
def test_means_of_many_are_divided_and_rounded(tmp_path: Path) -> None:
    """All columns tie; every sum of values from -2 to 2, over 5, 6 and 7 columns."""
    width = 3
    head = SelfHead(np.array([[1.0, 0, 0]]), np.array([[0, 1.0, 0]]), np.array([[0], [0], [1.0]]))
    empty = LoopedLayer((), np.eye(width)[:1], -np.eye(width)[2:], np.eye(width)[:, 2:])
    none = LoopedLayer((head,), *(np.zeros((0, width)),) * 2, np.zeros((width, 0)))
    ends = ((1, 1), (-9, 9), (-9, 9))
    for columns in (5, 6, 7):
        held = Looped(columns, ends, ends, np.zeros(width), (empty, none))
        folder = tmp_path / str(columns)
        folder.mkdir()
        simulator = Simulator(VerilogCircuit.of(held, "any", 4, 2), folder, "iverilog")
        for total in range(-2 * columns, 2 * columns + 1, 3):
            state = np.zeros((width, columns))
            state[0] = 1
            state[1] = [total // columns + (i < total % columns) for i in range(columns)]
            equal(held, simulator, state, 1)


# The board

#: Bytes that answer a command.
ANSWERS = {b"R": 2, b"C": 6, b"S": 1, b"N": 1, b"G": 1}


def over_the_line(folder: Path, commands: list[bytes]) -> tuple[list[int], int]:
    """The bytes that a board answers to these commands, and its lights."""
    lines = []
    for command in commands:
        answers = ANSWERS.get(command[-1:], 0)
        lines += [(byte, 0) for byte in command[:-1]] + [(command[-1], answers)]
    (folder / "bytes.hex").write_text("".join(f"{a:02x} {b:02x}\n" for a, b in lines))
    expected = f"+expect={sum(answers for _, answers in lines)}"
    ran = subprocess.run(
        ["vvp", "simulation", expected], cwd=folder, capture_output=True, text=True
    )
    assert "no end" not in ran.stdout
    (led,) = re.findall(r"^led (\d+)$", ran.stdout, re.M)
    return [int(one) for one in re.findall(r"^byte (\d+)$", ran.stdout, re.M)], int(led)


@needs("iverilog")
@pytest.mark.parametrize("seed, columns, commands, steps", [(3, 5, "NN", 2), (7, 6, "G", 3)])
def test_a_board_steps_as_the_reference_does(
    tmp_path: Path, seed: int, columns: int, commands: str, steps: int
) -> None:
    """Loaded, started, stepped and read over the serial line, bit by bit."""
    held, state = anything(seed, columns)
    one = LoopedReference(held, state)
    assert one.run(99 if commands == "G" else steps) == steps
    circuit = VerilogCircuit.of(held, "any", 4, 2)
    for name, text in circuit.files(state).items():
        (tmp_path / name).write_text(text)
    bench = Path(__file__).with_name("board_bench.v").resolve()
    files = [str(bench), "any_ulx3s.v", "any.v"]
    command = ["iverilog", "-g2005-sv", "-s", "board_bench", "-o", "simulation", *files]
    subprocess.run(command, cwd=tmp_path, check=True)
    size = len(circuit.ordered(state))
    letters = [b"A\0\0\0", *[b"R"] * size, b"A\5\0\0", b"R"]
    letters = [circuit.serial(state), *(one.encode() for one in commands), b"C", *letters]
    answer, led = over_the_line(tmp_path, letters)
    halts = len(commands)
    assert answer[: 1 + halts] == [0] * halts + [one.halted]
    assert int.from_bytes(bytes(answer[1 + halts : 7 + halts]), "little") > 20  # cycles
    entries = np.frombuffer(bytes(answer[7 + halts :]), "<i2").tolist()
    assert entries[-1] == entries[5]
    found, where = np.zeros_like(state), circuit.entries()
    for at, entry in enumerate(entries[:-1]):
        row, column = where.get(at, (0, columns))
        if column < columns:
            found[row, column] = entry
    assert np.array_equal(found, one.state) and not np.array_equal(found, state)
    assert led == steps << 3 | one.halted << 2  # neither busy nor in reset


# What is written


def test_names_and_machines_do_not_matter() -> None:
    held = model(SMALL)
    assert VerilogCircuit.of(held) == VerilogCircuit.of(held.anonymous())
    moved, rows = permute_looped(held, np.random.default_rng(3))
    assert VerilogCircuit.of(moved).rom != VerilogCircuit.of(held).rom
    assert weights_in(Microcode(moved)) == weights_in(Microcode(held))


def weights_in(code: Microcode) -> int:
    return sum(weight != 0 for word in code.words for _, _, weight in word.terms)


@pytest.mark.parametrize("lanes", [4, 16])
def test_every_nonzero_is_a_term(lanes: int) -> None:
    """Equal gates once; a value for each row that it adds to; keys and values of heads twice."""
    held = model(SMALL)
    wanted = np.count_nonzero(held.stop)
    for layer in held.layers:
        wanted += np.count_nonzero(np.unique(layer.gate, axis=0)) + np.count_nonzero(layer.out)
        wanted += (layer.value != 0).sum(axis=1) @ (layer.out != 0).sum(axis=0)
        for head in layer.heads:
            values = (head.value != 0).sum(axis=1) @ (head.output != 0).sum(axis=0)
            wanted += 2 * (np.count_nonzero(head.key) + values) + np.count_nonzero(head.output)
    assert weights_in(Microcode(held, lanes)) == wanted


def test_rows_of_a_form_are_in_different_lanes() -> None:
    forms = [[0, 1, 2, 3], [0, 4], [4, 5, 6, 7]]
    places = spread(forms, 8, 4)
    assert sorted(places) == list(range(8))
    assert all(len({places[item] % 4 for item in form}) == len(form) for form in forms)


@pytest.mark.parametrize("config", [SMALL, LoomConfig(64, 32, 32, 6)], ids=lambda c: c.name)
def test_widths_hold_what_occurs(config: LoomConfig) -> None:
    held = model(config)
    widths = VerilogWidths.of(held)
    one = LoopedReference(held, initial(scramble(1, config), config))
    for _ in range(20):
        assert np.abs(one.state).max() < 1 << (widths.state - 1)
        one.step()
    assert widths.state < widths.entry <= widths.form <= 64
    assert widths.weight >= 2 and len(widths.keys) == 9


def test_what_goes_wrong(cli: Callable[..., Any], tmp_path: Path) -> None:
    held = model(SMALL)
    with pytest.raises(UsageError, match="'a-b' is not a Verilog module name"):
        VerilogCircuit.of(held, "a-b")
    with pytest.raises(EngineUnavailable, match="no-such-tool is not installed"):
        Simulator(VerilogCircuit.of(held), tmp_path, "no-such-tool")
    gcd, loom = "examples/loom/gcd.loomasm", ("--machine", "loom", "--to", "verilog")
    assert "is a .v file" in cli("export", gcd, *loom, "-o", str(tmp_path / "gcd.txt")).err
    bad = cli("export", gcd, *loom, "-o", str(tmp_path / "1.v"))
    assert bad.code == 2 and "'1' is not a Verilog module name" in bad.err
    typed = cli("export", gcd, *loom, "-o", str(tmp_path / "g.v"), "--dtype", "float32")
    assert typed.code == 2 and "computes in integers" in typed.err
    assert cli("export", "examples/c/gcd.c", "--to", "verilog", "-o", "x.v").code == 2


@pytest.mark.slow
@needs("verilator")
def test_what_the_page_shows(tmp_path: Path) -> None:
    """The commands of docs/silicon.md, as they stand there, and another program on the circuit."""
    page = Path("docs/silicon.md").read_text()
    (block,) = re.findall(r"```sh\n(transputer export .*?)```", page, re.DOTALL)
    commands = [shlex.split(line) for line in block.splitlines()]
    assert len(commands) == 5
    (tmp_path / "examples").symlink_to(Path("examples").resolve())
    quick = {**os.environ, "MAKEFLAGS": QUICK}  # for the make that Verilator starts
    said = []
    for tool, *words in commands:
        command = [sys.executable, "-m", "transputer"] if tool == "transputer" else [tool]
        ran = subprocess.run(
            [*command, *words], cwd=tmp_path, env=quick, capture_output=True, text=True, check=True
        )
        said += re.findall(r"^halted .*$", ran.stdout, re.MULTILINE)
    assert len(said) == 2 and all(line in page for line in said)


@needs("yosys")
def test_it_can_be_synthesized(tmp_path: Path) -> None:
    """No latches, nothing undriven; the memories are found as such."""
    circuit = VerilogCircuit.of(anything(1, 8)[0], "any")
    (tmp_path / "any.v").write_text(circuit.kernel)
    (tmp_path / "any_rom.hex").write_text(circuit.rom)
    script = "read_verilog any.v; proc; memory_collect; check -assert; stat"
    ran = subprocess.run(["yosys", "-p", script], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout[-2000:]
    assert "latch" not in ran.stdout.split("stat")[-1]
    found = int(re.findall(r"\$mem\w* +(\d+)", ran.stdout)[-1])
    lanes = 16 * 4  # x, held, values, products
    assert found == lanes + 8 * 2 + 5  # keys, idle; queue, tied, rom, open gates and their neurons
