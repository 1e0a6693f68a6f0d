"""`transputer dis`."""

from typing import Any

import click

from transputer.cli.machines import machine_option, own_options
from transputer.cli.sources import ProgramCommand, load, program_options
from transputer.registry import check


@click.command(cls=ProgramCommand)
@program_options
@machine_option("dis")
@own_options("compile")
@click.option("--core", is_flag=True, help="trace: show the flat core code that runs.")
def dis(machine: str, core: bool, **source: Any) -> None:
    """Disassemble a program.

    Prints WebAssembly text with the byte offset of each instruction, or the machine's assembly.
    --core prints flat core code; a .core file with it runs as it is.
    """
    program, _ = load(machine, **source)
    disassemble = check(machine, "dis", program.kind, {"core": core}).call
    click.echo(disassemble(program, "core" if core else "source"), nl=False)
