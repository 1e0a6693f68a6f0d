"""`transputer dis`."""

import click

from transputer import api


@click.command()
@click.argument("file")
@click.option("--core", is_flag=True, help="Show the flat core code that machines execute.")
def dis(file: str, core: bool) -> None:
    """Disassemble a program: FILE is .c, .wat, .wasm, .asm or .core.

    Prints WebAssembly text with the byte offset of each instruction (or assembly), or, with
    --core, its flat core code; that can be saved as a .core file and run.
    """
    click.echo(api.compile(file).text("core" if core else "source"), nl=False)
