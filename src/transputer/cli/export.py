"""`transputer export`."""

import click

from transputer import api


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("file")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@click.option("--to", required=True, metavar="|".join(api.FORMATS), help="What to write.")
@click.option("-o", "--output", required=True, metavar="OUT", help="Where to write it.")
@click.option("--invoke", metavar="NAME", help="The exported function that it runs.")
@click.option("--specialize", "special", is_flag=True,
              help="With the program in the weights instead of the prompt.")  # fmt: skip
@click.option("--dtype", default="float64", show_default=True,
              help="The number type; one that would round is refused.")  # fmt: skip
def export(
    file: str,
    args: tuple[str, ...],
    to: str,
    output: str,
    invoke: str | None,
    special: bool,
    dtype: str,
) -> None:
    """Write a program with its model, for others to run.

    FILE is a program, or a model that carries one. safetensors: the weights and the prompt. onnx:
    a graph that runs the whole program, and next to it one of a single step. c: one file with
    the weights as data. ARGS are the arguments where no others are given.
    """
    program = api.compile(file)
    for path in api.export(
        program, to, output, invoke=invoke, args=args, special=special, dtype=dtype
    ):
        click.echo(f"{path}: {path.stat().st_size:,} bytes")
