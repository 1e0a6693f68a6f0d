"""`transputer debug`: a prompt on a recorded run."""

import importlib
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

import click

from transputer.cli.machines import engine_option, machine_option, own, own_options
from transputer.cli.progress import Ticker
from transputer.cli.sources import ProgramCommand, load, program_options
from transputer.debugger.cursor import Breakpoint
from transputer.debugger.debugger import Debugger, NamedValue
from transputer.errors import TransputerError, UsageError
from transputer.host.result import Result
from transputer.runtime.trace.debug import TraceDebugger

Action = Callable[["Prompt", list[str]], None]


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
        command = next((c for c in self.commands if name in c.names), None)
        if command is None:
            click.echo(f"no command {name!r}; `help` lists them")
            return
        try:
            command.action(self, words)
        except TransputerError as error:
            click.echo(str(error))

    def here(self) -> None:
        """Print the cursor: step, source line, function and instruction."""
        d = self.debugger
        if d.cursor > d.steps:
            click.echo(f"end after {d.steps:,} steps: {_end(d.result)}")
            return
        click.echo(f"step {d.cursor:,} of {d.steps:,}  {d.place()}{self._line(d.pc())}")

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

    def move(self, go: Callable[..., Breakpoint | None], test: Any) -> None:
        """Move the cursor, with progress; then print where it is."""
        with Ticker() as ticker:
            hit = go(test, ticker.pulse)
        if hit is not None:
            click.echo(f"stopped at {hit.name}")
        self.here()


def _end(result: Result | None) -> str:
    if result is None:
        return "the step limit; record more with --max-steps"
    if result.trap is not None:
        return f"trap: {result.trap.value}"
    return " ".join(result.text) or f"exit code {result.exit_code}"


def _trace(p: Prompt) -> TraceDebugger:
    """Return the debugger of the trace machine, for commands that only it has."""
    assert isinstance(p.debugger, TraceDebugger)
    return p.debugger


def _number(words: list[str], default: int | None = None, at: int = 0) -> int:
    if len(words) <= at and default is not None:
        return default
    try:
        return int(words[at].replace(",", ""), 0)
    except (IndexError, ValueError):
        text = repr(words[at]) if len(words) > at else "nothing"
        raise UsageError(f"expected a number, not {text}") from None


# Moving


@on("step s", "[N]")
def _step(p: Prompt, words: list[str]) -> None:
    """Go N steps forward (default: 1)."""
    d = p.debugger
    d.go(min(d.steps + 1, d.cursor + max(0, _number(words, 1))))
    p.here()


@on("back b", "[N]")
def _back(p: Prompt, words: list[str]) -> None:
    """Go N steps back (default: 1)."""
    p.debugger.go(max(1, p.debugger.cursor - max(0, _number(words, 1))))
    p.here()


@on("next n")
def _next(p: Prompt, words: list[str]) -> None:
    """Go to the next source line, over calls."""
    p.move(p.debugger.forward, p.debugger.other_line())


@on("previous p")
def _previous(p: Prompt, words: list[str]) -> None:
    """Go back to the previous source line."""
    p.move(p.debugger.backward, p.debugger.other_line())


@on("over o", needs="step_over")
def _over(p: Prompt, words: list[str]) -> None:
    """Go to the next instruction of this function, over calls."""
    p.move(p.debugger.forward, _trace(p).step_over())


@on("out u", needs="step_out")
def _out(p: Prompt, words: list[str]) -> None:
    """Go to the return of this function."""
    p.move(p.debugger.forward, _trace(p).step_out())


@on("continue c")
def _continue(p: Prompt, words: list[str]) -> None:
    """Run to the next breakpoint or to the end."""
    p.move(p.debugger.forward, None)


@on("reverse r")
def _reverse(p: Prompt, words: list[str]) -> None:
    """Run back to the previous breakpoint or to the beginning."""
    p.move(p.debugger.backward, None)


@on("goto g", "STEP|last")
def _goto(p: Prompt, words: list[str]) -> None:
    """Go to a step by its number."""
    d = p.debugger
    d.go(d.steps + 1 if words[:1] == ["last"] else _number(words))
    p.here()


@on("run-to t", "LOCATION")
def _run_to(p: Prompt, words: list[str]) -> None:
    """Run to a location, named as for `break`."""
    p.move(p.debugger.forward, _place(p, words).test)


# Breakpoints


