"""`transputer spec`."""

import json
from collections.abc import Mapping
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from transputer import api
from transputer.check.spec import Score
from transputer.cli.machines import engine_option


@click.command()
@click.argument("path", required=False)
@engine_option("run", "Engine of the trace machine that runs the modules.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def spec(path: str | None, engine: str, as_json: bool) -> int:
    """Run the official WebAssembly tests.

    PATH is a file or a folder of wast2json output or of bundles (*.json.gz); default: the folder
    that TRANSPUTER_SPEC names. Exits with 1 if a test fails or is refused.
    """
    console = Console(stderr=True)
    with console.status("official tests") as status:
        scores = api.spec(path, engine=engine, progress=lambda name, score: status.update(name))
    totals = _totals(scores)
    if as_json:
        files = {name: score.as_json() for name, score in scores.items()}
        click.echo(json.dumps({"totals": totals, "files": files}))
    else:
        _show(scores, totals)
    return 1 if totals["failed"] or totals["refused"] else 0


def _totals(scores: Mapping[str, Score]) -> dict[str, int]:
    kinds = ("passed", "failed", "refused")
    return {kind: sum(getattr(s, kind) for s in scores.values()) for kind in kinds}


def _show(scores: Mapping[str, Score], totals: dict[str, Any]) -> None:
    table = Table("file", *totals, box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    for name, score in scores.items():
        table.add_row(name, str(score.passed), str(score.failed), str(score.refused))
    Console(width=80).print(table)
    for name, score in scores.items():
        for problem in score.problems:
            click.echo(f"{name}:{problem}")
    click.echo(", ".join(f"{count:,} {kind}" for kind, count in totals.items()))
