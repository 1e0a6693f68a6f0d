"""The trace machine with one more part, the kind of a token: weights that let a program be written.

A written instruction is a call of a routine: the row of its kind is the sum of the rows of the
parts that a `call` token has. Its address comes from a counter in the `at` part: each written token
says the next address. While nothing is written, weights forbid instructions; while a program is
written, they forbid text; while the machine runs, only it speaks.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files

import numpy as np

from transputer.embed.one_model.vocabulary import KINDS, ROUTINES
from transputer.machines.trace.addressing import DIGITS
from transputer.machines.trace.opcodes import OPCODES
from transputer.machines.trace.universal import model as trace_model
from transputer.machines.trace.vocabulary import Record, Space, Status
from transputer.model import Array, Layer, Model, Part, Token
from transputer.runtime.trace.pack import ProgramPrompt
from transputer.runtime.trace.program import compile_text

#: Larger than any logit of a language model, and than any byte squared.
HUGE = 2.0**20
#: Positions. Rows of kinds widen what addresses may be, so that fewer positions keep scores exact.
CONTEXT = 2**30
#: Lanes that are added.
WRITES, BEGINS, RUNS, *NEXT, OUTPUTS, STOPS, TRAPS = range(9)
_ADDED = TRAPS + 1


@dataclass(frozen=True)
class Routine:
    """What a `call` of a routine says."""

    entry: int
    params: int
    locals: int
    frame: int


@dataclass(frozen=True)
class Library:
    """The tokens that put the routines into the context, and where programs are written."""

    tokens: tuple[Token, ...]
    routines: Mapping[str, Routine]
    base: int


def library() -> Library:
    """Compile the routines."""
    text = files(__package__).joinpath("library.wat").read_text()
    program = compile_text(text, "library.wat")
    prompt = ProgramPrompt(program, "push", 0)
    trace = prompt.session.trace
    exports = {e.name: e.index for e in program.declarations.exports}
    imports = len(program.declarations.imports)
    functions = list(trace.functions.values())
    own = functions[len(functions) - len(program.declarations.functions) :]
    routines = {}
    for name in ROUTINES:
        function = own[exports[name] - imports]
        routines[name] = Routine(
            function.entry, len(function.type.params), function.locals, function.frame
        )
    return Library(prompt.before, routines, len(trace.listing))


Neuron = tuple[Mapping[int, float], Mapping[int, float], Mapping[int, float]]


def extended(model: Model | None = None, routines: Library | None = None) -> Model:
    """Return the machine whose tokens have a kind as their first part."""
    model = model or trace_model(replace(DIGITS, context=CONTEXT))
    routines = routines or library()
    return _Extension(model, routines).result()


class _Extension:
    def __init__(self, model: Model, routines: Library) -> None:
        self.model, self.library = model, routines
        self.old = model.width
        self.width = model.width + _ADDED
        self.one = int(np.flatnonzero(model.bias)[0])
        self.parts = {part.name: i for i, part in enumerate(model.parts)}
        # logits of a byte are 2vx - v^2: the lane of the next byte has 2 in row 1
        self.following = {
            name: int(np.flatnonzero(model.outputs[i][1] == 2)[0])
            for name, i in self.parts.items()
            if name not in ("op", "digit")
        }

    def lane(self, added: int) -> int:
        return self.old + added

    def result(self) -> Model:
        model = self.model
        layers = [self._wider(layer) for layer in model.layers]
        layers[0] = self._with(layers[0], self._counter())
        none = np.zeros((0, self.width))
        layers.append(self._with(Layer((), none, none, none.T), self._last()))
        names = [*model.names, "writes", "begins", "runs", *(f"next address {i}" for i in range(3)),
                 "outputs", "stops", "traps"]  # fmt: skip
        return replace(
            model,
            parts=(Part("kind", KINDS.count), *model.parts),
            bias=self._pad(model.bias),
            position=self._pad(model.position),
            embeddings=(self._rows(), *(self._pad(table) for table in model.embeddings)),
            outputs=(self._logits(), *(self._pad(table) for table in model.outputs)),
            layers=tuple(layers),
            names=tuple(names) if model.names else (),
            hints={k: v for k, v in model.hints.items() if k in ("heads", "neurons")},
        )

    def _pad(self, array: Array) -> Array:
        return np.pad(array, [(0, 0)] * (array.ndim - 1) + [(0, _ADDED)])

    def _wider(self, layer: Layer) -> Layer:
        heads = tuple(
            replace(
                head,
                query=self._pad(head.query),
                key=self._pad(head.key),
                value=self._pad(head.value),
                output=np.pad(head.output, ((0, _ADDED), (0, 0))),
            )
            for head in layer.heads
        )
        out = np.pad(layer.out, ((0, _ADDED), (0, 0)))
        return Layer(heads, self._pad(layer.gate), self._pad(layer.value), out)

    def _with(self, layer: Layer, neurons: list[Neuron]) -> Layer:
        gate, value, out = (np.zeros((len(neurons), self.width)) for _ in range(3))
        for i, maps in enumerate(neurons):
            for array, entries in zip((gate, value, out), maps, strict=True):
                for lane, weight in entries.items():
                    array[i, lane] += weight
        return replace(
            layer,
            gate=np.concatenate([layer.gate, gate]),
            value=np.concatenate([layer.value, value]),
            out=np.concatenate([layer.out, out.T], axis=1),
        )

    def _row(self, record: Record) -> Array:
        """The sum of the rows of a token's parts, less those of its zeros."""
        row = np.zeros(self.width)
        for table, number in zip(self.model.embeddings, record.token(), strict=True):
            row[: self.old] += table[number] - table[0]
        return row

    def _rows(self) -> Array:
        """What a kind says besides the parts of its token."""
        rows = np.zeros((KINDS.count, self.width))
        rows[KINDS.code, self.lane(BEGINS)] = 1
        pops = next(i for i, n in enumerate(self.model.names) if n.split(" | ")[0] == "pops")
        for name, kind in KINDS.routines.items():
            routine = self.library.routines[name]
            params = routine.params
            rows[kind] = self._row(
                Record(
                    space=Space.CODE,
                    op=OPCODES["call"],
                    pc=routine.entry,
                    sp=routine.locals - params,
                    fp=-params % 2**24,
                    value=routine.frame - params,
                )
            )
            rows[kind, pops] += params  # too few operands: a trap, by neurons that are there
            rows[kind, self.lane(WRITES)] = 1
        ret = Record(space=Space.CODE, op=OPCODES["return.0"], pc=self.library.base)
        rows[KINDS.run] = self._row(ret)
        rows[[KINDS.run, KINDS.step, *range(KINDS.out, KINDS.count)], self.lane(RUNS)] = 1
        return rows

    def _logits(self) -> Array:
        """Which kinds may follow: a grammar."""
        table = np.zeros((KINDS.count, self.width))
        runs, writes, begins = self.lane(RUNS), self.lane(WRITES), self.lane(BEGINS)
        written = slice(KINDS.code + 1, KINDS.run + 1)
        table[: KINDS.step, runs] = -8 * HUGE  # while the machine runs, only it speaks
        for program in (writes, begins):
            table[: KINDS.code + 1, program] = -8 * HUGE  # in a program, only instructions,
            table[written, program] = 8 * HUGE
        table[written, self.one] = -8 * HUGE  # and nowhere else
        table[KINDS.step :, self.one] = -2 * HUGE  # the machine's kinds, only while it runs
        table[KINDS.step, runs] = HUGE
        table[KINDS.done, self.lane(STOPS)] = 3 * HUGE
        table[KINDS.trap, self.lane(TRAPS)] = 6 * HUGE
        byte = np.arange(256)
        table[KINDS.out :, self.lane(OUTPUTS)] = 4 * HUGE
        table[KINDS.out :, self.following["value0"]] = 2 * byte
        table[KINDS.out :, self.one] -= byte * byte
        return table

    def _counter(self) -> list[Neuron]:
        """The address after that of a written token: `at` + 1 in bytes, with carries."""
        writes, one = self.lane(WRITES), self.one
        tables = [self.model.embeddings[self.parts[f"at{i}"]] for i in range(3)]
        number = np.arange(256)[:, None]  # the lane that holds the byte itself
        at = [int(np.flatnonzero((table == number).all(0))[0]) for table in tables]
        low, mid, high = (self.lane(n) for n in NEXT)
        return [
            # relu(w) * (a + w) = a + 1, for w = 1
            ({writes: 1}, {at[0]: 1, one: 1}, {low: 1}),
            # relu(a + w - 255) = 1 only for a = 255 and w = 1
            ({at[0]: 1, writes: 1, one: -255}, {one: 1}, {low: -256, mid: 1}),
            ({writes: 1}, {at[1]: 1}, {mid: 1}),
            ({at[1]: 256, at[0]: 1, writes: 1, one: -65535}, {one: 1}, {mid: -256, high: 1}),
            ({writes: 1}, {at[2]: 1}, {high: 1}),
        ]

    def _last(self) -> list[Neuron]:
        """Clear what a step would say while a program is written; see what the machine does."""
        one, lanes = self.one, self.following
        writes, begins, runs = self.lane(WRITES), self.lane(BEGINS), self.lane(RUNS)
        base = self.library.base.to_bytes(3, "little")
        digit = self.model.outputs[self.parts["digit"]]
        dividend, divisor = (
            int(np.flatnonzero((digit[1] == 2) & (digit[2] == 4))[0]),
            int(np.flatnonzero((digit[1] == -2) & (digit[2] == -6))[0]),
        )
        square = int(np.flatnonzero((digit[1] == -2) & (digit[2] == -10))[0])
        neurons: list[Neuron] = []
        for program in (writes, begins):
            cleared = {*lanes.values(), dividend, divisor, square}
            neurons += [({program: 1}, {lane: 1}, {lane: -1}) for lane in sorted(cleared)]
            neurons.append(({program: 1}, {one: 1}, {divisor: 1}))  # digit 0
        for i, lane in enumerate(NEXT):
            neurons.append(({writes: 1}, {self.lane(lane): 1}, {lanes[f"at{i}"]: 1}))
        neurons += [
            ({begins: 1}, {one: byte}, {lanes[f"at{i}"]: 1}) for i, byte in enumerate(base) if byte
        ]
        # [x = k] = relu(x - k + 1) - 2 relu(x - k) + relu(x - k - 1)
        for offset, weight in ((-1, 1), (0, -2), (1, 1)):
            gate = {lanes["space"]: 1.0, one: -(int(Space.OUTPUT) + offset)}
            neurons.append((gate, {runs: 1}, {self.lane(OUTPUTS): weight}))
        # [x >= k] = relu(x - k + 1) - relu(x - k)
        for lane, least in ((STOPS, 1), (TRAPS, int(Status.TRAPS))):
            for offset, weight in ((-1, 1), (0, -1)):
                gate = {lanes["status"]: 1.0, one: -(least + offset)}
                neurons.append((gate, {runs: 1}, {self.lane(lane): weight}))
        return neurons
