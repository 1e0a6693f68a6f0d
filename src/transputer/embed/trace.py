"""A program of the trace machine as a layer: `Module`, integers to integers."""

from dataclasses import dataclass
from itertools import accumulate

from transputer.embed.rows import RowsFailed, check_shape
from transputer.engines.torch.decoder import Cache, Decoder, Tensor, Torch, nn, torch
from transputer.errors import (
    CapacityError,
    StepLimitError,
    Trap,
    Unsupported,
    UsageError,
)
from transputer.frontends.source import PathLike
from transputer.host.outcome import DEFAULT_STEPS
from transputer.ir.core import CoreFunction, is_untyped
from transputer.ir.module import Kind
from transputer.isa.core import MAX_SLOTS
from transputer.isa.op import ValType
from transputer.machines.trace.circuit import model
from transputer.machines.trace.prompt import answer, invocation
from transputer.machines.trace.vocabulary import LAYOUT, TRAPS, Space, Status, record
from transputer.runtime.trace.program import TraceProgram, compile_file
from transputer.runtime.trace.sessions import MachineSession

_STARTS = accumulate((count for _, count in LAYOUT), initial=0)
#: The parts of each field of a token.
PARTS = {name: slice(at, at + count) for (name, count), at in zip(LAYOUT, _STARTS, strict=False)}
_END_OF_INPUT = 0xFFFFFFFF  # what reading a byte gives when there are none


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What a batch came to, row by row.

    `results` (rows, results) are signed; those of a row that trapped or exited are 0. `steps`
    (rows) counts forward passes, `output` is what the program wrote.
    """

    results: Tensor
    steps: Tensor
    traps: tuple[Trap | None, ...]
    exit_codes: tuple[int | None, ...]
    output: tuple[bytes, ...]

    @property
    def failures(self) -> dict[int, str]:
        """Why rows have no results, by row."""
        found: dict[int, str] = {}
        for row, (trap, code) in enumerate(zip(self.traps, self.exit_codes, strict=True)):
            if trap is not None:
                found[row] = trap.value
            elif code is not None:
                found[row] = f"exited with code {code}"
        return found


class Module(nn.Module):  # type: ignore[misc]
    """A function of a program, executed through the weights of the trace machine for each row.

    `path` is a source that `compile` reads, or a compiled program; `invoke` names an exported
    function (`main`, or the only one, if not given) whose parameters and results are all i32.
    The program is the buffer `prompt`; the weights are those of every program. Every call
    starts from the prompt: nothing persists from one to the next. Reading input finds its end.

    Raises as `compile` does, and `Unsupported` for what has no tensors of fixed shape.
    """

    def __init__(
        self,
        path: PathLike | TraceProgram,
        invoke: str | None = None,
        *,
        attention: str = "hard",
        max_steps: int = DEFAULT_STEPS,
    ) -> None:
        super().__init__()
        program = path if isinstance(path, TraceProgram) else compile_file(path)
        _check_program(program)
        self.name = invoke or _default(program)
        self.max_steps = max_steps
        self.decoder = Decoder(model(), attention)
        engine = Torch(self.decoder)
        function = _loaded(program, engine, self.name, max_steps)
        self.params, self.results = len(function.type.params), len(function.type.results)
        self.register_buffer("prompt", torch.tensor(engine.tokens))
        call = invocation(function, [0] * self.params)
        self.register_buffer("call", torch.tensor([item.token() for item in call]))

    def extra_repr(self) -> str:
        """The function, and how many numbers go in and out."""
        return f"{self.name!r}, {self.params} -> {self.results}"

    def forward(self, args: Tensor) -> Tensor:
        """Results (rows, results), int64, of arguments (rows, params).

        Raises `RowsFailed` if a row traps or exits (`run` returns that instead), `UsageError`
        for what are no arguments, `StepLimitError` if a row does not end in time.
        """
        ended = self.run(args)
        if ended.failures:
            raise RowsFailed(self.name, ended.failures)
        return ended.results

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def run(self, args: Tensor) -> Outcomes:
        """What comes of arguments (rows, params), traps included; raises as `forward` else."""
        self._check(args)
        rows = args.size(0)
        if not rows:
            none = torch.zeros(0, dtype=torch.int64, device=args.device)
            return Outcomes(none.view(0, self.results), none, (), (), ())
        calls = self._calls(args.to(self.prompt.device))
        cache = Cache(self.decoder)
        self.decoder.hidden(self.prompt[None], cache)
        run = _Run(self, calls, cache.select([0] * rows))
        return run.outcomes(self.results, args.device)

    def _check(self, args: Tensor) -> None:
        check_shape(self.name, "arguments", args, self.params)
        wrong = ((args < -(1 << 31)) | (args >= 1 << 32)).nonzero()
        if len(wrong):
            row, column = wrong[0].tolist()
            value = int(args[row, column])
            raise UsageError(f"{self.name}: row {row}: {value} does not fit an i32")

    def _calls(self, args: Tensor) -> Tensor:
        """The tokens that invoke the function, (rows, params + 1, parts)."""
        made = self.call.repeat(args.size(0), 1, 1)
        shifts = torch.tensor([0, 8, 16, 24], device=args.device)
        made[:, : self.params, PARTS["value"]] = args.long()[..., None] >> shifts & 0xFF
        return made


def _check_program(program: TraceProgram) -> None:
    if program.assembly is not None or is_untyped(program.core()):
        raise Unsupported(
            f"{program.name}: an assembly program leaves any number of results, "
            "which no tensor has; use .c, .wat or .wasm"
        )
    for item in program.declarations.imports:
        if item.module != "transputer":
            raise Unsupported(
                f"{program.name}: imports {item.module}.{item.name}; a module has no host functions"
            )


def _default(program: TraceProgram) -> str:
    names = [e.name for e in program.declarations.exports if e.kind is Kind.FUNC]
    if "main" in names:
        return "main"
    if len(names) == 1:
        return names[0]
    known = ", ".join(names[:20]) or "none"
    raise UsageError(f"{program.name}: name the function with invoke; there is: {known}")


def _loaded(program: TraceProgram, engine: Torch, name: str, max_steps: int) -> CoreFunction:
    """The function, after its program was loaded into the engine and started."""
    session = MachineSession(engine, max_steps=max_steps)
    instance, start = session.load_program(program)
    if start.trap is not None or start.exit_code is not None:
        why = start.trap.value if start.trap is not None else f"exit {start.exit_code}"
        raise UsageError(f"{program.name}: it ends before anything is invoked: {why}")
    function = session.trace.functions[session.address(instance, name, Kind.FUNC)]
    if function.frame > MAX_SLOTS:
        raise CapacityError(f"{name}: a frame of {function.frame:,} slots; there are {MAX_SLOTS:,}")
    if set(function.type.source.params + function.type.source.results) - {ValType.I32}:
        raise Unsupported(f"{name}: parameters and results must be i32")
    return function


def _number(tokens: Tensor, field: str) -> Tensor:
    """A field of tokens as numbers."""
    held = tokens[..., PARTS[field]]
    return sum(held[..., i] << 8 * i for i in range(held.size(-1)))


class _Run:
    """Greedy decoding of a batch until every row has stopped.

    `said[t]` (rows, parts) is what the rows said at time t: zeros, which write nothing, once
    they have stopped. Rows that have stopped leave the cache when they are half of it.
    """

    def __init__(self, module: Module, calls: Tensor, cache: Cache) -> None:
        self.decoder, self.cache, self.limit = module.decoder, cache, module.max_steps
        self.said = list(calls.unbind(1))
        self.steps = torch.zeros(len(calls), dtype=torch.int64, device=calls.device)
        self.rows = torch.arange(len(calls), device=calls.device)  # of each row of the cache
        self.going = torch.ones_like(self.rows, dtype=torch.bool)  # which of them still run
        waiting = torch.zeros_like(self.going)
        token = self.decoder.predict(calls, cache)
        while self._hear(token, waiting):
            token, waiting = self._next(self._kept(token))

    def _hear(self, token: Tensor, waiting: Tensor) -> bool:
        """Note what was said; whether any row goes on."""
        said = torch.zeros_like(self.said[0])
        said[self.rows] = token * self.going[:, None]
        self.said.append(said)
        self.steps[self.rows] += (self.going & ~waiting).long()
        status = _number(token, "status")
        self.going &= (status == Status.RUN) | (status == Status.INPUT)
        return bool(self.going.any())

    def _kept(self, token: Tensor) -> Tensor:
        """Drops the rows that have stopped when they are half of all."""
        if int(self.steps.max()) >= self.limit:
            raise StepLimitError(self.limit)
        if 2 * int(self.going.sum()) <= len(self.rows):
            kept = self.going.nonzero()[:, 0]
            self.cache = self.cache.select(kept.tolist())
            token, self.rows, self.going = token[kept], self.rows[kept], self.going[kept]
        return token

    def _next(self, token: Tensor) -> tuple[Tensor, Tensor]:
        """The next token of each row, and whether it is the host's: the end of the input."""
        found = self.decoder.predict(token[:, None], self.cache)
        waiting = self.going & (_number(token, "status") == Status.INPUT)
        for row in waiting.nonzero()[:, 0].tolist():
            (item,) = answer(record(tuple(token[row].tolist())), [_END_OF_INPUT])
            found[row] = torch.tensor(item.token())
        return found, waiting

    def outcomes(self, results: int, device: torch.device) -> Outcomes:
        """What the rows have said, read."""
        said = torch.stack(self.said)
        status, value = _number(said, "status"), _number(said, "value")
        ending = (status != Status.RUN) & (status != Status.INPUT)  # once in each row
        ends = (status * ending).sum(0).tolist()
        codes = (value * ending).sum(0).tolist()
        done = torch.tensor([end == Status.DONE for end in ends], device=said.device)
        written = [_last(said, value, slot) * done for slot in range(results)]
        numbers = torch.stack(written, 1) if written else said.new_zeros(len(ends), 0)
        return Outcomes(
            torch.where(numbers >= 1 << 31, numbers - (1 << 32), numbers).to(device),
            self.steps.to(device),
            tuple(TRAPS[end - Status.TRAPS] if end >= Status.TRAPS else None for end in ends),
            tuple(
                code if end == Status.EXIT else None for end, code in zip(ends, codes, strict=True)
            ),
            _written(said, value),
        )


def _last(said: Tensor, value: Tensor, slot: int) -> Tensor:
    """The value that each row last wrote to a slot; 0 if none."""
    hits = (_number(said, "space") == Space.SLOT) & (_number(said, "at") == slot)
    times = torch.arange(1, len(said) + 1, device=said.device)[:, None] * hits
    last = times.amax(0)
    return value.gather(0, (last - 1).clamp(min=0)[None])[0] * (last > 0)


def _written(said: Tensor, value: Tensor) -> tuple[bytes, ...]:
    """The bytes that each row has output."""
    output = _number(said, "space") == Space.OUTPUT
    pairs = zip(output.T, value.T, strict=True)
    return tuple(bytes((held[hits] & 0xFF).tolist()) for hits, held in pairs)
