"""The JSON that the studio shows of a recorded answer: text and machine tokens on one timeline.

A step is a forward pass, and its arcs are those of the heads of both networks. The lines of the
program on show are the question, and what the answer says, writes and runs: a run is one line.
"""

from itertools import groupby
from typing import Any

from transputer.debugger.tokens import describe
from transputer.isa.core import CORE
from transputer.machines.trace.opcodes import VARIANTS
from transputer.machines.trace.uses import uses
from transputer.machines.trace.vocabulary import Space, record
from transputer.runtime.chat import ChatAnswer, ChatStep, Conversation
from transputer.runtime.chat_arcs import ChatArc
from transputer.runtime.trace.view import KINDS

Json = dict[str, Any]
MACHINE = "chat"
#: Tokens on show before and after that of a step.
_BEFORE, _AFTER = 24, 8
_NETWORKS = ("machine", "language model")
_PROGRAM = ("code", "routine", "run")
_RUN = ("step", "out", "done", "trap")
#: Instructions of opcodes that are variants of them.
_INSTRUCTIONS = {opcode: name for name, opcodes in VARIANTS.items() for opcode in opcodes}


class ChatView:
    """The view of an answer that was recorded."""

    def __init__(self, conversation: Conversation, answer: ChatAnswer) -> None:
        self.answer, self.first = answer, len(answer.context)
        tokens = [*answer.context, *answer.tokens]
        self._read = list(conversation.steps(tokens))
        self._through = [conversation.networks(token) for token in tokens]
        self._places = {
            name: [i for i, through in enumerate(self._through) if name in through]
            for name in _NETWORKS
        }
        self._lines, self._source = _transcript(answer.question, self._read[self.first :])

    def recorded(self) -> Json:
        """Return the recording, as an exported page of the studio plays it."""
        answer, count = self.answer, len(self.answer.tokens)
        decoded = answer.decoded
        source = "\n".join(self._source)
        return {
            "example": {
                "group": "Recorded", "title": answer.question, "language": "chat",
                "machine": MACHINE, "source": source, "invoke": "", "args": [], "stdin": "",
            },
            "status": {
                "run": 1, "kind": "run", "phase": "done", "watched": 0, "seconds": 0.0,
                "stopped": "", "machine": MACHINE, "steps": count,
                "output": len(decoded.text.encode()), "text": [decoded.text],
                "about": {"edits": 0},
                "code": {"functions": [], "stops": [], "memory": False, "first_memory": 0},
                "result": {
                    "results": [], "exit_code": 0, "trap": None, "steps": count,
                    "instructions": decoded.steps, "seconds": 0.0, "machine": MACHINE,
                    "engine": "torch",
                },
            },
            "looks": [self._look(number) for number in range(1, count + 2)],
            "path": [self._place(number) for number in range(1, count + 2)],
        }  # fmt: skip

    def _place(self, number: int) -> Json:
        if number > len(self.answer.tokens):
            return {"line": 0, "depth": 0}
        runs = self._read[self.first + number - 1].event.name in _RUN
        return {"line": self._lines[number - 1], "depth": int(runs)}

    def _look(self, number: int) -> Json:
        position = self.first + number - 1
        said = "".join(
            step.event.text
            for step in self._read[self.first : position]
            if step.event.name in ("text", "out")
        )
        return {
            "step": self._step(number, position),
            "state": {
                "step": number, "registers": {}, "output": said,
                "output_bytes": len(said.encode()),
                "variables": [
                    {"name": "token", "type": "", "value": self._says(position - 1), "local": True},
                    {"name": "goes through", "type": "", "local": True,
                     "value": " and ".join(self._through[position - 1])},
                ],
            },
            "tokens": self._tokens(number, position),
            "layers": self._layers(number, position),
        }  # fmt: skip

    def _step(self, number: int, position: int) -> Json:
        ended = number > len(self.answer.tokens)
        now = self._read[position] if not ended else ChatStep(self._read[-1].event)
        reads = [] if ended else [self._arc(arc, now, position - 1) for arc in self._arcs(number)]
        line = None
        if not ended:
            line = {"file": "program.chat", "number": self._lines[number - 1]}
        return {
            "step": number, "steps": len(self.answer.tokens), "ended": ended, "token": position,
            "pc": now.pc or 0, "phase": 0,
            "instruction": "" if ended else now.instruction or "language model",
            "source": "", "function": "", "line": line, "reads": reads,
            "writes": "" if ended else self._says(position),
            "sentence": "" if ended else self._sentence(position),
            "kind": "end" if ended else self._kind(position),
        }  # fmt: skip

    def _arcs(self, number: int) -> list[ChatArc]:
        """Return the arcs of a step, of the networks that its token goes through."""
        through = self._through[self.first + number - 2]
        return [arc for arc in self.answer.arcs[number - 1] if arc.network in through]

    def _arc(self, arc: ChatArc, now: ChatStep, position: int) -> Json:
        """Return an arc of the pass that reads the token at `position`."""
        token = self._places[arc.network][arc.index]
        step = token - self.first + 1
        weight = "" if arc.network == "machine" else f", weight {arc.weight:.2f}"
        return {
            "head": arc.head,
            "layer": self._through[position].index(arc.network),
            "used": arc.network != "machine" or (arc.head in _used(now) and self._wrote(token)),
            "token": token,
            "step": step if step >= 1 else None,
            "asked": self._says(token),
            "says": self._says(token),
            "kind": self._kind(token),
            "margin": None,
            "words": f"Head {arc.head} of the {arc.network} attended to token {token:,} "
            f"({self._says(token) or 'a state'}){weight}.",
        }

    def _wrote(self, position: int) -> bool:
        """Whether a token of the machine wrote something; else its reader looked up nothing."""
        event = self._read[position].event
        written = event.name in ("routine", "run")
        return written or record(tuple(event.token[1:])).space != Space.NONE

    def _sentence(self, position: int) -> str:
        through = " and ".join(f"the {name}" for name in self._through[position - 1])
        return (
            f"One forward pass: token {position - 1:,} ({self._says(position - 1)}) goes through "
            f"{through}; the next token is {self._says(position)}."
        )

    def _says(self, position: int) -> str:
        """Return what a token says, in words."""
        step = self._read[position]
        name, text = step.event.name, step.event.text
        if name == "text":
            return f"text {text!r}"
        if name in _PROGRAM:
            return f"instruction {text or name}"
        if name == "out":
            return f"output {text!r}"
        return describe(record(tuple(step.event.token[1:]))) or name

    def _kind(self, position: int) -> str:
        event = self._read[position].event
        if event.name == "text":
            return "text"
        if event.name in _PROGRAM:
            return "code"
        return KINDS.get(record(tuple(event.token[1:])).space, "memory")

    def _token(self, position: int) -> Json:
        step = self._read[position]
        decoded = position >= self.first
        token = {
            "position": position,
            "step": position - self.first + 1 if decoded else None,
            "kind": self._kind(position),
            "says": self._says(position),
            "label": step.instruction,
        }
        if step.event.name in ("text", "out", *_PROGRAM):
            shown = (step.event.text or step.event.name).replace("\n", "⏎")
            token["short"] = shown if len(shown) <= 6 else f"{shown[:5]}…"
        return token

    def _tokens(self, number: int, position: int) -> Json:
        last = len(self._read) - 1
        near = range(max(0, position - _BEFORE), min(last, position + _AFTER) + 1)
        far = set[int]()
        if number <= len(self.answer.tokens):
            arcs = self._arcs(number)
            far = {self._places[arc.network][arc.index] for arc in arcs} - set(near)
        return {
            "step": number,
            "current": position,
            "last": last,
            "tokens": [self._token(i) for i in (*sorted(far), *near)],
        }

    def _layers(self, number: int, position: int) -> Json:
        """Return a row for the token and one per network, where the page shows their heads."""
        kind = {"group": "token", "name": "kind", "new": True, "used": True,
                "value": self._read[position - 1].event.name}  # fmt: skip
        rows = [{"name": "token", "tiles": [kind]}]
        rows += [{"name": name, "tiles": []} for name in self._through[position - 1]]
        return {"step": number, "layers": [] if number > len(self.answer.tokens) else rows}


def _used(now: ChatStep) -> frozenset[str]:
    """Return the heads that the machine's instruction uses; none while it does not run."""
    if now.event.name not in _RUN:
        return frozenset()
    written = "return" if now.instruction == "run" else "call"  # else of the library
    name = _INSTRUCTIONS.get(now.instruction, now.instruction)
    return frozenset(uses(name if name in CORE else written))


def _transcript(question: str, steps: list[ChatStep]) -> tuple[list[int], list[str]]:
    """Return the line of every token, and the lines: text, programs, runs with their output."""
    numbers, lines = list[int](), [f"> {question}"]
    for part, group in groupby(steps, lambda step: _part(step.event.name)):
        members = list(group)
        lines.append(_line(part, members))
        numbers += [len(lines)] * len(members)
    return numbers, lines


def _part(name: str) -> str:
    return "text" if name == "text" else "program" if name in _PROGRAM else "run"


def _line(part: str, members: list[ChatStep]) -> str:
    words = [step.event.text for step in members if step.event.text]
    if part == "text":
        return "".join(words).replace("\n", "⏎")
    if part == "program":
        return f"⟨{' '.join(words)}⟩"
    return f"  {len(members):,} machine tokens: {''.join(words)}"
