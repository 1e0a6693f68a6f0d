"""`transputer bench` and its subcommands, one per benchmark."""

import json
from collections.abc import Callable
from pathlib import Path

import click
from rich.console import Console

from transputer.check.bench import BENCHES, Bench
from transputer.check.bench.draw import draw
from transputer.cli.tables import show
from transputer.cli.words import words

_OPTIONS = (
    click.option("--quick", is_flag=True, help="A smaller benchmark; most take under a minute."),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead."),
    click.option("--output", metavar="DIR", help="Save the result there as JSON and as a plot."),
)


def _with_options(function: Callable[..., None]) -> Callable[..., None]:
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@click.group(invoke_without_command=True)
@_with_options
@click.pass_context
def bench(context: click.Context, quick: bool, as_json: bool, output: str | None) -> None:
    """Time the same programs on every engine; each result is verified before it is timed.

    Needs a checkout with examples/bench. The report names engines and libraries that are not
    installed.
    """
    if context.invoked_subcommand is None:
        _run(BENCHES["programs"], quick, as_json, output)


def _command(name: str, benchmark: Bench) -> click.Command:
    @_with_options
    def command(quick: bool, as_json: bool, output: str | None) -> None:
        _run(benchmark, quick, as_json, output)

    return click.command(name, help=benchmark.about)(command)


for _name, _bench in BENCHES.items():
    bench.add_command(_command(_name, _bench))
bench.add_command(words)


def _run(benchmark: Bench, quick: bool, as_json: bool, output: str | None) -> None:
    screen = Console(stderr=True)
    with screen.status("measuring") as status:
        report = benchmark.measure(quick=quick, progress=status.update)
    if output is not None:
        for path in (report.save(output), draw(report, Path(output))):
            if path is not None:
                click.echo(f"transputer: wrote {path}", err=True)
    if as_json:
        click.echo(json.dumps(report.as_json()))
    else:
        show(report)
