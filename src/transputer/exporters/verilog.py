"""Export a looped model as a circuit: Verilog with the nonzeros as microcode, exact in integers.

`kernel.v` is the same for every model. This module writes the widths of all numbers, derived from
the bounds that `verify_looped` proves, the memories of keys with their products, and the microcode.
The state is loaded over a bus, so another program needs no new circuit. The code knows no operation
of any machine, and a broken model gives a circuit that is broken in the same way.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from importlib.resources import files

import numpy as np

from transputer.errors import CapacityError, UsageError
from transputer.model import Array, Looped, LoopedLayer, SelfHead, verify_looped
from transputer.model.looped import looped_digest

#: Limit on the bits of a sum: tools may not multiply wider numbers correctly.
MOST_BITS = 64


class MicroOp(IntEnum):
    """Operations of the microcode, as `kernel.v` explains them."""

    TERM = 0
    OUT = 1
    APPLY = 2
    WAIT = 3
    GATE = 4
    FORM = 5
    KEY = 6
    KEYS = 7
    HOLD = 8
    SCAN = 9
    MEAN = 10
    STOP = 11
    END = 12


Word = tuple[MicroOp, int, int]


@dataclass(frozen=True, slots=True)
class VerilogWidths:
    """Bits of signed numbers: entries in a step, between steps, values, sums, weights, keys."""

    entry: int
    state: int
    value: int
    total: int
    weight: int
    keys: tuple[tuple[int, ...], ...]  # per head and entry of its key

    @staticmethod
    def of(model: Looped) -> "VerilogWidths":
        """Return the smallest widths that hold all values; raise as `verify_looped` does."""
        bounds = verify_looped(model)
        most = [np.abs(np.stack(ends)).max(axis=0) for ends in bounds.ranges]
        entries, values, keys = [max(map(np.max, most))], [0.0], []
        for layer, largest in zip(model.layers, most, strict=False):
            attended = largest.copy()
            for head in layer.heads:
                value = np.abs(head.value) @ largest
                attended += np.abs(head.output) @ value
                values.append(value.max(initial=0.0))
                keys.append(tuple(_bits(n) for n in np.abs(head.key) @ largest))
            entries.append(attended.max())
        total = _bits(max(number for number, _ in bounds.largest.values()))
        if total > MOST_BITS:
            raise CapacityError(f"sums need {total} bits; a circuit has at most {MOST_BITS}")
        weights = max(np.abs(array).max(initial=0.0) for array in model.tensors().values())
        return VerilogWidths(
            _bits(max(entries)), _bits(most[0].max()), _bits(max(values)), total,
            _bits(weights), tuple(keys),
        )  # fmt: skip


class Microcode:
    """The microcode of a model, with the offsets of its parts."""

    def __init__(self, model: Looped) -> None:
        self.words: list[Word] = []
        self._heads = [head for layer in model.layers for head in layer.heads]
        self.values = sum(len(head.value) for head in self._heads)
        self.learn: list[int] = []  # per layer: keys and values of its heads
        self.visit: list[int] = []  # per layer: its heads and neurons
        head = value = 0
        for layer in model.layers:
            self.learn.append(self._begin())
            self._learn(layer.heads, head, value)
            self.visit.append(self._begin())
            self._attend(layer.heads, head, value)
            self._neurons(layer)
            self._put(MicroOp.END)
            head += len(layer.heads)
            value += sum(len(one.value) for one in layer.heads)
        self.learn_all = self._begin()
        self._learn(tuple(self._heads), 0, 0)
        self.check_all = self._begin()
        for number in range(len(self._heads)):
            self._put(MicroOp.SCAN, number)
        self._put(MicroOp.END)
        self.stop = self._begin()
        self._terms(model.stop)
        self._put(MicroOp.STOP)
        self._put(MicroOp.END)

    def _begin(self) -> int:
        return len(self.words)

    def _put(self, op: MicroOp, number: int = 0, weight: float = 0) -> None:
        self.words.append((op, number, int(weight)))

    def _terms(self, row: Array, op: MicroOp = MicroOp.TERM) -> None:
        """Append one word for each nonzero of a row."""
        for lane in np.flatnonzero(row).tolist():
            self._put(op, lane, row[lane])

    def _learn(self, heads: tuple[SelfHead, ...], first: int, value: int) -> None:
        for number, head in enumerate(heads, start=first):
            for row in head.key:
                self._terms(row)
                self._put(MicroOp.KEY)
            self._put(MicroOp.KEYS, number)
            for row in head.value:
                self._terms(row)
                self._put(MicroOp.HOLD, value)
                value += 1
        self._put(MicroOp.END)

    def _attend(self, heads: tuple[SelfHead, ...], first: int, value: int) -> None:
        for number, head in enumerate(heads, start=first):
            self._put(MicroOp.SCAN, number)
            for column in head.output.T:
                if column.any():
                    self._put(MicroOp.MEAN, value)
                    self._terms(column, MicroOp.OUT)
                value += 1
        self._apply([head.output for head in heads])

    def _neurons(self, layer: LoopedLayer) -> None:
        """Append the distinct gates, each with a jump over its neurons if it is closed."""
        gates, owner = np.unique(layer.gate, axis=0, return_inverse=True)
        for number, gate in enumerate(gates):
            self._terms(gate)
            jump = self._begin()
            self._put(MicroOp.GATE)
            for neuron in np.flatnonzero(owner.ravel() == number).tolist():
                self._terms(layer.value[neuron])
                self._put(MicroOp.FORM)
                self._terms(layer.out[:, neuron], MicroOp.OUT)
            self.words[jump] = (MicroOp.GATE, self._begin(), 0)
        self._apply([layer.out])

    def _apply(self, matrices: list[Array]) -> None:
        """Append the words that add the accumulated changes to their rows."""
        rows = np.flatnonzero(sum(np.abs(m).sum(axis=1) for m in matrices)) if matrices else ()
        if len(rows):
            self._put(MicroOp.WAIT)
            for row in rows:
                self._put(MicroOp.APPLY, int(row))
            self._put(MicroOp.WAIT)


@dataclass(frozen=True, slots=True)
class VerilogCircuit:
    """A model as files: `kernel`, the Verilog module; its weights, `rom`; and a test bench."""

    name: str
    kernel: str
    rom: str
    bench: str
    entry_bits: int

    @staticmethod
    def of(model: Looped, name: str = "loom") -> "VerilogCircuit":
        """Build the circuit of a model as the Verilog module `name`.

        Raises `UsageError` for a name that Verilog does not allow, and as `verify_looped` does.
        """
        if not re.fullmatch(r"[A-Za-z_]\w{0,99}", name, re.ASCII):
            raise UsageError(f"{name!r} is not a Verilog module name; use letters, digits and _")
        code, widths = Microcode(model), VerilogWidths.of(model)
        fields = _fields(model, code, widths) | {
            "NAME": name,
            "ROM": rom_file(name),
            "STATE": state_file(name),
        }
        rom = f"// {looped_digest(model)}\n" + _rom(code, int(fields["IW"]), widths.weight)
        kernel, bench = (_fill(file, fields) for file in ("kernel.v", "bench.v"))
        return VerilogCircuit(name, kernel, rom, bench, widths.entry)

    def image(self, state: Array) -> str:
        """Return a state for `$readmemh`, column by column."""
        digits, mask = (self.entry_bits + 3) // 4, (1 << self.entry_bits) - 1
        return "".join(f"{int(entry) & mask:0{digits}x}\n" for entry in state.T.ravel())

    def files(self, state: Array) -> dict[str, str]:
        """Return the circuit and an initial state, by file name."""
        return {
            f"{self.name}.v": self.kernel,
            rom_file(self.name): self.rom,
            f"{self.name}_bench.v": self.bench,
            state_file(self.name): self.image(state),
        }


def rom_file(name: str) -> str:
    """Return the name of the file with the weights of a circuit."""
    return f"{name}_rom.hex"


def state_file(name: str) -> str:
    """Return the name of the file with the state that a test bench loads."""
    return f"{name}_state.hex"


def _bits(most: float) -> int:
    """Return the bits of a signed number of magnitude `most`."""
    return int(most).bit_length() + 1


def _count(values: int) -> int:
    """Return the bits that distinguish `values` values."""
    return max(1, (values - 1).bit_length())


def _fields(model: Looped, code: Microcode, widths: VerilogWidths) -> dict[str, str]:
    """Return the values of the templates' placeholders, except names."""
    layers, heads = len(model.layers), len(widths.keys)
    place = _count(len(code.words))
    key = max((bits for head in widths.keys for bits in head), default=1)
    numbers = {
        "ROWS": model.width,
        "COLUMNS": model.columns,
        "LAYERS": layers,
        "HEADS": heads,
        "VALUES": max(code.values, 1),
        "WORDS": len(code.words),
        "RW": _count(model.width),
        "CW": _count(model.columns),
        "LW": _count(layers + 1),
        "NW": _count(heads),
        "XA": _count(model.width * model.columns),
        "PW": place,
        "IW": max(place, _count(model.width), _count(code.values)),
        "XW": widths.entry,
        "HW": widths.state,
        "VW": widths.value,
        "AW": widths.total,
        "KW": key,
        "WW": widths.weight,
        "KEYBITS": key * max(map(len, widths.keys), default=1),
        "LEARN_ALL": code.learn_all,
        "CHECK_ALL": code.check_all,
        "STOP_ENTRY": code.stop,
    }
    heads_of = list(enumerate(widths.keys))
    texts = {
        "ENTRIES": _lines(_entries(model, code)),
        "KEYS": _lines(line for h, one in heads_of for line in _keys(h, one, widths.total, key)),
        "SCORES": _lines(line for h, one in heads_of for line in _score(h, one, widths.total)),
    }
    return {name: str(number) for name, number in numbers.items()} | texts


