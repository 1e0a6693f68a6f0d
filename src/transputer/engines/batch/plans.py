"""The plans of the native engine as C, so that a thread decodes a program from the weights.

A plan is what remains of the weights for one value of the parts that control a step: forms on
slots of the residual stream, heads, piecewise linear functions, gated products. Its words become
lines of C with the weights as numbers. A table that maps a part to a word is printed as arithmetic
where all its words agree with that (a multiple of the part, or of one of its bits), else read.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

READ, POSITION, HEAD, MOVE, PIECE, GATE, NUMBER, DIGIT, CHOICE, END = range(10)
_SLOT_BITS, _SLOT_MASK = 16, 0xFFFF
#: Fields of a HeadRecord and of a TableRecord, and how many words these have.
_KIND, _DYNAMIC, _TABLE, _DIGITS, _EXTRAS, HEAD_WORDS = 1, 2, 3, 5, 6, 19
_TABLE_KEY, TABLE_WORDS = 7, 10
_RUNNING = 0
#: Breaks of a piecewise linear function that are compared one by one.
_FEW = 4

Words = NDArray[np.int64]


def literal(value: int) -> str:
    """A C number of 64 bits."""
    return f"INT64_C({value})" if value > -(2**63) else "INT64_MIN"


def part_text(words: str, part: int) -> str:
    """The text of a part of a token whose parts are in 32-bit words with this name."""
    return f"({words}{part // 4} >> {8 * (part % 4)} & 255)"


class PlanPrinter:
    """Prints plans; `image` are the words of the model, `header` the fields of its record."""

    def __init__(self, image: Words, header: dict[str, int]) -> None:
        self.image, self.header = image, header
        self.sizes = image[header["sizes"] :][: header["parts"]].tolist()
        count = header["heads"]
        self.heads = image[header["head"] :][: HEAD_WORDS * count].reshape(count, HEAD_WORDS)
        self.tables = image[header["table"] :][: TABLE_WORDS * header["tables"]]
        self.tables = self.tables.reshape(-1, TABLE_WORDS)
        self.constants: list[str] = []

    # Tables of parts

    def _reading(self, base: int, part: int, words: str) -> str:
        """The text of what a table gives for a part."""
        values = self.image[base : base + self.sizes[part]]
        text, first = part_text(words, part), int(values[0])
        numbers = np.arange(len(values))
        step = int(values[1] - values[0]) if len(values) > 1 else 0
        if (values == first + step * numbers).all():
            return f"({literal(first)} + {literal(step)} * {text})" if step else literal(first)
        for bit in range((len(values) - 1).bit_length()):
            step = int(values[1 << bit] - values[0]) if 1 << bit < len(values) else 0
            if (values == first + step * (numbers >> bit & 1)).all():
                return f"({literal(first)} + {literal(step)} * ({text} >> {bit} & 1))"
        return f"image[{base} + {text}]"

    def _sum(self, at: int, row: int) -> str:
        """The text of a row of Readings of the last token."""
        w = self.image[at:]
        n, terms = int(w[0]), int(w[1])
        start, part = w[2 + 2 * n :], w[3 + 3 * n :]
        table = part[terms:]
        texts = [f"{literal(int(w[2 + row]))} + {literal(int(w[2 + n + row]))} * position"]
        for i in range(int(start[row]), int(start[row + 1])):
            texts.append(self._reading(int(table[i]), int(part[i]), "k"))
        return " + ".join(texts)

    def readings(self) -> str:
        """The functions that read keys and the fetch query from the last token."""
        words = self._token_lines(range(self.header["parts"]))
        keys = "".join(
            f"    case {i}: return {self._sum(int(t[_TABLE_KEY]), 0)};\n"
            for i, t in enumerate(self.tables)
        )
        query, lines = self.header["fetch_query"], ""
        if self.header["fetch"] >= 0 and self.heads[self.header["fetch"], _KIND] != _RUNNING:
            lines = "".join(
                f"    s->query[{i}] = {self._sum(query, i)};\n"
                for i in range(int(self.image[query]))
            )
        return f"""DEV word key_of(const Session *s, int table) {{
    const word *const image = s->b->image;
    const word position = s->length - 1;
    {words}
    switch (table) {{
{keys}    }}
    return 0;
}}
DEV void fetch_query(Session *s) {{
    const word *const image = s->b->image;
    const word position = s->length - 1;
    {words}
{lines}}}"""

    @staticmethod
    def _token_lines(parts: Any) -> str:
        words = sorted({part // 4 for part in parts})
        return " ".join(f"const uint32_t k{w} = s->token[{w}];" for w in words)

    # Plans

    def plan(self, number: int, code: Any, token: Sequence[int]) -> str:
        """The function of a plan: `code` are its words, `token` is what it always predicts."""
        self._code, self._at, self._heads = code, 0, 0
        self._lines: list[str] = []
        self._slots: set[int] = set()
        self._outputs: set[int] = set()
        while True:
            (first,) = self._take(1)
            kind, count = first & 255, first >> 8
            if kind >= END:
                break
            for _ in range(count):
                self._item(kind, number)
        slots = "".join(f"    word x{slot} = 0;\n" for slot in sorted(self._slots))
        digits = []
        for w in range(0, self.header["parts"], 4):
            parts = range(w, min(w + 4, self.header["parts"]))
            texts = [
                f"y{p} << {8 * (p - w)}" if p in self._outputs else f"{token[p] << 8 * (p - w)}u"
                for p in parts
            ]
            digits.append(f"    s->token[{w // 4}] = {' | '.join(texts)};\n")
        lines = "".join(f"    {line}\n" for line in self._lines)
        return f"""PLAN void plan{number}(Session *s) {{
    const word *const image = s->b->image;
    const word position = s->length - 1;
    {self._token_lines(range(self.header["parts"]))}
{slots}{lines}{"".join(digits)}}}"""

    def _take(self, count: int) -> list[int]:
        words = [int(self._code[self._at + i]) for i in range(count)]
        self._at += count
        return words

    def _x(self, slot: int) -> str:
        self._slots.add(slot)
        return f"x{slot}"

    def _form(self) -> str:
        count, constant = self._take(2)
        texts = [literal(constant)] if constant or not count else []
        for word in self._take(count):
            slot, weight = word & _SLOT_MASK, word >> _SLOT_BITS
            texts.append(self._x(slot) if weight == 1 else f"{literal(weight)} * {self._x(slot)}")
        return " + ".join(texts)

    def _item(self, kind: int, number: int) -> None:
        if kind == READ:
            (word,) = self._take(1)
            part = word >> _SLOT_BITS & _SLOT_MASK
            text = self._reading(word >> 32, part, "k")
            self._lines.append(f"{self._x(word & _SLOT_MASK)} += {text};")
        elif kind == POSITION:
            slot, weight = self._take(2)
            self._lines.append(f"{self._x(slot)} += {literal(weight)} * position;")
        elif kind == HEAD:
            self._head()
        elif kind == MOVE:
            (slot,) = self._take(1)
            form = self._form()
            self._lines.append(f"{self._x(slot)} = {form};")
        elif kind == PIECE:
            self._piece(number)
        elif kind == GATE:
            self._gates()
        else:
            self._output(kind)

    def _head(self) -> None:
        which, _ = self._take(2)
        head = self.heads[which]
        assert not head[_DYNAMIC] and head[_KIND] < 2
        self._heads += 1
        me = self._heads
        if head[_KIND] == _RUNNING:
            entry = f"&s->t->kept[{head[_TABLE]}][0]"
        elif which == self.header["fetch"]:
            entry = "s->fetched"
        else:
            for i in range(int(head[_DIGITS] + head[_EXTRAS])):
                self._lines.append(f"s->query[{i}] = {self._form()};")
            entry = f"lookup(s, {which})"
        self._lines.append(f"const Kept *const e{me} = {entry};")
        count, positions = self._take(2)
        reads = [(w & _SLOT_MASK, w >> _SLOT_BITS & _SLOT_MASK, w >> 32) for w in self._take(count)]
        for w in sorted({part // 4 for _, part, _ in reads}):
            self._lines.append(f"const uint32_t e{me}_{w} = e{me}->parts[{w}];")
        for slot, part, base in reads:
            self._lines.append(f"{self._x(slot)} += {self._reading(base, part, f'e{me}_')};")
        for _ in range(positions):
            slot, weight = self._take(2)
            self._lines.append(f"{self._x(slot)} += {literal(weight)} * e{me}->last;")

    def _piece(self, number: int) -> None:
        form = self._form()
        breaks, outs = self._take(2)
        points, slots = self._take(breaks), self._take(outs)
        lines = [self._take(2 * outs) for _ in range(breaks + 1)]
        # the number of breaks that are not above z
        if breaks <= _FEW:
            which = " + ".join(f"(z >= {literal(p)})" for p in points) or "0"
        else:
            which = f"below({self._constant(points, number)}, {breaks}, z)"
        self._lines.append(f"{{ const word z = {form};")
        adds = [
            f"{self._x(slot)} += l[{2 * o}] * z + l[{2 * o + 1}];" for o, slot in enumerate(slots)
        ]
        flat = [word for line in lines for word in line]
        if len(lines) == 2:
            arms = []
            for line in lines:
                arms.append(" ".join(
                    f"{self._x(slot)} += {literal(line[2 * o])} * z + {literal(line[2 * o + 1])};"
                    for o, slot in enumerate(slots) if line[2 * o] or line[2 * o + 1]
                ))  # fmt: skip
            self._lines.append(
                f"if (z < {literal(points[0])}) {{ {arms[0]} }} else {{ {arms[1]} }} }}"
            )
            return
        table = self._constant(flat, number)
        self._lines.append(f"const word *const l = {table} + {2 * outs} * ({which});")
        self._lines.append(" ".join(adds) + " }")

    def _constant(self, words: Sequence[int], number: int) -> str:
        name = f"C{number}_{len(self.constants)}"
        self.constants.append(f"TABLE word {name}[] = {{{', '.join(map(literal, words))}}};")
        return name

    def _gates(self) -> None:
        form = self._form()
        _, words = self._take(2)
        end = self._at + words
        self._lines.append(f"{{ const word z = {form};")
        while self._at < end:
            _, weight, constant = self._take(3)
            product = self._form()
            (outs,) = self._take(1)
            adds = " ".join(
                f"{self._x(w & _SLOT_MASK)} += p * {literal(w >> _SLOT_BITS)};"
                for w in self._take(outs)
            )
            self._lines.append(
                f"{{ const word g = {literal(weight)} * z + {literal(constant)}; "
                f"if (g > 0) {{ const word p = g * ({product}); {adds} }} }}"
            )
        self._lines.append("}")

    def _output(self, kind: int) -> None:
        part, highest = self._take(2)
        name = f"y{part}"
        self._outputs.add(part)
        if kind == NUMBER:
            self._lines.append(
                f"const word z{part} = {self._form()}; const uint32_t {name} = "
                f"(uint32_t)(z{part} < 0 ? 0 : z{part} > {highest} ? {highest} : z{part});"
            )
        elif kind == CHOICE:
            self._lines.append(f"uint32_t {name} = 0; {{ word best = {self._form()};")
            for i in range(1, highest):
                self._lines.append(
                    f"{{ const word z = {self._form()}; if (z > best) best = z, {name} = {i}; }}"
                )
            self._lines.append("}")
        else:
            base, lanes = self._take(2)
            forms = ", ".join(self._form() for _ in range(lanes))
            self._lines.append(
                f"uint32_t {name}; {{ const word z[] = {{{forms}}}; "
                f"{name} = digit_of(image + {base}, z, {lanes}, {highest}); }}"
            )


def weights_program(
    image: Words, header: dict[str, int], plans: Mapping[int, tuple[Any, Sequence[int]]]
) -> str:
    """The C of plans, by number, and of what reads the last token."""
    printer = PlanPrinter(image, header)
    functions = [printer.plan(n, code, token) for n, (code, token) in plans.items()]
    cases = "".join(f"    case {n}: plan{n}(s); return;\n" for n in plans)
    take = f"DEV void take_plan(Session *s, int which) {{\n    switch (which) {{\n{cases}    }}\n}}"
    return "\n".join([*printer.constants, printer.readings(), *functions, take])


__all__ = ["HEAD_WORDS", "TABLE_WORDS", "weights_program"]
