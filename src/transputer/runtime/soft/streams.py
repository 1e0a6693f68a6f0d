"""Input, output and results of the soft machine's runs."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.host.result import INTERRUPTED, Result, main_result
from transputer.ir.image import FAILURES, RESULT, ZERO
from transputer.isa.integers import signed
from transputer.runtime.soft.program import CompiledSoft, numbers_in, words_of

#: Words of input or output.
Words = NDArray[np.uint32]


def printed(program: CompiledSoft, words: Words) -> bytes:
    """Return words of output as bytes; assembly prints numbers, one per line."""
    if not program.assembly:
        return words.astype(np.uint8).tobytes()
    width = program.config.width
    return "".join(f"{signed(width, int(word))}\n" for word in words).encode()


def input_words(program: CompiledSoft, stdin: bytes) -> Words:
    """Return the input as words: bytes, or the numbers that assembly reads."""
    if not program.assembly:
        return np.frombuffer(stdin, np.uint8).astype(np.uint32)
    return np.array(words_of(numbers_in(stdin), program.config.width), np.uint32)


def result_of(
    program: CompiledSoft, invoke: str | None, state: Any, interrupted: bool = False
) -> Result:
    """Return the result of a run, without its output, steps and time."""
    registers = np.asarray(state.registers)
    has_main = not program.assembly
    trap = FAILURES.get(int(registers[ZERO])) if has_main else None
    values = [signed(32, int(registers[RESULT]))] if has_main else []
    result = main_result(program.name, has_main, invoke, values, trap)
    if interrupted:
        result = Result(exit_code=INTERRUPTED, interrupted=True)
    return replace(result, machine=program.machine)
