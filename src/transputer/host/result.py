"""Result of a run, the same for every machine and every way to start it."""

from dataclasses import field
from typing import Any

from transputer.errors import Trap, TrapError, UsageError
from transputer.host.place import CallPlace, describe
from transputer.values import dataclass

#: Exit codes of a trap and of an interrupted run.
TRAPPED, INTERRUPTED = 134, 130
#: Number of bytes of output that a notebook shows.
_SHOWN = 4000


@dataclass(frozen=True, slots=True)
class Result:
    """Outcome of a run; a program has the same outcome on every machine.

    `results` are the values that an invoked function returned or that an assembly program left on
    the stack, as Python numbers (signed integers, floats, None for a null reference). `exit_code`
    is the exit code of the command line: the program's own (`main`'s value modulo 256), 0 when an
    invoked function returns, 134 for a trap, 130 for an interrupted run. `trap` is set if the
    program trapped; `where` are then the open calls, innermost first, if they are known.
    `seconds` is execution time alone: without compiling and loading the program, without `lifting`,
    in which execution waited for lifted code, and without `hashing`, for `trace_sha256`.
    """

    results: list[Any] = field(default_factory=list)
    text: tuple[str, ...] = ()  # the results as the command line prints them
    stdout: bytes = b""
    stderr: bytes = b""
    exit_code: int = 0
    trap: Trap | None = None
    detail: str = ""
    steps: int = 0
    instructions: int = 0
    machine: str = ""
    engine: str = ""
    seconds: float = 0.0
    lookups: int = 0
    trace_sha256: str | None = None
    config: str = ""  # the machine's configuration, if it has several
    state_sha256: str | None = None  # hash of the final state, for machines with a state
    interrupted: bool = False  # stopped from outside; the fields describe the run up to then
    written: tuple[str, ...] = ()  # a line for each change to a folder of the host
    where: tuple[CallPlace, ...] = ()
    lifting: float = 0.0
    hashing: float = 0.0

    def __repr__(self) -> str:
        """Return one line with the outcome and the cost."""
        end = f"trap={self.trap.value!r}" if self.trap else f"results={self.results}"
        output = f", stdout={len(self.stdout)} bytes" if self.stdout else ""
        cost = f"steps={self.steps}, machine={self.machine!r}, engine={self.engine!r}"
        return f"Result({end}, exit_code={self.exit_code}{output}, {cost})"

    def as_json(self) -> dict[str, Any]:
        """Return the form that `run --json` prints."""
        return {
            "results": [_plain(v, t) for v, t in zip(self.results, self.text, strict=True)],
            "stdout": (text := self.stdout.decode("utf-8", "replace")),
            **({} if text.encode() == self.stdout else {"stdout_base64": _base64(self.stdout)}),
            "exit_code": self.exit_code,
            "trap": self.trap.value if self.trap else None,
            "steps": self.steps,
            "instructions": self.instructions,
            "machine": self.machine,
            "engine": self.engine,
            "seconds": round(self.seconds, 6),
            "lookups": self.lookups,
            "trace_sha256": self.trace_sha256,
            **({"config": self.config} if self.config else {}),
            **({"state_sha256": self.state_sha256} if self.state_sha256 else {}),
            **({"interrupted": True} if self.interrupted else {}),
            **({"written": list(self.written)} if self.written else {}),
            **({"where": [call.as_json() for call in self.where]} if self.trap else {}),
        }

    @property
    def cause(self) -> str:
        """The trap's message, with the place if it is known; empty without a trap."""
        if self.trap is None:
            return ""
        detail = f" ({self.detail})" if self.detail else ""
        calls = describe(self.where)
        return f"{self.trap.value}{detail}" + (f"\n{calls}" if calls else "")

    def raise_for_trap(self) -> "Result":
        """Return this result; raise `TrapError`, with the place in its message, after a trap."""
        if self.trap is not None:
            raise TrapError(self.trap, self.detail, describe(self.where))
        return self

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        from transputer.model.html import code, html_table

        end = f"trap: {self.trap.value}" if self.trap else " ".join(self.text)
        rows = [
            ("result", end or f"exit code {self.exit_code}"),
            ("machine", f"{self.machine}, engine {self.engine}"),
            ("steps", f"{self.steps:,} for {self.instructions:,} instructions"),
            ("lookups", f"{self.lookups:,}"),
            ("seconds", f"{self.seconds:.3f}"),
            ("trace", (self.trace_sha256 or "not hashed")[:16]),
        ]
        text = self.stdout[-_SHOWN:].decode("utf-8", "replace")
        return html_table(rows) + (code(text, "output") if text else "")


def exit_code(own: int | None, trap: Trap | None, interrupted: bool = False) -> int:
    """Return the exit code of the command line; `own` is the program's exit code, if any."""
    if interrupted:
        return INTERRUPTED
    return TRAPPED if trap else (own or 0) & 0xFF


def _plain(value: Any, text: str) -> Any:
    """Return a JSON value; JSON has no NaN and no infinities, so those become text."""
    if isinstance(value, float) and not abs(value) < float("inf"):
        return text
    return value


def main_result(
    name: str, has_main: bool, invoke: str | None, values: list[int], trap: Trap | None
) -> Result:
    """Return the result of a program on a machine that runs only whole programs.

    `values` are the final values. For C (`has_main`), the value of `main` is the exit code, or
    the result if `main` was invoked by name. For assembly, the values are the results.
    """
    check_invoke(name, has_main, invoke)
    if trap is not None:
        return Result(exit_code=TRAPPED, trap=trap)
    if has_main and invoke is None:
        return Result(exit_code=values[0] & 0xFF if values else 0)
    return Result(results=list(values), text=tuple(str(value) for value in values))


def check_invoke(name: str, has_main: bool, invoke: str | None) -> None:
    """Raise `UsageError` if `invoke` is not `main`, the only function of a whole program."""
    if invoke is not None and not (has_main and invoke == "main"):
        names = "main" if has_main else "none"
        raise UsageError(f"{name}: no function {invoke!r} to invoke; available: {names}")


def _base64(data: bytes) -> str:
    from base64 import b64encode  # rarely needed

    return b64encode(data).decode()
