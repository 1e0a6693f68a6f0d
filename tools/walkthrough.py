"""The page `docs/how-it-works.md`: four instructions followed through every head and layer.

Every number on it is read from a run. `python -m tools.walkthrough` writes it.
"""

import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tools.figures import load
from transputer.debugger.inside import Inside, Look
from transputer.engines.reference.decoder import Reference
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.ir.verify import verify
from transputer.lower.flatten import flatten
from transputer.machines.trace.opcodes import OPCODES
from transputer.machines.trace.session import TraceSession
from transputer.machines.trace.universal import model
from transputer.machines.trace.uses import uses
from transputer.machines.trace.vocabulary import LAYOUT, WORD, Record, Space, Status, record
from transputer.model import EXACT, query_scale
from transputer.model.card import card

PAGE = Path(__file__).parents[1] / "docs" / "how-it-works.md"
PROGRAM = """(module
  (func (export "f") (param i32) (result i32)
    local.get 0  i32.const 7  i32.add))"""
ARGUMENT = 35
CARRIES = 0x00FFFFFF
MEMORY = """(module (memory 1)
  (func (export "g") (param i32) (result i32)
    i32.const 64  i32.const 99  i32.store
    local.get 0  i32.load))"""
HIT, MISS = 64, 72
_NAMES = {number: name for name, number in OPCODES.items()}
_MEANINGS = {
    "pc": "where the next instruction is",
    "sp": "how many slots are in use",
    "fp": "where the locals of the function start",
    "depth": "how many calls are open",
    "phase": "which step of an instruction of several steps this is",
    "space": "what kind of thing was written; 0 is nothing",
    "at": "at which address",
    "value": "which value, of up to 64 bits",
    "work": "what an instruction of several steps remembers",
    "digit": "a digit of a quotient or a root",
    "status": "0 goes on; anything else says why the program stopped",
    "op": "the opcode, in tokens of the program only",
}
_KINDS = {"pc": "state", "space": "write", "work": "work", "status": "status", "op": "op"}


@dataclass(frozen=True, slots=True)
class Run:
    """A function called once: its result, and the inside of every step."""

    result: int
    inside: Inside
    steps: tuple[int, ...]  # the positions whose forward pass decoded a token
    code: dict[int, str]  # by address

    def record(self, position: int) -> Record:
        """The token at a position."""
        return record(self.inside.tokens[position])


@cache
def run(wat: str, export: str, argument: int) -> Run:
    """Run on the reference engine, then look inside; both must predict the same tokens."""
    engine = Reference(model())
    session = TraceSession(engine)
    instance, _ = session.load(flatten(verify(decode(to_wasm(wat)))))
    outcome = session.invoke(instance, export, [argument])
    inside = Inside(model(), engine.tokens)
    count = len(engine.tokens)
    steps = tuple(range(count - 1 - outcome.steps, count - 1))
    if any(inside.predicted(p) != engine.tokens[p + 1] for p in steps):
        raise AssertionError("the reference engine and the inside view differ")
    code = {pc: str(instr) for pc, instr in enumerate(session.trace.listing)}
    return Run(outcome.results[0], inside, steps, code)


# Small pieces of text


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def in_context(number: int) -> str:
    """A number as a multiple of R, the context, and what is over."""
    context = model().context
    times = round(number / context)
    rest = number - times * context
    if not times:
        return str(rest)
    whole = {1: "R", -1: "-R"}.get(times, f"{times:,}R")
    return whole if not rest else f"{whole} {'+' if rest > 0 else '-'} {abs(rest)}"


def vector(numbers: Iterable[float]) -> str:
    """A vector whose large entries are multiples of R."""
    return f"`[{', '.join(in_context(int(n)) for n in numbers)}]`"


def pairs(numbers: dict[str, int]) -> str:
    """Names with numbers."""
    return ", ".join(f"{name} {number}" for name, number in numbers.items()) or "nothing"


def fields_of(item: Record) -> str:
    """The fields of a token that are not zero."""
    return ", ".join(
        f"{name} {_value(name, getattr(item, name), count)}"
        for name, count in LAYOUT
        if getattr(item, name)
    )


