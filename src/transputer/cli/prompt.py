"""The debugger's prompt: commands on a recorded run, named as in gdb."""

import math
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path, PurePath
from typing import Any

import click

from transputer.cli.progress import Ticker
from transputer.debugger import motion
from transputer.debugger.cursor import Breakpoint
from transputer.debugger.damage import DONE, damage_of, part_names
from transputer.debugger.debugger import BreakableDebugger, Debugger, NamedValue
from transputer.debugger.expressions import CValue, evaluate, text_of
from transputer.errors import TransputerError, UsageError
from transputer.host.result import Result
from transputer.runtime.broken import break_weight
from transputer.runtime.trace.debug import TraceDebugger
from transputer.runtime.trace.scope import CallScope, source_name
from transputer.values import dataclass

Action = Callable[["Prompt", list[str]], None]
#: Lines of source that `list` shows, and steps that `info functions` does not.
_LISTED = 10
#: A format of gdb's `x`: a count, and letters; the bytes of its units.
_FORMAT = re.compile(r"/(\d*)([a-z]*)")
_SIZES = {"b": 1, "h": 2, "w": 4, "g": 8}
#: How alike a command must be to be suggested.
_CLOSE = 0.8
#: What comes before a condition.
_IF = "if"


@dataclass(frozen=True, slots=True)
class Command:
    """One command of the prompt."""

    names: tuple[str, ...]
    usage: str
    doc: str
    action: Action
    needs: str


COMMANDS: list[Command] = []


def on(names: str, usage: str = "", needs: str = "pc") -> Callable[[Action], Action]:
    """Register a command under `names`; the first is its name in the help, the docstring its text.

    The command exists only for debuggers that have the attribute `needs`.
    """

    def add(action: Action) -> Action:
        doc = action.__doc__ or ""
        COMMANDS.append(Command(tuple(names.split()), usage, doc, action, needs))
        return action

    return add