def _lines(lines: Iterator[str]) -> str:
    return "\n".join(lines)


def _rom(code: Microcode, number: int, weight: int) -> str:
    """Return the words for `$readmemh`: operation, number and weight side by side."""
    digits, mask = (4 + number + weight + 3) // 4, (1 << weight) - 1
    return "".join(
        f"{(op << number | index) << weight | value & mask:0{digits}x}\n"
        for op, index, value in code.words
    )


def _entries(model: Looped, code: Microcode) -> Iterator[str]:
    for number, layer in enumerate(model.layers):
        yield f"            {number}: begin"
        yield f"                has_heads = {int(bool(layer.heads))};"
        yield f"                learn_entry = {code.learn[number]};"
        yield f"                visit_entry = {code.visit[number]};"
        yield "            end"


def _keys(head: int, entries: tuple[int, ...], own: int, width: int) -> Iterator[str]:
    """Yield the memory of a head's keys, with their self-scores, and the product of two keys."""
    ends = np.cumsum((0, *entries)).tolist()
    parts = [f"[{high - 1}:{low}]" for low, high in zip(ends, ends[1:], strict=False)]
    shifted = [  # the first entry has been shifted farthest
        f"key[{width * (len(entries) - 1 - r) + bits - 1}:{width * (len(entries) - 1 - r)}]"
        for r, bits in enumerate(entries)
    ]
    products = [f"$signed(row{head}{p}) * $signed(mine{head}{p})" for p in parts]
    bits = ends[-1] + own
    yield f"    reg [{bits - 1}:0] keys{head} [0:COLUMNS-1];"
    yield f"    reg [{bits - 1}:0] row{head}, mine{head};"
    yield f"    reg signed [AW-1:0] score{head};"
    yield "    always @(posedge clk) begin"
    yield f"        row{head} <= keys{head}[key_column];"
    yield f"        if (learned && head == {head})"
    yield f"            keys{head}[col] <= {{{', '.join(['own', *reversed(shifted)])}}};"
    yield f"        if (mine_next) mine{head} <= row{head};"
    yield f"        score{head} <= {(chr(10) + ' ' * 12 + '+ ').join(products) or '0'};"
    yield "    end"


def _score(head: int, entries: tuple[int, ...], own: int) -> Iterator[str]:
    """Yield the score of two columns, and their self-scores, as a scan of this head reads them."""
    low = sum(entries)
    yield f"            {head}: begin"
    yield f"                score = score{head};"
    yield f"                read_own = row{head}[{low + own - 1}:{low}];"
    yield f"                my_own = mine{head}[{low + own - 1}:{low}];"
    yield "            end"


def _fill(template: str, fields: dict[str, str]) -> str:
    """Fill the placeholders of a template, written @NAME@."""
    text = (files("transputer.exporters") / template).read_text(encoding="utf-8")
    return re.sub(r"@(\w+)@", lambda gap: fields[gap[1]], text)
