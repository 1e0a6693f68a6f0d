"""The compiler of a small C that is written in that C: `cc.c`. docs/selfhost.md is about it."""

from pathlib import Path

#: The source of the compiler.
SOURCE = Path(__file__).with_name("cc.c")
