"""`transputer studio`."""

from pathlib import Path
from typing import Any

import click

from transputer import studio as room
from transputer.errors import UsageError


@click.command()
@click.option("--port", default=0, metavar="N", help="Port to listen on; default: any free port.")
@click.option("--no-browser", is_flag=True, help="Print the address without opening a browser.")
@click.option("--export", "folder", type=click.Path(path_type=Path), metavar="DIR",
              help="Write a static site with a recorded run and the tour instead.")  # fmt: skip
@click.option("--machine", default="trace", show_default=True, metavar="NAME",
              help="With --export FILE: machine that runs it.")  # fmt: skip
@click.argument("file", required=False)
@click.argument("args", nargs=-1)
@click.option("--invoke", metavar="NAME", help="With --export FILE: call this function with ARGS.")
def studio(port: int, no_browser: bool, folder: Path | None, file: str | None, **how: Any) -> None:
    """Watch programs run in the browser: step forwards and back, look at heads and layers.

    Listens on the loopback address only, under a secret path. With --export, runs and records
    FILE (or an example) into a static site that opens from the disk with nothing installed.
    """
    if folder is not None:
        where = room.export_site(folder, file, how["invoke"], how["args"], how["machine"])
        click.echo(where)
        return
    if file is not None:
        raise UsageError("FILE needs --export; or paste the program into the studio, or use debug")
    room.serve(port, browser=not no_browser, announce=_say)


def _say(address: str) -> None:
    click.echo(f"Transputer studio: {address}")
    click.echo("Press Ctrl-C to stop.")
