"""A program of the trace machine as a layer: `Module` maps integers to integers."""

from dataclasses import dataclass
from itertools import accumulate

from transputer.embed.rows import RowsFailed, check_shape
from transputer.engines.torch.decoder import Decoder, KeyValueCache, Tensor, Torch, nn, torch
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
from transputer.ir.module import ExternKind
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
_END_OF_INPUT = 0xFFFFFFFF  # result of reading a byte at the end of the input


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Outcome of each row of a batch.

    `results` (rows, results) are signed; they are 0 for a row that trapped or exited. `steps`
    (rows) counts forward passes; `output` is what the program wrote.
    """

    results: Tensor
    steps: Tensor
    traps: tuple[Trap | None, ...]
    exit_codes: tuple[int | None, ...]
    output: tuple[bytes, ...]

    @property
    def failures(self) -> dict[int, str]:
        """Why a row has no results, by row."""
        reasons: dict[int, str] = {}
        for row, (trap, code) in enumerate(zip(self.traps, self.exit_codes, strict=True)):
            if trap is not None:
                reasons[row] = trap.value
            elif code is not None:
                reasons[row] = f"exited with code {code}"
        return reasons


class Module(nn.Module):  # type: ignore[misc]
    """A function of a program, executed by the weights of the trace machine for each row.

    `path` is a source file that `compile` accepts, or a compiled program. `invoke` names an
    exported function whose parameters and results are all i32; the default is `main`, or the only
    export. The program is the buffer `prompt`; the weights are the same for every program. Every
    call starts from the prompt: no state persists between calls. The input is empty.

    Raises as `compile` does, and `Unsupported` if the results have no fixed shape.
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
        """Return the function and its numbers of parameters and results."""
        return f"{self.name!r}, {self.params} -> {self.results}"

    def forward(self, args: Tensor) -> Tensor:
        """Return the results (rows, results), int64, for arguments (rows, params).

        Raises `RowsFailed` if a row traps or exits (`run` returns that instead), `UsageError` for
        invalid arguments, and `StepLimitError` if a row exceeds `max_steps`.
        """
        outcomes = self.run(args)
        if outcomes.failures:
            raise RowsFailed(self.name, outcomes.failures)
        return outcomes.results

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def run(self, args: Tensor) -> Outcomes:
        """Return the outcome of each row of arguments (rows, params), traps included."""
        self._check(args)
        rows = args.size(0)
        if not rows:
            empty = torch.zeros(0, dtype=torch.int64, device=args.device)
            return Outcomes(empty.view(0, self.results), empty, (), (), ())
        calls = self._calls(args.to(self.prompt.device))
        cache = KeyValueCache(self.decoder)
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
        """Return the tokens that invoke the function, (rows, params + 1, parts)."""
        tokens = self.call.repeat(args.size(0), 1, 1)
        shifts = torch.tensor([0, 8, 16, 24], device=args.device)
        tokens[:, : self.params, PARTS["value"]] = args.long()[..., None] >> shifts & 0xFF
        return tokens


def _check_program(program: TraceProgram) -> None:
    if program.assembly is not None or is_untyped(program.core()):
        raise Unsupported(
            f"{program.name}: an assembly program has no fixed number of results; "
            "use .c, .wat or .wasm"
        )
    for item in program.declarations.imports:
        if item.module != "transputer":
            raise Unsupported(
                f"{program.name}: imports {item.module}.{item.name}; a layer has no host functions"
            )


def _default(program: TraceProgram) -> str:
    names = [e.name for e in program.declarations.exports if e.kind is ExternKind.FUNC]
    if "main" in names:
        return "main"
    if len(names) == 1:
        return names[0]
    known = ", ".join(names[:20]) or "none"
    raise UsageError(f"{program.name}: choose a function with invoke; available: {known}")


def _loaded(program: TraceProgram, engine: Torch, name: str, max_steps: int) -> CoreFunction:
    """Load the program into the engine, start it, and return the function."""
    session = MachineSession(engine, max_steps=max_steps)
    instance, start = session.load_program(program)
    if start.trap is not None or start.exit_code is not None:
        why = start.trap.value if start.trap is not None else f"exit {start.exit_code}"
        raise UsageError(f"{program.name}: the program ends before a function is invoked: {why}")
    function = session.trace.functions[session.address(instance, name, ExternKind.FUNC)]
    if function.frame > MAX_SLOTS:
        raise CapacityError(
            f"{name}: needs a frame of {function.frame:,} slots; the limit is {MAX_SLOTS:,}"
        )
    if set(function.type.source.params + function.type.source.results) - {ValType.I32}:
        raise Unsupported(f"{name}: parameters and results must be i32")
    return function


