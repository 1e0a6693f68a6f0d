"""`python -m transputer.check.audit --dead`: zero every weight outside the tables, in turn."""

import json
import sys
import time

import click

from transputer.check.audit.dead import Dead, dead, group, groups
from transputer.check.audit.evidence import FAR, Evidence, scenes
from transputer.check.audit.far import far
from transputer.check.audit.mutation import DEAD
from transputer.machines.trace.circuit import model
from transputer.model import Model


@click.command()
@click.option("--dead", "all_weights", is_flag=True, required=True, help="Find dead weights.")
@click.option("--scenes", "more", default=8, show_default=True, metavar="N",
              help="Scenes by chance on top of the corpus.")  # fmt: skip
@click.option("--list", "listing", is_flag=True, help="Name every dead weight.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def main(all_weights: bool, more: int, listing: bool, as_json: bool) -> None:
    """Zero every weight of the layers, one at a time, and find those that nobody misses.

    Exits with 1 if they are too many.
    """
    started = time.monotonic()

    def progress(doing: str) -> None:
        click.echo(f"{time.monotonic() - started:6.1f} s  {doing}", err=True)

    held = model()
    played = [*scenes(), *(far(seed) for seed in range(FAR, FAR + more))]
    found = dead(held, Evidence(held, scenes=played, progress=progress).recordings, progress)
    if as_json:
        click.echo(json.dumps(_as_json(held, found)))
    else:
        _show(held, found, listing)
    sys.exit(0 if found.share < DEAD else 1)


def _as_json(held: Model, found: Dead) -> dict[str, object]:
    counts = dict(sorted(groups(held, found.places).items()))
    return {"tried": found.tried, "dead": len(found.places), "share": found.share, "groups": counts}


def _show(held: Model, found: Dead, listing: bool) -> None:
    for name, count in sorted(groups(held, found.places).items()):
        click.echo(f"{count:6,}  {name}")
    if listing:
        for name, index in found.places:
            value = held.tensors()[name][index]
            click.echo(f"{name}{list(index)} = {value:g}  {group(held, name, index)}")
    click.echo(
        f"{len(found.places):,} of {found.tried:,} weights outside the tables change nothing "
        f"on {found.decoded:,} decoded tokens: {found.share:.2%}"
    )


if __name__ == "__main__":
    main()
