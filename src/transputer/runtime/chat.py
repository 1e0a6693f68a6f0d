"""A conversation with a language model that has the trace machine inside.

The model is a folder as `tools/one_model/export.py` writes it. Its weights and tables are read; its
code is not run, because it is the source of this package's own network.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any

from transputer.errors import EngineUnavailable, StepLimitError, Trap, UsageError
from transputer.exporters.decoded import DecodedText, SequenceEvent, spelled
from transputer.machines.trace.opcodes import OPCODES
from transputer.machines.trace.vocabulary import Record, Space, record
from transputer.runtime.chat_arcs import ArcRecorder, ChatArc

MODEL_TYPE = "transputer_joint"
HOW = "docs/one-model.md shows how to build one, without training"
#: Tokens that an answer may have.
MAX_TOKENS = 20_000


@dataclass(frozen=True)
class ChatStep:
    """A token of an answer, read: for the machine, the pc and the instruction, and the effect."""

    event: SequenceEvent
    pc: int | None = None
    instruction: str = ""
    effect: str = ""


@dataclass(frozen=True)
class ChatAnswer:
    """An answer: what it says, its tokens, and the trap of each run that trapped.

    `context` are the tokens before it. A recorded answer has the `arcs` of every forward pass.
    """

    question: str
    decoded: DecodedText
    tokens: list[list[int]] = field(repr=False)
    traps: list[Trap]
    context: list[list[int]] = field(repr=False)
    arcs: list[list[ChatArc]] = field(repr=False, default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return the fields of `--json`."""
        decoded = self.decoded
        return {
            "question": self.question,
            "text": decoded.text,
            "programs": decoded.programs,
            "outputs": decoded.outputs,
            "traps": [trap.value for trap in self.traps],
            "steps": decoded.steps,
            "tokens": len(self.tokens),
        }


class Conversation:
    """Questions and answers in one sequence, on a folder's weights.

    Raises `EngineUnavailable` without PyTorch and transformers, and `UsageError` for a folder that
    has no such model.
    """

    def __init__(self, folder: str | PathLike[str], max_tokens: int = MAX_TOKENS) -> None:
        if max_tokens < 1:
            raise UsageError(f"chat: an answer has at least 1 token, not {max_tokens}")
        self.max_tokens = max_tokens
        self._model, self._tokenizer = _loaded(Path(folder))
        self._code = _code_names(self._tokenizer.library)
        self.restart()

    def restart(self) -> None:
        """Begin a new sequence."""
        self._cache = self._model.joint.cache()
        self._sequence: list[list[int]] = []

    def ask(
        self,
        question: str,
        see: Callable[[SequenceEvent], object] = lambda event: None,
        recorded: bool = False,
    ) -> ChatAnswer:
        """Answer a question; `see` gets every token as it is decoded.

        With `recorded`, the answer has the arcs of both networks' attention. Raises
        `StepLimitError` after `max_tokens` tokens; the conversation then begins anew.
        """
        import torch

        turn = self._tokenizer.turn(question, not self._sequence)
        recorder = ArcRecorder(self._model)
        arcs: list[list[ChatArc]] = []

        def seen(event: SequenceEvent) -> None:
            if recorded:
                arcs.append(recorder.take())
            see(event)

        stream = _Stream(self._tokenizer.vocabulary, seen)
        tokens = torch.tensor([turn])
        limit = self.max_tokens
        with recorder.recording() if recorded else nullcontext():
            self._model.generate(
                tokens, past_key_values=self._cache, streamer=stream, max_new_tokens=limit
            )
        if stream.tokens[-1][0] != self._tokenizer.end:
            self.restart()
            raise StepLimitError(limit)
        # a later turn begins with the end of the answer before it
        context = [*self._sequence[:-1], *turn]
        self._sequence = [*context, *stream.tokens]
        return self._answer(question, stream.tokens, context, arcs)

    def _answer(
        self,
        question: str,
        tokens: list[list[int]],
        context: list[list[int]],
        arcs: list[list[ChatArc]],
    ) -> ChatAnswer:
        vocabulary = self._tokenizer.vocabulary
        ends = [event.token for event in vocabulary.events(tokens) if event.name == "trap"]
        traps = [trap for token in ends if (trap := trap_of(token)) is not None]
        return ChatAnswer(question, vocabulary.read(tokens), tokens, traps, context, arcs)

    def networks(self, token: Sequence[int]) -> tuple[str, ...]:
        """Return the networks that a token goes through, by the tables in the weights."""
        joint = self._model.joint
        kind = max(0, token[0] - self._tokenizer.own + 1)
        tables = {"machine": joint.acts, "language model": joint.reads}
        return tuple(name for name, table in tables.items() if table[kind])

    def steps(self, tokens: Sequence[Sequence[int]]) -> Iterator[ChatStep]:
        """Yield what each token says, and of a program or a run where and by what."""
        code, pc = dict(self._code), None
        for event in self._tokenizer.vocabulary.events(tokens):
            after = record(tuple(event.token[1:]))
            if event.name in ("routine", "run"):
                code[after.at] = event.text or event.name
                pc = after.at if pc is None else pc  # a run starts at the first instruction
                yield ChatStep(event, after.at, code[after.at])
            elif event.name in ("text", "code") or pc is None:
                pc = None if event.name == "code" else pc
                routine = event.name == "step" and after.space == Space.CODE
                yield ChatStep(event, instruction=code.get(after.at, "") if routine else "")
            else:
                yield ChatStep(event, pc, code.get(pc, ""), _effect(event, after))
                pc = after.pc

    def listing(self, answer: ChatAnswer) -> Iterator[str]:
        """Yield a line per token of the programs and runs of an answer."""
        number = 0
        for step in self.steps(answer.tokens):
            if step.event.name in ("routine", "run"):
                yield f"  code  pc {step.pc:4}  {step.instruction}"
            elif step.event.name == "code":
                number = 0
            elif step.pc is not None:
                number += 1
                line = f"{number:6}  pc {step.pc:4}  {step.instruction:20}  {step.effect}"
                yield line.rstrip()


