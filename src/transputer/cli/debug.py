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
from transputer.debugger.cursor import Break
from transputer.debugger.debugger import Debugger, Shown
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
    """Register a command under its names, the first for the help; its docstring is the help.

    `needs` is what the debugger of a machine must have for the command to be there.
    """

    def add(action: Action) -> Action:
        doc = action.__doc__ or ""
        COMMANDS.append(Command(tuple(names.split()), usage, doc, action, needs))
        return action

    return add


class Prompt:
    """Reads commands and shows what they find."""

    def __init__(self, debugger: Debugger) -> None:
        self.debugger = debugger
        self.done = False
        self._sources: dict[str, list[str]] = {}

    @property
    def commands(self) -> list[Command]:
        """What can be done on this machine."""
        return [c for c in COMMANDS if hasattr(self.debugger, c.needs)]

    def run(self, lines: Iterator[str]) -> None:
        """Do what each line says; an empty line repeats the last one."""
        self.here()
        last = ""
        for line in lines:
            last = line.strip() or last
            if last and not last.startswith("#"):
                self.do(last)
            if self.done:
                return

    def do(self, line: str) -> None:
        """One command; what is wrong with it is said in one line."""
        name, *words = line.split()
        found = [c for c in self.commands if name in c.names]
        if not found:
            click.echo(f"no command {name!r}; `help` lists them")
            return
        try:
            found[0].action(self, words)
        except TransputerError as error:
            click.echo(str(error))

    def here(self) -> None:
        """Where the cursor is: step, source line, function and instruction."""
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
        shown = text[line.number - 1].strip() if 0 < line.number <= len(text) else ""
        return f"\n  {PurePath(line.file).name}:{line.number}  {shown}".rstrip()

    def source(self, file: str) -> list[str]:
        """The lines of a source file, none where it cannot be read."""
        if file not in self._sources:
            try:
                self._sources[file] = Path(file).read_text(errors="replace").splitlines()
            except OSError:
                self._sources[file] = []
        return self._sources[file]

    def move(self, go: Callable[..., Break | None], test: Any) -> None:
        """Search with progress, then say where that led."""
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
    """The debugger of the only machine that a command is for."""
    assert isinstance(p.debugger, TraceDebugger)
    return p.debugger


def _number(words: list[str], default: int | None = None, at: int = 0) -> int:
    if len(words) <= at and default is not None:
        return default
    try:
        return int(words[at].replace(",", ""), 0)
    except (IndexError, ValueError):
        wrong = repr(words[at]) if len(words) > at else "nothing"
        raise UsageError(f"a number is needed, not {wrong}") from None


# Moving


@on("step s", "[N]")
def _step(p: Prompt, words: list[str]) -> None:
    """N steps on (1): one forward pass each."""
    d = p.debugger
    d.go(min(d.steps + 1, d.cursor + max(0, _number(words, 1))))
    p.here()


@on("back b", "[N]")
def _back(p: Prompt, words: list[str]) -> None:
    """N steps back (1)."""
    p.debugger.go(max(1, p.debugger.cursor - max(0, _number(words, 1))))
    p.here()


@on("next n")
def _next(p: Prompt, words: list[str]) -> None:
    """To the next source line, calls passed over."""
    p.move(p.debugger.forward, p.debugger.other_line())


@on("previous p")
def _previous(p: Prompt, words: list[str]) -> None:
    """Back to the source line before."""
    p.move(p.debugger.backward, p.debugger.other_line())


@on("over o", needs="passing")
def _over(p: Prompt, words: list[str]) -> None:
    """To the next instruction of this function, calls passed over."""
    p.move(p.debugger.forward, _trace(p).passing())


@on("out u", needs="leaving")
def _out(p: Prompt, words: list[str]) -> None:
    """Out of this function."""
    p.move(p.debugger.forward, _trace(p).leaving())


@on("continue c")
def _continue(p: Prompt, words: list[str]) -> None:
    """On to a breakpoint, or to the end."""
    p.move(p.debugger.forward, None)


