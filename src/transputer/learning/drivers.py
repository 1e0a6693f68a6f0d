"""Programs that drive devices, learned by gradient descent through the devices' soft meaning.

A task gives addresses of ports and numbers in registers, and keys that wait; what must come of it
is what the serial line sends, or the picture on the screen. The loss is measured there, so its
gradient goes through the device to the program. A learned program is checked on the board, the
hard path, with inputs that it was not trained on.
"""

import random
import time
from collections.abc import Callable
from dataclasses import field, replace
from typing import Any

import numpy as np

from transputer.errors import StepLimitError
from transputer.ir.soft import Code, decode
from transputer.isa.ports import PORTS, WINDOW
from transputer.learning import adam
from transputer.learning.losses import clipped
from transputer.machines.soft.backend import Array, jax, jnp
from transputer.machines.soft.bits import to_bits
from transputer.machines.soft.config import Config
from transputer.machines.soft.devices import ports, wired
from transputer.machines.soft.devices.board import Board
from transputer.machines.soft.devices.sizes import Sizes
from transputer.machines.soft.program import SoftProgram, choose, extract
from transputer.machines.soft.program import random as random_program
from transputer.machines.soft.state import blank, soften
from transputer.values import dataclass

#: The screen of a driver, in points, and slots of the keyboard's ring buffer.
SIDE, SLOTS = 4, 4
#: Operations of drivers.
OPERATIONS = ("MOV", "ADD", "SUB", "XOR", "LDP", "STP")
#: Inputs on the board that a learned program must be right on.
CHECKS = 40
_STEPS = 200
_SIZES = Sizes(ram=1, lines=1, sectors=1, sector=1, resident=1, table=1, offset=1, entries=1, gpu=1,
               side=1, height=SIDE, width=SIDE, ring=SLOTS)  # fmt: skip


def port(name: str) -> int:
    """The address of a port."""
    return WINDOW + PORTS[name].code


@dataclass(frozen=True, slots=True)
class Driving:
    """One example: registers and keys, and what must be sent and seen."""

    registers: tuple[int, ...]
    keys: tuple[int, ...] = ()
    sent: tuple[int, ...] = ()
    points: tuple[tuple[int, int, int], ...] = ()  # column, row and colour

    @property
    def picture(self) -> Array:
        """The picture that must be on the screen."""
        picture = np.zeros((SIDE, SIDE, 3), np.float32)
        for column, row, colour in self.points:
            picture[row, column] = [colour >> 8 * k & 0xFF for k in range(3)]
        return picture


@dataclass(frozen=True, slots=True)
class DriverTask:
    """A task for a driver: `draw` makes a random example."""

    name: str
    doc: str
    draw: Callable[[random.Random], Driving]


def _echo(rng: random.Random) -> Driving:
    keys = tuple(rng.getrandbits(8) for _ in range(2))
    return Driving((port("KEYBOARD"), port("SERIAL")), keys, keys[:1])


def _double(rng: random.Random) -> Driving:
    key = rng.getrandbits(8)
    return Driving((port("KEYBOARD"), port("SERIAL")), (key,), (2 * key,))


def _point(rng: random.Random) -> Driving:
    column, row, colour = rng.randrange(SIDE), rng.randrange(SIDE), rng.randrange(1, 1 << 24)
    return Driving((column, row, colour, port("SCREEN_X")), points=((column, row, colour),))


TASKS = {
    task.name: task
    for task in (
        DriverTask("echo", "Send the next key.", _echo),
        DriverTask("double", "Send twice the next key.", _double),
        DriverTask("point", "Draw a point of the column, row and colour given.", _point),
    )
}


@dataclass(frozen=True, slots=True)
class DriverSettings:
    """How to train: places, registers, steps of Adam, examples, and the scale of the logits."""

    length: int = 4
    registers: int = 6
    updates: int = 300
    rate: float = 0.1
    examples: int = 12
    scale: float = 1.5


