"""Place and route circuits of the loom machine: `python -m tools.silicon [CONFIG ...]`.

Each circuit is synthesised (Yosys) and placed and routed (nextpnr) for an ECP5-85F, and simulated
(Verilator) on a sort and a search, whose last state must be the native engine's. The figures go to
`docs/results/silicon.json`, beside those of other configurations, and from there into the table of
`docs/silicon.md`; without a CONFIG the table is only written again. `--bitstream CONFIG` routes the
circuit with its board's module, writes the file to load into the board (ecppack), and its figures
to `docs/results/bitstream.json`. Circuits and reports are in `build/silicon`; what is there for the
same circuit is not computed again. `make silicon` and `make bitstream` install the tools.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tools.figures import RESULTS, ROOT
from tools.measure import Values, save
from transputer.check.bench.report import machine
from transputer.engines.native.looped import LoopedNative
from transputer.exporters.simulate import Simulator
from transputer.exporters.verilog import MHZ, Microcode, VerilogCircuit, pins, rom_file
from transputer.frontends.smallc import compile
from transputer.ir.loom import configuration
from transputer.machines.loom.circuit import model
from transputer.machines.loom.host import initial

PAGE = ROOT / "docs" / "silicon.md"
BUILD = ROOT / "build" / "silicon"
YOWASP = ROOT / "build" / "yowasp" / "bin"
TABLE = re.compile(r"(<!-- table -->\n).*?(<!-- end -->)", re.DOTALL)
#: The device of the ULX3S-85F board, its slowest speed grade, the clock to aim for, and a seed.
DEVICE = ("--85k", "--package", "CABGA381", "--speed", "6", "--freq", "100", "--seed", "1")
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
#: Cells that are counted, and what nextpnr calls them.
CELLS = {
    "luts": "TRELLIS_COMB",
    "flops": "TRELLIS_FF",
    "multipliers": "MULT18X18D",
    "blocks": "DP16KD",
}
HEADER = (
    "configuration", "microcode", "LUT4", "FF", "multipliers", "block RAMs", "clock",
    "cycles a step", "a step takes", "of FIND", "start",
)  # fmt: skip
#: What the paper says of its circuit.
PUBLISHED = ("published", *("",) * 5, "300 MHz", "", "0.3 s", "", "")


def tool(name: str) -> str:
    """Return the program to call: YoWASP's, of one version everywhere, or the system's."""
    path = shutil.which(f"yowasp-{name}", path=str(YOWASP)) or shutil.which(name)
    if path is None:
        sys.exit(f"silicon: {name} is missing; make build/yowasp/ready")
    return path


def route(texts: dict[str, str], top: str, options: tuple[str, ...], folder: Path) -> str:
    """Synthesise, place and route sources in a folder; return nextpnr's log.

    Until it has ended, the log is `progress.log`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    log, progress = folder / "nextpnr.log", folder / "progress.log"
    if log.exists() and all((folder / name).read_text() == text for name, text in texts.items()):
        return log.read_text()
    log.unlink(missing_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text)
    verilog = " ".join(name for name in texts if name.endswith(".v"))
    script = f"read_verilog {verilog}; synth_ecp5 -top {top} -json netlist.json"
    subprocess.run([tool("yosys"), "-q", "-p", script], cwd=folder, check=True)
    command = [tool("nextpnr-ecp5"), *DEVICE, "--json", "netlist.json", "--timing-allow-fail"]
    with progress.open("w") as file:
        done = subprocess.run([*command, *options], cwd=folder, stderr=file, check=False)
    if done.returncode:
        sys.exit(f"nextpnr: {progress.read_text()[-400:]}")
    return progress.rename(log).read_text()


def routed(circuit: VerilogCircuit, name: str) -> str:
    """Return nextpnr's log of a circuit by itself."""
    texts = {f"{circuit.name}.v": circuit.kernel, rom_file(circuit.name): circuit.rom}
    return route(texts, circuit.name, ("--lpf-allow-unconstrained",), place(name))