@on("break k", "LINE|FILE:LINE|FUNCTION|pc N")
def _break(p: Prompt, words: list[str]) -> None:
    """Set a breakpoint at a line, a function or an instruction."""
    p.debugger.breaks.append(_place(p, words))
    _breaks(p, [])


def _place(p: Prompt, words: list[str]) -> Breakpoint:
    if not words:
        raise UsageError("name a line, FILE:LINE, a function, or pc N")
    if words[0] == "pc":
        return p.debugger.at_instruction(_number(words, at=1))
    file, _, number = words[0].rpartition(":")
    if number.isdigit():
        return p.debugger.at_line(int(number), file)
    return p.debugger.at_function(words[0])


@on("watch w", "NAME|ADDRESS [COUNT]")
def _watch(p: Prompt, words: list[str]) -> None:
    """Stop after a write to a variable or to memory."""
    d = p.debugger
    named = words and not words[0][:1].isdigit()
    count = [_number(words, at=1)] if len(words) > 1 else []
    d.breaks.append(d.at_variable(words[0]) if named else d.at_write(_number(words), *count))
    _breaks(p, [])


@on("breaks")
def _breaks(p: Prompt, words: list[str]) -> None:
    """List the breakpoints."""
    for number, breakpoint in enumerate(p.debugger.breaks, 1):
        click.echo(f"{number}  {breakpoint.name}")


@on("delete d", "N")
def _delete(p: Prompt, words: list[str]) -> None:
    """Delete a breakpoint."""
    number = _number(words)
    if not 1 <= number <= len(p.debugger.breaks):
        raise UsageError(f"no breakpoint {number}")
    del p.debugger.breaks[number - 1]
    _breaks(p, [])


# Looking


@on("where bt", needs="calls")
def _where(p: Prompt, words: list[str]) -> None:
    """Show the open calls, innermost first."""
    for call in _trace(p).calls():
        name = call.function.name if call.function else "?"
        line = p.debugger.line(call.pc)
        place = f"  {PurePath(line.file).name}:{line.number}" if line else ""
        click.echo(f"#{call.depth}  {name}  pc {call.pc}{place}")


@on("registers")
def _registers(p: Prompt, words: list[str]) -> None:
    """Show the program counter and the machine's other registers."""
    registers = p.debugger.registers()
    click.echo("  ".join(f"{name} {value}" for name, value in registers.items()))


@on("stack", needs="calls")
def _stack(p: Prompt, words: list[str]) -> None:
    """Show the operands of this call, topmost first, and the token that wrote each."""
    state = _trace(p).state()
    _slots(state.operands(state.calls()[0]))


@on("print v", "[NAME]")
def _print(p: Prompt, words: list[str]) -> None:
    """Show all variables, or the one named; C keeps all of them at -O 0."""
    matches = [v for v in p.debugger.variables() if not words or _has_name(v, words[0])]
    if not matches:
        more = "; compile with -O 0 for more" if hasattr(p.debugger, "calls") else ""
        raise UsageError(f"no such variable with a location here{more}")
    for variable in matches[:1] if words else matches:
        click.echo(str(variable))


def _has_name(variable: NamedValue, name: str) -> bool:
    """Return whether a variable has a name, with or without its function (`main.x`)."""
    return name in (variable.name, variable.name.rpartition(".")[2])


@on("locals l", needs="calls")
def _locals(p: Prompt, words: list[str]) -> None:
    """Show the locals of the WebAssembly function, parameters first."""
    state = _trace(p).state()
    call = state.calls()[0]
    _slots(state.locals(call), call.fp)


@on("globals", needs="calls")
def _globals(p: Prompt, words: list[str]) -> None:
    """Show the globals of the WebAssembly module."""
    _slots(_trace(p).state().globals())


def _slots(slots: Any, first: int = 0) -> None:
    for slot in slots:
        by = "never written" if slot.written is None else f"token {slot.written}"
        signed = slot.signed
        other = f" ({signed})" if signed < 0 else ""
        click.echo(f"{slot.index - first:4}  {slot.value}{other}  {by}")


@on("memory m x", "ADDRESS [COUNT]")
def _memory(p: Prompt, words: list[str]) -> None:
    """Dump COUNT (default: 64) bytes of memory; words on machines other than trace."""
    address, count = _number(words), max(1, min(4096, _number(words, 64, 1)))
    for line in p.debugger.memory_text(address, count):
        click.echo(line)


