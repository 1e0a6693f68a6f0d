"""A program of the loom machine as a layer: named variables in, named variables out.

Its state has a fixed size and every operation, the loop over steps included, is on tensors. So
`torch.export` takes the layer, which it does not of the trace machine's, and ONNX can hold it.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, NamedTuple

from transputer.embed.rows import RowsFailed, check_shape
from transputer.engines.native.looped import LoopedNative
from transputer.engines.torch.decoder import Exact, Tensor, torch
from transputer.engines.torch.looped import LoopedModule
from transputer.errors import Trap, UsageError
from transputer.frontends.source import PathLike
from transputer.ir.loom import CAUSE, LoomConfig, LoomProgram, configuration, tightest
from transputer.machines.loom.circuit import model
from transputer.machines.loom.host import Layout, initial
from transputer.model import Array
from transputer.runtime.loom.program import compile_loom

ENGINES = ("torch", "native")
#: Rows that the native engine takes at once: their states fit a processor's cache.
ROWS = 16
#: Default of `max_steps`.
STEPS = 10_000


class Fault(IntEnum):
    """Why a row has no results: a trap, or too many steps."""

    NONE = 0
    INVALID = 1
    OUTSIDE = 2
    UNFINISHED = 3
    DIVIDED = 4


_WHY = {
    Fault.INVALID: Trap.INVALID_INSTRUCTION.value,
    Fault.OUTSIDE: Trap.MEMORY_OUT_OF_BOUNDS.value,
    Fault.UNFINISHED: "did not end within its steps",
    Fault.DIVIDED: Trap.DIVIDE_BY_ZERO.value,
}


class Ended(NamedTuple):
    """Outcome of a batch: `results` (rows, words), signed; `steps` and `faults` (rows)."""

    results: Tensor
    steps: Tensor
    faults: Tensor


class LoomModule(Exact):
    """A program that the looped transformer's weights run once per row.

    `path` is a source that `compile_loom` reads, or a program; `inputs` and `outputs` name global
    variables. An `int` has 32 bits unless `bits` or `config` says otherwise. A row of int64 holds
    the words of all inputs; an array has one word per element. Every call starts from the buffer
    `state`, which holds the program; nothing persists. Without `config` the machine has the fewest
    columns that the program fits.

    The engine `torch` is dense, runs on any device and can be exported. The engine `native` runs
    the module's weights in sparse C on the CPU, row by row, with hard attention.

    Raises as `compile_loom` does, and `UsageError` for a name that is not a global variable.
    """

    def __init__(
        self,
        path: PathLike | LoomProgram,
        inputs: Sequence[str],
        outputs: Sequence[str],
        *,
        bits: int = 0,
        config: str | None = None,
        attention: str = "hard",
        max_steps: int = STEPS,
        engine: str = "torch",
    ) -> None:
        super().__init__()
        if engine not in ENGINES:
            raise UsageError(f"engine is {' or '.join(ENGINES)}, not {engine!r}")
        if engine == "native" and attention != "hard":
            raise UsageError(f"native attention is hard, not {attention!r}")
        program = path if isinstance(path, LoomProgram) else compile_loom(path, bits, config)
        size = tightest(program) if config is None else configuration(config)
        self.name = "loom program" if isinstance(path, LoomProgram) else str(path)
        self.config, self.max_steps, self.engine = size.name, max_steps, engine
        self.looped = model(size)
        self.step = LoopedModule(self.looped, attention)
        self._runner: tuple[tuple[tuple[int, int], ...], LoopedNative] | None = None
        kind = self.step.stop.dtype
        self.register_buffer("state", torch.tensor(initial(program, size), dtype=kind))
        rows = Layout.of(size).rows
        places: dict[str, list[int]] = {
            "memory": [row.index for row in rows.memory],
            "traps": [rows.invalid.index, rows.outside.index],
            "into": _columns(program, size, inputs),
            "out_of": _columns(program, size, outputs),
            "cause": [size.scratch + s.slot for s in program.symbols if s.name == CAUSE],
            "powers": [1 << bit for bit in range(size.bits)],
        }
        for name, numbers in places.items():
            places_of = torch.tensor(numbers, dtype=torch.int64)
            self.register_buffer(name, places_of, persistent=False)

    def extra_repr(self) -> str:
        """The program, its machine, and how many words go in and out."""
        return f"{self.name!r}, {self.config}, {len(self.into)} -> {len(self.out_of)}"

    def forward(self, values: Tensor) -> Tensor:
        """Return results (rows, words), int64, for inputs (rows, words).

        Raises `RowsFailed` if a row traps or exceeds `max_steps` (`run` returns that instead), and
        `UsageError` for a number that is not a word. A graph cannot raise: export `run`.
        """
        if torch.compiler.is_exporting():
            raise UsageError(f"{self.name}: an exported graph cannot raise; call run in it")
        ended = self.run(values)
        failed = ended.faults.nonzero()[:, 0].tolist()
        if failed:
            rows = {row: _WHY[Fault(int(ended.faults[row]))] for row in failed}
            raise RowsFailed(self.name, rows)
        return ended.results

    def run(self, values: Tensor) -> Ended:
        """Return results, steps and faults; results of faulty rows are 0.

        A number that is not a word is an error; an exported graph takes its low bits.
        """
        if not torch.compiler.is_exporting():
            self._check(values)
        state, steps = self._stepped(self._loaded(values))
        first = state[:, :, 0]
        traps = (first[:, self.traps] >= 1).long()
        unfinished = (~self.step.halted(state)).long()
        divided = (state[:, self.memory][:, :, self.cause] > 0).any((1, 2)).long()
        outside = Fault.OUTSIDE + (Fault.DIVIDED - Fault.OUTSIDE) * divided
        faults = Fault.INVALID * traps[:, 0] + outside * traps[:, 1]
        faults = faults + Fault.UNFINISHED * unfinished * (faults == 0)
        words = self._words(state) * (faults == 0).long()[:, None]
        return Ended(*(tensor.to(values.device) for tensor in (words, steps, faults)))

    def _check(self, values: Tensor) -> None:
        check_shape(self.name, "inputs", values, len(self.into))
        whole = 1 << len(self.powers)
        wrong = ((values < -(whole >> 1)) | (values >= whole)).nonzero()
        if len(wrong):
            row, column = wrong[0].tolist()
            raise UsageError(
                f"{self.name}: row {row}: {int(values[row, column])} is no word of "
                f"{len(self.powers)} bits"
            )

    def _loaded(self, values: Tensor) -> Tensor:
        """States (rows, rows of the model, columns) with these words written, as bits of ±1."""
        powers = self.powers.to(values.device)
        places = torch.div(values.long()[:, None, :], powers[:, None], rounding_mode="floor")
        bits = (2 * torch.remainder(places, 2) - 1).to(self.state)
        states = self.state.expand(values.size(0), -1, -1).clone()
        states[:, self.memory[:, None], self.into] = bits
        return states

    def _stepped(self, states: Tensor) -> tuple[Tensor, Tensor]:
        """Final states and their numbers of steps.

        Steps only the rows that still run. An exported loop steps all rows until the last one has
        stopped; a stopped state is a fixed point.
        """
        steps = torch.zeros_like(states[:, 0, 0], dtype=torch.int64)
        if self.engine == "native" and not torch.compiler.is_exporting():
            return self._stepped_native(states, steps)
        if torch.compiler.is_exporting():
            turn = torch.zeros((), dtype=torch.int64, device=states.device)
            _, states, steps = torch.while_loop(self._going, self._turn, (turn, states, steps))
            return states, steps
        for _ in range(self.max_steps):
            rows = (~self.step.halted(states)).nonzero()[:, 0]
            if not len(rows):
                break
            states[rows] = self.step(states[rows])
            steps[rows] += 1
        return states, steps

    def _stepped_native(self, states: Tensor, steps: Tensor) -> tuple[Tensor, Tensor]:
        """Final states and steps, from the native engine."""
        engine = self._native()
        for first in range(0, len(states), ROWS):
            part = slice(first, first + ROWS)
            ended, counts = engine.run_all(_array(states[part]), self.max_steps)
            states[part], steps[part] = torch.from_numpy(ended), torch.from_numpy(counts)
        return states, steps

    def _native(self) -> LoopedNative:
        """The engine with the weights as they are now: it is built again after one changed."""
        buffers = dict(self.step.named_buffers())
        versions = tuple((buffer.data_ptr(), buffer._version) for buffer in buffers.values())
        if self._runner is None or self._runner[0] != versions:
            tensors = {_tensor_name(name): _array(buffer) for name, buffer in buffers.items()}
            changed = self.looped.with_tensors(tensors)
            self._runner = versions, LoopedNative(changed, _array(self.state))
        return self._runner[1]

    def __getstate__(self) -> dict[str, Any]:
        """What a copy or a pickle of the module has: everything but the running engine."""
        return {**self.__dict__, "_runner": None}

    def _going(self, turn: Tensor, states: Tensor, steps: Tensor) -> Tensor:
        return (turn < self.max_steps) & ~self.step.halted(states).all()

    def _turn(self, turn: Tensor, states: Tensor, steps: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        more = (~self.step.halted(states)).long()
        return turn + 1, self.step(states), steps + more

    def _words(self, states: Tensor) -> Tensor:
        """The words of the outputs, signed."""
        bits = (states[:, self.memory][:, :, self.out_of] > 0).long()
        words = (bits * self.powers[:, None]).sum(1)
        sign = self.powers[-1]
        return torch.where(words >= sign, words - 2 * sign, words)


def _tensor_name(buffer: str) -> str:
    """`layers.0.heads.1.key` of the module is `layer0.head1.key` of the model."""
    return buffer.replace("layers.", "layer").replace("heads.", "head")


def _array(tensor: Tensor) -> Array:
    """A copy of a tensor, as the engines take it."""
    array: Array = tensor.cpu().to(torch.float64, copy=True).numpy()
    return array


def _columns(program: LoomProgram, size: LoomConfig, names: Sequence[str]) -> list[int]:
    """The columns of variables, in the order of their names."""
    known = {one.name: one for one in program.symbols if "." not in one.name}
    columns: list[int] = []
    for name in names:
        if name not in known:
            raise UsageError(
                f"no global variable {name!r}; available: {', '.join(known) or 'none'}"
            )
        first = size.scratch + known[name].slot
        columns += range(first, first + known[name].count)
    return columns
