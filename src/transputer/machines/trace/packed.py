"""A model that carries one program: how to start it, and the session that runs it.

The universal model carries the program's tokens as a prompt; a specialised model has the program
in its weights and writes its initial data itself, in `boot` steps. Both are started alike: tokens
before the arguments, one token per argument, tokens after them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.engines.protocol import DecoderEngine, Runner
from transputer.errors import CapacityError, MalformedError, UsageError
from transputer.host.console import Console
from transputer.host.outcome import CallOutcome, Pulse, quiet
from transputer.host.store import Store
from transputer.ir.module import FuncType
from transputer.isa.op import ValType
from transputer.machines.trace.session import TraceExecutor
from transputer.machines.trace.tape import Rows, Tape, field
from transputer.machines.trace.vocabulary import LAYOUT, SIZES, Record, Space, record
from transputer.model import Model, Token
from transputer.values import dataclass

#: The key of the description among a model's hints.
KEY = "program"
#: The universal parts of a token, by name, with their sizes.
PARTS = [
    (name if count == 1 else f"{name}{i}", SIZES.get(name, 256))
    for name, count in LAYOUT
    for i in range(count)
]
NAMES = [name for name, _ in PARTS]


@dataclass(frozen=True, slots=True)
class PartView:
    """What a universal part of a token is: a part of the model's own, through a table.

    Without a table it is that part; without a part it is always the table's first number.
    """

    part: int | None
    table: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Start:
    """How to start a model on its program; tokens are those of the model's own vocabulary.

    `defaults` are the arguments where none are given; `exits` says that the result is the exit
    code; `untyped` that the whole stack is the result; `implied` lists the addresses of
    instructions that do not count as such.
    """

    name: str
    invoke: str
    params: tuple[str, ...]
    results: tuple[str, ...]
    before: tuple[Token, ...]
    arguments: tuple[Token, ...]
    after: tuple[Token, ...]
    views: tuple[PartView, ...]
    boot: int = 0
    defaults: tuple[int, ...] | None = None
    exits: bool = False
    untyped: bool = False
    code: int = 0
    implied: tuple[int, ...] = ()

    @property
    def type(self) -> FuncType:
        """The types of the arguments and results; those of an assembly program are i32."""
        if self.untyped:
            return FuncType((ValType.I32,) * len(self.arguments))
        return FuncType(tuple(map(ValType, self.params)), tuple(map(ValType, self.results)))

    def tokens(self, args: Sequence[int]) -> list[Token]:
        """What the host appends for these arguments (unsigned bits)."""
        if len(args) != len(self.arguments):
            wanted = len(self.arguments)
            raise UsageError(f"{self.invoke} takes {wanted} arguments, {len(args)} given")
        places = [self.views[NAMES.index(f"value{i}")].part for i in range(8)]
        tokens = []
        for template, arg in zip(self.arguments, args, strict=True):
            token = list(template)
            for place, byte in zip(places, arg.to_bytes(8, "little"), strict=True):
                token[place or 0] = byte
            tokens.append(tuple(token))
        return [*self.before, *tokens, *self.after]


def carrying(model: Model, start: Start) -> Model:
    """The model with this description among its hints."""
    return replace(model, hints={**model.hints, KEY: asdict(start)})


def start_of(model: Model) -> Start:
    """How to start a model on the program it carries.

    Raises `UsageError` if it carries none, `MalformedError` if the description is damaged.
    """
    hints = model.hints.get(KEY)
    if hints is None:
        raise UsageError("this model carries no program; transputer specialize makes one that does")
    try:
        start = _read(hints)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise MalformedError(f"the program that the model carries is damaged: {error}") from None
    problems = _problems(model, start)
    if problems:
        raise MalformedError(f"the program that the model carries is damaged: {problems[0]}")
    return start


def _read(hints: Mapping[str, Any]) -> Start:
    """The description from JSON; raises whatever a wrong type leads to."""

    def tokens(name: str) -> tuple[Token, ...]:
        return tuple(tuple(int(v) for v in token) for token in hints[name])

    views = tuple(
        PartView(None if v["part"] is None else int(v["part"]), tuple(int(n) for n in v["table"]))
        for v in hints["views"]
    )
    defaults = hints["defaults"]
    return Start(
        name=str(hints["name"]),
        invoke=str(hints["invoke"]),
        params=tuple(ValType(p).value for p in hints["params"]),
        results=tuple(ValType(r).value for r in hints["results"]),
        before=tokens("before"),
        arguments=tokens("arguments"),
        after=tokens("after"),
        views=views,
        boot=int(hints["boot"]),
        defaults=None if defaults is None else tuple(int(d) for d in defaults),
        exits=bool(hints["exits"]),
        untyped=bool(hints["untyped"]),
        code=int(hints["code"]),
        implied=tuple(int(a) for a in hints["implied"]),
    )


def _problems(model: Model, start: Start) -> list[str]:
    sizes = [part.size for part in model.parts]
    problems = []
    if len(start.views) != len(PARTS):
        problems.append(f"{len(start.views)} views, not {len(PARTS)}")
    for view, (name, size) in zip(start.views, PARTS, strict=False):
        own = 1 if view.part is None else sizes[view.part] if 0 <= view.part < len(sizes) else -1
        values = view.table or (own - 1,)
        if own < 1 or (view.table and len(view.table) != own) or not 0 <= max(values) < size:
            problems.append(f"part {name} is seen wrongly")
    for i in range(8):
        if problems or start.views[NAMES.index(f"value{i}")].part is None:
            problems.append("arguments have no place")
    for token in (*start.before, *start.arguments, *start.after):
        if len(token) != len(sizes) or not all(
            0 <= v < size for v, size in zip(token, sizes, strict=True)
        ):
            problems.append("a token is outside the vocabulary")
    if not 0 <= start.boot < 2**31 or not 0 <= start.code < 2**24:
        problems.append("boot or code is not a sensible number")
    if start.defaults is not None and (
        len(start.defaults) != len(start.arguments)
        or not all(0 <= d < 2**64 for d in start.defaults)
    ):
        problems.append("the default arguments are not those it takes")
    if any(not 0 <= a < start.code for a in start.implied):
        problems.append("an address is outside the code")
    return problems


class Viewed:
    """An engine on a model's own tokens that speaks universal ones."""

    def __init__(self, engine: DecoderEngine, start: Start) -> None:
        self.inner = engine
        self.start = start
        self._parts = 1 + max(v.part for v in start.views if v.part is not None)
        self._copied = _runs(start.views)
        self._looked_up = [
            (i, view.part or 0, np.array(view.table, dtype=np.uint16))
            for i, view in enumerate(start.views)
            if any(view.table)
        ]
        self._rows: dict[int, dict[Token, int]] = {}
        for part in range(self._parts):
            tables = [v.table for v in start.views if v.part == part and v.table]
            if tables:
                rows = list(zip(*tables, strict=True))
                self._rows[part] = {row: i for i, row in reversed(list(enumerate(rows)))}

    def append(self, token: Token) -> None:
        """Add a token of the host's."""
        self.inner.append(self.own(token))

    def own(self, token: Token) -> Token:
        """The model's own token; of several the first."""
        values = [0] * self._parts
        for part in range(self._parts):
            seen = [(v, n) for v, n in zip(self.start.views, token, strict=True) if v.part == part]
            row = tuple(n for v, n in seen if v.table)
            if part in self._rows and row not in self._rows[part]:
                raise CapacityError("the specialised model has no token for this state")
            values[part] = self._rows[part][row] if part in self._rows else seen[0][1]
        return tuple(values)

    def step(self) -> Token:
        """Decode one token."""
        return tuple(self.universal(np.array([self.inner.step()]))[0].tolist())

    def run(self, limit: int, stops: Sequence[tuple[int, Any]]) -> NDArray[np.uint16]:
        """Decode up to `limit` tokens, ending with the first that a stop (any but 0) names."""
        parts = [self.start.views[part].part or 0 for part, _ in stops]
        if isinstance(self.inner, Runner):
            return self.universal(self.inner.run(limit, [(part, None) for part in parts]))
        rows: list[Token] = []
        while len(rows) < limit and not (rows and any(rows[-1][part] for part in parts)):
            rows.append(self.inner.step())
        return self.universal(np.array(rows))

    def universal(self, rows: NDArray[Any]) -> NDArray[np.uint16]:
        """Own tokens as universal ones."""
        tokens = np.zeros((len(rows), len(self.start.views)), dtype=np.uint16)
        for first, own, count in self._copied:
            tokens[:, first : first + count] = rows[:, own : own + count]
        for i, part, table in self._looked_up:
            tokens[:, i] = table[rows[:, part]]
        return tokens


