"""The reference page `docs/isa.md`: `python -m tools.isa_page` writes it from the tables."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import fill

from transputer.isa.asm import ASM, reference
from transputer.isa.core import CORE, MAX_FRAMES, MAX_SLOTS
from transputer.isa.op import LETTERS, Op
from transputer.isa.vectors import FIRST, LANES, PREFIX, VECTORS
from transputer.isa.wasm import STRUCTURAL, WASM

#: The page, in a checkout.
PAGE = Path(__file__).parents[1] / "docs" / "isa.md"

#: What an immediate of each kind is.
KINDS = {
    "i32": "a 32-bit number",
    "i64": "a 64-bit number",
    "f32": "the bits of a 32-bit float",
    "f64": "the bits of a 64-bit float",
    "v128": "the bits of a vector",
    **{kind: f"a lane, below {count}" for kind, count in LANES.items()},
    "lanes": "16 bytes of two vectors, each below 32",
    "blocktype": "what a block takes and leaves: nothing, one result type, or the index of a type",
    "label": "which enclosing block to leave or repeat, 0 the innermost",
    "tag": "the number of an exception's tag",
    "catches": "clauses: the tag of an exception, or all, and the label to branch to",
    "labels": "labels, the last one for every index beyond the others",
    "func": "index of a function",
    "type": "index of a function type",
    "table": "index of a table",
    "memory": "index of a memory",
    "local": "index of a local; parameters come first",
    "global": "index of a global",
    "data": "index of a data segment",
    "elem": "index of an element segment",
    "memarg": "alignment (a promise without effect), offset, which is added to the address, and memory",
    "valtypes": "value types",
    "reftype": "`func` or `extern`",
    "offset": "added to the address",
    "pc": "a place in the code",
    "height": "a slot, counted from `fp`",
    "keep": "how many slots move",
    "size": "how many variables a frame has",
    "count": "how many: results of a return, entries of a br_table without its last",
}

_WASM_GROUPS = "control parametric variable numeric memory table reference".split()
_NUMBERS = "i32 i64 f32 f64".split()
_CORE_GROUPS = "control device assembly".split()
_HEAD = """\
| number | instruction | operands → results | what it does | traps |
|---|---|---|---|---|"""


def _quoted(names: Iterable[str]) -> str:
    return fill(", ".join(f"`{name}`" for name in names), 100)


_INTRODUCTION = f"""\
# The instruction tables

Written by `python -m tools.isa_page` from the tables in `src/transputer/isa/`; edit those.

