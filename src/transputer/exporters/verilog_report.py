"""Measure loom circuits: `python -m transputer.exporters.verilog_report [CONFIG ...]`.

Needs Verilator and Yosys. Prints a Markdown table with the cells that Yosys uses for an UltraScale+
FPGA and the clock cycles of steps in simulation.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from transputer.engines.native.looped import LoopedNative
from transputer.errors import EngineUnavailable
from transputer.exporters.simulate import Simulator
from transputer.exporters.verilog import Microcode, VerilogCircuit, rom_file
from transputer.frontends.smallc import compile
from transputer.ir.loom import PUBLISHED, LoomConfig, configuration
from transputer.machines.loom.circuit import model
from transputer.machines.loom.host import initial

#: The clock of the published circuit, in Hz.
CLOCK = 300e6
HEADER = (
    "configuration", "microcode", "LUT", "FF", "DSP", "BRAM36", "cycles a step", "of FIND",
    "start", "a step", "start takes",
)  # fmt: skip
#: A sort, then one search, which is the longest step.
SORT = """
int a[8] = {5, 3, 8, 1, 7, 2, 6, 4};
int main(void) {
    for (int i = 7; i > 0; i--)
        for (int j = 0; j < i; j++)
            if (a[j] > a[j + 1]) swap(a[j], a[j + 1]);
    return find(a, 4);
}
"""


def cells(circuit: VerilogCircuit, folder: Path) -> dict[str, int]:
    """Synthesise a circuit with Yosys; return the number of cells of each kind."""
    (folder / f"{circuit.name}.v").write_text(circuit.kernel)
    (folder / rom_file(circuit.name)).write_text(circuit.rom)
    script = f"read_verilog {circuit.name}.v; synth_xilinx -family xcup -noiopad; stat"
    try:
        process = subprocess.run(
            ["yosys", "-p", script], cwd=folder, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise EngineUnavailable(f"yosys: {error}; on Debian: make silicon-tools") from None
    last = process.stdout[process.stdout.rindex("Number of cells:") :]
    return {kind: int(count) for kind, count in re.findall(r"^ +(\w+) +(\d+)$", last, re.M)}


def resources(counts: dict[str, int]) -> tuple[int, int, int, float]:
    """Return the numbers of lookup tables (also as memory), flip-flops, multipliers, block RAMs."""
    tables = sum(count for kind, count in counts.items() if re.fullmatch(r"LUT\d", kind))
    tables += 8 * counts.get("RAM64M8", 0)  # as UltraScale+ has them: eight tables each
    tables += sum(n for kind, n in counts.items() if re.fullmatch(r"RAM\d+X1[SD]", kind))
    flops = sum(count for kind, count in counts.items() if kind.startswith("FD"))
    blocks = counts.get("RAMB36E2", 0) + counts.get("RAMB18E2", 0) / 2
    return tables, flops, counts.get("DSP48E2", 0), blocks


def row(config: LoomConfig, name: str) -> tuple[str, ...]:
    """Measure a configuration; return its row of the table."""
    looped = model(config)
    circuit = VerilogCircuit.of(looped)
    state = initial(compile(SORT, "sort.c", config.bits), config)
    with tempfile.TemporaryDirectory() as folder:
        tables, flops, multipliers, blocks = resources(cells(circuit, Path(folder)))
        result = Simulator(circuit, Path(folder)).run(state, trace=False)
    native = LoopedNative(looped, state)
    (last,) = result.states(state)
    if native.run(result.steps + 1) != result.steps or not np.array_equal(native.state, last):
        raise RuntimeError(f"{name}: the circuit and the native engine differ")
    step = (result.cycles - result.longest) / (result.steps - 1)
    numbers = (len(Microcode(looped).words), tables, flops, multipliers)
    return (
        name,
        *(f"{number:,}" for number in numbers),
        f"{blocks:g}",
        f"{step:,.0f}",
        f"{result.longest:,}",
        f"{result.start:,}",
        f"{step / CLOCK * 1e6:.0f} µs",
        f"{result.start / CLOCK * 1e3:.0f} ms",
    )


def main(names: list[str]) -> None:
    """Print a row for each configuration, by default all published ones."""
    print(f"| {' | '.join(HEADER)} |\n|{'---|' * len(HEADER)}", flush=True)
    for name in names or list(PUBLISHED):
        print(f"| {' | '.join(row(configuration(name), name))} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
