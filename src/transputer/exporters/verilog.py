"""Export a looped model as a circuit: Verilog with the nonzeros as microcode, exact in integers.

`kernel.v` is the same for every model. This module writes the widths of all numbers, derived from
the bounds that `verify_looped` proves, the products of keys, the lanes of rows, and the microcode.
The state is loaded over a bus, so another program needs no new circuit. The code knows no operation
of any machine, and a broken model gives a circuit that is broken in the same way.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from enum import IntEnum
from importlib.resources import files

import numpy as np

from transputer.errors import CapacityError, UsageError
from transputer.model import Array, Looped, LoopedLayer, verify_looped
from transputer.model.looped import looped_digest
from transputer.values import dataclass

#: Limit on the bits of a sum: tools may not multiply wider numbers correctly.
MOST_BITS = 64


#: Rows that a word of microcode multiplies at once; columns whose scores are computed at once.
LANES, SPAN = 16, 8
#: Words in flight behind one that leaps: every group of neurons has at least one more.
DELAY = 2
#: Entries of a key that are multiplied by multipliers of the device.
MULTIPLIERS = 12
#: The clock of a board, a divisor of 600 and a multiple of its oscillator's 25, in MHz.
MHZ = 50
#: Weight of rows that one head writes, when rows are spread over lanes.
WRITES = 4


class MicroOp(IntEnum):
    """Operations of the microcode, as `kernel.v` explains them."""

    TERM = 0
    ADD = 1
    GATE = 2
    VALUE = 3
    KEY = 4
    KEYS = 5
    HOLD = 6
    STOP = 7
    WAIT = 8
    EACH = 9
    SCAN = 10
    MEAN = 11
    END = 12


@dataclass(frozen=True, slots=True)
class MicroWord:
    """A word of microcode; `terms` has the index and the weight of each lane that is used."""

    op: MicroOp
    number: int = 0
    terms: tuple[tuple[int, int, int], ...] = ()  # lane, index, weight
    leap: bool = False


@dataclass(frozen=True, slots=True)
class VerilogWidths:
    """Bits of signed numbers, and of key entries by head.

    Entries in a step and between steps; values, forms, products and means, scores, sums of values
    that tie, weights.
    """

    entry: int
    state: int
    value: int
    form: int
    product: int
    score: int
    tie: int
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

        def bits(*kinds: str) -> int:
            return max(_bits(bounds.largest.get(kind, (0, ""))[0]) for kind in kinds)

        entry, value = _bits(max(entries)), _bits(max(values))
        product = max(bits("product"), value)
        longest = max((max(key) for key in keys), default=1)
        weights = max(np.abs(array).max(initial=0.0) for array in model.tensors().values())
        return VerilogWidths(
            entry, _bits(most[0].max()), value,
            max(bits("gate", "value", "key", "stop"), entry, value, longest),
            product, bits("score"), max(bits("tie"), product), _bits(weights), tuple(keys),
        )  # fmt: skip


def spread(forms: list[list[int]], count: int, lanes: int) -> list[int]:
    """Return a place for each of `count` items so that items of a form are in different lanes.

    Place `index * lanes + lane`; every lane gets as many items as any other, or one less.
    """
    depth = max(1, -(-count // lanes))
    forms_of: list[list[int]] = [[] for _ in range(count)]
    for number, form in enumerate(forms):
        for item in form:
            forms_of[item].append(number)
    used = np.zeros((lanes, len(forms)), dtype=int)
    filled = [0] * lanes
    places = [0] * count
    for item in sorted(range(count), key=lambda one: -len(forms_of[one])):
        able = [lane for lane in range(lanes) if filled[lane] < depth]
        lane = min(able, key=lambda one: (int(used[one, forms_of[item]].sum()), filled[one]))
        places[item] = filled[lane] * lanes + lane
        filled[lane] += 1
        used[lane, forms_of[item]] += 1
    return places


class Delivery:
    """The terms of a matrix lane by lane: each lane has copies of the products that its rows add.

    `copies` are the places of each product, `number * lanes + lane`; `words` have one term for
    every lane.
    """

    def __init__(self, matrix: Array, places: list[int], lanes: int, first: int = 0) -> None:
        terms: list[list[tuple[int, int]]] = [[] for _ in range(lanes)]  # index, weight
        self.copies: list[list[int]] = [[] for _ in range(matrix.shape[1])]
        for row in sorted(np.flatnonzero(np.abs(matrix).sum(axis=1)), key=places.__getitem__):
            index, lane = divmod(places[row], lanes)
            for item in np.flatnonzero(matrix[row]).tolist():
                self.copies[item].append((first + len(terms[lane])) * lanes + lane)
                terms[lane].append((index, int(matrix[row, item])))
        self.count = max(map(len, terms))
        self.words = [
            MicroWord(
                MicroOp.ADD,
                first + at,
                tuple(
                    # A lane that has no more terms adds 0 to its last row.
                    (lane, *(of[at] if at < len(of) else (of[-1][0], 0)))
                    for lane, of in enumerate(terms)
                    if of
                ),
            )
            for at in range(self.count)
        ]


class Microcode:
    """The microcode of a model, with the offsets of its parts and the places of its rows."""

    def __init__(self, model: Looped, lanes: int = LANES) -> None:
        self.words: list[MicroWord] = []
        self._lanes = lanes
        self.places = spread(list(_together(model)), model.width, lanes)
        self._heads = [head for layer in model.layers for head in layer.heads]
        self._values: list[Delivery] = []
        self.values = self.products = 0  # in a lane
        for head in self._heads:
            self._values.append(Delivery(head.output, self.places, lanes, self.values))
            self.values += self._values[-1].count
        self.most_gates = max(len(np.unique(layer.gate, axis=0)) for layer in model.layers)
        self.learn: list[int] = []  # per layer: keys and values of its heads
        self.visit: list[int] = []  # per layer: its heads and neurons
        first = 0
        for layer in model.layers:
            numbers = range(first, first + len(layer.heads))
            self.learn.append(self._begin())
            self._learn(numbers)
            self.visit.append(self._begin())
            self._attend(numbers)
            self._neurons(layer)
            first += len(layer.heads)
        self.learn_all = self._begin()
        self._learn(range(len(self._heads)))
        self.check_all = self._begin()
        for number in range(len(self._heads)):
            self._put(MicroOp.SCAN, number)
        self._put(MicroOp.END)
        self.stop = self._begin()
        self._form(model.stop, MicroOp.STOP)
        self._put(MicroOp.END)

    def _begin(self) -> int:
        return len(self.words)

    def _put(self, op: MicroOp, number: int = 0) -> None:
        self.words.append(MicroWord(op, number))

    def _form(self, row: Array, op: MicroOp, number: int = 0) -> None:
        """Append the words of a form: in each a term of every lane that has one left."""
        lanes: list[list[tuple[int, int, int]]] = [[] for _ in range(self._lanes)]
        for item in np.flatnonzero(row).tolist():
            index, lane = divmod(self.places[item], self._lanes)
            lanes[lane].append((lane, index, int(row[item])))
        count = max(1, *map(len, lanes))
        for at in range(count):
            terms = tuple(lane[at] for lane in lanes if at < len(lane))
            self.words.append(MicroWord(op if at == count - 1 else MicroOp.TERM, number, terms))

    def _learn(self, heads: range) -> None:
        for number in heads:
            head, delivery = self._heads[number], self._values[number]
            for row in head.key[:-1]:
                self._form(row, MicroOp.KEY)
            self._form(head.key[-1], MicroOp.KEYS, number)
            for row, copies in zip(head.value, delivery.copies, strict=True):
                for place in copies:
                    self._form(row, MicroOp.HOLD, place)
        self._put(MicroOp.END)

    def _attend(self, heads: range) -> None:
        words = []
        for number in heads:
            self._put(MicroOp.SCAN, number)
            for word in self._values[number].words:
                self._put(MicroOp.MEAN, word.number)
                words.append(word)
        if words:
            self._put(MicroOp.WAIT)
            self.words += words
            self._put(MicroOp.WAIT)

    def _neurons(self, layer: LoopedLayer) -> None:
        """Append the distinct gates, the additions, and out of line the neurons of each gate."""
        gates, owner = np.unique(layer.gate, axis=0, return_inverse=True)
        delivery = Delivery(layer.out, self.places, self._lanes)
        self.products = max(self.products, delivery.count)
        jumps = []
        for gate in gates:
            self._form(gate, MicroOp.GATE)
            jumps.append(self._begin() - 1)
        if jumps:
            self._put(MicroOp.EACH, self._begin() + 1)
            self._put(MicroOp.WAIT)
            self.words += delivery.words
        self._put(MicroOp.END)
        for number, jump in enumerate(jumps):
            start = self._begin()
            self.words[jump] = replace(self.words[jump], number=start)
            for neuron in np.flatnonzero(owner.ravel() == number).tolist():
                for place in delivery.copies[neuron]:
                    self._form(layer.value[neuron], MicroOp.VALUE, place)
            while len(self.words) < start + DELAY + 1:
                self.words.insert(start, MicroWord(MicroOp.TERM))
            self.words[-DELAY - 1] = replace(self.words[-DELAY - 1], leap=True)


def _together(model: Looped) -> Iterator[list[int]]:
    """Yield rows that are read or written together: those of a form, and those of an addition."""
    matrices = [model.stop[None]]
    for layer in model.layers:
        matrices += [np.unique(layer.gate, axis=0), layer.value]
        for head in layer.heads:
            matrices += [head.key, head.value]
            # Each is a value to store and a mean to compute, besides the addition.
            yield from [np.flatnonzero(np.abs(head.output).sum(axis=1)).tolist()] * WRITES
        yield np.flatnonzero(np.abs(layer.out).sum(axis=1)).tolist()
    for matrix in matrices:
        yield from (np.flatnonzero(row).tolist() for row in matrix)


@dataclass(frozen=True, slots=True)
class VerilogCircuit:
    """A model as files: `kernel`, the Verilog module; its weights, `rom`; a test bench; a board.

    `board` is the module that connects the circuit to a ULX3S board.
    """

    name: str
    kernel: str
    rom: str
    bench: str
    board: str
    entry_bits: int
    places: tuple[int, ...]  # of the rows: index * lanes + lane
    lanes: int
    shape: tuple[int, int]  # indices of a lane, columns, both as the bus counts them

    @staticmethod
    def of(
        model: Looped, name: str = "loom", lanes: int = LANES, span: int = SPAN
    ) -> "VerilogCircuit":
        """Build the circuit of a model as the Verilog module `name`.

        `lanes` rows and `span` columns are read at once: powers of two, from 4 and from 2.
        Raises `UsageError` for a name that Verilog does not allow, and as `verify_looped` does.
        """
        if not re.fullmatch(r"[A-Za-z_]\w{0,99}", name, re.ASCII):
            raise UsageError(f"{name!r} is not a Verilog module name; use letters, digits and _")
        code, widths = Microcode(model, lanes), VerilogWidths.of(model)
        fields = _fields(model, code, widths, lanes, span) | {
            "NAME": name,
            "ROM": rom_file(name),
            "STATE": state_file(name),
        }
        rom = f"// {looped_digest(model)}\n" + _rom(
            code, lanes, int(fields["IW"]), int(fields["IB"]), widths.weight
        )
        fields["CIRCUIT"] = _fill("instance.v", fields).rstrip()
        kernel, bench, board = (_fill(file, fields) for file in ("kernel.v", "bench.v", "board.v"))
        shape = int(fields["DEPTH"]), 1 << int(fields["CW"])
        return VerilogCircuit(
            name, kernel, rom, bench, board, widths.entry, tuple(code.places), lanes, shape
        )

    def address(self, row: int, column: int) -> int:
        """Return the address of an entry on the bus."""
        index, lane = divmod(self.places[row], self.lanes)
        return (index * self.shape[1] + column) * self.lanes + lane

    def entries(self) -> dict[int, tuple[int, int]]:
        """Return the row and column of each address that has one."""
        return {
            self.address(row, column): (row, column)
            for row in range(len(self.places))
            for column in range(self.shape[1])
        }

    def ordered(self, state: Array) -> list[int]:
        """Return the entries of a state in the order of addresses; 0 where no row is."""
        entries = [0] * (self.shape[0] * self.shape[1] * self.lanes)
        for (row, column), entry in np.ndenumerate(state):
            entries[self.address(row, column)] = int(entry)
        return entries

    def image(self, state: Array) -> str:
        """Return a state for `$readmemh`, in the order of addresses."""
        digits, mask = (self.entry_bits + 3) // 4, (1 << self.entry_bits) - 1
        return "".join(f"{entry & mask:0{digits}x}\n" for entry in self.ordered(state))

    def serial(self, state: Array) -> bytes:
        """Return the bytes that load a state over the board's serial line and start."""
        size = -(-self.entry_bits // 8)
        entries = (entry.to_bytes(size, "little", signed=True) for entry in self.ordered(state))
        return b"A\0\0\0" + b"".join(b"W" + entry for entry in entries) + b"S"

    def files(self, state: Array) -> dict[str, str]:
        """Return the circuit and an initial state, by file name."""
        return {
            f"{self.name}.v": self.kernel,
            rom_file(self.name): self.rom,
            f"{self.name}_bench.v": self.bench,
            state_file(self.name): self.image(state),
            f"{self.name}_ulx3s.v": self.board,
            f"{self.name}_ulx3s.lpf": pins(),
        }


def pins() -> str:
    """Return the pins of the board, for nextpnr."""
    return (files("transputer.exporters") / "ulx3s.lpf").read_text(encoding="utf-8")


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


def _fields(
    model: Looped, code: Microcode, widths: VerilogWidths, lanes: int, span: int
) -> dict[str, str]:
    """Return the values of the templates' placeholders, except names."""
    layers, heads = len(model.layers), len(widths.keys)
    place, lane_bits, span_bits = _count(len(code.words)), _count(lanes), _count(span)
    columns = max(_count(model.columns), span_bits + 1)
    depth = -(-model.width // lanes)
    values = max(1, code.values)
    products = max(values, code.products)
    index = _count(depth)
    slots = _slots(widths.keys)
    numbers = {
        "ROWS": model.width,
        "COLUMNS": model.columns,
        "LAYERS": layers,
        "HEADS": max(heads, 1),
        "LANES": lanes,
        "SPAN": span,
        "DEPTH": depth,
        "PDEPTH": products,
        "VDEPTH": values,
        "WORDS": len(code.words),
        "LB": lane_bits,
        "SB": span_bits,
        "GB": columns - span_bits,
        "IB": index,
        "PB": _count(products),
        "VB": _count(values),
        "OB": _count(max(code.most_gates, 2)),
        "CW": columns,
        "LW": _count(layers + 1),
        "NW": _count(heads),
        "XA": _count(depth) + columns + lane_bits,
        "PW": place,
        "IW": max(place, lane_bits + _count(products), _count(heads)),
        "XW": widths.entry,
        "HW": widths.state,
        "VW": widths.value,
        "FW": widths.form,
        "MW": widths.product,
        "SW": widths.score,
        "TW": widths.tie,
        "KW": max(slots),
        "WW": widths.weight,
        "SLOTS": len(slots),
        "KEYBITS": sum(slots),
        "SUMS": _levels(len(_products(slots))),
        "LEARN_ALL": code.learn_all,
        "CHECK_ALL": code.check_all,
        "STOP_ENTRY": code.stop,
        "SIZE": (depth << columns) * lanes,
        "BYTES": -(-widths.entry // 8),
        "MHZ": MHZ,
        "DIVIDE": MHZ,
        "MULTIPLY": MHZ // 25,
        "OUTPUT_DIVIDE": 600 // MHZ,
    }
    texts = {
        "ENTRIES": _lines(_entries(model, code)),
        "PACKED": _packed(slots),
        "SCORES": _lines(_score(slots)),
    }
    return {name: str(number) for name, number in numbers.items()} | texts


def _slots(keys: tuple[tuple[int, ...], ...]) -> list[int]:
    """Return the bits of each slot of a key; a key's last entry is in slot 0."""
    most = max(map(len, keys), default=1)
    return [max((key[-1 - at] for key in keys if at < len(key)), default=1) for at in range(most)]


def _lines(lines: Iterator[str]) -> str:
    return "\n".join(lines)


def _rom(code: Microcode, lanes: int, number: int, index: int, weight: int) -> str:
    """Return the words for `$readmemh`: leap, operation, number, then index and weight by lane."""
    digits, mask = (5 + number + lanes * (index + weight) + 3) // 4, (1 << weight) - 1
    lines = []
    for word in code.words:
        bits = ((word.leap << 4 | word.op) << number | word.number) << lanes * (index + weight)
        for lane, at, value in word.terms:
            bits |= (at << weight | value & mask) << lane * (index + weight)
        lines.append(f"{bits:0{digits}x}\n")
    return "".join(lines)


def _entries(model: Looped, code: Microcode) -> Iterator[str]:
    for number, layer in enumerate(model.layers):
        yield f"            {number}: begin"
        yield f"                has_heads = {int(bool(layer.heads))};"
        yield f"                learn_entry = {code.learn[number]};"
        yield f"                visit_entry = {code.visit[number]};"
        yield "            end"


def _packed(slots: list[int]) -> str:
    """Return the entries of a key at the widths of their slots, side by side."""
    width = max(slots)
    parts = [f"key[{at * width + bits - 1}:{at * width}]" for at, bits in enumerate(slots)]
    return f"{{{', '.join(reversed(parts))}}}"


def _levels(count: int) -> int:
    """Return the levels of a tree that sums `count` terms by threes; at least one."""
    return 1 if count <= 3 else 1 + _levels(-(-count // 3))


def _products(slots: list[int]) -> list[tuple[str, int, str]]:
    """Return name, bits and formula of the products of a score.

    The widest entries are multiplied by the device's multipliers; the rest are sums of shifted
    entries, since a device has too few. Such a sum of more than three terms is two products.
    """
    wide = sorted(range(len(slots)), key=lambda at: -slots[at])[:MULTIPLIERS]
    ends, products = np.cumsum((0, *slots)).tolist(), []
    for at, bits in enumerate(slots):
        low = ends[at]
        mine, row = (f"{key}[{low + bits - 1}:{low}]" for key in ("mine", "key_row"))
        if at in wide:
            products.append((f"product_{at}", 2 * bits, f"$signed({row}) * $signed({mine})"))
            continue
        entry = f"{{{{{bits}{{key_row[{low + bits - 1}]}}}}, {row}}}"
        terms = [f"({{{2 * bits}{{mine[{low + b}]}}}} & ({entry} << {b}))" for b in range(bits)]
        half = bits // 2 if bits > 3 else 0
        last = f"{' + '.join(terms[half:-1]) or '0'} - {terms[-1]}"
        if half:
            products.append((f"product_{at}_low", 2 * bits, " + ".join(terms[:half])))
        products.append((f"product_{at}", 2 * bits, last))
    return products


def _score(slots: list[int]) -> Iterator[str]:
    """Yield the pipeline of a score: products of entries, and a tree that sums them by threes."""
    indent, steps, names = " " * 12, [], []
    for name, bits, formula in _products(slots):
        yield f"{indent}reg signed [{bits - 1}:0] {name};"
        steps.append(f"{name} <= {formula};")
        names.append(name)
    for level in range(_levels(len(names))):
        sums = [names[at : at + 3] for at in range(0, len(names), 3)]
        names = [f"sum_{level}_{at}" for at in range(len(sums))]
        yield f"{indent}reg signed [SW-1:0] {', '.join(names)};"
        steps += [f"{name} <= {' + '.join(of)};" for name, of in zip(names, sums, strict=True)]
    yield f"{indent}assign scored = {names[0]};"
    yield f"{indent}always @(posedge clk) begin"
    yield from (f"{indent}    {step}" for step in steps)
    yield f"{indent}end"


def _fill(template: str, fields: dict[str, str]) -> str:
    """Fill the placeholders of a template, written @NAME@."""
    text = (files("transputer.exporters") / template).read_text(encoding="utf-8")
    return re.sub(r"@(\w+)@", lambda gap: fields[gap[1]], text)
