"""The page `docs/encoding.md`: the trace machine's tokens, from the tables of the machine.

`python -m tools.encoding_page` writes it; `tests/tools/prompt_compiler.py` is written from it.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

from transputer.errors import TransputerError
from transputer.isa.core import CORE, MAX_FRAMES, MAX_SLOTS
from transputer.machines.trace.machine import EFFECTS, OWN_SP, PLACES
from transputer.machines.trace.opcodes import ALIASES, LOWERED, OPCODES, SEVERAL, SHAPES
from transputer.machines.trace.prompt import MAX_KEPT
from transputer.machines.trace.session import TraceSession
from transputer.machines.trace.vocabulary import (
    BYTE,
    LAYOUT,
    SIZES,
    SLOTS,
    TRAPS,
    WORD,
    Record,
    Space,
    Status,
    record,
    trap_status,
)
from transputer.model import Token

PAGE = Path(__file__).parents[1] / "docs" / "encoding.md"

#: What each field says in a token that the machine decodes.
FIELDS = {
    "pc": "place of the next instruction",
    "sp": "number of slots in use",
    "fp": "first slot of the running function",
    "depth": "number of open calls",
    "phase": "step within an instruction of several steps; 0 starts one",
    "space": "what is written; 0 is nothing",
    "at": "address of the write",
    "value": "the value written",
    "work": "intermediate result of an instruction of several steps",
    "digit": "digit of a quotient or a root",
    "status": "0 while the program runs",
    "op": "opcode, in tokens of space CODE",
}
SPACES = {
    Space.NONE: "no write",
    Space.SLOT: "operands and locals, by slot",
    Space.GLOBAL: "globals, by address",
    Space.CODE: "instructions, by place; only the host writes these",
    Space.FUNC: "function descriptors, by address + 1; at 0, that of the null reference",
    Space.FRAME: "open calls, found by `depth`; `at` is the caller's `fp`, `value` its next place",
    Space.SIZE: "at a memory's or table's space: its pages or elements; at 0: the stack limits",
    Space.OUTPUT: "an output byte; bit 8 of `value` means standard error",
    Space.WORK: "intermediate results; no head looks them up",
    Space.SENTINEL: "the first token, which is read where nothing was written",
    Space.VARIABLE: "locals of the assembly",
    Space.FIRST: "the first memory or table; each has a space of its own from here on",
}
STATUSES = {
    Status.RUN: "running",
    Status.DONE: "the invoked function returned; its results are in the slots from 0 on",
    Status.EXIT: "`value` is the exit code",
    Status.INPUT: "waits for a byte of input",
    Status.HOST: "waits for the host function with address `value`",
}

_VARIABLE = "`fp` the index of the local"
_GLOBAL = "`fp` the address of the global"
_JUMP = "`pc` the target"
_SPACE = "`fp` and `depth` the space of the table"
_BRANCH = "`pc` the target, `sp` *height* + *keep*, `value` *height* + 2^24 · *keep*, "
#: What the fields of an opcode's CODE token hold besides `space`, `at` and `op`.
IMMEDIATES = {
    "i32.const": "`value` the bits of the constant",
    **{f"local.{n}": _VARIABLE for n in ("get", "set", "tee", "zero")},
    **{f"var.{n}": _VARIABLE for n in ("get", "set", "tee", "zero")},
    **{f"global.{n}": _GLOBAL for n in ("get", "set")},
    **{
        op.name: "`value` the offset, `fp` and `depth` the space of the memory"
        for op in CORE
        if op.width and op.name in OPCODES
    },
    "memory.size": "`fp` the space of the memory or table; `table.size` has it in `depth`, too",
    "memory.grow": "`fp` the space, `value` the most pages or elements that it can have",
    "table.get": _SPACE,
    "table.set": _SPACE,
    **dict.fromkeys(("jump", "jump_if", "jump_unless"), _JUMP),
    "br.0": _BRANCH + "`fp` 0",
    "br.1": _BRANCH + "`fp` *height*",
    "br.n": _BRANCH + "`fp` -*keep*",
    "br_if.0": _BRANCH + "`fp` -1",
    "br_if.1": _BRANCH + "`fp` *height*",
    "br_if.n": _BRANCH + "`fp` -(*keep* + 1)",
    "return.0": "nothing",
    "return.1": "`sp` 1, `fp` 0, `value` 2^24",
    "return.n": "`sp` *count*, `fp` -*count*, `value` 2^24 · *count*",
    "br_table": "`value` *count*, `pc` the target of the last entry if that is a jump, "
    "otherwise the place of the last entry",
    "call": "`pc` the entry, `sp` locals - parameters, `fp` -parameters, "
    "`value` frame - parameters",
    "call_indirect": f"`value` the number of the type, {_SPACE}",
    "gosub": "`pc` the target, `fp` *size*",
    "host": "`value` the address of the host function",
}


_WHOLE_WORDS: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}


class _Recorder:
    """An engine that only records what the host appends."""

    def __init__(self) -> None:
        self.tokens: list[Token] = []

    def append(self, token: Token) -> None:
        """Record a token."""
        self.tokens.append(token)

    def step(self) -> Token:
        """Refuse to decode."""
        raise TransputerError("nothing is decoded here")


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def _space(number: int) -> str:
    return Space(number).name


def _layout() -> str:
    rows, first = [], 0
    for name, count in LAYOUT:
        parts = str(first) if count == 1 else f"{first} to {first + count - 1}"
        values = SIZES.get(name, BYTE)
        rows.append((f"`{name}`", parts, count, values, FIELDS[name]))
        first += count
    return table(("field", "parts", "bytes", "values of a part", "meaning"), rows)


def _statuses() -> str:
    rows = [(int(s), s.name, STATUSES[s]) for s in STATUSES]
    rows += [(trap_status(trap), f"TRAP_{trap.name}", f"trap: {trap.value}") for trap in TRAPS]
    return table(("number", "name", "meaning"), rows)


def _prologue() -> tuple[list[Record], int, int]:
    """The tokens of an empty session, and the first addresses of functions and globals."""
    engine = _Recorder()
    session = TraceSession(engine)
    records = [record(token) for token in engine.tokens]
    return records, len(session.store.functions), len(session.store.globals)


def _fields(item: Record) -> str:
    return ", ".join(f"`{name}` {getattr(item, name)}" for name, _ in LAYOUT if getattr(item, name))


def _stack(name: str) -> str:
    if name in OWN_SP:
        return "own rule"
    if SHAPES[name].leaves:
        return "= *fp* + `sp`"
    return "+ `sp`" if name == "call" else f"{EFFECTS.get(name, 0):+d}"


def _address(name: str) -> str:
    base = SHAPES[name].base
    if name in PLACES:
        return f"*sp* {PLACES[name]:+d}".replace("-", "- ")
    return {"frame": "*fp* + `fp`", "stack": "*sp* + `fp`", "zero": "`fp`", "": ""}[base]


def _read(name: str) -> str:
    shape = SHAPES[name]
    return f"{_space(shape.reads)} at {_address(name)}" if shape.reads else "—"


def _written(name: str) -> str:
    shape = SHAPES[name]
    if not shape.writes:
        return "—"
    where = {"push": " at the new top", "U": f" at {_address(name)}", "": ""}[shape.to]
    return _space(shape.writes) + where


def _opcodes() -> str:
    rows = [
        (
            number,
            f"`{name}`",
            IMMEDIATES.get(name, "nothing"),
            _stack(name),
            _read(name),
            _written(name),
        )
        for name, number in OPCODES.items()
    ]
    return table(("number", "opcode", "token holds", "sp", "R reads", "writes"), rows)


def _aliases() -> str:
    rows = [(f"`{name}`", f"`{other}`", OPCODES[other]) for name, other in ALIASES.items()]
    return table(("instruction", "encoded as", "number"), rows)


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _wrapped(block: str) -> str:
    """A paragraph or a list with lines of even length; tables and headings as they are."""
    if block.startswith(("#", "|")):
        return block
    items = re.split(r"\n(?=\* |\d\. )", block)
    return "\n".join(
        fill(" ".join(item.split()), 100, subsequent_indent=_indent(item), **_WHOLE_WORDS)
        for item in items
    )


def _indent(item: str) -> str:
    marker = re.match(r"\* |\d\. ", item)
    return " " * len(marker[0]) if marker else ""


def render() -> str:
    """The whole page."""
    records, functions, global_ = _prologue()
    parts = sum(count for _, count in LAYOUT)
    prologue = [(position, _fields(item)) for position, item in enumerate(records)]
    text = f"""# The encoding of programs as tokens