class Prompt:
    """Reads commands, executes them and prints the results."""

    def __init__(self, debugger: Debugger) -> None:
        self.debugger = debugger
        self.done = False
        self.start = debugger.cursor  # where the program's own code begins
        self.frame = 0  # the selected call, counted as `bt` does
        self.width = 0
        self.points: dict[int, Breakpoint] = {}
        self.disabled: set[int] = set()
        self.temporary: set[int] = set()
        self.displays: dict[int, str] = {}
        self.history: list[CValue] = []
        self._last = 0
        self._sources: dict[str, list[str]] = {}

    @property
    def commands(self) -> list[Command]:
        """The commands of this machine."""
        return [c for c in COMMANDS if hasattr(self.debugger, c.needs)]

    def run(self, lines: Iterator[str]) -> None:
        """Execute the command on each line; an empty line repeats the last one."""
        self.here()
        last = ""
        for line in lines:
            last = line.strip() or last
            if last and not last.startswith("#"):
                self.do(last)
            if self.done:
                return

    def do(self, line: str) -> None:
        """Execute one command; print its error, if any."""
        name, *words = line.split()
        name, slash, form = name.partition("/")
        command = self._command(name)
        if command is None:
            names = [one for known in self.commands for one in known.names]
            close = get_close_matches(name, names, 1, _CLOSE)
            hint = f"did you mean {close[0]}?" if close else "`help` lists them"
            click.echo(f"no command {name!r}; {hint}")
            return
        try:
            command.action(self, [f"/{form}", *words] if slash else words)
        except TransputerError as error:
            click.echo(str(error))

    def _command(self, name: str) -> Command | None:
        """Return the command with a name, or the first whose name begins with it."""
        exact = (c for c in self.commands if name in c.names)
        prefix = (c for c in self.commands if c.names[0].startswith(name))
        return next(exact, None) or next(prefix, None)

    def show(self, text: str) -> None:
        """Print a value, wrapped to the width that the user set."""
        lines = text.splitlines() or [""]
        for line in lines:
            pieces = (
                textwrap.wrap(line, self.width, drop_whitespace=False) if self.width else [line]
            )
            for piece in pieces or [""]:
                click.echo(piece)

    def here(self) -> None:
        """Print the cursor: step, source line, function and instruction."""
        d = self.debugger
        if d.cursor > d.steps:
            click.echo(f"end after {d.steps:,} steps: {d.stopped or _end(d.result)}")
            return
        click.echo(f"step {d.cursor:,} of {d.steps:,}  {d.place()}{self._line(d.pc())}")
        for number, text in self.displays.items():
            try:
                self.show(f"{number}: {text} = {self.text(self.value(text))}")
            except UsageError as problem:
                click.echo(f"{number}: {text}: {problem}")

    def _line(self, pc: int) -> str:
        line = self.debugger.line(pc)
        if line is None:
            return ""
        text = self.source(line.file)
        code = text[line.number - 1].strip() if 0 < line.number <= len(text) else ""
        return f"\n  {PurePath(line.file).name}:{line.number}  {code}".rstrip()

    def source(self, file: str) -> list[str]:
        """Return the lines of a source file; none if it cannot be read."""
        if file not in self._sources:
            try:
                self._sources[file] = Path(file).read_text(errors="replace").splitlines()
            except OSError:
                self._sources[file] = []
        return self._sources[file]

    def switch(self, debugger: Debugger, step: int) -> None:
        """Look at another run of the program; watchpoints belong to a run and are deleted."""
        self.points = {n: point for n, point in self.points.items() if point.told is None}
        self.debugger, self.frame = debugger, 0
        debugger.go(step)
        self.sync()
        self.here()

    # Moving

    def move(self, go: motion.Move, times: int = 1) -> None:
        """Move the cursor, with progress; then print where it is and why it stopped there."""
        hit = None
        before = self.debugger.cursor
        with Ticker() as ticker:
            for _ in range(times):
                hit = go(self.debugger, ticker.pulse)
                if hit is not None or self.debugger.cursor > self.debugger.steps:
                    break
        if hit is None and self.debugger.cursor == 1 < before:
            self.debugger.go(min(self.start, before))  # what is before `main` is not the program
        self.frame = 0
        if hit is not None:
            self._tell(hit)
        self.here()

    def _tell(self, hit: Breakpoint) -> None:
        number = next((n for n, point in self.points.items() if point is hit), 0)
        kind = "Breakpoint" if hit.told is None else "Watchpoint"
        click.echo(f"{kind} {number}: {_title(hit)}")
        if hit.told is not None:
            click.echo(hit.told())
        if number in self.temporary:
            self.remove(number)

    # Breakpoints

    def add(self, point: Breakpoint, temporary: bool = False) -> None:
        """Add a breakpoint and print it."""
        self._last += 1
        self.points[self._last] = point
        if temporary:
            self.temporary.add(self._last)
        self.sync()
        click.echo(f"{self._last}  {_title(point)}")

    def remove(self, number: int) -> None:
        """Delete a breakpoint."""
        if number not in self.points:
            raise UsageError(f"no breakpoint {number}")
        del self.points[number]
        self.temporary.discard(number)
        self.sync()

    def sync(self) -> None:
        """Give the debugger the breakpoints that are enabled."""
        self.debugger.breaks[:] = [p for n, p in self.points.items() if n not in self.disabled]

    # Values

    def value(self, text: str) -> CValue:
        """Return the value of an expression in the selected frame."""
        return evaluate(text, _HistoryScope(self.history, trace_of(self).scope(self.call)))

    def text(self, value: CValue) -> str:
        """Return a value as text."""
        return text_of(value, trace_of(self).scope(self.call))

    @property
    def call(self) -> int:
        """The number of the selected open call; `bt` counts inlined calls as well."""
        if not self.frame:
            return 0
        return trace_of(self).call_places()[self.frame][0]


class _HistoryScope:
    """The names of a call, and `$1`, `$2`, … for values that were printed; `$` is the last."""

    def __init__(self, history: list[CValue], scope: CallScope) -> None:
        self._history, self._scope = history, scope
        self.read, self.type_named = scope.read, scope.type_named

    def variable(self, name: str) -> CValue:
        """Return a variable, or a value that was printed."""
        if not name.startswith("$"):
            return self._scope.variable(name)
        at = len(self._history) if name == "$" else int(name[1:]) if name[1:].isdigit() else 0
        if not 1 <= at <= len(self._history):
            raise UsageError(f"no value {name}; {len(self._history)} were printed")
        return self._history[at - 1]


def _title(point: Breakpoint) -> str:
    return f"{point.name} if {point.condition}" if point.condition else point.name


