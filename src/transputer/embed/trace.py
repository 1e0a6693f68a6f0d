"""A program of the trace machine as a layer: `Module` maps numbers to numbers."""

from dataclasses import replace
from itertools import accumulate

from transputer.embed.rows import RowsFailed, check_columns
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
from transputer.machines.trace.prompt import invocation
from transputer.machines.trace.universal import model
from transputer.machines.trace.vocabulary import LAYOUT, TRAPS, Space, Status, record
from transputer.runtime.trace.program import TraceProgram, compile_file
from transputer.runtime.trace.sessions import MachineSession, refuse_vectors
from transputer.values import dataclass

_STARTS = accumulate((count for _, count in LAYOUT), initial=0)
#: The parts of each field of a token.
PARTS = {name: slice(at, at + count) for (name, count), at in zip(LAYOUT, _STARTS, strict=False)}
_END_OF_INPUT = 0xFFFFFFFF  # result of reading a byte at the end of the input


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Outcome of each row of a batch.

    `results` (rows, results) are signed int64, float32 or float64, or a tuple of columns (rows)
    if their types differ; they are 0 for a row that trapped or exited. `steps` (rows) counts
    forward passes; `output` is what the program wrote.
    """

    results: Tensor | tuple[Tensor, ...]
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
    exported function of numbers; the default is `main`, or the only export. The program is the
    buffer `prompt`; the weights are the same for every program. Every
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
        self.type = function.type
        self.params, self.results = function.type.params, function.type.results
        self.register_buffer("prompt", torch.tensor(engine.tokens))
        call = invocation(function, [0] * len(self.params))
        self.register_buffer("call", torch.tensor([item.token() for item in call]))

    def extra_repr(self) -> str:
        """Return the function and its type."""
        return f"{self.name!r}, {self.type}"

    def forward(self, *args: Tensor) -> Tensor | tuple[Tensor, ...]:
        """Return the results (rows, results), or a tuple of columns if their types differ.

        Arguments are one tensor (rows, params), or one tensor (rows) per parameter. Integers are
        integer tensors and come back as signed int64; f32 and f64 are float32 and float64.

        Raises `RowsFailed` if a row traps or exits (`run` returns that instead), `UsageError` for
        invalid arguments, and `StepLimitError` if a row exceeds `max_steps`.
        """
        outcomes = self.run(*args)
        if outcomes.failures:
            raise RowsFailed(self.name, outcomes.failures)
        return outcomes.results

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def run(self, *args: Tensor) -> Outcomes:
        """Return the outcome of each row of arguments, traps included; see `forward`."""
        columns = self._columns(args)
        device = args[0].device if args else self.prompt.device
        rows = len(columns[0]) if columns else args[0].size(0)
        if not rows:
            empty = torch.zeros(0, dtype=torch.int64, device=device)
            results = [_decoded(empty, type_) for type_ in self.results]
            return Outcomes(_joined(results, 0), empty, (), (), ())
        calls = self._calls(columns, rows)
        cache = KeyValueCache(self.decoder)
        self.decoder.hidden(self.prompt[None], cache)
        run = _Run(self, calls, cache.select([0] * rows))
        return run.outcomes(self.results, device)

    def _columns(self, args: tuple[Tensor, ...]) -> list[Tensor]:
        """The bits of each parameter (rows), as int64."""
        for arg in args:
            if not isinstance(arg, Tensor):
                raise UsageError(f"{self.name}: arguments are tensors, not {type(arg).__name__}")
        if len(args) == 1 and args[0].dim() == 2:
            check_columns(self.name, "arguments", args[0], len(self.params))
            columns = [args[0][:, i] for i in range(len(self.params))]
        elif len(args) == len(self.params) and all(a.dim() == 1 for a in args):
            columns = list(args)
        else:
            shapes = ", ".join(str(tuple(a.shape)) for a in args)
            count = len(self.params)
            raise UsageError(
                f"{self.name}: arguments must be {count} of shape (rows,), or one of shape "
                f"(rows, {count}), not {shapes}"
            )
        if len({len(column) for column in columns}) > 1:
            raise UsageError(f"{self.name}: the arguments have different numbers of rows")
        pairs = zip(columns, self.params, strict=True)
        return [_encoded(self.name, i, c, t) for i, (c, t) in enumerate(pairs)]

    def _calls(self, columns: list[Tensor], rows: int) -> Tensor:
        """Return the tokens that invoke the function, (rows, params + 1, parts)."""
        tokens = self.call.repeat(rows, 1, 1)
        shifts = 8 * torch.arange(8, device=tokens.device)
        for i, column in enumerate(columns):
            digits = column.to(tokens.device)[:, None] >> shifts & 0xFF
            tokens[:, i, PARTS["value"]] = digits
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
    refuse_vectors(name, function.type)
    if any(t.is_ref for t in (*function.type.params, *function.type.results)):
        raise Unsupported(f"{name}: parameters and results must be numbers")
    return function


_DTYPES = {ValType.F32: torch.float32, ValType.F64: torch.float64}


def _encoded(name: str, index: int, column: Tensor, type_: ValType) -> Tensor:
    """The bits of arguments as int64; `UsageError` for numbers that the type does not have."""
    kind = type_.value
    if type_ in _DTYPES:
        exact = {ValType.F32: (torch.float32, torch.float16, torch.bfloat16)}.get(type_)
        if not column.is_floating_point() or (exact and column.dtype not in exact):
            raise UsageError(f"{name}: argument {index} is {kind}, not {column.dtype}")
        bits = column.to(_DTYPES[type_])
        if type_ is ValType.F64:
            return bits.view(torch.int64)
        return bits.view(torch.int32).long() & 0xFFFFFFFF
    if column.is_floating_point() or column.is_complex():
        raise UsageError(f"{name}: argument {index} is {kind}, not {column.dtype}")
    numbers = column.long()
    if type_ is ValType.I64:
        return numbers
    wrong = ((numbers < -(1 << 31)) | (numbers >= 1 << 32)).nonzero()
    if len(wrong):
        row = int(wrong[0])
        raise UsageError(f"{name}: row {row}: {int(numbers[row])} does not fit an i32")
    return numbers & 0xFFFFFFFF


def _joined(columns: list[Tensor], rows: int) -> Tensor | tuple[Tensor, ...]:
    """Columns of one type as one tensor (rows, columns), others as they are."""
    if not columns:
        return torch.zeros(rows, 0, dtype=torch.int64)
    same = len({column.dtype for column in columns}) == 1
    return torch.stack(columns, 1) if same else tuple(columns)


def _decoded(bits: Tensor, type_: ValType) -> Tensor:
    """Results of a type from their bits."""
    if type_ is ValType.F64:
        return bits.view(torch.float64)
    if type_ is ValType.F32:
        return bits.to(torch.int32).view(torch.float32)
    return bits if type_ is ValType.I64 else torch.where(bits >= 1 << 31, bits - (1 << 32), bits)


def _number(tokens: Tensor, field: str) -> Tensor:
    """Return a field of tokens as numbers."""
    parts = tokens[..., PARTS[field]]
    return sum(parts[..., i] << 8 * i for i in range(parts.size(-1)))  # modulo 2^64


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
            now = record(tuple(token[row].tolist()))
            following[row] = torch.tensor(replace(now, status=0, value=_END_OF_INPUT).token())
        return following, waiting

    def outcomes(self, results: tuple[ValType, ...], device: torch.device) -> Outcomes:
        """Return the outcomes that the tokens of the rows encode."""
        tokens = torch.stack(self.tokens)
        status, value = _number(tokens, "status"), _number(tokens, "value")
        ending = (status != Status.RUN) & (status != Status.INPUT)  # once in each row
        ends = (status * ending).sum(0).tolist()
        codes = (value * ending).sum(0).tolist()
        done = torch.tensor([end == Status.DONE for end in ends], device=tokens.device)
        columns = [
            _decoded(_last(tokens, value, slot) * done, type_).to(device)
            for slot, type_ in enumerate(results)
        ]
        return Outcomes(
            _joined(columns, len(ends)),
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