def bitstream(name: str) -> Values:
    """Write the file to load into the board, and return its figures.

    Ends if the routed clock is below the board's.
    """
    circuit, folder = VerilogCircuit.of(model(configuration(name))), place(name) / "board"
    texts = {
        f"{circuit.name}.v": circuit.kernel,
        rom_file(circuit.name): circuit.rom,
        "board.v": circuit.board,
        "board.lpf": pins(),
    }
    options = ("--lpf", "board.lpf", "--textcfg", "board.config")
    log = route(texts, f"{circuit.name}_ulx3s", options, folder)
    if (mhz := clock(log)) < MHZ:
        sys.exit(f"silicon: {name} was routed for {mhz:.1f} MHz; the board's clock has {MHZ}")
    command = [tool("ecppack"), "--compress", "board.config", "board.bit"]
    subprocess.run(command, cwd=folder, check=True)
    file = folder / "board.bit"
    print(file.relative_to(ROOT))
    return {"file": str(file.relative_to(ROOT)), "bytes": file.stat().st_size, **counts(log)}


def place(name: str) -> Path:
    """Return the folder of a configuration's circuit and reports."""
    return BUILD / re.sub(r"\W", "_", name)


def counts(log: str) -> Values:
    """Return the cells of a routed circuit and its clock in MHz."""
    used = {name: int(re.findall(rf"{kind}: +(\d+)/", log)[0]) for name, kind in CELLS.items()}
    return {**used, "mhz": round(clock(log), 1)}


def clock(log: str) -> float:
    """Return the routed clock in MHz: nextpnr estimates one before it routes, and reports last."""
    return float(re.findall(r"Max frequency for clock .*?: ([\d.]+) MHz", log)[-1])


def cycles(circuit: VerilogCircuit, name: str) -> Values:
    """Simulate a sort and a search; return the cycles of steps.

    Ends the measurement if the last state is not that of the native engine.
    """
    config = configuration(name)
    state = initial(compile(SORT, "sort.c", config.bits), config)
    with tempfile.TemporaryDirectory() as folder:
        result = Simulator(circuit, Path(folder)).run(state, trace=False)
    native = LoopedNative(model(config), state)
    (last,) = result.states(state)
    if native.run(result.steps + 1) != result.steps or not np.array_equal(native.state, last):
        sys.exit(f"{name}: the circuit and the native engine differ")
    mean = (result.cycles - result.longest) / (result.steps - 1)
    return {"step": round(mean), "find": result.longest, "start": result.start}


def measure(name: str) -> Values:
    """Return the figures of a configuration."""
    looped = model(configuration(name))
    circuit = VerilogCircuit.of(looped)
    return {
        "commit": machine()["commit"],
        "words": len(Microcode(looped).words),
        **counts(routed(circuit, name)),
        "cycles": cycles(circuit, name),
    }


def table(values: dict[str, Any]) -> str:
    """Return the rows of the page's table."""
    rows = [HEADER, ("---",) * len(HEADER)]
    for name, one in values.items():
        numbers = (one[kind] for kind in ("words", *CELLS))
        step, find, start = (one["cycles"][kind] for kind in ("step", "find", "start"))
        rows.append((
            name, *(f"{number:,}" for number in numbers), f"{one['mhz']:.1f} MHz",
            f"{step:,}", f"{step / one['mhz']:.0f} µs", f"{find:,}", f"{start:,}",
        ))  # fmt: skip
    return "".join(f"| {' | '.join(row)} |\n" for row in (*rows, PUBLISHED))


def page(values: dict[str, Any]) -> str:
    """Return the page with the table of these figures."""
    return TABLE.sub(lambda m: m[1] + table(values) + m[2], PAGE.read_text(encoding="utf-8"))


def main() -> None:
    """Measure configurations and write the page."""
    parser = argparse.ArgumentParser(description="Place and route loom circuits.")
    parser.add_argument("configs", nargs="*", metavar="CONFIG")
    parser.add_argument("--bitstream", metavar="CONFIG", help="Write the file for the board.")
    given = parser.parse_args()
    if name := given.bitstream:
        save("bitstream", f"python -m tools.silicon --bitstream {name}", bitstream(name))
        return
    values = json.loads((RESULTS / "silicon.json").read_text(encoding="utf-8"))["values"]
    for name in given.configs:
        values[name] = measure(name)
        save("silicon", f"python -m tools.silicon {' '.join(values)}", values)
    PAGE.write_text(page(values), encoding="utf-8")


if __name__ == "__main__":
    main()
