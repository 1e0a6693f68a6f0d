"""The pages are true: their console blocks print what they show, their Python blocks run.

In a ```console block a line `$ command` is run in a copy of the repository's root; the lines up
to the next one are its exact output, `...` alone standing for any lines. A command must succeed;
to show a failure, write `command; echo "exit $?"`. The ```python blocks of a page are one script,
run after its console blocks.

A comment on the line before a block changes that, and gives a reason or a name:

* `<!-- not run: REASON -->`: the block is an illustration;
* `<!-- slow: REASON -->`: the block runs only with the slow tests;
* `<!-- needs: MODULE -->`: the same, and only where the module is installed.
"""

import os
import re
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from tools.site import OUTSIDE
from transputer.cli.group import commands as group

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = [README, *sorted(ROOT.glob("docs/*.md")), *(ROOT / path for path in OUTSIDE)]
#: Modules that all blocks of a page need.
NEEDS = {"docs/torch.md": "torch", "docs/soft.md": "jax"}
#: Pages whose blocks `make test` runs; `make test-all` runs those of every page.
QUICK = ("README.md", "docs/machines.md", "docs/debugging.md")
SECONDS = 600
MARK = re.compile(r"<!-- (not run|slow|needs): (.+) -->")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the line of its first content line, and the mark before it."""

    language: str
    line: int
    content: str
    mark: str = ""
    reason: str = ""


def blocks(text, language=None, needs=None):
    """The fenced blocks of a text, all or those of one language."""
    result, fence, mark = [], None, None
    for number, line in enumerate(text.splitlines(), 1):
        if fence is None and line.startswith("```"):
            fence, start, lines = line.removeprefix("```").strip(), number + 1, []
        elif fence is not None and line.rstrip() == "```":
            if language in (None, fence):
                kind, reason = mark.groups() if mark else ("needs", needs) if needs else ("", "")
                result.append(Block(fence, start, "\n".join(lines), kind, reason))
            fence = mark = None
        elif fence is not None:
            lines.append(line)
        elif line.strip():
            mark = MARK.fullmatch(line.strip())
    assert fence is None, "a block is not closed"
    return result


def commands(block):
    """The commands of a console block, each with the output it shows."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line.removeprefix("$ "), []))
        else:
            assert found, f"output before the first command: {line!r}"
            found[-1][1].append(line)
    return found


def matches(expected, output):
    """Whether an output is the expected lines, `...` standing for any number of lines."""
    parts = [r"(?:.*\n)*" if line == "..." else re.escape(line) + r"\n" for line in expected]
    if output and not output.endswith("\n"):
        output += "\n"
    return re.fullmatch("".join(parts), output) is not None


def run(command, folder=ROOT):
    scripts = sysconfig.get_path("scripts")
    environment = os.environ | {"PATH": scripts + os.pathsep + os.environ.get("PATH", "")}
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


def check(block, folder=ROOT):
    """Run a console block; the first command that does otherwise fails the test."""
    for command, expected in commands(block):
        done = run(["bash", "-c", command], folder)
        assert done.returncode == 0, f"$ {command}\nexit {done.returncode}\n{done.stderr}"
        shown = "\n".join(expected)
        assert matches(expected, done.stdout), (
            f"$ {command}\n-- shown\n{shown}\n-- printed\n{done.stdout}\n-- stderr\n{done.stderr}"
        )


def script(page, parts):
    """One script of a page's Python blocks, with the page's line numbers."""
    lines = [""] * max(part.line + part.content.count("\n") for part in parts)
    for part in parts:
        for offset, line in enumerate(part.content.splitlines()):
            lines[part.line - 1 + offset] = line
    return (
        f"exec(compile({chr(10).join(lines)!r}, {str(page)!r}, 'exec'), {{'__name__': '__main__'}})"
    )


def groups():
    """What is run together: a page's unmarked blocks, alone or with those of one mark."""
    for page in PAGES:
        name = page.relative_to(ROOT).as_posix()
        found = [
            block
            for block in blocks(page.read_text(encoding="utf-8"), needs=NEEDS.get(name))
            if block.language in ("console", "python") and block.mark != "not run"
        ]
        plain = [block for block in found if not block.mark]
        if plain:
            quick = [] if name in QUICK else [pytest.mark.slow]
            yield pytest.param(page, plain, id=name, marks=quick)
        for mark, reason in sorted({(b.mark, b.reason) for b in found if b.mark}):
            marks = [pytest.mark.slow]
            if mark == "needs" and find_spec(reason) is None:
                marks.append(pytest.mark.skip(reason=f"needs {reason}"))
            chosen = [b for b in found if not b.mark or (b.mark, b.reason) == (mark, reason)]
            yield pytest.param(page, chosen, id=f"{name} {mark} {reason}", marks=marks)


