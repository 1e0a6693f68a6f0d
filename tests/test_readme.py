"""The pages are true: their console blocks print what they show, their Python blocks run.

In a ```console block a line `$ command` is run in the root of the repository; the lines up
to the next one are its exact output, `...` alone standing for any lines. A command must
succeed; to show a failure, write `command; echo "exit $?"`. A ```python block stands alone.
"""

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
NAMES = ("debugging", "fuzzing", "loom", "smallc", "words")
PAGES = (README, *(ROOT / "docs" / f"{name}.md" for name in NAMES))
SECONDS = 300


def blocks(text, language):
    """The fenced blocks of one language: (line of the first content line, content)."""
    found, fence = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if fence is None and line.startswith("```"):
            fence, start, lines = line.removeprefix("```").strip(), number + 1, []
        elif fence is not None and line.rstrip() == "```":
            if fence == language:
                found.append((start, "\n".join(lines)))
            fence = None
        elif fence is not None:
            lines.append(line)
    assert fence is None, "a block is not closed"
    return found


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


def run(command, **options):
    scripts = sysconfig.get_path("scripts")
    environment = os.environ | {"PATH": scripts + os.pathsep + os.environ.get("PATH", "")}
    return subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        **options,
    )


def check(block):
    """Run a console block; the first command that does otherwise fails the test."""
    for command, expected in commands(block):
        done = run(["bash", "-c", command])
        assert done.returncode == 0, f"$ {command}\nexit {done.returncode}\n{done.stderr}"
        shown = "\n".join(expected)
        assert matches(expected, done.stdout), (
            f"$ {command}\n-- shown\n{shown}\n-- printed\n{done.stdout}\n-- stderr\n{done.stderr}"
        )


def cases(language):
    return [
        pytest.param(block, id=f"{page.name} line {line}")
        for page in PAGES
        for line, block in blocks(page.read_text(), language)
    ]


def test_readme_says_how_to_start():
    started = [line for _, block in blocks(README.read_text(), "sh") for line in block.splitlines()]
    assert [line for line in started if line.startswith("make run")]
    assert [line for line in started if line.startswith("make test")]


@pytest.mark.parametrize("block", cases("console"))
def test_console_block(block):
    check(block)


@pytest.mark.parametrize("block", cases("python"))
def test_python_block(block):
    done = run([sys.executable, "-c", block])
    assert done.returncode == 0, done.stderr


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
    ((line, console),) = blocks(EXAMPLE, "console")
    assert (line, console.count("\n")) == (3, 4)
    assert [block for _, block in blocks(EXAMPLE, "python")] == ["assert 1 + 1 == 2"]
    check(console)


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
