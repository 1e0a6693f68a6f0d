"""The example programs that come with the package."""

from pathlib import Path

from transputer.errors import UsageError

#: The folders of examples that are in the package, with what they hold.
GROUPS = {
    "c": "C functions for --invoke, and a sudoku",
    "programs": "C programs with the C library, from hello to chess and a Lisp",
    "asm": "stack assembly",
    "loom": "small C for the loom machine",
    "soft": "assembly of the soft machine",
    "demo": "Snake, as `transputer demo` shows it",
}


def folder() -> Path:
    """Return the folder of the examples: in the package, or in the checkout that it runs from."""
    package = Path(__file__).parents[1]
    for path in (package / "examples", package.parents[1] / "examples"):
        if path.is_dir():
            return path
    raise UsageError("the examples are not installed")


def examples_in(group: str) -> list[Path]:
    """Return the example programs of a group."""
    kinds = (".c", ".asm", ".wat", ".loomasm", ".soft", ".lisp")
    return sorted(p for p in (folder() / group).glob("*") if p.suffix in kinds)


def all_examples() -> dict[str, Path]:
    """Return all examples by group and name."""
    return {f"{group}/{path.name}": path for group in GROUPS for path in examples_in(group)}


def named_like(name: str) -> list[str]:
    """Return the examples that a path means: its last two parts, or else those of its name."""
    known = all_examples()
    whole = "/".join(Path(name).parts[-2:])
    return [whole] if whole in known else [one for one in known if one.endswith(f"/{name}")]