def _end(result: Result | None) -> str:
    if result is None:
        return "the step limit; record more with --max-steps"
    if result.trap is not None:
        return f"trap: {result.cause}"
    return " ".join(result.text) or f"exit code {result.exit_code}"


def trace_of(p: Prompt) -> TraceDebugger:
    """Return the debugger of the trace machine, for commands that only it has."""
    if not isinstance(p.debugger, TraceDebugger):
        raise UsageError(f"the {p.debugger.machine} machine has variables by name only")
    return p.debugger


def _number(words: list[str], default: int | None = None, at: int = 0) -> int:
    if len(words) <= at and default is not None:
        return default
    try:
        return int(words[at].replace(",", ""), 0)
    except (IndexError, ValueError):
        text = repr(words[at]) if len(words) > at else "nothing"
        raise UsageError(f"expected a number, not {text}") from None


def _times(words: list[str]) -> int:
    return max(1, _number(words, 1))


# Moving


@on("next n", "[N]")
def _next(p: Prompt, words: list[str]) -> None:
    """Go to the next source line, over calls."""
    p.move(motion.next_line, _times(words))


@on("step s", "[N]")
def _step(p: Prompt, words: list[str]) -> None:
    """Go to the next source line, into functions of the program."""
    p.move(motion.step_line, _times(words))


@on("finish fin out", needs="step_out")
def _finish(p: Prompt, words: list[str]) -> None:
    """Go to where this function returns, and show its value."""
    p.move(motion.finish)
    if value := trace_of(p).returned():
        click.echo(f"Value returned is {value}")


@on("until u advance run-to", "[LOCATION]")
def _until(p: Prompt, words: list[str]) -> None:
    """Go to a later line of this function, out of loops; or to a location, named as for `break`."""
    if not words:
        p.move(motion.until_later)
        return
    test = _place(p, words).test
    p.move(lambda d, pulse: d.forward(test, pulse))


@on("continue c fg", "[N]")
def _continue(p: Prompt, words: list[str]) -> None:
    """Run to the next breakpoint (the Nth) or to the end."""
    p.move(lambda d, pulse: d.forward(None, pulse), _times(words))


@on("stepi si", "[N]")
def _stepi(p: Prompt, words: list[str]) -> None:
    """Go N steps of the machine forward (default: 1)."""
    d = p.debugger
    d.go(min(d.steps + 1, d.cursor + max(0, _number(words, 1))))
    p.here()


@on("nexti ni over", "[N]", needs="step_over")
def _nexti(p: Prompt, words: list[str]) -> None:
    """Go to the next instruction of this function, over calls."""
    p.move(motion.next_instruction, _times(words))


@on("run r")
def _run(p: Prompt, words: list[str]) -> None:
    """Run from the beginning to the first breakpoint; without breakpoints, start."""
    if not p.debugger.breaks:
        _start(p, [])
        return
    d = p.debugger
    d.go(1)
    first = next((b for b in d.breaks if d.holds(b.test) and (not b.holds or b.holds())), None)
    p.move(lambda d, pulse: first or d.forward(None, pulse))


@on("start")
def _start(p: Prompt, words: list[str]) -> None:
    """Go back to the beginning of the program."""
    p.debugger.go(p.start)
    p.here()


@on("reverse-next rn previous", "[N]")
def _reverse_next(p: Prompt, words: list[str]) -> None:
    """Go back to the previous source line, over calls."""
    p.move(motion.back_line, _times(words))


@on("reverse-step rs", "[N]")
def _reverse_step(p: Prompt, words: list[str]) -> None:
    """Go back to the previous source line, into functions of the program."""
    p.move(motion.back_step, _times(words))


@on("reverse-finish", needs="step_out")
def _reverse_finish(p: Prompt, words: list[str]) -> None:
    """Go back to where this function was called."""
    p.move(motion.back_out)


@on("reverse-continue rc reverse", "[N]")
def _reverse_continue(p: Prompt, words: list[str]) -> None:
    """Run back to the previous breakpoint or to the beginning."""
    p.move(lambda d, pulse: d.backward(None, pulse), _times(words))


@on("reverse-stepi rsi back", "[N]")
def _reverse_stepi(p: Prompt, words: list[str]) -> None:
    """Go N steps of the machine back (default: 1)."""
    p.debugger.go(max(1, p.debugger.cursor - max(0, _number(words, 1))))
    p.here()


