"""Simulate circuits of looped models with Verilator or Icarus Verilog."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from transputer.errors import EngineUnavailable
from transputer.exporters.verilog import VerilogCircuit, rom_file, state_file
from transputer.model import Array
from transputer.values import dataclass

_END = re.compile(
    r"^halted (\d) steps (\d+) cycles (\d+) most (\d+) start (\d+) working (\d+)$", re.M
)

#: Variables for make with which a circuit compiles in half the time: all C++ at once, at -O1. Runs
#: that were compiled at -O2 took as long.
QUICK = "VM_PARALLEL_BUILDS=0 OPT_GLOBAL=-O1 OPT_FAST=-O1 OPT_SLOW=-O0"


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """Result of a simulation.

    `cycles` counts clock cycles of all steps, `longest` those of the longest step, `start` those
    of the setup before the first step. Every step visits `working` columns. `changes` are (row,
    column, entry), step by step, or all at once without a trace.
    """

    halted: bool
    steps: int
    cycles: int
    longest: int
    start: int
    working: int
    changes: tuple[tuple[tuple[int, int, int], ...], ...]

    def states(self, state: Array) -> Iterator[Array]:
        """Yield the state after each step (without a trace, only the last), given the first one."""
        current = state.copy()
        for changes in self.changes:
            for row, column, entry in changes:
                current[row, column] = entry
            yield current.copy()


class Simulator:
    """A circuit, compiled once in a folder, to run on any number of states.

    Raises `EngineUnavailable` if the tool is not installed.
    """

    def __init__(self, circuit: VerilogCircuit, folder: Path, tool: str = "verilator") -> None:
        if shutil.which(tool) is None:
            raise EngineUnavailable(f"{tool} is not installed; on Debian: make silicon-tools")
        self.circuit, self.folder = circuit, folder
        kernel, bench = f"{circuit.name}.v", f"{circuit.name}_bench.v"
        (folder / kernel).write_text(circuit.kernel)
        (folder / bench).write_text(circuit.bench)
        if tool == "iverilog":
            self._command = ["vvp", "simulation"]
            _call(["iverilog", "-g2005-sv", "-o", "simulation", bench, kernel], folder)
        else:
            self._command = ["./simulation"]
            flags = ["-O3", "-Wno-lint", "-Wno-TIMESCALEMOD", "-MAKEFLAGS", QUICK]
            top = ["--top-module", f"{circuit.name}_bench", "-Mdir", ".", "-o", "simulation"]
            _call(["verilator", "--binary", *flags, *top, bench, kernel], folder)

    def run(
        self, state: Array, steps: int = 1_000_000, trace: bool = True, rom: str | None = None
    ) -> SimulationResult:
        """Load a state and run until it halts, at most `steps` steps.

        Without `trace`, only the last state is recorded. `rom` replaces the weights by those of
        another circuit with the same kernel.
        """
        (self.folder / rom_file(self.circuit.name)).write_text(rom or self.circuit.rom)
        (self.folder / state_file(self.circuit.name)).write_text(self.circuit.image(state))
        output = _call([*self._command, f"+steps={steps}", *["+trace"] * trace], self.folder)
        summary = _END.search(output)
        if summary is None:
            raise EngineUnavailable(f"the simulation ended without a summary: {output[-200:]}")
        halted, count, cycles, longest, start, working = map(int, summary.groups())
        changes = tuple(_changes(output, self.circuit.entries()))
        return SimulationResult(bool(halted), count, cycles, longest, start, working, changes)


def _changes(
    output: str, entries: dict[int, tuple[int, int]]
) -> Iterator[tuple[tuple[int, int, int], ...]]:
    for part in re.split(r"^step .*$", output, flags=re.M)[1:]:
        places = re.findall(r"^change (\d+) (-?\d+)$", part, re.M)
        yield tuple((*entries[int(at)], int(entry)) for at, entry in places)


def _call(command: list[str], folder: Path) -> str:
    process = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if process.returncode:
        message = (process.stderr or process.stdout).strip()[-400:]
        raise EngineUnavailable(f"{command[0]}: {message}")
    return process.stdout
