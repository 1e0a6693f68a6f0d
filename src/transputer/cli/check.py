"""`transputer check`."""

import sys

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from transputer.host.outcome import DEFAULT_STEPS


@click.command("check")
@click.argument("one")
@click.argument("two")
@click.option("--invoke", "names", metavar="NAME", multiple=True,
              help="Function to compare; twice for functions of different names.")  # fmt: skip
@click.option("--bits", type=click.IntRange(1, 32), default=32, show_default=True,
              help="Compare on all inputs below 2^BITS.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True,
              help="Number of processes.")  # fmt: skip
@click.option("--max-steps", type=click.IntRange(1), default=DEFAULT_STEPS, show_default=True,
              metavar="N", help="Step limit for each input.")  # fmt: skip
def check(one: str, two: str, names: tuple[str, ...], bits: int, jobs: int, max_steps: int) -> int:
    """Compare two functions on all inputs.

    ONE and TWO are programs with a function of one 32-bit integer. Every input runs through the
    formulas that were derived from the weights; those that trap, or that the code of batches does
    not cover, run on the weights. Prints the first input on which the functions differ, with
    exit code 1.
    """
    from transputer.check.equal import check_equal, comparing

    if len(names) > 2:
        raise click.BadParameter("at most two functions are compared")
    both = (names[0], names[-1]) if names else (None, None)
    work = comparing((one, two), both, max_steps)
    screen = Console(stderr=True)
    columns = BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=screen, disable=not sys.stderr.isatty(), transient=True) as bar:
        task = bar.add_task("", total=1 << bits)
        difference = check_equal(work, bits, jobs, lambda done: bar.update(task, completed=done))
    if difference is None:
        click.echo(f"equal on all {1 << bits:,} inputs")
        return 0
    click.echo(f"different at {difference.input}: {difference.one} and {difference.two}")
    return 1