def _runs(views: Sequence[PartView]) -> list[tuple[int, int, int]]:
    """Universal parts that are own parts, as runs: first universal, first own, how many."""
    runs: list[tuple[int, int, int]] = []
    for i, view in enumerate(views):
        if view.part is None or view.table:
            continue
        if runs and (i, view.part) == (sum(runs[-1][::2]), sum(runs[-1][1:])):
            runs[-1] = (*runs[-1][:2], runs[-1][2] + 1)
        else:
            runs.append((i, view.part, 1))
    return runs


class PackedExecutor(TraceExecutor):
    """Runs the program that a model carries: the host appends arguments and input, no code."""

    def __init__(self, engine: DecoderEngine, start: Start, console: Console) -> None:
        self.start = start
        self.viewed = Viewed(engine, start)
        super().__init__(Store(), Tape(self.viewed), console)
        hidden = set(start.implied)
        self.implied += (address in hidden for address in range(start.code + 1))
        self.untyped = start.untyped

    def _begin(self, frames: int) -> None:
        """Nothing is appended before the arguments are known."""

    def _kind(self, space: int) -> str:
        """Sizes are numbers of something; the reach of every address is that of 32 bits."""
        return "table"

    def call(self, args: Sequence[int], limit: int, pulse: Pulse = quiet) -> CallOutcome:
        """Start the program on these arguments and run it to its end."""
        for token in self.start.tokens(args):
            self.viewed.inner.append(token)
            self._note(token)
        if self.start.boot:
            rows = self.viewed.run(self.start.boot, [])
            self.tape.last = record(tuple(rows[-1].tolist()))
        return self._run(len(self.start.results), limit, pulse)

    def _note(self, token: Token) -> None:
        item = record(tuple(self.viewed.universal(np.array([token]))[0].tolist()))
        if item.space == Space.SLOT:
            self.tape.written.note(item.space, item.at, item.value)
        self.tape.last = item

    def _show_rows(self, before: Record, rows: Rows) -> None:
        """As always; what weights have taken the place of must not be written anew."""
        if self.start.boot:
            spaces = rows[:, NAMES.index("space")]
            limits = rows[spaces == Space.SIZE]
            for space, events in (
                (Space.CODE, spaces == Space.CODE),
                (Space.SENTINEL, spaces == Space.SENTINEL),
                (Space.SIZE, field(limits, "at") == 0),
            ):
                if events.any():
                    raise CapacityError(
                        f"a step wrote to {space.name}, which is in the weights here"
                    )
        super()._show_rows(before, rows)