@on("reverse-nexti rni", "[N]", needs="step_over")
def _reverse_nexti(p: Prompt, words: list[str]) -> None:
    """Go back to the previous instruction of this function."""
    p.move(motion.back_instruction, _times(words))


@on("goto g", "STEP|last")
def _goto(p: Prompt, words: list[str]) -> None:
    """Go to a step by its number."""
    d = p.debugger
    d.go(d.steps + 1 if words[:1] == ["last"] else _number(words))
    p.here()


# Breakpoints


@on("break b", "[LINE|FILE:LINE|FUNCTION|pc N] [if CONDITION]")
def _break(p: Prompt, words: list[str]) -> None:
    """Set a breakpoint at a line, a function or an instruction."""
    p.add(_conditional(p, words))


@on("tbreak tb", "LOCATION [if CONDITION]")
def _tbreak(p: Prompt, words: list[str]) -> None:
    """Set a breakpoint that stops once."""
    p.add(_conditional(p, words), temporary=True)


def _conditional(p: Prompt, words: list[str]) -> Breakpoint:
    """Return the breakpoint of `LOCATION if CONDITION`."""
    place, condition = _parted(words)
    return _when(p, _place(p, place), condition)


def _parted(words: list[str]) -> tuple[list[str], str]:
    """Return the words before the first `if`, and the condition after it."""
    parted = [*words, _IF]
    at = parted.index(_IF)
    return words[:at], " ".join(words[at + 1 :])


def _when(p: Prompt, point: Breakpoint, condition: str) -> Breakpoint:
    """Return a breakpoint that stops only where a condition is true."""
    if not condition:
        return replace(point, condition="")
    trace_of(p)
    own = point.holds

    def holds() -> bool:
        if own is not None and not own():
            return False
        try:
            return bool(trace_of(p).evaluate(condition).number)
        except UsageError as problem:
            click.echo(f"in the condition of {point.name}: {problem}")
            return True

    return replace(point, holds=holds, condition=condition)


def _place(p: Prompt, words: list[str]) -> Breakpoint:
    d = p.debugger
    if not words:
        line = d.line(d.pc()) if d.cursor <= d.steps else None
        if line is None:
            raise UsageError("name a line, FILE:LINE, a function, or pc N")
        return d.at_line(line.number, line.file)
    if words[0] == "pc":
        return d.at_instruction(_number(words, at=1))
    file, _, number = words[0].rpartition(":")
    if number.isdigit():
        return d.at_line(int(number), file)
    return d.at_function(words[0])


@on("watch", "EXPRESSION [if CONDITION]|ADDRESS [COUNT]")
def _watch(p: Prompt, words: list[str]) -> None:
    """Stop when the value of a variable or expression changes, or after a write to memory."""
    d = p.debugger
    expression, condition = _parted(words)
    name = " ".join(expression)
    if not name:
        raise UsageError("name a variable, an expression or an address")
    if words[0][:1].isdigit():
        count = [_number(words, at=1)] if len(expression) > 1 else []
        point = d.at_write(_number(words), *count)
    else:
        point = d.at_variable(name)
    p.add(_when(p, point, condition))


@on("condition", "N [CONDITION]")
def _condition(p: Prompt, words: list[str]) -> None:
    """Set or remove the condition of a breakpoint."""
    number = _number(words)
    if number not in p.points:
        raise UsageError(f"no breakpoint {number}")
    point = p.points[number]
    if point.told is not None:
        raise UsageError("set a condition of a watchpoint with `watch EXPRESSION if CONDITION`")
    p.points[number] = _when(p, replace(point, holds=None), " ".join(words[1:]))
    p.sync()


@on("delete d", "[N]")
def _delete(p: Prompt, words: list[str]) -> None:
    """Delete a breakpoint, or all."""
    for number in [_number(words)] if words else list(p.points):
        p.remove(number)


@on("disable", "N")
def _disable(p: Prompt, words: list[str]) -> None:
    """Disable a breakpoint."""
    p.disabled.add(_number(words))
    p.sync()


@on("enable", "N")
def _enable(p: Prompt, words: list[str]) -> None:
    """Enable a breakpoint."""
    p.disabled.discard(_number(words))
    p.sync()


def _breaks(p: Prompt) -> None:
    for number, point in p.points.items():
        off = "  (disabled)" if number in p.disabled else ""
        click.echo(f"{number}  {_title(point)}{off}")
    if not p.points:
        click.echo("No breakpoints or watchpoints.")


