"""`python -m transputer.check.fuzz.smallc`: random small C on a machine, against a C compiler."""

import sys
from functools import partial

import click

from transputer.check.fuzz.smallc.campaign import SmallCTally, campaign, differs, shrunk
from transputer.check.fuzz.smallc.judge import MACHINES


@click.command()
@click.option("--programs", default=300, show_default=True, help="Number of random programs.")
@click.option("--seed", default=1, show_default=True, help="Random seed of the first program.")
@click.option("--machine", type=click.Choice(tuple(MACHINES)), default="loom", show_default=True)
@click.option("--shrink/--no-shrink", default=True, help="Shrink the first program that differs.")
def main(programs: int, seed: int, machine: str, shrink: bool) -> None:
    """Compare small C with a C compiler at all widths; exit 1 on any difference."""
    tally = SmallCTally()
    for progress in campaign(programs, seed, machine=machine):
        tally = progress
        shown = f"{tally.programs:,} programs, {len(tally.differences):,} differences"
        print(shown, file=sys.stderr, flush=True)
        if tally.differences:
            break
    print(f"programs     {tally.programs:,} of {programs:,}, from seed {seed}")
    print(f"too large    {tally.too_large:,}")
    print(f"differences  {len(tally.differences):,}")
    for one in tally.differences[:1]:
        bad = partial(differs, machine=machine)
        small = shrunk(one.program, bad) if shrink else one.program
        print(f"seed {one.seed}, {one.program.bits} bits\n{small.small()}")
        print(f"{machine}  {one.seen}\nC     {one.real}")
    sys.exit(1 if tally.differences else 0)


if __name__ == "__main__":
    main()
