"""`transputer learn`."""

import json
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from transputer import api
from transputer.runtime.learn import learn_tasks, learned_wat

_TASKS = "\n".join(f"  {name:14} {doc}" for name, doc in learn_tasks().items())


@click.command(epilog=f"\b\nTasks:\n{_TASKS}")
@click.argument("task", metavar="TASK")
@click.option("--method", default="auto", show_default=True, metavar="NAME",
              help="Method: gradient, mcmc, random, bfs, hybrid, or auto.")  # fmt: skip
@click.option("--seed", default=0, show_default=True, metavar="N", help="Random seed.")
@click.option("--seconds", default=300.0, show_default=True, metavar="S", help="Time budget.")
@click.option("--width", default="8", type=click.Choice(["8", "16", "32"]), show_default=True,
              help="Word width while learning; proofs are at 8 and 32 bits.")  # fmt: skip
@click.option("--wat", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the program as WebAssembly text.")  # fmt: skip
@click.option("--certificate", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the proof as JSON.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def learn(
    task: str, method: str, seed: int, seconds: float, width: str, wat: Path | None,
    certificate: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """Learn a program for TASK from examples and prove it.

    Prints the program, its length, whether it is minimal, and the cost of the search. Exits with
    1 if no correct program was found within --seconds.
    """
    with Console(stderr=True).status(task) as status:
        result = api.learn(task, method=method, seed=seed, seconds=seconds, width=int(width),
                          progress=status.update)  # fmt: skip
    if wat and result.solved:
        wat.write_text(learned_wat(result), encoding="utf-8")
    if certificate and result.proof:
        certificate.write_text(
            json.dumps(result.proof.as_json(), indent=1) + "\n", encoding="utf-8"
        )
    if as_json:
        click.echo(json.dumps(result.as_json()))
    else:
        _show(result)
    return 0 if result.solved else 1


def _show(result: Any) -> None:
    cost = f"{result.evaluations:,} evaluations, {result.seconds:.1f} s, {result.method}"
    if not result.solved:
        click.echo(f"{result.task}: not solved ({cost}; {result.detail})")
        return
    for place, instruction in enumerate(result.program):
        click.echo(f"{place:3}  {instruction}")
    known = {True: ", minimal", False: ", not minimal", None: ""}[result.minimal]
    click.echo(f"{len(result.program)} instructions{known}; {cost}; {result.detail}")
    for fact in result.proof.facts if result.proof else ():
        click.echo(f"  {fact}")
