"""The errors of the project, and the traps of the user's programs.

Every error a user can cause derives from `TransputerError`, prints as one clear line and
carries the exit code of the command line. A trap is not an error of ours: it is a result.
`TrapError` carries one out of a pure function; sessions turn it into `Outcome.trap`.
"""

from enum import Enum
from typing import Any

from transputer.values import dataclass


class Trap(Enum):
    """A defined run-time failure of the user's program; the value is the official message."""

    UNREACHABLE = "unreachable"
    DIVIDE_BY_ZERO = "integer divide by zero"
    INTEGER_OVERFLOW = "integer overflow"
    INVALID_CONVERSION = "invalid conversion to integer"
    MEMORY_OUT_OF_BOUNDS = "out of bounds memory access"
    TABLE_OUT_OF_BOUNDS = "out of bounds table access"
    UNDEFINED_ELEMENT = "undefined element"
    UNINITIALIZED_ELEMENT = "uninitialized element"
    INDIRECT_CALL_MISMATCH = "indirect call type mismatch"
    STACK_EXHAUSTED = "call stack exhausted"
    STACK_UNDERFLOW = "stack underflow"
    HOST = "host function failed"
    INVALID_INSTRUCTION = "invalid instruction"
    HEAP_EXHAUSTED = "heap exhausted"
    UNCAUGHT_EXCEPTION = "uncaught exception"
    NULL_EXCEPTION = "null exception reference"
    NULL_FUNCTION = "null function reference"
    NULL_REFERENCE = "null reference"


class TrapError(Exception):
    """Raised inside an interpreter or a pure function when the user's program traps.

    `where` are the open calls as text, if they are known.
    """

    def __init__(self, trap: Trap, detail: str = "", where: str = "") -> None:
        message = f"{trap.value}: {detail}" if detail else trap.value
        super().__init__(f"{message}\n{where}" if where else message)
        self.trap = trap
        self.detail = detail


class TransputerError(Exception):
    """Base of every error a user can cause. `exit_code` is what the command line exits with."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a source something is: text by line and column (from 1), binary by offset."""

    file: str = ""
    line: int = 0
    column: int = 0
    offset: int | None = None
    text: str = ""  # the source line, for the caret
    width: int = 1  # how many characters the caret underlines

    def __str__(self) -> str:
        where = [self.file] if self.file else []
        if self.line:
            where += [str(self.line)] + ([str(self.column)] if self.column else [])
        elif self.offset is not None:
            where += [f"0x{self.offset:x}"]
        return ":".join(where)

    def caret(self) -> str:
        """The source line with carets under the place, or nothing where it is unknown."""
        if not (self.text and self.column):
            return ""
        indent = "".join("\t" if c == "\t" else " " for c in self.text[: self.column - 1])
        return f"\n  {self.text}\n  {indent}{'^' * max(1, self.width)}"


class SourceError(TransputerError):
    """The user's source is wrong: says where, shows the line."""

    def __init__(self, message: str, place: Place | None = None) -> None:
        self.message = message
        self.place = place or Place()
        where = str(self.place)
        super().__init__((f"{where}: {message}" if where else message) + self.place.caret())

    def in_file(self, file: str) -> "SourceError":
        """The same error, naming the file it is in (kept if one is named already)."""
        if self.place.file:
            return self
        p = self.place
        return type(self)(self.message, Place(file, p.line, p.column, p.offset, p.text, p.width))


class MalformedError(SourceError):
    """Bytes or text that are not a module at all."""


class InvalidError(SourceError):
    """A well-formed module that breaks a validation rule."""


class LinkError(TransputerError):
    """An import that nothing provides, or that has the wrong type."""


class UsageError(TransputerError):
    """The command or call itself is wrong: a missing export, a bad argument, no such file."""


class Unsupported(TransputerError):
    """Something real that this part of the system does not do; the message names it."""


class UnsupportedFeature(MalformedError, Unsupported):
    """A module that uses a part of WebAssembly which this package does not have."""


class EngineUnavailable(TransputerError):
    """An engine that cannot run here; the message says how to get it."""


class CapacityError(TransputerError):
    """The program needs more than a machine has; the message gives both numbers."""

    exit_code = 3


class ContextError(CapacityError):
    """The session has used all positions that its model is declared for."""

    def __init__(self, positions: int) -> None:
        super().__init__(
            f"the context of {positions:,} positions is full; a specialised model spends none on "
            "the program (transputer specialize), and a model for another number of positions "
            "can be built as far as its bounds allow (transputer build trace --context N)"
        )


class StepLimitError(CapacityError):
    """The run reached its step limit before it ended; `so_far` is its result until then."""

    so_far: Any = None

    def __init__(self, limit: int, checkpoint: str | None = None) -> None:
        resume = "" if checkpoint is None else f" and continue with --resume {checkpoint}"
        super().__init__(
            f"step limit of {limit:,} reached before the program ended; "
            f"raise it with --max-steps{resume}"
        )
        self.limit = limit
