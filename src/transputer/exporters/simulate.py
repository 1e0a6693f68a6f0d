"""Circuits of looped models, simulated with Verilator or Icarus Verilog."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from transputer.errors import EngineUnavailable
from transputer.exporters.verilog import VerilogCircuit, rom_file, state_file
from transputer.model import Array

_END = re.compile(
    r"^halted (\d) steps (\d+) cycles (\d+) most (\d+) start (\d+) working (\d+)$", re.M
)


@dataclass(frozen=True, slots=True)
class Simulated:
    """What a run came to: steps, clock cycles of all of them and of the longest, and of `start`.

    `working` columns are visited in every step. `changes` are (row, column, entry), step by step,
    or without a trace all at once.
    """

    halted: bool
    steps: int
    cycles: int
    longest: int
    start: int
    working: int
    changes: tuple[tuple[tuple[int, int, int], ...], ...]

    def states(self, state: Array) -> Iterator[Array]:
        """The states after each step, or the last one, from the one that it began with."""
        now = state.copy()
        for changed in self.changes:
            for row, column, entry in changed:
                now[row, column] = entry
            yield now.copy()


class Simulator:
    """A circuit, compiled once in a folder, to be run on any number of states.

    Raises `EngineUnavailable` where the tool is missing.
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
            quick = ["-MAKEFLAGS", "OPT_GLOBAL=-O1 OPT_FAST=-O2 OPT_SLOW=-O0"]  # to compile
            flags = ["-O3", "-Wno-lint", "-Wno-TIMESCALEMOD", *quick]
            top = ["--top-module", f"{circuit.name}_bench", "-Mdir", ".", "-o", "simulation"]
            _call(["verilator", "--binary", *flags, *top, bench, kernel], folder)

    def run(
        self, state: Array, steps: int = 1_000_000, trace: bool = True, rom: str | None = None
    ) -> Simulated:
        """Load a state and step it until it stops, at most so often.

        Without `trace` only the last state is looked at. `rom` are the weights of another circuit
        whose kernel is the same.
        """
        (self.folder / rom_file(self.circuit.name)).write_text(rom or self.circuit.rom)
        (self.folder / state_file(self.circuit.name)).write_text(self.circuit.image(state))
        said = _call([*self._command, f"+steps={steps}", *["+trace"] * trace], self.folder)
        ended = _END.search(said)
        if ended is None:
            raise EngineUnavailable(f"the simulation said nothing of its end: {said[-200:]}")
        halted, made, cycles, longest, start, working = map(int, ended.groups())
        changes = tuple(_changes(said, state.shape[0]))
        return Simulated(bool(halted), made, cycles, longest, start, working, changes)


def _changes(said: str, rows: int) -> Iterator[tuple[tuple[int, int, int], ...]]:
    for part in re.split(r"^step .*$", said, flags=re.M)[1:]:
        places = re.findall(r"^change (\d+) (-?\d+)$", part, re.M)
        yield tuple((int(at) % rows, int(at) // rows, int(entry)) for at, entry in places)


def _call(command: list[str], folder: Path) -> str:
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if ran.returncode:
        raise EngineUnavailable(f"{command[0]}: {(ran.stderr or ran.stdout).strip()[-400:]}")
    return ran.stdout
