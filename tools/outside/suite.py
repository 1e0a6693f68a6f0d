"""Run a program through the weights and under wasmtime, and save a suite's rows as JSON."""

import json
import resource
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import transputer as tp
from transputer.check.bench.report import machine
from transputer.host.outcome import DEFAULT_STEPS
from transputer.oracle.command import CommandResult, Folder

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "outside"
#: Results that also say how fast others are.
BENCHMARKS = ROOT / "docs" / "benchmarks"
#: What can become of a program: same as the oracle, not the same, or not run at all.
VERDICTS = ("right", "wrong", "refused")
#: Longer differences are cut.
MOST_SHOWN = 1000


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


def cpu_seconds() -> float:
    """CPU seconds of this process and its subprocesses so far."""
    usage = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in usage)


def through_the_weights(
    name: str,
    binary: bytes,
    expected: CommandResult,
    stdin: bytes = b"",
    max_steps: int = DEFAULT_STEPS,
    args: Sequence[str] = (),
    folders: Mapping[str, Folder] = MappingProxyType({}),
) -> SuiteRow:
    """Run a compiled program on the trace machine and compare it with `expected`."""
    before = cpu_seconds()
    try:
        program = tp.compile(source=binary, kind="wasm")
        dirs = [f"{host}::{guest}{':rw' * rw}" for guest, (host, rw) in folders.items()]
        result = program.run(
            args=args, stdin=stdin, dirs=dirs, max_steps=max_steps, ticks="readings", keep=False
        )
    except tp.TransputerError as error:
        spent = round(cpu_seconds() - before, 2)
        return SuiteRow(name, "refused", str(error), cpu_seconds=spent)
    spent = round(cpu_seconds() - before, 2)
    output = CommandResult(result.stdout, result.stderr, result.exit_code or 0)
    why = "" if result.trap is None else f"trap: {result.trap}"
    if not why and output != expected:
        why = f"{output} instead of {expected}"[:MOST_SHOWN]
    verdict = "wrong" if why else "right"
    return SuiteRow(name, verdict, why, result.instructions, result.steps, spent)


def save(
    name: str,
    suite: str,
    command: str,
    rows: Iterable[SuiteRow],
    more: dict[str, Any],
    folder: Path = RESULTS,
) -> Path:
    """Write NAME.json into `folder`: the rows with their command, commit and machine."""
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
    path = folder / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'{head},\n "rows": [\n{lines}\n ]\n}}\n', encoding="utf-8")
    return path
