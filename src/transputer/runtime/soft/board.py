"""Run soft assembly on a board, with all devices. Needs JAX.

Standard input comes to the keyboard, as much at a time as its ring buffer holds; words sent to the
serial line are standard output. As everywhere, assembly reads and writes numbers.
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from transputer.errors import StepLimitError, Trap, UsageError
from transputer.host.outcome import DEFAULT_STEPS, Interrupted
from transputer.host.result import TRAPPED, Result
from transputer.isa.soft import SOFT
from transputer.machines.soft.devices import ports
from transputer.machines.soft.devices.board import Board, PageFault
from transputer.machines.soft.devices.sizes import Sizes
from transputer.machines.soft.hardstate import digest
from transputer.registry import RunSettings
from transputer.runtime.soft.program import CompiledSoft, words_of
from transputer.runtime.soft.streams import input_words, printed, result_of

#: Steps between two words about progress.
SLICE = 64


def run_on_board(program: CompiledSoft, settings: RunSettings) -> Result:
    """Run a program with all devices, and save the picture as the option `board` says.

    A page fault is a trap. Raises `UsageError` for an instruction or an engine that a board does
    not have.
    """
    board = _board(program, settings)
    stdin = settings.stdin
    contents = bytes(iter(stdin, -1)) if callable(stdin) else stdin
    keys = iter(input_words(program, contents).tolist())
    output = bytearray()
    write = settings.stdout or output.append
    limit = settings.max_steps or DEFAULT_STEPS
    started, steps, interrupted, fault = time.perf_counter(), 0, False, ""
    try:
        for steps in _steps(board, keys):
            for byte in printed(program, np.array(board.devices.sent, np.uint32)):
                write(byte)
            board.devices = replace(board.devices, sent=())
            if not steps % SLICE:
                settings.pulse(steps)
            if steps == limit and not board.ended:
                raise StepLimitError(limit)
    except Interrupted:
        interrupted = True
    except PageFault as page:
        fault = f"page fault at address {page.address}"
    seconds = time.perf_counter() - started
    _save(Path(settings.options["board"]), board.devices.picture)
    result = result_of(program, settings.invoke, board.state, interrupted)
    if fault:
        result = replace(result, exit_code=TRAPPED, trap=Trap.MEMORY_OUT_OF_BOUNDS, detail=fault)
    return replace(
        result, stdout=bytes(output), steps=steps, instructions=steps, engine="hard",
        seconds=seconds, state_sha256=digest(board.state),
    )  # fmt: skip


def _board(program: CompiledSoft, settings: RunSettings) -> Board:
    if settings.engine not in ("auto", "hard"):
        raise UsageError(f"a board runs on the engine hard, not on {settings.engine}")
    unconnected = {i.op for i in program.image.code if SOFT[i.op].group == "port"}
    if unconnected:
        names = " and ".join(sorted(unconnected))
        raise UsageError(f"{program.name}: a board has no {names}; it has the ports KEYBOARD and "
                         "SERIAL (docs/soft.md)")  # fmt: skip
    board = Board(program.image.code, ports.blank(Sizes()), program.image.words)
    args = words_of(settings.args, program.config.width)
    registers = np.array(board.state.registers)
    if len(args) > len(registers):
        raise UsageError(f"{len(args)} arguments; the machine has {len(registers)} registers")
    registers[: len(args)] = args
    board.state = replace(board.state, registers=registers)
    return board


def _steps(board: Board, keys: Iterator[int]) -> Iterator[int]:
    """Step to the end, with the keyboard filled up before each step; yield steps so far."""
    steps = 0
    while not board.ended:
        room = board.devices.sizes.ring - int(board.devices.keyboard.count)
        more = list(islice(keys, room))
        if more:
            board.devices = ports.received(board.devices, "keyboard", more)
        board.step()
        steps += 1
        yield steps


def _save(path: Path, picture: Any) -> None:
    """Write a picture as a portable pixmap (PPM)."""
    pixels = np.asarray(picture).astype(np.uint8)
    height, width, _ = pixels.shape
    try:
        path.write_bytes(f"P6 {width} {height} 255\n".encode() + pixels.tobytes())
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None