class _Stream:
    """Collects tokens, and passes what they say on."""

    def __init__(self, vocabulary: Any, see: Callable[[SequenceEvent], object]) -> None:
        self.tokens: list[list[int]] = []
        self._waiting: list[list[int]] = []
        self._events = vocabulary.events(iter(self._waiting.pop, None))
        self._see = see

    def put(self, tokens: Any) -> None:
        """Take the next token of the only row."""
        (token,) = tokens.tolist()
        self.tokens.append(token)
        self._waiting.append(token)
        self._see(next(self._events))

    def end(self) -> None:
        """Take the end."""


class FoldedRuns:
    """Turns events into text for a terminal; a program and its run become `⟨program: steps⟩`.

    With `live`, the number of steps is shown while it grows, by backspaces.
    """

    def __init__(self, live: bool = False) -> None:
        self._live, self._counter = live, ""
        self._program: list[str] = []
        self._steps = 0
        self._output = ""

    def put(self, event: SequenceEvent) -> str:
        """Return what to print for an event; output bytes wait for the end of the run."""
        if event.name == "text":
            return event.text
        if event.name == "code":
            self._program, self._steps, self._output, self._counter = [], 0, "", ""
            return "⟨"
        if event.name == "routine":
            before = self._shown()
            self._program.append(event.text)
            return self._shown()[len(before) :]
        if event.name == "run":
            return spelled(self._program)[len(self._shown()) :] + ": "
        if event.name in ("done", "trap"):
            trap = trap_of(event.token)
            ending = f", trap: {trap.value}" if trap else ""
            return f"{self._count()}{ending}⟩{self._output}"
        self._steps += 1
        self._output += event.text
        return self._count() if self._live else ""

    def _count(self) -> str:
        """Return the number of steps, over the one that was shown last."""
        before, self._counter = self._counter, f"{self._steps:,} steps" if self._live else ""
        return "\b" * len(before) + f"{self._steps:,} steps"

    def _shown(self) -> str:
        """Return the program so far, without a number whose first digit has not come."""
        return spelled(self._program[:-1] if self._program[-1:] == ["push"] else self._program)


def trap_of(token: Sequence[int]) -> Trap | None:
    """Return the trap that a token of the joint sequence says, if any."""
    return record(tuple(token[1:])).trap


def _effect(event: SequenceEvent, after: Record) -> str:
    """Return what a step did: a write, an output byte, or its end."""
    if event.name in ("done", "trap"):
        return after.trap.value if after.trap else event.name
    if event.name == "out":
        return f"output {event.text!r}"
    if after.space in (Space.NONE, Space.WORK):
        return ""
    name = Space(after.space).name.lower() if after.space < Space.FIRST else "memory"
    return f"{name} {after.at} = {after.value}"


def _code_names(library: Sequence[Sequence[int]]) -> dict[int, str]:
    """Return the names of the library's instructions, by address."""
    names = {number: name for name, number in OPCODES.items()}
    tokens = (record(tuple(token)) for token in library)
    return {one.at: names[one.op] for one in tokens if one.space == Space.CODE and one.op in names}


def _loaded(folder: Path) -> tuple[Any, Any]:
    """Return the model and the tokenizer of a folder."""
    for module, name in (("torch", "PyTorch"), ("transformers", "transformers")):
        if find_spec(module) is None:
            raise EngineUnavailable(f"chat: {name} is not installed; pip install 'transputer[hf]'")
    try:
        config = json.loads((folder / "config.json").read_text())
    except FileNotFoundError:
        raise UsageError(f"{folder}: no model folder; {HOW}") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{folder}: config.json cannot be read: {error}") from None
    if not isinstance(config, dict) or config.get("model_type") != MODEL_TYPE:
        raise UsageError(f"{folder}: not a language model with the machine inside; {HOW}")
    from safetensors import SafetensorError
    from transformers.utils.logging import disable_progress_bar

    from transputer.engines.torch.modeling_joint import TransputerJointForCausalLM
    from transputer.exporters.tokenization_joint import JointTokenizer

    disable_progress_bar()
    try:
        model, notes = TransputerJointForCausalLM.from_pretrained(
            folder, local_files_only=True, output_loading_info=True
        )
        tokenizer = JointTokenizer.from_pretrained(folder, local_files_only=True)
        tokenizer.turn("")  # raises if its files are missing
        if absent := sorted(notes["missing_keys"]):
            raise ValueError(f"{len(absent)} tensors are missing, {absent[0]} among them")
    except (OSError, RuntimeError, ValueError, SafetensorError) as error:
        reason = str(error).strip().splitlines()[0]
        raise UsageError(f"{folder}: the model cannot be loaded: {reason}") from None
    return model, tokenizer
