"""`transputer export`."""

from typing import Any

import click

from transputer import api
from transputer.cli.machines import machine_option, own_options
from transputer.cli.sources import ProgramCommand, load, program_options
from transputer.registry import able

_FORMATS = dict.fromkeys(f for m in able("export") for f in m.abilities["export"].formats)


@click.command(cls=ProgramCommand)
@program_options
@machine_option("export")
@own_options("compile")
@click.option("--to", required=True, metavar="|".join(_FORMATS), help="The format.")
@click.option("-o", "--output", required=True, metavar="OUT", help="Where to write it.")
@click.option("--invoke", metavar="NAME", help="Exported function to run.")
@click.option(
    "--specialize", is_flag=True, help="Put the program in the weights instead of the prompt."
)
@click.option("--dtype", default="", help="Number type; a type that would round is refused.")
def export(
    machine: str,
    to: str,
    output: str,
    invoke: str | None,
    specialize: bool,
    dtype: str,
    **source: Any,
) -> None:
    """Write a program and its model in a format that others run.

    FILE is a program, or a model that carries one. safetensors: the weights and the prompt. onnx:
    a graph that runs the whole program, and a second graph of a single step. c: one file with
    the weights as data. verilog: the loom machine as a circuit, and the program as its state.
    image: the soft machine's code and memory. hf: a folder for the transformers library; FILE may
    be the name of a machine, for its weights without a program. prompt: the program's tokens
    alone, as JSON. site: a folder with a page that runs the program on the weights in a browser.
    ARGS are the default arguments of the program.
    """
    if source["file"] in [m.name for m in able("export_model")]:
        paths = api.export_model(source["file"], to, output)
    else:
        program, args = load(machine, **source)
        paths = program.export(
            to, output, invoke=invoke, args=args, specialize=specialize, dtype=dtype
        )
    for path in paths:
        click.echo(f"{path}: {path.stat().st_size:,} bytes")