@on("reverse r")
def _reverse(p: Prompt, words: list[str]) -> None:
    """Back to a breakpoint, or to the beginning."""
    p.move(p.debugger.backward, None)


@on("goto g", "STEP|last")
def _goto(p: Prompt, words: list[str]) -> None:
    """To a step by its number."""
    d = p.debugger
    d.go(d.steps + 1 if words[:1] == ["last"] else _number(words))
    p.here()


@on("run-to t", "PLACE")
def _run_to(p: Prompt, words: list[str]) -> None:
    """On to a place, named as for `break`."""
    p.move(p.debugger.forward, _place(p, words).test)


# Breakpoints


@on("break k", "LINE|FILE:LINE|FUNCTION|pc N")
def _break(p: Prompt, words: list[str]) -> None:
    """Stop at a line, a function or a place in the code."""
    p.debugger.breaks.append(_place(p, words))
    _breaks(p, [])


def _place(p: Prompt, words: list[str]) -> Break:
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
    """Stop after a variable, or memory at an address, was written."""
    d = p.debugger
    named = words and not words[0][:1].isdigit()
    count = [_number(words, at=1)] if len(words) > 1 else []
    d.breaks.append(d.at_variable(words[0]) if named else d.at_write(_number(words), *count))
    _breaks(p, [])


@on("breaks")
def _breaks(p: Prompt, words: list[str]) -> None:
    """List breakpoints."""
    for number, one in enumerate(p.debugger.breaks, 1):
        click.echo(f"{number}  {one.name}")


@on("delete d", "N")
def _delete(p: Prompt, words: list[str]) -> None:
    """Remove a breakpoint."""
    number = _number(words)
    if not 1 <= number <= len(p.debugger.breaks):
        raise UsageError(f"no breakpoint {number}")
    del p.debugger.breaks[number - 1]
    _breaks(p, [])


# Looking


@on("where bt", needs="calls")
def _where(p: Prompt, words: list[str]) -> None:
    """Open calls, innermost first."""
    for call in _trace(p).calls():
        name = call.function.name if call.function else "?"
        line = p.debugger.line(call.pc)
        place = f"  {PurePath(line.file).name}:{line.number}" if line else ""
        click.echo(f"#{call.depth}  {name}  pc {call.pc}{place}")


@on("registers")
def _registers(p: Prompt, words: list[str]) -> None:
    """The machine's own: the program counter, and what else there is."""
    held = p.debugger.registers()
    click.echo("  ".join(f"{name} {value}" for name, value in held.items()))


@on("stack", needs="state")
def _stack(p: Prompt, words: list[str]) -> None:
    """Operands of this call, topmost first, and the token that wrote each."""
    state = _trace(p).state()
    _slots(state.operands(state.calls()[0]))


@on("print v", "[NAME]")
def _print(p: Prompt, words: list[str]) -> None:
    """Variables by name, or one of them; of C, -O 0 keeps all of them."""
    found = [s for s in p.debugger.variables() if not words or _called(s, words[0])]
    if not found:
        more = "; compile with -O 0 for more" if hasattr(p.debugger, "state") else ""
        raise UsageError(f"no such variable with a place here{more}")
    for shown in found[:1] if words else found:
        click.echo(str(shown))


def _called(shown: Shown, name: str) -> bool:
    """Whether a variable has a name; small C's locals also go by theirs alone."""
    return name in (shown.name, shown.name.rpartition(".")[2])


@on("locals l", needs="state")
def _locals(p: Prompt, words: list[str]) -> None:
    """Locals of the WebAssembly function, parameters first."""
    state = _trace(p).state()
    call = state.calls()[0]
    _slots(state.locals(call), call.fp)


@on("globals", needs="state")
def _globals(p: Prompt, words: list[str]) -> None:
    """Globals."""
    _slots(_trace(p).state().globals())


def _slots(slots: Any, first: int = 0) -> None:
    for slot in slots:
        by = "never written" if slot.written is None else f"token {slot.written}"
        signed = slot.signed
        other = f" ({signed})" if signed < 0 else ""
        click.echo(f"{slot.index - first:4}  {slot.value}{other}  {by}")


