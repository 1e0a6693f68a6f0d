"""Circuits of looped models: simulated, they have the reference's state after every step."""

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
from transputer.exporters.simulate import SimulationResult, Simulator
from transputer.exporters.verilog import Microcode, MicroOp, VerilogCircuit, VerilogWidths
from transputer.ir.loom import LoomConfig, LoomProgram
from transputer.machines.loom.circuit import model
from transputer.machines.loom.host import Layout, initial
from transputer.model import Array, Looped, LoopedLayer, SelfHead, mutate, nonzeros, permute_looped
from transputer.oracle.loom import HALTED, Loom
from transputer.runtime.loom.program import compile_loom

CONFIG = LoomConfig(128, 8, 32, 24)
SMALL = LoomConfig(64, 8, 32, 6)
ROUND_TRIP = [
    *(("STORE", 1, 3), ("LOAD", 2, 3), ("SUB", 2, 1), ("JNZ", 2, 9), ("INC", 3), ("INC", 1)),
    *(("MOV", 4, 3), ("SUB", 4, 5), ("JNZ", 4, 0), ("HALT",)),
]


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
        "sorting": (compile_loom("examples/loom/bubble.c", 8), 600),
        "store and load": (program(ROUND_TRIP, (0, 200, 0, 6, 0, 24)), 400),
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
    simulator = Simulator(VerilogCircuit.of(held, "any"), tmp_path, "iverilog")
    one = LoopedReference(held, state)
    one.run(12)
    ran = equal(held, simulator, state, 12)
    assert ran.steps > 0 or one.halted


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
        simulator = Simulator(VerilogCircuit.of(held), folder, "iverilog")
        for total in range(-2 * columns, 2 * columns + 1, 3):
            state = np.zeros((width, columns))
            state[0] = 1
            state[1] = [total // columns + (i < total % columns) for i in range(columns)]
            equal(held, simulator, state, 1)


# What is written


def test_names_and_machines_do_not_matter() -> None:
    held = model(SMALL)
    assert VerilogCircuit.of(held) == VerilogCircuit.of(held.anonymous())
    moved, rows = permute_looped(held, np.random.default_rng(3))
    assert VerilogCircuit.of(moved).rom != VerilogCircuit.of(held).rom
    assert len(VerilogCircuit.of(moved).rom) == len(VerilogCircuit.of(held).rom)


def test_every_nonzero_is_a_word() -> None:
    """Equal gates once; keys and values of heads twice, for a layer and for all of them."""
    held = model(SMALL)
    words = Microcode(held).words
    terms = sum(op in (MicroOp.TERM, MicroOp.OUT) for op, _, _ in words)
    wanted = np.count_nonzero(held.stop)
    for layer in held.layers:
        gates = np.unique(layer.gate, axis=0)
        wanted += sum(map(np.count_nonzero, (gates, layer.value, layer.out)))
        for head in layer.heads:
            learned = np.count_nonzero(head.key) + np.count_nonzero(head.value)
            wanted += 2 * learned + np.count_nonzero(head.output)
    assert terms == wanted


@pytest.mark.parametrize("config", [SMALL, LoomConfig(64, 32, 32, 6)], ids=lambda c: c.name)
def test_widths_hold_what_occurs(config: LoomConfig) -> None:
    held = model(config)
    widths = VerilogWidths.of(held)
    one = LoopedReference(held, initial(scramble(1, config), config))
    for _ in range(20):
        assert np.abs(one.state).max() < 1 << (widths.state - 1)
        one.step()
    assert widths.state < widths.entry < widths.total <= 64
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
    said = []
    for tool, *words in commands:
        command = [sys.executable, "-m", "transputer"] if tool == "transputer" else [tool]
        ran = subprocess.run(
            [*command, *words], cwd=tmp_path, capture_output=True, text=True, check=True
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
    assert found == 8 + 2  # x, held, values, delta, queue, tied, idle, rom, and keys of two heads
