"""Run a program through the weights and under wasmtime, and save a suite's rows as JSON."""

import json
import resource
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import wasmtime

import transputer as tp
from transputer.check.bench.report import machine
from transputer.host.outcome import DEFAULT_STEPS

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "outside"
#: What can become of a program: same as the oracle, not the same, or not run at all.
VERDICTS = ("right", "wrong", "refused")
#: Longer differences are cut.
MOST_SHOWN = 1000


@dataclass(frozen=True, slots=True)
class Output:
    """What a program printed, and its exit code."""

    stdout: bytes
    stderr: bytes
    code: int


@dataclass(frozen=True, slots=True)
class SuiteRow:
    """One run of a program: its verdict, why it is not right, and what the run took."""

    program: str
    verdict: str
    why: str = ""
    instructions: int = 0
    steps: int = 0
    cpu_seconds: float = 0.0
    detail: str = ""


class TooLong(Exception):
    """A program executes more instructions than it may."""


def cpu_seconds() -> float:
    """CPU seconds of this process and its subprocesses so far."""
    usage = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in usage)


def under_wasmtime(
    binary: bytes,
    stdin: bytes = b"",
    fuel: int | None = None,
    args: Sequence[str] = (),
    folders: Mapping[str, Path] = MappingProxyType({}),
) -> Output:
    """Run `_start` under wasmtime; raise `TooLong` after about `fuel` instructions.

    `folders` are readable folders by their names for the program.
    """
    config = wasmtime.Config()
    config.consume_fuel = fuel is not None
    engine = wasmtime.Engine(config)
    store = wasmtime.Store(engine)
    if fuel is not None:
        store.set_fuel(fuel)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "stdin").write_bytes(stdin)
        wasi = wasmtime.WasiConfig()
        wasi.argv = ["program.wasm", *args]
        for guest, host in folders.items():
            wasi.preopen_dir(str(host), guest, False)
        wasi.stdin_file = str(folder / "stdin")
        wasi.stdout_file = str(folder / "stdout")
        wasi.stderr_file = str(folder / "stderr")
        store.set_wasi(wasi)
        linker = wasmtime.Linker(engine)
        linker.define_wasi()
        start = linker.instantiate(store, wasmtime.Module(engine, binary)).exports(store)["_start"]
        assert isinstance(start, wasmtime.Func)
        code = 0
        try:
            start(store)
        except wasmtime.ExitTrap as trap:
            code = trap.code
        except wasmtime.Trap as trap:
            if trap.trap_code is wasmtime.TrapCode.OUT_OF_FUEL:
                raise TooLong from None
            raise
        finally:
            del store, linker, start  # closes the files
        return Output((folder / "stdout").read_bytes(), (folder / "stderr").read_bytes(), code)


def through_the_weights(
    name: str,
    binary: bytes,
    expected: Output,
    stdin: bytes = b"",
    max_steps: int = DEFAULT_STEPS,
    args: Sequence[str] = (),
    folders: Mapping[str, Path] = MappingProxyType({}),
) -> SuiteRow:
    """Run a compiled program on the trace machine and compare it with `expected`."""
    before = cpu_seconds()
    try:
        program = tp.compile(source=binary, kind="wasm")
        dirs = [f"{host}::{guest}" for guest, host in folders.items()]
        result = program.run(args=args, stdin=stdin, dirs=dirs, max_steps=max_steps, keep=False)
    except tp.TransputerError as error:
        spent = round(cpu_seconds() - before, 2)
        return SuiteRow(name, "refused", str(error), cpu_seconds=spent)
    spent = round(cpu_seconds() - before, 2)
    output = Output(result.stdout, result.stderr, result.exit_code or 0)
    why = "" if result.trap is None else f"trap: {result.trap}"
    if not why and output != expected:
        why = f"{output} instead of {expected}"[:MOST_SHOWN]
    verdict = "wrong" if why else "right"
    return SuiteRow(name, verdict, why, result.instructions, result.steps, spent)


def save(
    name: str, suite: str, command: str, rows: Iterable[SuiteRow], more: dict[str, Any]
) -> Path:
    """Write `docs/outside/NAME.json`: the rows with their command, commit and machine."""
    about = machine()
    content = {
        "suite": suite,
        "command": command,
        "commit": about.pop("commit"),
        "machine": about,
        **more,
    }
    head = json.dumps(content, indent=1).removesuffix("\n}")
    lines = ",\n".join(f"  {json.dumps(asdict(row))}" for row in rows)
    path = RESULTS / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'{head},\n "rows": [\n{lines}\n ]\n}}\n', encoding="utf-8")
    return path
