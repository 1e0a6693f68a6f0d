"""`transputer completion`: completion of commands, options and files in the shell."""

import os
from pathlib import Path, PurePath

import click
from click.shell_completion import get_completion_class

from transputer.errors import UsageError

_NAME = "transputer"
_VARIABLE = "_TRANSPUTER_COMPLETE"
#: The file that each shell reads when it starts, or that it loads for the command.
_FILES = {
    "bash": ".bashrc",
    "zsh": ".zshrc",
    "fish": ".config/fish/completions/transputer.fish",
}
_MARK = "# transputer: shell completion"


@click.command()
@click.argument("shell", required=False, metavar="[bash|zsh|fish]")
@click.option("--install", is_flag=True, help="Install it for this user instead of printing it.")
def completion(shell: str | None, install: bool) -> None:
    """Print or install the completion script of a shell, by default of $SHELL."""
    name = shell or PurePath(os.environ.get("SHELL", "")).name
    if name not in _FILES:
        raise UsageError(f"no completion for the shell {name!r}; available: {', '.join(_FILES)}")
    script = _script(name)
    if not install:
        click.echo(script)
        return
    path = Path.home() / _FILES[name]
    line = script if name == "fish" else f'eval "$({_NAME} completion {name})"'
    if _MARK in (path.read_text() if path.exists() else ""):
        click.echo(f"{path} has it already.")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(f"\n{_MARK}\n{line}\n")
    click.echo(f"Added to {path}; it works in the next {name}.")


def _script(shell: str) -> str:
    kind = get_completion_class(shell)
    assert kind is not None
    return kind(click.Command(_NAME), {}, _NAME, _VARIABLE).source()
