"""The first minute: the greeting, the demo, the examples."""

from collections.abc import Callable
from pathlib import Path

import pytest

from transputer.cli.examples import GROUPS, examples_in

Cli = Callable[..., "tuple[int, str, str]"]


def test_the_greeting_names_three_commands(cli: Cli) -> None:
    code, out, err = cli()
    assert (code, err) == (0, "")
    names = [line.split()[1] for line in out.splitlines() if line.startswith("  transputer ")]
    assert len(names) == 3
    assert all(cli(name, "--help").code == 0 for name in names)


def test_snake_plays_by_itself(cli: Cli) -> None:
    code, out, err = cli("demo", "--moves", "6", "--engine", "oracle")
    assert (code, err) == (0, "")
    *frames, end = out.split("score ")
    assert len(frames) == 6 and "6 frames" in end
    heads = [(frame.index("@") - frame.index("+")) % 25 for frame in frames]
    assert heads[0] + 2 == heads[2]  # the food lies to the right
    assert end.startswith("1")  # and is eaten


def test_every_group_has_examples() -> None:
    assert all(examples_in(group) for group in GROUPS)


def test_examples_are_listed_and_copied(cli: Cli, tmp_path: Path) -> None:
    out = cli("examples").out
    assert all(path.name in out for group in GROUPS for path in examples_in(group))
    assert cli("examples", "programs/hello.c", tmp_path).code == 0
    assert (tmp_path / "hello.c").read_text() == Path("examples/programs/hello.c").read_text()
    code, _, err = cli("examples", "programs/hello.c", tmp_path)
    assert code == 2 and "exists already" in err


@pytest.mark.parametrize(
    "name", ["nothing", "../README.md", "programs/../../LICENSE", "c/nothing.c"]
)
def test_there_is_no_such_example(cli: Cli, tmp_path: Path, name: str) -> None:
    code, _, err = cli("examples", name, tmp_path)
    assert code == 2 and "`transputer examples` lists them" in err