def test_readme_says_how_to_start():
    started = [
        line for block in blocks(README.read_text(), "sh") for line in block.content.splitlines()
    ]
    assert [line for line in started if line.startswith("make run")]
    assert [line for line in started if line.startswith("make test")]


def test_readme_fits_a_screen():
    assert len(README.read_text().splitlines()) <= 75


@pytest.mark.parametrize("page, parts", list(groups()))
def test_page(page, parts, tmp_path):
    for path in ROOT.iterdir():
        if path.name not in ("build", ".git"):
            (tmp_path / path.name).symlink_to(path)
    for block in parts:
        if block.language == "console":
            check(block.content, tmp_path)
    if python := [block for block in parts if block.language == "python"]:
        done = run([sys.executable, "-c", script(page, python)], tmp_path)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_shell_blocks_name_commands_and_options_that_exist(page):
    for block in blocks(page.read_text(encoding="utf-8"), "sh"):
        for line in block.content.splitlines():
            for command in re.findall(r"(?:^|[;&|] *)transputer ([^;&|#]*)", line):
                assert wrong(command.split()) == [], line


def wrong(words):
    """The words of a command line that `transputer` does not know: the command, or options."""
    context = click.Context(group)
    command = group.get_command(context, words[0])
    if command is None:
        return words[:1]
    if isinstance(command, click.Group) and words[1:] and words[1] in command.commands:
        command = command.commands[words[1]]
    known = {name for option in command.params for name in option.opts + option.secondary_opts}
    options = [word for word in words[1:] if word.startswith("--") and word != "--"]
    return [word for word in options if word.partition("=")[0] not in known | {"--help"}]


EXAMPLE = """
```console
$ printf 'one\\ntwo\\nthree\\n'
one
...
three
$ true
```

```sh
make run
```

```python
assert 1 + 1 == 2
```
"""


def test_blocks_are_found():
    (console,) = blocks(EXAMPLE, "console")
    assert (console.line, console.content.count("\n")) == (3, 4)
    assert [block.content for block in blocks(EXAMPLE, "python")] == ["assert 1 + 1 == 2"]
    check(console.content)


def test_marks_belong_to_the_next_block():
    text = "<!-- slow: long -->\n```python\n1\n```\n\n```python\n2\n```\n"
    assert [(block.mark, block.reason) for block in blocks(text)] == [("slow", "long"), ("", "")]
    text = "<!-- not run: later -->\ntext\n\n```sh\nx\n```"
    assert [block.mark for block in blocks(text)] == [""]


def test_unknown_commands_and_options_are_caught():
    assert wrong(["run", "a.c", "--json"]) == []
    assert wrong(["ran", "a.c"]) == ["ran"]
    assert wrong(["run", "a.c", "--jason"]) == ["--jason"]


def test_python_errors_have_the_line_of_the_page():
    part = Block("python", 7, "x = 1\nraise ValueError(x)")
    done = run([sys.executable, "-c", script("page.md", [part])])
    assert done.returncode == 1 and '"page.md", line 8' in done.stderr


@pytest.mark.parametrize(
    "block",
    ["$ echo one\ntwo", "$ echo one", "$ true\none", "$ false", "$ echo 'a b'\na  b", "one"],
)
def test_wrong_block_is_caught(block):
    with pytest.raises(AssertionError):
        check(block)


@pytest.mark.parametrize(
    "expected, output, same",
    [
        (["..."], "", True),
        (["..."], "a\nb\n", True),
        (["a", "..."], "a\n", True),
        (["...", "b"], "a\nb\nc\n", False),
        (["a.c"], "abc\n", False),
        (["a"], "a", True),
        (["a ..."], "a b\n", False),
        ([], "", True),
    ],
)
def test_dots_stand_for_lines(expected, output, same):
    assert matches(expected, output) == same