@dataclass(frozen=True, slots=True)
class DriverResult:
    """What restarts came to: the programs that are right, and what they cost."""

    task: str
    restarts: int
    solved: int
    programs: tuple[Code, ...]
    evaluations: int
    seconds: float
    settings: DriverSettings = field(default_factory=DriverSettings)


def _loss(task: DriverTask, settings: DriverSettings, seed: int, config: Config) -> Any:
    rng = random.Random(f"{task.name} {seed}")
    lessons = [task.draw(rng) for _ in range(settings.examples)]
    registers = np.zeros((len(lessons), settings.registers), np.uint32)
    for k, lesson in enumerate(lessons):
        registers[k, : len(lesson.registers)] = lesson.registers
    keys = np.array([lesson.keys for lesson in lessons], np.uint32)
    sent = to_bits(np.array([lesson.sent for lesson in lessons], np.uint32), 32)
    pictures = np.stack([lesson.picture for lesson in lessons])
    start = soften(blank(config), config)
    room = sent.shape[1]

    def loss(program: SoftProgram) -> Array:
        choice = choose(program, jnp.float32(1))

        def one(words: Array, waiting: Array, wanted: Array, picture: Array) -> Array:
            first = replace(start, registers=to_bits(words, 32))
            state = wired.wired(first, waiting, room + 1, SIDE, SIDE, SLOTS)
            last = wired.run(choice, state, settings.length)
            bits = clipped(last.sent[:room], wanted).sum() / 32
            count = clipped(last.wrote, jax.nn.one_hot(room, room + 2)).sum()
            seen = ((last.picture - picture) / 255) ** 2
            return bits + count + seen.sum()

        return jax.vmap(one)(registers, keys, sent, pictures).mean()

    return loss


def learn_driver(
    task: DriverTask, restarts: int = 16, seed: int = 0, settings: DriverSettings | None = None
) -> DriverResult:
    """Train restarts side by side, each from its own random logits; check what they end with."""
    settings = settings or DriverSettings()
    began = time.monotonic()
    config = Config(32, settings.registers, settings.length, 1, 1, 1, OPERATIONS)
    loss = _loss(task, settings, seed, config)

    def one(key: Array) -> Array:
        program = random_program(key, config, settings.scale)

        def update(carry: Any, _: None) -> tuple[Any, None]:
            program, moments = carry
            return adam.update(program, jax.grad(loss)(program), moments, settings.rate), None

        (program, _), _ = jax.lax.scan(
            update, (program, adam.start(program)), None, settings.updates
        )
        return extract(program)

    rows = np.asarray(jax.jit(jax.vmap(one))(jax.random.split(jax.random.key(seed), restarts)))
    codes = [decode(each.tolist(), 32) for each in rows.astype(np.int64)]
    right = tuple(code for code in codes if drives(task, code))
    return DriverResult(task.name, restarts, len(right), right, restarts * settings.updates,
                        time.monotonic() - began, settings)  # fmt: skip


def drives(task: DriverTask, code: Code, checks: int = CHECKS) -> bool:
    """Whether a program does on the board what the task wants, on inputs of its own."""
    rng = random.Random(f"check {task.name}")
    board = Board(code, ports.blank(_SIZES))
    return all(_right(board, task.draw(rng)) for _ in range(checks))


def _right(board: Board, lesson: Driving) -> bool:
    """Whether a board, begun anew, sends and shows what an example wants."""
    registers = np.zeros(16, np.uint32)
    registers[: len(lesson.registers)] = lesson.registers
    board.state = replace(board.state, registers=registers, pc=np.int32(0), flags=np.int32(0),
                          memory=np.zeros_like(board.state.memory))  # fmt: skip
    board.devices = ports.received(ports.blank(_SIZES), "keyboard", lesson.keys)
    try:
        ended = board.run(_STEPS)
    except StepLimitError:
        return False
    same = np.array_equal(np.asarray(ended.devices.picture), lesson.picture)
    return same and ended.devices.sent == tuple(lesson.sent)