*Written by `python -m tools.encoding_page` from the tables of the machine; edit those.*

After reading this page you can write a compiler from [core code](core-code.md) to the trace
machine's prompt, run the model with any engine, and compare the hash of the run. A test does
that: `tests/tools/prompt_compiler.py` reads the tables of this page and imports nothing of the
package.

## Parts of a token

A token has {parts} parts. Each part is a number with an embedding table and an output table of
its own. Parts form fields; a field of several parts is a number in bytes, the least significant
first. A negative number is stored modulo 2^(8 · bytes).

{_layout()}

`value` holds 64 bits. Values of type i32 and f32 and references have zeros in the upper 32 bits.
A float is its bits. A reference is 0 for null, otherwise the address of its function plus 1.

A memory is a space of words of {WORD} bytes; `at` is the byte address divided by {WORD}. Every
token whose `space` is not 0 writes `value` at `at`; a head reads the latest write of an address.

## Spaces

{table(("number", "name", "holds"), [(int(s), s.name, text) for s, text in SPACES.items()])}

## Statuses

{_statuses()}

A trap ends the run. The token that reports it has status {int(Status.TRAPS)} or more.

## Prompt

The host appends these tokens, in this order. Fields that are not named are 0.

1. **The prologue**, the same for every program, [below](#prologue).
2. **Sizes**, one token for each memory and then for each table of the module: `space`
   {int(Space.SIZE)} (SIZE), `at` its space, `value` its pages of 64 KiB or its elements. Memories
   and tables are numbered together from {int(Space.FIRST)} on, in this order.
3. **Globals**, one token each: `space` {int(Space.GLOBAL)} (GLOBAL), `at` its address, `value`
   its initial value. The first global of a program has address {global_}.
4. **Imported host functions**, if any: two CODE tokens each, `host` and `return` of its results.
5. **Code**, one token for each instruction: `space` {int(Space.CODE)} (CODE), `at` its place,
   `op` its opcode, other fields as below. Places follow those of the module `transputer`, so all
   places of the program (targets, entries) are moved by the number of CODE tokens before.
6. **Function descriptors**, one token for each function: `space` {int(Space.FUNC)} (FUNC), `at`
   the function's address plus 1, `depth` the number of its type; `pc`, `sp`, `fp` and `value` as
   in a `call` of it. The first function of a program has address {functions}. Types are numbered
   from 0 in the order in which they first occur: those of the module `transputer` (`()->(i32)` is
   0, `(i32)->()` is 1), then those of `call_indirect` in the order of the code, then those of the
   functions. Equal types have one number. If the code has `call_indirect`, one more token follows,
   for the null reference: `space` {int(Space.FUNC)}, everything else 0.
7. **Elements** of tables, segment by segment: `space` the table's, `at` the index, `value` the
   reference.
8. **Data**, segment by segment: one token for each word of {WORD} bytes that a segment changes,
   in the order of addresses: `space` the memory's, `at` the word, `value` the whole word. Memory
   is 0 before.
9. **The invocation**: one token per argument, `space` {int(Space.SLOT)} (SLOT), `at` 0, 1, …,
   `value` the argument; then the start token, `space` {int(Space.FRAME)} (FRAME), `pc` the entry
   and `sp` the number of locals of the function. The forward pass of the start token is the first
   step.

A start function of the module is invoked like any other, before the export.

### Prologue

The sentinel; the stack limits; code and descriptors of the module `transputer`, whose functions
are `read`, `write`, `exit` and `put`. The `value` of the stack limits has the most open calls
minus 1 in its lower 16 bits and the number of slots divided by {SLOTS} above them: {MAX_FRAMES:,}
calls and {MAX_SLOTS:,} slots.

{table(("position", "token"), prologue)}

## Instructions

The token of an instruction holds only what the program says. What the opcode fixes comes from the
opcode's embedding: its change of `sp`, the space that head R reads, and where the result goes. In
the table, *sp* and *fp* are the state and `sp` and `fp` are fields of the instruction's token.
*height*, *keep*, *count* and *size* are immediates of [core code](core-code.md). In the last
columns, a dash means that the opcode has no such read, or that its own rule says what it writes.

* `br`, `br_if` and `return` have three opcodes each, for 0, 1 and more values that they keep. At
  most {MAX_KEPT} values can be kept.
* `ref.null` is `i32.const` with value 0; `ref.func` is `i32.const` with the function's address
  plus 1.
* Entries of a `br_table` are ordinary instructions after it.

{_opcodes()}

These instructions take several steps, for some or all operands. Each step but the last writes a
WORK token and stays at the same `pc`:
{_names(SEVERAL)}.

An access to memory that straddles two words takes two steps if it is a store. `br.n`, `br_if.n`
and `return.n` take one step per value; `swap` and `rot` take several.

### Instructions that share an opcode

The same circuit serves both, because 32-bit values have zeros above:

{_aliases()}

These instructions have no opcode and are [lowered](lowering.md):
{_names(sorted(LOWERED))}.

## While the program runs

* **Input.** The `input` instruction decodes a token with status {int(Status.INPUT)}. The host
  repeats that token with `status` 0 and the byte in `value`, or 0xFFFFFFFF at the end of the
  input. The next step pushes it.
* **Host functions.** Opcode `host` decodes a token with status {int(Status.HOST)} and the
  function's address in `value`. Its arguments are in the slots from *fp* on. The host appends one
  token for each result, with the state of that token, `phase` and `status` 0, `space`
  {int(Space.SLOT)} (SLOT), `at` the old *sp*, and `sp` one more; without results, one token with
  the state alone.
* **Output.** A token of space {int(Space.OUTPUT)} (OUTPUT) has the byte in `value`.

## trace_sha256

`trace_sha256` is the SHA-256 of all decoded tokens of the session, in order. A token is {parts}
bytes, one per part, in the order of the first table. Tokens that the host appends are not hashed.
Every engine gives the same hash.

## What the host does

This list is complete. Everything else is decoded from the weights (rule 1 of the
[design](design.md#3-the-rules)).

1. Compile the source, lower it to core code and verify it, before the run. Copy the folders and
   files that the command line names into the initial data of the file system's memory.
2. Refuse a module that cannot be instantiated: an import is missing or has another type, or a
   limit of the encoding is exceeded. A segment out of bounds is the trap that the standard asks
   for, and nothing is decoded.
3. Append the prompt, as above. Refuse to invoke a function whose frame alone exceeds the slots.
4. Embed, run the forward pass, take the argmax of each part, append; repeat until the status is
   not 0.
5. Answer status {int(Status.INPUT)} with a byte of input and status {int(Status.HOST)} with the
   results of a host function. For a program that reads the clock, one of these returns the number
   of tokens decoded so far.
6. Read results, output, the exit code, traps, memories and globals from the decoded tokens; from
   the file system's memory, the files that a writable folder gets after the run.
7. Stop at the step limit, or when memory grows beyond what the model's addressing reaches.
8. After a call of a module that throws exceptions, read two globals that its core code sets: a
   pending exception makes the call a trap, and a cause names a trap. Set each back to 0 with a
   token."""
    return "\n\n".join(map(_wrapped, text.split("\n\n"))) + "\n"


def main() -> None:
    """Write the page."""
    PAGE.write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    main()
