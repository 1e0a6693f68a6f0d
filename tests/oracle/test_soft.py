"""The interpreter of images has every row, and does what the hard path in C does."""

import random
from contextlib import suppress

import numpy as np
import pytest

from transputer.errors import StepLimitError
from transputer.ir.image import Image
from transputer.ir.soft import Instruction, encode
from transputer.isa.op import Op
from transputer.isa.soft import SOFT
from transputer.machines.soft.config import Config
from transputer.machines.soft.hardstate import blank
from transputer.machines.soft.native import Hard
from transputer.oracle.soft import MAKERS, Soft
from transputer.runtime.soft.run import library

CONFIG = Config(length=24, memory=16, outputs=64)
EDGES = (0, 1, 2, 5, 31, 32, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


def test_every_row_is_there() -> None:
    assert MAKERS.missing() == []


def random_image(draw: random.Random) -> Image:
    """Any instructions on few registers and many small numbers, and some words of memory."""

    def one(op: Op) -> Instruction:
        n = draw.choice(EDGES) if draw.random() < 0.5 else draw.getrandbits(5)
        return Instruction(op.name, *(draw.randrange(6) for _ in range(3)), n)

    ops = [op for op in SOFT if op.name != "HALT"]
    code = tuple(one(draw.choice(ops)) for _ in range(CONFIG.length))
    return Image(code, tuple(draw.choice(EDGES) for _ in range(8)), CONFIG.memory)


@pytest.mark.parametrize("seed", range(20))
def test_random_code_ends_like_in_c(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(50):
        image = random_image(draw)
        state = blank(CONFIG)
        state.memory[: len(image.words)] = np.array(image.words, np.uint32)
        hard, soft = Hard(library(), encode(image.code), state, CONFIG), Soft(image)
        told = list(hard.serve(60, lambda: np.zeros(0, np.uint32)))
        with suppress(StepLimitError):
            soft.run(60)
        after = hard.state
        assert soft.registers == after.registers.tolist()
        assert soft.memory == after.memory.tolist()
        assert (soft.pc, soft.flags) == (int(after.pc), int(after.flags))
        output = b"".join(words.astype(np.uint8).tobytes() for _, words in told)
        assert (soft.steps, soft.output) == (sum(n for n, _ in told), output)
