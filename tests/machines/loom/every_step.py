"""Every step of every compiled C program on a dense engine, compared with the interpreter.

    python -m tests.machines.loom.every_step torch --attention softmax --device cuda --to FILE
    python -m tests.machines.loom.every_step onnx --jobs 16 --at-most raycaster=4000 --to FILE

A run is cut in stretches. Each begins with the interpreter's state and then goes on from what the
engine itself made; after every step every number of the state is compared with what the
interpreter's words, place and flags say it must be. Torch makes many stretches at once, the other
engines one in each process. FILE says what was compared, program by program; the exit status is 1
if anything differed, 3 if the time was over before all was compared. `steps_page` turns such files
into the table of docs/loom.md.
"""

import argparse
import importlib.metadata
import json
import math
import multiprocessing
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tests.frontends.smallc.cases import CASES, Case
from tests.machines.loom.interpreted import BY_NAME, LONG, Interpreter, Trail, put
from transputer.check.bench.report import machine
from transputer.engines.onnx.looped import LoopedOnnx
from transputer.engines.reference.looped import LoopedReference
from transputer.exporters.onnx_looped import step_graph_looped
from transputer.ir.loom import LoomConfig
from transputer.machines.loom.circuit import model
from transputer.model import Array, Looped

ENGINES = ("torch", "reference", "onnx")
LIBRARIES = {"torch": "torch", "reference": "numpy", "onnx": "onnxruntime"}
#: Engines that this process has made, by configuration, name and attention.
RUNNERS: dict[tuple[LoomConfig, str, str], LoopedReference] = {}
#: Steps that a stretch has at least, where the program is that long.
LEAST = 64


@dataclass
class Found:
    """What was compared: steps, those after which a state differed, the first of them, seconds."""

    compared: int = 0
    mismatches: int = 0
    first: int | None = None  # the row of the trail whose state differs
    seconds: float = 0.0

    def add(self, other: "Found") -> None:
        firsts = [one.first for one in (self, other) if one.first is not None]
        self.compared += other.compared
        self.mismatches += other.mismatches
        self.first = min(firsts, default=None)
        self.seconds += other.seconds


# One state at a time: reference and ONNX Runtime


@cache
def interpreter(name: str) -> Interpreter:
    """A program, its configuration and its initial state."""
    return Interpreter(BY_NAME[name])


@cache
def graph(held: Looped) -> bytes:
    """The ONNX file of one step."""
    return step_graph_looped(held)


def runner(held: Looped, state: Array, engine: str, attention: str) -> LoopedReference:
    """An engine that has one state."""
    if engine == "onnx":
        return LoopedOnnx(held, state, graph(held))
    return LoopedReference(held, state, attention)


def follow(oracle: Interpreter, engine: LoopedReference, trail: Trail) -> Found:
    """A stretch, step by step; its rows are numbered from 0."""
    found, began = Found(), time.perf_counter()
    wanted = oracle.start[None].repeat(len(trail.places), axis=0)
    held = (trail.words, trail.places, trail.flags)
    put(wanted, oracle.layout, *(each.astype(np.int64) for each in held))
    engine.restart(wanted[0])
    for row, state in enumerate(wanted[1:], 1):
        engine.step()
        found.compared += 1
        if not np.array_equal(engine.state, state):
            found.mismatches += 1
            found.first = row if found.first is None else found.first
    found.seconds = time.perf_counter() - began
    return found


def follow_by_name(name: str, engine: str, attention: str, trail: Trail, until: float) -> Found:
    """`follow` in another process; nothing once the time is up."""
    if time.time() > until:
        return Found()
    oracle = interpreter(name)
    key = (oracle.config, engine, attention)
    if key not in RUNNERS:
        RUNNERS[key] = runner(model(oracle.config), oracle.start, engine, attention)
    return follow(oracle, RUNNERS[key], trail)


# Many states at once: torch


