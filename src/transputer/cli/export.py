"""`transputer export`."""

import click

from transputer import api


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("file")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@click.option("--to", required=True, metavar="|".join((*api.FORMATS, "verilog")),
              help="What to write.")  # fmt: skip
@click.option("-o", "--output", required=True, metavar="OUT", help="Where to write it.")
@click.option("--invoke", metavar="NAME", help="The exported function that it runs.")
@click.option("--specialize", "special", is_flag=True,
              help="With the program in the weights instead of the prompt.")  # fmt: skip
@click.option("--dtype", default="",
              help="The number type; one that would round is refused.")  # fmt: skip
@click.option("--machine", type=click.Choice(("trace", "loom")), default="trace",
              show_default=True, help="The machine whose weights run it.")  # fmt: skip
@click.option("--config", metavar="NAME",
              help="loom: its size; by default the smallest that the program fits.")  # fmt: skip
def export(
    file: str,
    args: tuple[str, ...],
    to: str,
    output: str,
    invoke: str | None,
    special: bool,
    dtype: str,
    machine: str,
    config: str | None,
) -> None:
    """Write a program with its model, for others to run.

    FILE is a program, or a model that carries one. safetensors: the weights and the prompt. onnx:
    a graph that runs the whole program, and next to it one of a single step. c: one file with
    the weights as data. verilog: the loom machine as a circuit, and the program as its state.
    ARGS are the arguments where no others are given.
    """
    if machine == "loom":
        if to not in api.LOOM_FORMATS or invoke or args or special:
            kinds = " or ".join(api.LOOM_FORMATS)
            raise click.UsageError(f"the loom machine's programs export --to {kinds}, as they are")
        program = api.compile_loom(file, 0, config)
        paths = api.export_loom(program, output, config, dtype, to)
    else:
        how = {"dtype": dtype} if dtype else {}
        made = api.compile(file)
        paths = api.export(made, to, output, invoke=invoke, args=args, special=special, **how)
    for path in paths:
        click.echo(f"{path}: {path.stat().st_size:,} bytes")