@on("heads h", "[all]", "look")
def _heads(p: Prompt, words: list[str]) -> None:
    """Show what each head that matters here (or every head) attends to, and the score margin."""
    for read in p.debugger.reads(all_heads=words[:1] == ["all"]):
        margin = "alone" if math.isinf(read.margin) else f"by {read.margin:,.0f}"
        target = f"{p.debugger.unit} {read.position}, {read.says}".rstrip(", ")
        click.echo(f"layer {read.layer}  {read.head}: {target} ({margin})")


@on("layers", "[N]", "look")
def _layers(p: Prompt, words: list[str]) -> None:
    """Show the fields that each layer (or layer N) changed."""
    _fields(p, words)


@on("probabilities", "[N]", "probabilities")
def _chances(p: Prompt, words: list[str]) -> None:
    """Show the distribution of each choice in the step; needs --temperature above 0."""
    _fields(p, words)


def _fields(p: Prompt, words: list[str]) -> None:
    layers = p.debugger.layers()
    if not layers:
        raise UsageError("every choice is certain here; debug with --temperature 0.1 or so")
    for number in range(len(layers)) if not words else [_number(words)]:
        if not 0 <= number < len(layers):
            raise UsageError(f"layers are 0 to {len(layers) - 1}")
        name, new = layers[number]
        click.echo(f"{name}: " + (", ".join(f"{k} = {v}" for k, v in new.items()) or "no change"))


@on("writes")
def _writes(p: Prompt, words: list[str]) -> None:
    """Show what this step writes."""
    click.echo(p.debugger.writes())


@on("output")
def _output(p: Prompt, words: list[str]) -> None:
    """Show the program's output so far."""
    click.echo(p.debugger.output().decode("utf-8", "replace"))


@on("list", "[LINES]")
def _list(p: Prompt, words: list[str]) -> None:
    """Show the source around this line, or the code if there is no source."""
    d, around = p.debugger, _number(words, 5)
    here = d.pc()
    line = d.line(here)
    if line is not None and p.source(line.file):
        text = p.source(line.file)
        for number in range(max(1, line.number - around), min(len(text), line.number + around) + 1):
            click.echo(f"{'>' if number == line.number else ' '}{number:5}  {text[number - 1]}")
        return
    for pc in range(max(0, here - around), min(len(d.instructions) - 1, here + around) + 1):
        click.echo(f"{'>' if pc == here else ' '}{pc:5}  {d.instructions[pc]}")


@on("functions", needs="functions")
def _functions(p: Prompt, words: list[str]) -> None:
    """List the functions and their first pc."""
    for entry, function in sorted(_trace(p).functions.items()):
        click.echo(f"{entry:6}  {function.name}")


@on("help ?")
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


def _typed() -> Iterator[str]:
    """Yield the lines that the user types."""
    with suppress(ImportError):
        importlib.import_module("readline")  # gives the prompt a history
    while True:
        try:
            yield input("(transputer) ")
        except (EOFError, KeyboardInterrupt):
            click.echo()
            return


@click.command(cls=ProgramCommand)
@program_options
@machine_option("debug")
@own_options("compile", "debug")
@engine_option("debug", "Engine that runs and records the program.")
@click.option("--invoke", metavar="NAME", help="Call this exported function with ARGS.")
@click.option("--stdin", "typed", metavar="FILE", type=click.File("rb"),
              help="The program's standard input; empty by default.")  # fmt: skip
@click.option("--script", metavar="FILE", type=click.File("r"),
              help="Read commands from a file (- for stdin) instead of a prompt.")  # fmt: skip
@click.option("--max-steps", default=None, type=int, metavar="N",
              help="Number of steps to record.")  # fmt: skip
def debug(
    machine: str,
    engine: str,
    invoke: str | None,
    typed: Any,
    script: Any,
    max_steps: int | None,
    **source: Any,
) -> None:
    """Step through a run, forwards and backwards, down to what every head attended to.

    The program first runs to its end and is recorded; then any step can be shown. On the soft
    machine, ARGS are the first registers of an assembly program.
    """
    program, args = load(machine, **source)
    with Ticker() as ticker:
        debugger = program.debug(
            invoke,
            args,
            engine=engine,
            max_steps=max_steps,
            stdin=typed.read() if typed is not None else b"",
            pulse=ticker.pulse,
            options=own("debug"),
        )
    if script is None and sys.stdin.isatty():
        click.echo("Type help for commands, q to quit; an empty line repeats the last one.")
    commands = (line for line in script) if script is not None else _typed()
    Prompt(debugger).run(commands)