class OnDevice:
    """The states of a trail, made on a device as they are needed."""

    def __init__(self, oracle: Interpreter, trail: Trail, module: Any) -> None:
        import torch

        self.layout, place = oracle.layout, module.stop.device
        self.start = torch.tensor(oracle.start, dtype=module.stop.dtype, device=place)
        held = (trail.words, trail.places, trail.flags)
        self.held = [torch.tensor(each, device=place) for each in held]

    def states(self, rows: Any) -> Any:
        made = self.start.repeat(len(rows), 1, 1)
        put(made, self.layout, *(each[rows].long() for each in self.held))
        return made


def follow_many(
    expected: OnDevice, module: Any, pieces: Sequence[tuple[int, int]], until: float = math.inf
) -> Found:
    """Stretches, given longest first, all at once; rows are those of the trail."""
    import torch

    found, began = Found(), time.perf_counter()
    firsts, lengths = np.array(pieces).T
    rows = torch.tensor(firsts, device=module.stop.device)
    wrong, first = torch.zeros_like(rows), torch.full_like(rows, -1)
    state = expected.states(rows)
    for made in range(1, lengths[0] + 1):
        if time.time() > until:
            break
        going = int((lengths >= made).sum())
        state = module(state[:going])
        now = rows[:going] + made
        differs = (state != expected.states(now)).flatten(1).any(1)
        wrong[:going] += differs
        first[:going] = torch.where(differs & (first[:going] < 0), now, first[:going])
        found.compared += going
    found.mismatches = int(wrong.sum())
    found.first = min((row for row in first.tolist() if row >= 0), default=None)
    found.seconds = time.perf_counter() - began
    return found


def follow_in_batches(
    oracle: Interpreter,
    module: Any,
    trail: Trail,
    batch: int,
    most: int = 0,
    until: float = math.inf,
) -> Found:
    """All of a trail, or so many steps of it, in as many stretches as a batch has states."""
    import torch

    steps = min(len(trail.steps), most or len(trail.steps))
    pieces = trail.stretches(max(LEAST, math.ceil(steps / batch)), most)
    pieces.sort(key=lambda piece: -piece[1])
    expected, found = OnDevice(oracle, trail, module), Found()
    with torch.no_grad():
        for at in range(0, len(pieces), batch):
            found.add(follow_many(expected, module, pieces[at : at + batch], until))
    return found


# All programs


@dataclass(frozen=True)
class Task:
    """What to compare, on which engine, and until when."""

    engine: str
    attention: str
    device: str
    batch: int
    jobs: int
    most: dict[str, int]
    until: float

    def run(self, cases: Sequence[Case]) -> Iterator[tuple[Case, Trail, Found]]:
        """The cases one after another, with their trails and what was found."""
        context = multiprocessing.get_context("spawn")  # a fork would not have the device
        with ProcessPoolExecutor(self.jobs, context) as pool:
            trails = pool.map(Trail.of, cases)
            if self.engine == "torch":
                yield from self._torch(cases, trails)
            else:
                yield from self._others(cases, trails, pool)

    def _torch(
        self, cases: Iterable[Case], trails: Iterable[Trail]
    ) -> Iterator[tuple[Case, Trail, Found]]:
        import torch

        from transputer.engines.torch.looped import LoopedModule

        torch.set_float32_matmul_precision("highest")  # no TF32: sums must be exact
        modules: dict[LoomConfig, Any] = {}
        for case, trail in zip(cases, trails, strict=True):
            oracle = interpreter(case.name)
            if oracle.config not in modules:
                module = LoopedModule(model(oracle.config), self.attention)
                modules[oracle.config] = module.to(self.device)
            held, most = modules[oracle.config], self.most.get(case.name, 0)
            found = follow_in_batches(oracle, held, trail, self.batch, most, self.until)
            yield case, trail, found

    def _others(
        self, cases: Iterable[Case], trails: Iterable[Trail], pool: ProcessPoolExecutor
    ) -> Iterator[tuple[Case, Trail, Found]]:
        waiting: list[tuple[Case, Trail, list[tuple[int, Future[Found]]]]] = []
        for case, trail in zip(cases, trails, strict=True):
            futures = []
            for first, steps in trail.stretches(LEAST, self.most.get(case.name, 0)):
                given = (case.name, self.engine, self.attention, trail.part(first, steps))
                futures.append((first, pool.submit(follow_by_name, *given, self.until)))
            waiting.append((case, trail, futures))
        for case, trail, futures in waiting:
            found = Found()
            for first, future in futures:
                one = future.result()
                one.first = None if one.first is None else first + one.first
                found.add(one)
            yield case, trail, found


