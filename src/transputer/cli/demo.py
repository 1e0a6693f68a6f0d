"""`transputer demo` and `transputer examples`: what works right after installing."""

import os
import select
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from transputer import api
from transputer.cli.examples import GROUPS, all_examples, examples_in, folder, named_like
from transputer.cli.sources import notice
from transputer.errors import UsageError
from transputer.host.outcome import Interrupted

#: Seconds between two moves on a terminal.
_PACE = 0.15


@click.command()
@click.argument("name", required=False)
@click.argument("target", required=False, type=click.Path(path_type=Path), metavar="[DIR]")
def examples(name: str | None, target: Path | None) -> None:
    """List the example programs, or copy some of them into DIR.

    NAME is a group, such as programs, or one file, such as programs/lisp.c or lisp.c. DIR is the
    current folder by default.
    """
    if name is None:
        for group, line in GROUPS.items():
            click.echo(f"{group}: {line}")
            click.echo(f"  {'  '.join(path.name for path in examples_in(group))}")
        click.echo("\nCopy one with: transputer examples programs/snake.c")
        return
    known = all_examples()
    names = named_like(name)
    paths = examples_in(name) if name in GROUPS else [known[one] for one in names]
    if not paths:
        raise UsageError(f"no example {name!r}; `transputer examples` lists them")
    if len(names) > 1:
        raise UsageError(f"{len(names)} examples are called {name}: {', '.join(names)}")
    place = target or Path()
    place.mkdir(parents=True, exist_ok=True)
    for path in paths:
        if (place / path.name).exists():
            raise UsageError(f"{place / path.name} exists already")
        click.echo(shutil.copy(path, place / path.name))


@click.command()
@click.option("--moves", type=click.IntRange(1), default=200, show_default=True, metavar="N",
              help="Number of moves.")  # fmt: skip
@click.option("--engine", default="auto", show_default=True, metavar="NAME",
              help="Engine that runs the program.")  # fmt: skip
def demo(moves: int, engine: str) -> None:
    """Play Snake on the weights: every step is a forward pass of a transformer.

    On a terminal, the keys w, a, s and d steer and q ends the game. Without keys, the snake plays
    by itself.
    """
    program = api.compile(folder() / "demo" / "snake.c", notice=notice)
    with _keys() as keyboard:
        screen = _Screen(keyboard, moves)
        with suppress(Interrupted):
            result = program.run(
                engine=engine, stdin=screen.read, stdout=screen.write, pulse=screen.pulse,
                keep=False,
            )  # fmt: skip
            screen.steps = result.steps
    click.echo(f"{screen.frames} frames, {screen.steps:,} forward passes")
    click.echo("Look inside: transputer examples demo, then transputer debug snake.c")


class _Screen:
    """The program's input and output: keys, and frames that overwrite each other."""

    def __init__(self, keyboard: bool, moves: int) -> None:
        self._keyboard, self._moves = keyboard, moves
        self._terminal = sys.stdout.isatty()
        self.frames = self.steps = 0

    def read(self) -> int:
        """Return the key that was typed, `q` after the last move, or -1."""
        sys.stdout.flush()
        if self.frames >= self._moves:
            return ord("q")
        if not self._keyboard:
            if self._terminal:
                time.sleep(_PACE)
            return -1
        ready, _, _ = select.select([sys.stdin], [], [], _PACE)
        return os.read(sys.stdin.fileno(), 1)[0] if ready else 0

    def write(self, byte: int) -> None:
        """Print one byte; a form feed ends a frame."""
        if byte != 12:
            sys.stdout.write(chr(byte))
            return
        self.frames += 1
        if self._terminal and self.frames < self._moves:
            sys.stdout.write("\x1b[13A")  # back to the top of the frame

    def pulse(self, steps: int) -> None:
        """Note the number of steps."""
        self.steps = steps


@contextmanager
def _keys() -> Iterator[bool]:
    """Let single keys through on a terminal; yield whether there is one."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        yield False
        return
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    try:
        yield True
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