@on("memory m x", "ADDRESS [COUNT]")
def _memory(p: Prompt, words: list[str]) -> None:
    """Memory from an address on: bytes of the trace machine, words of the others (64)."""
    address, count = _number(words), max(1, min(4096, _number(words, 64, 1)))
    for line in p.debugger.memory_text(address, count):
        click.echo(line)


@on("heads h", "[all]", "look")
def _heads(p: Prompt, words: list[str]) -> None:
    """What each head that matters here (or all) attends to, and by what margin it won."""
    for read in p.debugger.reads(all_heads=words[:1] == ["all"]):
        margin = "alone" if math.isinf(read.margin) else f"by {read.margin:,.0f}"
        found = f"{p.debugger.unit} {read.position}, {read.says}".rstrip(", ")
        click.echo(f"layer {read.layer}  {read.head}: {found} ({margin})")


@on("layers", "[N]", "look")
def _layers(p: Prompt, words: list[str]) -> None:
    """Fields that each layer (or layer N) leaves; those that it changed."""
    _fields(p, words)


@on("chances", "[N]", "chances")
def _chances(p: Prompt, words: list[str]) -> None:
    """What each choice of the step is spread over; debug with --temperature above 0."""
    _fields(p, words)


def _fields(p: Prompt, words: list[str]) -> None:
    seen = p.debugger.layers()
    if not seen:
        raise UsageError("every choice is certain here; debug with --temperature 0.1 or so")
    chosen = range(len(seen)) if not words else [_number(words)]
    for number in chosen:
        if not 0 <= number < len(seen):
            raise UsageError(f"layers are 0 to {len(seen) - 1}")
        name, new = seen[number]
        click.echo(f"{name}: " + (", ".join(f"{k} = {v}" for k, v in new.items()) or "no change"))


@on("writes")
def _writes(p: Prompt, words: list[str]) -> None:
    """What this step writes."""
    click.echo(p.debugger.writes())


@on("output")
def _output(p: Prompt, words: list[str]) -> None:
    """What the program has put out so far."""
    click.echo(p.debugger.output().decode("utf-8", "replace"))


@on("list", "[LINES]")
def _list(p: Prompt, words: list[str]) -> None:
    """The source around this line, or the code where there is none."""
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
    """Functions and where they begin."""
    for entry, function in sorted(_trace(p).functions.items()):
        click.echo(f"{entry:6}  {function.name}")


@on("help ?")
def _help(p: Prompt, words: list[str]) -> None:
    """This list."""
    for one in p.commands:
        names = " ".join([one.names[0], *(f"({n})" for n in one.names[1:]), one.usage]).strip()
        click.echo(f"{names:42}  {one.doc}")


@on("quit q exit")
def _quit(p: Prompt, words: list[str]) -> None:
    """Leave."""
    p.done = True


def _typed() -> Iterator[str]:
    """Lines as a person types them."""
    with suppress(ImportError):
        importlib.import_module("readline")  # gives the prompt a history, where it exists
    while True:
        try:
            yield input("(transputer) ")
        except (EOFError, KeyboardInterrupt):
            click.echo()
            return


@click.command(cls=ProgramCommand, context_settings={"ignore_unknown_options": True})
@program_options
@machine_option("debug")
@own_options("compile", "debug")
@engine_option("debug", "What executes and records the program.")
@click.option("--invoke", metavar="NAME", help="Call this exported function with ARGS.")
@click.option("--stdin", "typed", metavar="FILE", type=click.File("rb"),
              help="The program's input; without it there is none.")  # fmt: skip
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

    The program runs to its end first, recorded so that any of its steps opens at once. ARGS of
    soft assembly are its first registers.
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
        click.echo("Type help for commands, q to leave; an empty line repeats the last one.")
    commands = (line for line in script) if script is not None else _typed()
    Prompt(debugger).run(commands)