def row(case: Case, trail: Trail, found: Found) -> dict[str, Any]:
    """What was found of a program, as the file has it; its first step is number 1."""
    held, first = interpreter(case.name), found.first
    return {
        "program": case.name,
        "rows": held.layout.width,
        "columns": held.config.columns,
        "runs of main": len(case.ticks),
        "steps": len(trail.steps),
        "compared": found.compared,
        "mismatches": found.mismatches,
        "first mismatch": first and int(np.searchsorted(trail.steps, first - 1)) + 1,
        "seconds": round(found.seconds, 3),
    }


def device_name(device: str) -> str:
    """What the engine ran on."""
    if not device.startswith("cuda"):
        return str(machine()["cpu"])
    import torch

    return str(torch.cuda.get_device_name(device))


def options(given: Sequence[str] | None) -> argparse.Namespace:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("engine", choices=ENGINES)
    parser.add_argument("--attention", choices=("hard", "softmax"), default="softmax")
    parser.add_argument("--device", default="cpu", help="of torch")
    parser.add_argument("--batch", type=int, default=1024, help="states at once, of torch")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--programs", nargs="*", metavar="NAME", help="those alone")
    parser.add_argument("--without", nargs="*", metavar="NAME", default=[])
    parser.add_argument("--at-most", nargs="*", metavar="NAME=STEPS", default=[])
    parser.add_argument("--seconds", type=float, default=math.inf, help="then stop comparing")
    parser.add_argument("--commit", default="", help="where the sources have no history with them")
    parser.add_argument("--to", type=Path, metavar="FILE", help="JSON, written anew per program")
    chosen = parser.parse_args(given)
    names = {*(chosen.programs or ()), *chosen.without}
    names |= {limit.partition("=")[0] for limit in chosen.at_most}
    if unknown := names - BY_NAME.keys():
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    if chosen.engine == "onnx" and chosen.attention == "hard":
        parser.error("the exported graph has softmax attention")
    return chosen


def main(given: Sequence[str] | None = None) -> int:
    """The exit status: 1 if a state differed, 3 if there was no time for all that was asked."""
    chosen = options(given)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # of the processes
    wanted = [c for c in CASES if c.name in (chosen.programs or BY_NAME)]
    cases = [c for c in wanted if c.name not in chosen.without]
    most = {name: int(steps) for name, _, steps in (one.partition("=") for one in chosen.at_most)}
    cases.sort(key=lambda case: (case.name in LONG, case.name in most))
    began, library = time.time(), LIBRARIES[chosen.engine]
    task = Task(
        *(chosen.engine, chosen.attention, chosen.device, chosen.batch, chosen.jobs, most),
        began + chosen.seconds,
    )
    report: dict[str, Any] = {
        "engine": chosen.engine,
        "attention": chosen.attention,
        "device": device_name(chosen.device),
        "jobs": 1 if chosen.engine == "torch" else chosen.jobs,
        "version": f"{library} {importlib.metadata.version(library)}",
        "machine": machine() | ({"commit": chosen.commit} if chosen.commit else {}),
        "seconds": 0.0,
        "programs": [],
    }
    for one in task.run(cases):
        report["programs"].append(row(*one))
        report["seconds"] = round(time.time() - began, 1)
        print(json.dumps(report["programs"][-1]), file=sys.stderr, flush=True)
        if chosen.to:
            chosen.to.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return status(report["programs"], most)


def status(rows: Sequence[dict[str, Any]], most: dict[str, int]) -> int:
    if any(one["mismatches"] for one in rows):
        return 1
    asked = (min(one["steps"], most.get(one["program"], one["steps"])) for one in rows)
    return 0 if all(one["compared"] == a for one, a in zip(rows, asked, strict=True)) else 3


if __name__ == "__main__":
    sys.exit(main())