# Looking


@on("backtrace bt where", needs="calls")
def _backtrace(p: Prompt, words: list[str]) -> None:
    """Show the open calls, innermost first."""
    for number, (_, place) in enumerate(trace_of(p).call_places()):
        at = f" at {PurePath(place.file).name}:{place.line}" if place.line else ""
        mark = "*" if number == p.frame and number else " "
        click.echo(f"{mark}#{number}  {place.function}{at}")


@on("frame f", "[N]", needs="calls")
def _frame(p: Prompt, words: list[str]) -> None:
    """Select a call by its number in `bt`; `print` and `info locals` then speak of it."""
    places = trace_of(p).call_places()
    number = _number(words, p.frame)
    if not 0 <= number < len(places):
        raise UsageError(f"no frame {number}; there are {len(places)}")
    p.frame = number
    place = places[number][1]
    click.echo(f"#{number}  {place.function} at {PurePath(place.file).name}:{place.line}")
    if place.text:
        click.echo(f"{place.line}\t{place.text}")


@on("up", "[N]", needs="calls")
def _up(p: Prompt, words: list[str]) -> None:
    """Select the caller."""
    _frame(p, [str(min(p.frame + _times(words), len(trace_of(p).call_places()) - 1))])


@on("down", "[N]", needs="calls")
def _down(p: Prompt, words: list[str]) -> None:
    """Select the callee."""
    _frame(p, [str(max(0, p.frame - _times(words)))])


_FORMS: dict[str, Callable[[int], str]] = {
    "/x": hex, "/d": str, "/u": str, "/t": bin, "/o": oct, "/c": lambda n: f"{n} {chr(n & 0xFF)!r}",
}  # fmt: skip


@on("print p inspect", "[/x|/d|/t|/c] [EXPRESSION]")
def _print(p: Prompt, words: list[str]) -> None:
    """Show an expression of C (a[i].x, *p, n * 2, a[0]@5), or all variables."""
    form = words.pop(0) if words and words[0].startswith("/") else ""
    if not hasattr(p.debugger, "evaluate") or not words:
        _print_names(p, words)
        return
    value = p.value(" ".join(words))
    text = p.text(value)
    if form:
        if form not in _FORMS:
            raise UsageError(f"no format {form}; available: {', '.join(_FORMS)}")
        text = _FORMS[form](int(value.number) % (1 << 8 * value.type.size))
    p.history.append(value)
    p.show(f"${len(p.history)} = {text}")


def _print_names(p: Prompt, words: list[str]) -> None:
    matches = [v for v in p.debugger.variables() if not words or _has_name(v, words[0])]
    if not matches:
        raise UsageError("no such variable here")
    for variable in matches[:1] if words else matches:
        p.show(str(variable))


def _has_name(variable: NamedValue, name: str) -> bool:
    """Return whether a variable has a name, with or without its function (`main.x`)."""
    return name in (variable.name, variable.name.rpartition(".")[2])


@on("whatis ptype", "EXPRESSION", needs="evaluate")
def _whatis(p: Prompt, words: list[str]) -> None:
    """Show the type of an expression, with the members of a structure."""
    type_ = p.value(" ".join(words)).type
    click.echo(f"type = {type_.name}")
    for member in type_.members:
        click.echo(f"    {member.type.name} {member.name}")


@on("display", "EXPRESSION", needs="evaluate")
def _display(p: Prompt, words: list[str]) -> None:
    """Show an expression now and after every move."""
    text = " ".join(words)
    p.show(f"{text} = {p.text(p.value(text))}")
    p.displays[max(p.displays, default=0) + 1] = text


@on("undisplay", "N", needs="evaluate")
def _undisplay(p: Prompt, words: list[str]) -> None:
    """Stop showing an expression."""
    if p.displays.pop(_number(words), None) is None:
        raise UsageError("no such display")


@on("info i", "locals|args|breakpoints|frame|line|functions|registers|display")
def _info(p: Prompt, words: list[str]) -> None:
    """Show variables, breakpoints, the frame, functions or registers."""
    about = words[0] if words else ""
    name = next((n for n in _INFO if about and n.startswith(about)), None)
    if name is None:
        raise UsageError(f"info {'|'.join(_INFO)}")
    _INFO[name](p)