def _value(name: str, number: int, count: int) -> str:
    """Spaces, opcodes and stops by name; numbers that stand for negative ones as those."""
    if name == "space":
        known = number < Space.FIRST
        return f"{number} ({Space(number).name})" if known else f"{number} (first memory)"
    if name == "op":
        return f"{number} ({_NAMES[number]})"
    if name == "status":
        return f"{number} ({Status(number).name})"
    top = 256**count
    return str(number - top) if name in ("sp", "fp", "depth") and number > top // 2 else str(number)


def copied(look: Look, op: str) -> str:
    """What a head copies: numbers by name, bits counted, long names cut."""
    bits = [name for name in look.copied if _is_bit(name)]
    shown = {_short(n, op): v for n, v in look.copied.items() if n not in bits}
    text = pairs(shown)
    return f"{text}; {len(bits)} of its bits" if bits else text


def _is_bit(name: str) -> bool:
    stem, _, bit = name.rpartition(".")
    return bit.isdigit() and stem.startswith("value") and " " not in stem


def _short(name: str, op: str) -> str:
    if " + 2*" in name:
        return name.partition(".")[0]  # the byte of these bits
    names = name.split("/")
    if op not in names:
        return name
    return op if len(names) == 1 else f"{op} or {len(names) - 1} more"


# The page


def _opening() -> str:
    walk = run(PROGRAM, "f", ARGUMENT)
    return f"""# How it works

*Written by `python -m tools.walkthrough`: every number below is read from the
model, from a run or from a result file.*

This page follows one small program through the trace machine: each token, each head, each layer.
After reading it you know how attention finds an address and how neurons add.

```wat
{PROGRAM}
```

`f({ARGUMENT})` returns {walk.result} in {len(walk.steps)} steps: `local.get`, `i32.const`,
`i32.add`, and the `return` implied by the end of the function. A step is one forward pass
that decodes one token.

An interpreter fetches an instruction, looks at its opcode, and branches to the code for it.
Nothing does that here. The engine is the loop of any decoder:

```
x      = bias + sum of the embeddings of the token's parts + position
layer:   x += sum over heads of output @ (value of the best-scoring earlier token, or this one)
         x += out @ (relu(gate @ x) * (value @ x))
next   = for each part of the token, argmax(output_table[part] @ x)
append next; repeat
```

The loop has no case for `i32.add`, for a jump or for a memory. The weights are the same for
every program; the program is in the prompt. Attention and neurons fetch the instruction, read
the variable and add. Delete the names of the lanes, or shuffle lanes, heads and neurons, and it
still runs. Change a weight that matters, and it computes something else."""


def _vocabulary() -> str:
    rows, kind = [], ""
    for name, count in LAYOUT:
        kind = _KINDS.get(name, kind)
        rows.append((kind, f"`{name}`", count, _MEANINGS[name]))
    value = model().embeddings[[p.name for p in model().parts].index("value0")][ARGUMENT]
    lanes = _embedding_lanes(value)
    return f"""## 1. Tokens

A token is not one number but {len(model().parts)} parts of at most a byte each. Each part has an
embedding table; the embedding of a token is the sum of its parts' rows. {len(model().parts)}
output tables predict the parts of the next token in parallel. All tokens have the same parts
(state, write, work, status, op), whether the host appends them or the machine decodes them:

{table(("", "field", "bytes", "says"), rows)}

In a program token (space CODE) the state fields hold immediates instead: `pc` a jump target, `fp`
the index of a local, `value` a constant. What the opcode fixes, such as its effect on the stack,
is in the embedding of the opcode. [encoding.md](encoding.md) has the whole encoding.

The embedding turns numbers into lanes. The row for `value0 = {ARGUMENT}` sets exactly these
lanes: {pairs(lanes)}. So the byte is present both as a number and as bits. Parts of an address
also add the square of their number to a common lane, which attention needs."""


def _embedding_lanes(row: Any) -> dict[str, int]:
    hints = [h for h in model().hints["lanes"] if h["from"] == -1]
    return {h["name"]: int(row[h["lane"]]) for h in hints if row[h["lane"]]}


def _prompt() -> str:
    walk = run(PROGRAM, "f", ARGUMENT)
    first = walk.steps[0]
    rows = [(p, fields_of(walk.record(p)), _role(walk, p)) for p in range(first + 1)]
    return f"""## 2. The prompt

The host appends these tokens before the first step; parts that are 0 are left out:

{table(("position", "token", "what it is"), rows)}

Token 0 is read where nothing was written (section 4). Token {first} starts the call: it holds
the initial state, and its forward pass is step 1. A function descriptor says where a function
starts, how a call changes `sp` and `fp`, and, in `depth`, the index of its type. The module
`transputer` (read a byte, write a byte, exit) is loaded with every program; `f` does not use
it."""


