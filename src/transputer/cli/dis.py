"""`transputer dis`."""

from typing import Any

import click

from transputer.cli.sources import ProgramCommand, load, program_options


@click.command(cls=ProgramCommand)
@program_options
@click.option("--core", is_flag=True, help="Show the flat core code that machines execute.")
def dis(core: bool, **source: Any) -> None:
    """Disassemble a program: FILE is .c, .wat, .wasm, .asm or .core.

    Prints WebAssembly text with the byte offset of each instruction (or assembly), or, with
    --core, its flat core code; that can be saved as a .core file and run.
    """
    program, _ = load(**source)
    click.echo(program.text("core" if core else "source"), nl=False)