def _info_variables(p: Prompt, parameters: bool) -> None:
    scope = trace_of(p).scope(p.call)
    own = [v for v, local in scope.variables() if local and v.parameter is parameters]
    for variable in own:
        p.show(f"{variable.name} = {scope.text(variable)}")
    if not own:
        click.echo("No arguments." if parameters else "No locals.")


def _info_frame(p: Prompt) -> None:
    _frame(p, [])
    _registers(p, [])


def _info_line(p: Prompt) -> None:
    line = p.debugger.line(p.debugger.pc())
    click.echo(str(line) if line else "no line")


def _info_display(p: Prompt) -> None:
    for number, text in p.displays.items():
        click.echo(f"{number}: {text}")


@on("registers")
def _registers(p: Prompt, words: list[str]) -> None:
    """Show the program counter and the machine's other registers."""
    registers = p.debugger.registers()
    click.echo("  ".join(f"{name} {value}" for name, value in registers.items()))


@on("stack", needs="calls")
def _stack(p: Prompt, words: list[str]) -> None:
    """Show the operands of this call, topmost first, and the token that wrote each."""
    state = trace_of(p).state()
    _slots(state.operands(state.calls()[0]))


@on("locals", needs="calls")
def _locals(p: Prompt, words: list[str]) -> None:
    """Show the locals of the WebAssembly function, parameters first."""
    state = trace_of(p).state()
    call = state.calls()[0]
    _slots(state.locals(call), call.fp)


@on("globals", needs="calls")
def _globals(p: Prompt, words: list[str]) -> None:
    """Show the globals of the WebAssembly module."""
    _slots(trace_of(p).state().globals())


def _slots(slots: Any, first: int = 0) -> None:
    for slot in slots:
        by = "never written" if slot.written is None else f"token {slot.written}"
        signed = slot.signed
        other = f" ({signed})" if signed < 0 else ""
        click.echo(f"{slot.index - first:4}  {slot.value}{other}  {by}")


def _dumped(form: str) -> str:
    """Return the number of bytes that a format of gdb's `x` asks for, such as /8xb or /4w."""
    match = _FORMAT.fullmatch(form)
    if match is None:
        raise UsageError(f"no format {form!r}; x/8xb ADDRESS dumps 8 bytes, x/4w 4 words")
    sizes = [_SIZES[letter] for letter in match[2] if letter in _SIZES]
    return str(int(match[1] or 1) * (sizes[-1] if sizes else _SIZES["w"]))


@on("memory m x", "[/NF] ADDRESS [COUNT]")
def _memory(p: Prompt, words: list[str]) -> None:
    """Dump COUNT (default: 64) bytes of memory; words on machines other than trace."""
    if words and words[0].startswith("/"):
        form, *words = words
        words = [*words[:1], _dumped(form)]
    if not words:
        raise UsageError("name an address or a variable: memory ADDRESS [COUNT]")
    if not words[0][0].isdigit() and hasattr(p.debugger, "evaluate"):
        address = int(p.value(words[0]).number)
    else:
        address = _number(words)
    for line in p.debugger.memory_text(address, max(1, min(4096, _number(words, 64, 1)))):
        click.echo(line)


@on("heads", "[all]", "look")
def _heads(p: Prompt, words: list[str]) -> None:
    """Show what each head that matters here (or every head) attends to, and the score margin."""
    for read in p.debugger.reads(all_heads=words[:1] == ["all"]):
        margin = "alone" if math.isinf(read.margin) else f"by {read.margin:,.0f}"
        target = f"{p.debugger.unit} {read.position}, {read.says}".rstrip(", ")
        click.echo(f"layer {read.layer}  {read.head}: {target} ({margin})")


@on("explain why", needs="sentence")
def _explain(p: Prompt, words: list[str]) -> None:
    """Say in a sentence what this step does: heads, neurons, result."""
    p.show(p.debugger.sentence())


@on("layers", "[N] [all]", "look")
def _layers(p: Prompt, words: list[str]) -> None:
    """Show the fields that each layer (or layer N) changed; `all` adds those without effect."""
    _fields(p, words)


@on("probabilities", "[N]", "probabilities")
def _probabilities(p: Prompt, words: list[str]) -> None:
    """Show the distribution of each choice in the step; needs --temperature above 0."""
    _fields(p, words)