def _role(walk: Run, position: int) -> str:
    item = walk.record(position)
    if item.space == Space.CODE:
        own = item.at >= walk.record(walk.steps[0]).pc
        return f"{'`f`' if own else '`transputer`'}: `{walk.code[item.at]}`"
    roles = {
        Space.SENTINEL: "the sentinel",
        Space.SIZE: "the stack limits",
        Space.FUNC: "a function descriptor",
        Space.SLOT: f"the argument, {item.value}",
        Space.FRAME: "the start token",
    }
    return roles[Space(item.space)]


def _attention() -> str:
    walk = run(PROGRAM, "f", ARGUMENT)
    look = next(k for k in walk.inside.looks(walk.steps[0]) if k.name == "instruction")
    key = walk.record(look.position)
    hit = key.space**2 + key.at**2
    return f"""## 3. Four steps

### How a head finds an address

Most keys say where a token writes: `[space, at0, at1, at2, -(space² + at0² + at1² + at2²),
position]`. A query for the address *q* is `[2R q, ..., R, 1]`, with R = {model().context:,},
the longest context. So

    score = R (2 q·a - |a|²) + position = R (|q|² - |q - a|²) + position

The score is largest where *a* = *q*. A wrong address scores at least R lower. Among tokens with
the same address the position decides, which stays below R. One dot product thus implements a
dictionary in which the latest write wins. The heads P, Q and X, which may look up addresses that
were never written, have one more entry for the sentinel (section 4).

The first fetch, by hand: the query is space {int(Space.CODE)} and pc {key.at}. Token
{look.position} has that address, so its score is R (2·({key.space}·{key.space} +
{key.at}·{key.at}) - {hit}) + {look.position} = {hit}R + {look.position} = {look.score:,}. The
runner-up is token {look.second}, pc {walk.record(look.second).at}:
{int(look.scores[look.second]):,}, {in_context(look.margin)} less.

In the tables below, the instruction uses the heads in bold. The other heads attend too, because
nothing tells them not to; what they copy meets a closed gate and adds nothing. Copied zeros are
left out. `i32.add or N more` is a lane that means "`i32.add` or one of N other instructions"."""


_ABOUT = (
    """The instruction head copies control lanes and immediates. That completes decoding,
because the embedding of the opcode *is* its control signals. Layer 0 computes addresses
(`addresses`: next pc, top of the stack, and U, the frame plus the immediate). In layer 1, T, S
and R read at them: R reads the local. Then one neuron of `get`, `relu(is local.get) * R`, puts the
byte {value} on the lane `next value0`.""",
    """There is nothing to compute: the constant came with the
instruction, in layer 0, and a neuron of `const` passes it on in the same layer. `mul`,
`compares` and `logic` work on T and S in every step. Their results are unused: only an
instruction's own lane opens the gate behind them.""",
    """S and T read the two tokens that the
previous steps decoded. Then the group `add` works.""",
    """T reads slot 1, which two
tokens have written; section 4 says why it reads the right one. The group `branches` copies T to
the slot of the first local, where results belong. Because no call is open (`depth` 0), the
status becomes DONE.""",
)


def _steps() -> str:
    walk = run(PROGRAM, "f", ARGUMENT)
    return "\n\n".join(_step(walk, n, p) for n, p in enumerate(walk.steps))


def _step(walk: Run, number: int, position: int) -> str:
    item, after = walk.record(position), walk.record(position + 1)
    fetched = next(k for k in walk.inside.looks(position) if k.name == "instruction")
    op = _NAMES[walk.record(fetched.position).op]
    about = _ABOUT[number].format(value=after.value)
    adder = f"\n\n{_adder()}" if op == "i32.add" else ""
    return f"""### Step {number + 1}: `{walk.code[item.pc]}`

The input is token {position}. It sets these lanes: {_inputs(walk, position)}.

{_looks(walk, position, op)}

{about}

{_layers(walk, position)}{adder}

{_logits(walk, position)} Token {position + 1}: **{fields_of(after)}**."""


def _inputs(walk: Run, position: int) -> str:
    lanes = walk.inside.inputs(position)
    shown = {n: v for n, v in lanes.items() if "." not in n and "|" not in n and " in " not in n}
    return f"{pairs(shown)}, and {len(lanes) - len(shown)} more (bits and squares of these)"