def _number(tokens: Tensor, field: str) -> Tensor:
    """Return a field of tokens as numbers."""
    parts = tokens[..., PARTS[field]]
    return sum(parts[..., i] << 8 * i for i in range(parts.size(-1)))


class _Run:
    """Greedy decoding of a batch until every row has stopped.

    `tokens[t]` (rows, parts) is the token of each row at time t; a stopped row has zeros, which
    write nothing. Stopped rows are removed from the cache when they are half of it.
    """

    def __init__(self, module: Module, calls: Tensor, cache: KeyValueCache) -> None:
        self.decoder, self.cache, self.limit = module.decoder, cache, module.max_steps
        self.tokens = list(calls.unbind(1))
        self.steps = torch.zeros(len(calls), dtype=torch.int64, device=calls.device)
        self.rows = torch.arange(len(calls), device=calls.device)  # the batch row of each cache row
        self.running = torch.ones_like(self.rows, dtype=torch.bool)  # of each cache row
        waiting = torch.zeros_like(self.running)
        token = self.decoder.predict(calls, cache)
        while self._append(token, waiting):
            token, waiting = self._next(self._compact(token))

    def _append(self, token: Tensor, waiting: Tensor) -> bool:
        """Append the tokens of the running rows; return whether any row continues."""
        tokens = torch.zeros_like(self.tokens[0])
        tokens[self.rows] = token * self.running[:, None]
        self.tokens.append(tokens)
        self.steps[self.rows] += (self.running & ~waiting).long()
        status = _number(token, "status")
        self.running &= (status == Status.RUN) | (status == Status.INPUT)
        return bool(self.running.any())

    def _compact(self, token: Tensor) -> Tensor:
        """Drop the stopped rows from the cache when they are half of it."""
        if int(self.steps.max()) >= self.limit:
            raise StepLimitError(self.limit)
        if 2 * int(self.running.sum()) <= len(self.rows):
            rest = self.running.nonzero()[:, 0]
            self.cache = self.cache.select(rest.tolist())
            token, self.rows, self.running = token[rest], self.rows[rest], self.running[rest]
        return token

    def _next(self, token: Tensor) -> tuple[Tensor, Tensor]:
        """Return the next token of each row, and whether it is the host's end of input."""
        following = self.decoder.predict(token[:, None], self.cache)
        waiting = self.running & (_number(token, "status") == Status.INPUT)
        for row in waiting.nonzero()[:, 0].tolist():
            (item,) = answer(record(tuple(token[row].tolist())), [_END_OF_INPUT])
            following[row] = torch.tensor(item.token())
        return following, waiting

    def outcomes(self, results: int, device: torch.device) -> Outcomes:
        """Return the outcomes that the tokens of the rows encode."""
        tokens = torch.stack(self.tokens)
        status, value = _number(tokens, "status"), _number(tokens, "value")
        ending = (status != Status.RUN) & (status != Status.INPUT)  # once in each row
        ends = (status * ending).sum(0).tolist()
        codes = (value * ending).sum(0).tolist()
        done = torch.tensor([end == Status.DONE for end in ends], device=tokens.device)
        written = [_last(tokens, value, slot) * done for slot in range(results)]
        numbers = torch.stack(written, 1) if written else tokens.new_zeros(len(ends), 0)
        return Outcomes(
            torch.where(numbers >= 1 << 31, numbers - (1 << 32), numbers).to(device),
            self.steps.to(device),
            tuple(TRAPS[end - Status.TRAPS] if end >= Status.TRAPS else None for end in ends),
            tuple(
                code if end == Status.EXIT else None for end, code in zip(ends, codes, strict=True)
            ),
            _written(tokens, value),
        )


def _last(tokens: Tensor, value: Tensor, slot: int) -> Tensor:
    """Return the value that each row last wrote to a slot; 0 if none."""
    hits = (_number(tokens, "space") == Space.SLOT) & (_number(tokens, "at") == slot)
    times = torch.arange(1, len(tokens) + 1, device=tokens.device)[:, None] * hits
    last = times.amax(0)
    return value.gather(0, (last - 1).clamp(min=0)[None])[0] * (last > 0)


def _written(tokens: Tensor, value: Tensor) -> tuple[bytes, ...]:
    """Return the bytes that each row wrote."""
    output = _number(tokens, "space") == Space.OUTPUT
    pairs = zip(output.T, value.T, strict=True)
    return tuple(bytes((values[hits] & 0xFF).tolist()) for hits, values in pairs)