| table | rows | what it is |
|---|---:|---|
| [WebAssembly](#webassembly) | {len(WASM)} | WebAssembly 2.0 without vectors: `.wasm`, `.wat`, C |
| [vectors](#vectors) | {len(VECTORS)} | fixed-width and relaxed SIMD; [lowered](lowering.md) to words |
| [core code](#core-code) | {len(CORE)} | what every program is lowered to and the machine executes |
| [stack assembly](#stack-assembly) | {len(ASM)} | the instructions of `.asm` files |

How to read the tables:

* The **number** is in hexadecimal; in WebAssembly it is what stands in the binary.
* Immediates follow the **instruction** in *italics*, in the order of the binary.
* **Operands** are in the order in which they are pushed, so the last one is the top. `x` is a value
  of any type, or of a type that the rest of the program decides; a dash means that even their
  number depends on it.
* **Traps** end the program with that message.

Every row with a pure function carries edge cases; those of WebAssembly are in
`src/transputer/isa/cases.py`. The tests run them, and random operands, on our functions and on
wasmtime. Where the standard lets an instruction choose among NaNs, ours is the canonical one:
positive, with only the first bit of the fraction set.
"""

_WASM = f"""\
## WebAssembly

Integer arithmetic wraps. Float arithmetic rounds to nearest, ties to even. These only give a
program its shape, and do not count as executed instructions:
{_quoted(sorted(STRUCTURAL))}.
"""

_VECTORS = """\
## Vectors

A vector has 128 bits, lane 0 in the lowest. Relaxed instructions follow the deterministic profile of the
standard; where it names another instruction, they are that one.
"""

_CORE = f"""\
## Core code

Flat code with absolute targets; [core-code.md](core-code.md) explains it with an example. The state
is:

* `pc`, the place of the next instruction;
* *slots*, one array of values: a function's locals start at `fp` and its operands follow, the top
  one at `sp - 1`. A value of any type takes one slot; a reference is 0 for null, else its number
  plus one;
* open calls, each with the `pc` and `fp` to go back to: at most {MAX_FRAMES:,}, in at most
  {MAX_SLOTS:,} slots;
* memories, tables, globals and segments, as in WebAssembly;
* for the assembly, whose operands are shared between caller and callee, *variables* beside the
  slots: `gosub` moves on by its *size*, and nothing clears them.
"""


def render() -> str:
    """The whole page as Markdown."""
    parts = (
        _INTRODUCTION,
        _kinds(),
        _WASM,
        *_wasm(),
        _VECTORS,
        _table(VECTORS),
        _CORE,
        *_core(),
        *_assembly(),
    )
    return "\n".join(parts)


def _kinds() -> str:
    lines = [f"| *{kind}* | {what} |" for kind, what in KINDS.items()]
    return "\n".join(("| immediate | what it is |", "|---|---|", *lines)) + "\n"


def _wasm() -> Iterator[str]:
    for group in _WASM_GROUPS:
        rows = [op for op in WASM if op.group == group]
        if group == "numeric":
            for prefix in _NUMBERS:
                yield f"### Numeric, {prefix}\n"
                yield _table(op for op in rows if op.name.startswith(prefix))
        else:
            yield f"### {group.capitalize()}\n"
            yield _table(rows)


def _core() -> Iterator[str]:
    shared = [op for op in CORE if op.name in WASM and op.doc == WASM[op.name].doc]
    for group in _CORE_GROUPS:
        yield f"### {group.capitalize()} in core code\n"
        yield _table(op for op in CORE if op.group == group and op not in shared)
    changed = [op for op in shared if op.imm != WASM[op.name].imm]
    yield "### Kept from WebAssembly with other immediates\n"
    yield _table(changed)
    yield "### Kept from WebAssembly as they are\n"
    yield _quoted(op.name for op in shared if op not in changed) + "\n"


def _assembly() -> Iterator[str]:
    yield "## Stack assembly\n"
    yield "[assembly.md](assembly.md) explains the language. Numbers are decimal here.\n"
    yield reference().rstrip("\n") + "\n"


def _table(rows: Iterable[Op]) -> str:
    return "\n".join((_HEAD, *(f"| {' | '.join(_cells(op))} |" for op in rows))) + "\n"


def _cells(op: Op) -> tuple[str, str, str, str, str]:
    number = _number(op.code)
    instruction = " ".join((f"`{op.name}`", *(f"*{kind}*" for kind in op.imm)))
    return number, instruction, _signature(op), op.doc, ", ".join(t.value for t in op.traps)


def _number(code: int) -> str:
    if code >= FIRST:
        return f"{PREFIX:02X} {code - FIRST:02X}"
    return code.to_bytes(1 if code < 0x100 else 2, "big").hex(" ").upper()


def _signature(op: Op) -> str:
    """As `i32 i32 → i32`; where the types depend on the program, with x for each value."""
    sig = op.sig
    if not sig and op.name in CORE and CORE[op.name].doc == op.doc:
        sig = CORE[op.name].sig
    operands, colon, results = sig.partition(":")
    return f"{_types(operands)} → {_types(results)}".strip() if colon else "—"


def _types(letters: str) -> str:
    return " ".join(LETTERS[c].value if c in LETTERS else c for c in letters)


def main() -> None:
    """Write the page."""
    PAGE.write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    main()