def _looks(walk: Run, position: int, op: str) -> str:
    wanted = uses(walk.code[walk.record(position).pc].split()[0])
    rows, same = [], []
    for k in walk.inside.looks(position):
        if k.name not in wanted and position != walk.steps[0] and _as_before(walk, k, position):
            same.append(k.name)
            continue
        name = f"**{k.name}**" if k.name in wanted else k.name
        other = f"{k.second}: {in_context(int(k.scores[k.second]))}"
        rows.append(
            (k.layer, name, vector(k.query), k.position, vector(k.key))
            + (in_context(k.score), other, in_context(k.margin), copied(k, op))
        )
    head = "layer,head,query,token,its key,score,runner-up,margin,copies".split(",")
    rest = f"\n\nAs in the step before: {', '.join(same)}." if same else ""
    return table(head, rows) + rest


def _as_before(walk: Run, look: Look, position: int) -> bool:
    before = next(k for k in walk.inside.looks(position - 1) if k.name == look.name)
    return before.position == look.position and bool(np.all(before.query == look.query))


def _layers(walk: Run, position: int) -> str:
    rows = []
    for number, layer in enumerate(model().layers):
        groups = walk.inside.open(position, number)
        if not groups:
            continue
        erased = groups.pop("erase", 0)
        count = f"{sum(groups.values()) + erased} of {len(layer.gate)}"
        rows.append((number, count, pairs(groups), erased or ""))
    return table(("layer", "open neurons", "by group", "erase"), rows)


def _logits(walk: Run, position: int) -> str:
    logits = walk.inside.logits(position, "value0")
    best, second = np.argsort(-logits, kind="stable")[:2]
    x = walk.inside.final("next value0", position)
    return (
        f"At the end, `next value0` is x = {x}. The logit of byte v is 2vx - v²: "
        f"{int(logits[best])} for {best}, {int(logits[second])} for the runner-up {second}."
    )


def _adder() -> str:
    small, large = run(PROGRAM, "f", ARGUMENT), run(PROGRAM, "f", CARRIES)
    blocks = [_sums(walk, walk.steps[2]) for walk in (small, large)]
    return f"""`add` serves `i32.add` and `i64.add`; these are its twelve neurons for the lower four
bytes, three per byte d. One, `relu(is an addition) * (S_d + T_d)`, passes the byte sum on. Two
make the carry out of byte d, with z the sum of all bytes up to d minus 256^(d+1): `relu(z + 1) -
relu(z)` is 1 where z >= 0 and 0 elsewhere, for integers. A carry takes 256 from its byte and adds
1 to the next. All four carries are computed at once, from sums, not one after the other. The
neurons of the upper four bytes open for `i64.add` only, so the result of an `i32.add` has zeros
there.

{blocks[0]}

No carries there. The same neurons in `f({CARRIES:#010x})` = {large.result:#010x}:

{blocks[1]}"""


def _sums(walk: Run, position: int) -> str:
    firings = walk.inside.firings(position, 1, "add")
    rows = []
    for d in range(4):
        up, down, total = firings[3 * d : 3 * d + 3]
        carry = up.product - down.product
        gates = f"relu({up.gate:,}) - relu({down.gate:,})"
        byte = walk.inside.final(f"next value{d}", position)
        rows.append((d, total.product, gates, carry, byte))
    return table(("byte", "S + T", "carry neurons", "carry", "`next value`"), rows)


def _recency() -> str:
    walk = run(PROGRAM, "f", ARGUMENT)
    look = next(k for k in walk.inside.looks(walk.steps[3]) if k.name == "T")
    writes = [
        (p, fields_of(walk.record(p)), in_context(int(look.scores[p])))
        for p in (look.second, look.position)
    ]
    return f"""## 4. Overwriting, and what was never written

Tokens never change; a slot is overwritten by writing it again. `local.get` and `i32.add` both
wrote slot 1. In step 4, both tokens have the address that head T looks up:

{table(("position", "token", "score"), writes)}

The later token wins by {look.margin}, the difference of the positions. No engine has a rule
"take the latest": the position is a lane, and the head has a weight on it.

{_sentinel()}"""


