"""`transputer selfhost`."""

import json
from pathlib import Path
from typing import Any

import click

from transputer import api
from transputer.cli.progress import Ticker
from transputer.cli.run import report, run_here
from transputer.host.outcome import DEFAULT_STEPS
from transputer.runtime.soft.selfhost import self_compile
from transputer.runtime.soft.selfhost import stages as stages_of


@click.command()
@click.argument("file", required=False, metavar="[FILE.c]")
@click.option("--engine", default="auto", show_default=True, metavar="auto|native|hard|soft",
              help="Engine: native is the hard path in C; hard and soft use JAX.")  # fmt: skip
@click.option("--output", "-o", type=click.Path(path_type=Path), metavar="IMAGE",
              help="Write the image of FILE, or of the compiler, instead.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def selfhost(file: str | None, engine: str, output: Path | None, as_json: bool) -> int:
    """Compile a C compiler with itself on the soft machine, twice, and compare the images.

    With FILE, the compiler that compiled itself compiles that program on the machine, and the
    machine runs it.
    """
    if file is None:
        return _show(engine, output, as_json)
    with Ticker() as ticker:
        image = self_compile(file, engine, ticker.pulse)
    if output is not None:
        output.write_bytes(image)
        return 0
    program = api.compile(source=image, kind="image", machine="soft")
    result = run_here(program, None, (), engine, DEFAULT_STEPS, None, as_json)
    return report(file, result, as_json)


def _show(engine: str, output: Path | None, as_json: bool) -> int:
    """Show the stages; return 1 if the last two differ."""
    stages = []
    with Ticker() as ticker:
        for stage in stages_of(engine, ticker.pulse):
            stages.append(stage)
            if not as_json:
                ticker.hide()
                click.echo(_line(stage.as_json()))
    same = stages[1].image == stages[2].image
    if as_json:
        click.echo(json.dumps({"stages": [s.as_json() for s in stages], "same": same}))
    else:
        click.echo(f"stages 2 and 3 are {'identical' if same else 'different'}")
    if output is not None:
        output.write_bytes(stages[1].image)
    return 0 if same else 1


def _line(stage: dict[str, Any]) -> str:
    number = stage["stage"]
    by = f"by stage {number - 1} in {stage['steps']:,} steps" if number > 1 else "by small C"
    return (
        f"stage {number}: {stage['instructions']:,} instructions, {stage['bytes']:,} bytes, "
        f"{by}, {stage['seconds']:.2f} s, sha256 {stage['sha256'][:16]}"
    )
