"""Write the trace machine's page with the studio's examples: `python -m tools.pages FOLDER`.

`make pages` puts the loom machine's page beside it, and the two link to each other.
"""

import argparse
from pathlib import Path
from typing import Any

from transputer.exporters.site import write_site
from transputer.machines.trace.universal import model
from transputer.runtime.trace.program import compile_text
from transputer.runtime.trace.site import page_program, vocabulary
from transputer.runtime.trace.text import LANGUAGES
from transputer.studio.assets import examples

Json = dict[str, Any]
GAMES = Path(__file__).parents[1] / "examples" / "demo"


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("folder", type=Path, help="folder to write to")
    folder = parser.parse_args().folder
    chosen = [e for e in examples() if e["machine"] == "trace" and e["language"] in LANGUAGES]
    programs = [*map(carried, chosen), *(carried(game, fast=True) for game in games())]
    print(write_site(folder, model(), programs, vocabulary()))


def games() -> list[Json]:
    """Return the programs that are played."""
    return [
        {"group": "Games", "title": path.stem.capitalize(), "language": "c", "invoke": "",
         "args": [], "stdin": "", "machine": "trace", "source": path.read_text()}
        for path in sorted(GAMES.glob("*.c"))
    ]  # fmt: skip


def carried(example: Json, fast: bool = False) -> Json:
    """Return an example as the page carries it, compiled ahead; with `fast`, with lifted code."""
    name = f"{example['title']}.{example['language']}"
    program = compile_text(example["source"], name)
    content = page_program(program, example["invoke"] or None, example["args"], fast)
    return content | {"example": {**example, "title": name}}


if __name__ == "__main__":
    main()