def _sentinel() -> str:
    rows = []
    for argument in (HIT, MISS):
        walk = run(MEMORY, "g", argument)
        loads = [p for p in walk.steps if walk.code[walk.record(p).pc].startswith("i32.load")]
        position = loads[0]
        look = next(k for k in walk.inside.looks(position) if k.name == "P")
        rows.append(
            (f"`g({argument})` = {walk.result}", vector(look.query))
            + (f"{look.position}: {fields_of(walk.record(look.position))}", in_context(look.score))
            + (f"{look.second}: {in_context(int(look.scores[look.second]))}", copied(look, ""))
        )
    head = ("call", "query of P", "token", "score", "runner-up", "copies")
    return f"""Memory that was never written reads as 0. This program stores at address
{HIT} and loads from its argument:

```wat
{MEMORY}
```

{table(head, rows)}

A memory is a space of words of {WORD} bytes; {HIT} is in word {HIT // WORD}, {MISS} in word
{MISS // WORD}. With *q* =
(space, word), a hit scores |q|² R + position and the nearest miss at most (|q|² - 1) R + position.
The sentinel, token 0, counts as a write of every address and scores |q|² R; neurons compute the
|q|² for it. A hit is later, so it wins, and a miss lacks R, which is more than any position. A miss
therefore attends to token 0 and copies its value, 0."""


def _sizes() -> str:
    about = card(model())
    width = len(model().layers[0].heads[0].query)
    layers, tables = about["parameters"]["layers"], about["parameters"]["tables"]
    bounds = [
        (kind, f"{b['magnitude']:,}", f"{EXACT / b['magnitude']:,.1f}", b["at"])
        for kind, b in about["bounds"]["largest"].items()
    ]
    return f"""## 5. What is where

{_map()}

`erase` neurons clear a lane that nobody reads any more (x - x = 0), so that it can be reused:
{about["lanes"]} lanes hold {len(model().hints["lanes"])} named quantities in turn.

In total: {about["layers"]} layers, {about["lanes"]} lanes, {about["heads"]} heads,
{about["neurons"]:,} neurons. Of {layers["dense"]:,} weights in the layers {layers["nonzero"]:,}
are not zero; of {tables["dense"]:,} in the embedding and output tables, {tables["nonzero"]:,}.

**What the weights are.** {_weights()} None was trained: the machine's circuit
determines each of them (`transputer inspect` lists them).

**Why sums are exact.** A float64 holds every integer up to 2^53 = {EXACT:,}. For each linear
form, score and product, the sum of |weight| times the largest possible |input| is derived from
the tensors when a model is built, and again when it is loaded; a model that exceeds the limit
is refused. A power of two that all queries of a head share is divided out first, because it only
changes exponents. No order of summation and no fused multiply-add can then change a bit:

{table(("largest", "magnitude", "times below 2^53", "where"), bounds)}

**Why softmax is one-hot.** The engine here takes the largest score. Textbook attention, a softmax
of the scores divided by √d, gives the same result. The heads are d = {width} wide, and the query
weights are multiplied by 1024·√d = {query_scale(width):,}; this page leaves that factor out of
queries and scores. Scores without it are integers, so every other score is at least 1 lower: at
least 1024 after factor and division. Its weight is exp(-1024) = {float(np.exp(-1024.0))} in float64
(e^-1024 is about 10^-445, the smallest positive float64 about 10^-324). The smallest margin in the
four steps above is {_smallest()}. The attention weights are exactly 1 and 0, not approximately."""


def _map() -> str:
    hints, rows = model().hints, []
    for number, layer in enumerate(model().layers):
        heads = ", ".join(h["name"] for h in hints["heads"] if h["layer"] == number)
        groups = Counter({h["group"]: h["count"] for h in hints["neurons"] if h["layer"] == number})
        erased = groups.pop("erase", 0)
        most = ", ".join(f"{group} {count}" for group, count in groups.most_common(5))
        rows.append((number, heads or "none", len(layer.gate), most, erased))
    return table(("layer", "heads", "neurons", "largest groups", "erase"), rows)


def _weights() -> str:
    tensors = model().tensors()
    weights = np.concatenate([a[a != 0] for a in tensors.values()])
    inner = np.concatenate([a[a != 0] for n, a in tensors.items() if n.startswith("layer")])
    if np.any(weights != np.round(weights)):
        raise AssertionError("a weight is not an integer")
    ones = np.count_nonzero(np.abs(inner) == 1) / len(inner)
    powers = np.count_nonzero(np.frexp(np.abs(inner))[0] == 0.5) / len(inner)
    return (
        f"Integers, from {int(weights.min()):,} to {int(weights.max()):,}, with "
        f"{len(np.unique(weights)):,} distinct values; of those in the layers "
        f"{ones:.0%} are 1 or -1 and {powers:.0%} are "
        "powers of two or their negatives."
    )


