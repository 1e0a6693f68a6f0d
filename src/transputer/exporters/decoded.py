"""Sequences of a language model with a machine inside, as text, programs and runs.

This file imports nothing of the package that it is part of: exports ship it as it is.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class DecodedText:
    """What a sequence says: text with output bytes in it, programs, and ends of runs."""

    text: str
    programs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    traps: int = 0
    steps: int = 0


@dataclass(frozen=True)
class SequenceEvent:
    """A token, read: its kind's name (`text`, `code`, `routine`, `run`, `step`, `out`, `done`,
    `trap`), and what it says. A piece of text that is not whole characters says nothing yet."""

    name: str
    text: str
    token: Sequence[int]


@dataclass(frozen=True)
class JointVocabulary:
    """Ids below `own` are text, which `decode` turns into characters; the others are `kinds`."""

    own: int
    kinds: Mapping[str, Any]
    decode: Callable[[list[int]], str]

    def events(self, tokens: Iterable[Sequence[int]]) -> Iterator[SequenceEvent]:
        """Yield an event per token."""
        names = {number: name for name, number in self.kinds["routines"].items()}
        ends = {self.kinds[name]: name for name in ("code", "run", "step", "done", "trap")}
        pieces: list[int] = []
        for token in tokens:
            kind = max(0, token[0] - self.own + 1)
            if kind == 0:
                pieces.append(token[0])
                text = self.decode(pieces)
                whole = not text.endswith("\ufffd")
                yield SequenceEvent("text", text if whole else "", token)
                pieces = [] if whole else pieces
            elif kind in names:
                yield SequenceEvent("routine", names[kind], token)
            elif kind in ends:
                yield SequenceEvent(ends[kind], "", token)
            else:
                yield SequenceEvent("out", chr(kind - self.kinds["out"]), token)

    def read(self, tokens: Iterable[Sequence[int]]) -> DecodedText:
        """Return what tokens say, and what was computed for it."""
        text, counts = "", dict.fromkeys(("step", "out", "trap"), 0)
        programs, outputs = list[list[str]](), list[str]()
        for event in self.events(tokens):
            if event.name in counts:
                counts[event.name] += 1
            if event.name == "code":
                programs.append([])
                outputs.append("")
            elif event.name == "routine":
                programs[-1].append(event.text)
            elif event.name == "out":
                outputs[-1] += event.text
            text += event.text if event.name in ("text", "out") else ""
        spelled_programs = [spelled(program) for program in programs]
        steps = counts["step"] + counts["out"]
        return DecodedText(text, spelled_programs, outputs, counts["trap"], steps)


def spelled(program: list[str]) -> str:
    """Return a program with its numbers in digits: `12 34 add show`."""
    words: list[str] = []
    for name in program:
        if name[0] == "d" and name[1:].isdigit() and words and (words[-1] + "0").isdigit():
            words[-1] += name[1:]
        else:
            words.append("" if name == "push" else name)
    return " ".join(word or "0" for word in words)
