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
              help="gradient, mcmc, random, bfs, hybrid, or auto.")  # fmt: skip
@click.option("--seed", default=0, show_default=True, metavar="N", help="Random seed.")
@click.option("--seconds", default=300.0, show_default=True, metavar="S", help="Time budget.")
@click.option("--width", default="8", type=click.Choice(["8", "16", "32"]), show_default=True,
              help="The width of words while learning; proofs are at 8 and 32.")  # fmt: skip
@click.option("--wat", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the program as WebAssembly text.")  # fmt: skip
@click.option("--certificate", type=click.Path(path_type=Path), metavar="FILE",
              help="Write what was proved about it.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def learn(
    task: str, method: str, seed: int, seconds: float, width: str, wat: Path | None,
    certificate: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """Learn a program for TASK from examples, and prove it.

    Prints the program, its length, whether it is minimal, and what it cost. Exits with 1 if
    nothing right was found in time.
    """
    with Console(stderr=True).status(task) as status:
        found = api.learn(task, method=method, seed=seed, seconds=seconds, width=int(width),
                          progress=status.update)  # fmt: skip
    if wat and found.solved:
        wat.write_text(learned_wat(found), encoding="utf-8")
    if certificate and found.proof:
        certificate.write_text(json.dumps(found.proof.as_json(), indent=1) + "\n", encoding="utf-8")
    if as_json:
        click.echo(json.dumps(found.as_json()))
    else:
        _show(found)
    return 0 if found.solved else 1


def _show(found: Any) -> None:
    cost = f"{found.evaluations:,} evaluations, {found.seconds:.1f} s, {found.method}"
    if not found.solved:
        click.echo(f"{found.task}: not solved ({cost}; {found.detail})")
        return
    for place, instruction in enumerate(found.program):
        click.echo(f"{place:3}  {instruction}")
    known = {True: ", minimal", False: ", not minimal", None: ""}[found.minimal]
    click.echo(f"{len(found.program)} instructions{known}; {cost}; {found.detail}")
    for fact in found.proof.facts if found.proof else ():
        click.echo(f"  {fact}")
