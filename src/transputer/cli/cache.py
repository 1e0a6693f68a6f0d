"""`transputer cache`."""

import json
from pathlib import Path

import click

from transputer import cache as user_cache
from transputer.errors import UsageError

#: What each folder of the cache holds.
_ROOMS = {
    "c": "C programs, compiled to WebAssembly",
    "core": "programs, verified and lowered to core code",
    "derived": "models and what engines derived from them",
    "files": "the file system of WASI programs, compiled",
    "keys": "C programs by their text, before they are preprocessed",
    "jax": "steps of the soft machine, compiled by JAX",
    "learn": "programs that were learned",
    "libc": "files of the C library, compiled to WebAssembly",
    "lifted": "formulas of models, derived from their weights",
    "native": "engines and lifted code, compiled by the C compiler",
    "routines": "routines of the package in WebAssembly text, parsed",
    "rows": "formulas as C functions, compiled",
    "soft": "the soft machine's engine, compiled",
    "sources": "digests of this package's sources",
    "zig": "the C compiler's own cache",
}


@click.command()
@click.argument("rooms", nargs=-1, metavar="[FOLDER]...")
@click.option("--clear", is_flag=True, help="Delete the folders, or everything.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def cache(rooms: tuple[str, ...], clear: bool, as_json: bool) -> int:
    """Show what the cache holds, or clear it.

    The cache holds what can be derived again: compiled programs, models and engines. Every file
    is bound to what it was derived from; clearing it costs nothing but time. It lies in
    $XDG_CACHE_HOME/transputer, or ~/.cache/transputer.
    """
    root = user_cache.folder()
    there = sorted(path.name for path in root.iterdir()) if root.is_dir() else []
    for room in rooms:
        if room not in there:
            have = f"it has {', '.join(there)}" if there else "it is empty"
            raise UsageError(f"no folder {room!r} in the cache; {have}")
    chosen = [room for room in there if not rooms or room in rooms]
    sizes = {room: _size(root / room) for room in chosen}
    if clear:
        for room in chosen:
            if not user_cache.clear(root / room):
                raise UsageError(f"{room}: a program is being compiled; clear it afterwards")
    if as_json:
        kept = {room: {"files": files, "bytes": size} for room, (files, size) in sizes.items()}
        click.echo(json.dumps({"folder": str(root), "cleared": clear, "rooms": kept}))
        return 0
    for room, (files, size) in sizes.items():
        click.echo(f"{size / 1e6:9,.1f} MB  {files:6,} files  {room:8}  {_ROOMS.get(room, '')}")
    total = sum(size for _, size in sizes.values()) / 1e6
    click.echo(f"{total:9,.1f} MB  {'cleared from' if clear else 'in'} {root}")
    return 0


def _size(path: Path) -> tuple[int, int]:
    """Return the number of files and their bytes; a file may go while we look."""
    files = size = 0
    for item in (path, *path.rglob("*")):
        try:
            if item.is_file() and not item.is_symlink():
                files, size = files + 1, size + item.stat().st_size
        except OSError:
            continue
    return files, size