def _smallest() -> int:
    walk = run(PROGRAM, "f", ARGUMENT)
    return min(look.margin for p in walk.steps for look in walk.inside.looks(p))


def _tool() -> str:
    layers = card(model())["parameters"]["layers"]
    return f"""## Why this is not an interpreter with extra steps

There is no interpreter outside the weights. The engine is the loop at the top of this page. The
host appends the program and reads the result from the tokens; between the start token and DONE
it does nothing. `i32.add` adds because the opcode's embedding has a 1 in one lane, and neurons
have weights on that lane. Negate one of them and sums are wrong, on every engine in the
same way.

It is of course equivalent to an interpreter, as any computer is. The difference is where it is:
in the weights of a decoder, with nothing outside. Nearly every instruction takes one
forward pass; division and floating-point arithmetic take a few ([lowering.md](lowering.md#costs)).

## Why not just call a tool?

Usually you should. If leaving the model is acceptable, calling a tool is simpler and far
cheaper. A loop that sums numbers, nine instructions per iteration, on one core:

{_speeds()}

({_speed_source()} The reference engine multiplies all {layers["dense"]:,} layer weights per step,
{layers["nonzero"] / layers["dense"]:.1%} of them not zero, and compares with every earlier
token, so it slows down as the run grows. It is written to be read. `native` skips the zeros and
indexes the keys ([benchmarks.md](benchmarks.md)); the compiler remains the fair comparison.)

It makes sense when the computation must be inside the model:

* **Exact computation in the model's own forward passes.** There is no external call, no parsing
  of its result and no state elsewhere. The sequence is the whole state, and every intermediate
  value is a readable token.
* **Ground truth for interpretability.** The purpose of each lane, head and neuron is known. A
  method that claims to find circuits in a transformer can be tested on one whose circuits are
  written down.
* **Expressiveness of transformers.** Claims about depth, width, precision and context can be
  tested on a construction with derived bounds instead of a sketch.
* **Determinism.** Every engine decodes the same tokens: sums are exact, and no tie decides.
* **Differentiable surroundings.** It is a network of ordinary tensor operations, and can stand
  between trained layers. (Gradients through one-hot attention are zero almost everywhere. The
  surrounding layers can learn; learning the program itself needs the [soft machine](soft.md).)

It makes no sense for speed, for large data, or to make a language model better at arithmetic.
These weights are constructed, not learned, and can do nothing but execute programs."""


def _speeds() -> str:
    rates = load("results/speed")["values"]
    rows = (
        ("the weights, reference engine", rates["reference"]),
        ("an interpreter in Python, our oracle", rates["oracle"]),
        ("compiled by wasmtime", rates["wasmtime"]),
    )
    head = ("", "instructions/s", "times the reference engine")
    return table(
        head,
        ((name, f"{_rounded(n):,}", f"{_rounded(n / rates['reference']):,}") for name, n in rows),
    )


def _speed_source() -> str:
    about = load("results/speed")
    return (
        f"Measured by `{about['command']}` on one core of {about['machine']['cpu']}, commit "
        f"{about['commit']}, load {about['machine']['load'][0]}."
    )


def _rounded(number: float) -> int:
    """To two digits."""
    return int(float(f"{number:.1e}"))


def _filled(block: str) -> str:
    """A paragraph or a list with lines of even length; other blocks as they are."""
    if block.startswith(("|", "```", "#", " ")):
        return block
    items = block.split("\n* ")
    indent = "  " if block.startswith("* ") else ""
    return "\n* ".join(_wrapped(item, indent) for item in items)


def _wrapped(text: str, indent: str) -> str:
    words = " ".join(text.split())
    return textwrap.fill(
        words, 98, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def render() -> str:
    """The whole page."""
    sections = (_opening, _vocabulary, _prompt, _attention, _steps, _recency, _sizes, _tool)
    blocks = "\n\n".join(section() for section in sections).split("\n\n")
    return "\n\n".join(map(_filled, blocks)) + "\n"


def main() -> None:
    """Write the page."""
    PAGE.write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    main()