def _fields(p: Prompt, words: list[str]) -> None:
    every = words[-1:] == ["all"]
    words = words[:-1] if every else words
    layers = p.debugger.layers(all_fields=every)
    if not layers:
        raise UsageError("every choice is certain here; debug with --temperature 0.1 or so")
    for number in range(len(layers)) if not words else [_number(words)]:
        if not 0 <= number < len(layers):
            raise UsageError(f"layers are 0 to {len(layers) - 1}")
        name, new = layers[number]
        click.echo(f"{name}: " + (", ".join(f"{k} = {v}" for k, v in new.items()) or "no change"))


def _breakable(p: Prompt) -> BreakableDebugger:
    assert isinstance(p.debugger, BreakableDebugger), "the command needs `again`"
    return p.debugger


@on("break-weight bw", "HEAD|NEURONS [zero|negate]", "again")
def _break_weight(p: Prompt, words: list[str]) -> None:
    """Run again with a head, a group of neurons, a neuron or a weight broken; compare the runs."""
    healthy = _breakable(p).original
    if not words:
        names = ", ".join(part_names(healthy.weights))
        raise UsageError(f"name what to break: {names}; LAYER:N is a neuron, N a weight")
    how = words.pop() if words[1:] and words[-1] in DONE else "zero"
    with Ticker() as ticker:
        pair = break_weight(healthy, " ".join(words), damage_of(how), pulse=ticker.pulse)
    click.echo(str(pair))
    if pair.first is not None:
        click.echo("This is the broken run now; `mend` goes back to the healthy one.")
        p.switch(pair.broken, min(pair.first, pair.broken.steps + 1))


@on("mend", needs="again")
def _mend(p: Prompt, words: list[str]) -> None:
    """Go back from a run with broken weights to the healthy run, at the same step."""
    healthy = _breakable(p).original
    if healthy is p.debugger:
        raise UsageError("the weights are healthy; `break-weight` breaks some")
    p.switch(healthy, min(p.debugger.cursor, healthy.steps + 1))


@on("writes")
def _writes(p: Prompt, words: list[str]) -> None:
    """Show what this step writes."""
    click.echo(p.debugger.writes())


@on("output")
def _output(p: Prompt, words: list[str]) -> None:
    """Show the program's output so far."""
    click.echo(p.debugger.output().decode("utf-8", "replace"))


@on("list l", "[LINE]")
def _list(p: Prompt, words: list[str]) -> None:
    """Show ten lines of the source around this line or another, or the code without source."""
    d, around = p.debugger, _LISTED // 2
    here = d.pc()
    line = d.line(here)
    if line is not None and p.source(line.file):
        text, centre = p.source(line.file), _number(words, line.number)
        last = min(len(text), centre + around)
        for number in range(max(1, centre - around), last + 1):
            click.echo(f"{'>' if number == line.number else ' '}{number:5}  {text[number - 1]}")
        return
    for pc in range(max(0, here - around), min(len(d.instructions) - 1, here + around) + 1):
        click.echo(f"{'>' if pc == here else ' '}{pc:5}  {d.instructions[pc]}")


@on("set", "width N")
def _set(p: Prompt, words: list[str]) -> None:
    """Set the width at which values are wrapped; 0 does not wrap."""
    if words[:1] != ["width"]:
        raise UsageError("only `set width N`; a recorded run cannot be changed")
    p.width = max(0, _number(words, at=1))


def _functions(p: Prompt) -> None:
    for entry, function in sorted(trace_of(p).functions.items()):
        click.echo(f"{entry:6}  {source_name(function.name)}")


_INFO: dict[str, Callable[[Prompt], None]] = {
    "locals": lambda p: _info_variables(p, False),
    "args": lambda p: _info_variables(p, True),
    "breakpoints": _breaks,
    "watchpoints": _breaks,
    "frame": _info_frame,
    "line": _info_line,
    "functions": _functions,
    "registers": lambda p: _registers(p, []),
    "display": _info_display,
}


@on("help h ?")
def _help(p: Prompt, words: list[str]) -> None:
    """Show this list."""
    for command in p.commands:
        first, *others = command.names
        usage = " ".join([first, *(f"({name})" for name in others), command.usage]).strip()
        click.echo(f"{usage:42}  {command.doc}")


@on("quit q exit")
def _quit(p: Prompt, words: list[str]) -> None:
    """Quit the debugger."""
    p.done = True
