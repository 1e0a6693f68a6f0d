"""Blocks of a program for batches: slots of the machine in C variables, steps counted per block.

The lines of a block are those of the lifted engine. They reach slots through words that are the
same whenever a row comes by: where the stack ends, where a frame begins, how deep calls are. So a
block is printed once for each *context*, the values of these words that sampled rows had, with
numbers for the words. Then most addresses are numbers, and the words there become variables of a
function, loaded where it is entered and stored where it is left. A row that comes by with other
words leaves the code: rows of the model take its next step.

Printing has two stages: `RowEmitter` prints all lines with calls of `load` and `store`, which say
what arrays are read and written; `finish` prints functions, given where each array is kept.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from transputer.engines.lifted.decoder.block import (
    Back,
    BlockJump,
    LiftedBlock,
    SeenToken,
    WordsChange,
)
from transputer.engines.lifted.decoder.cprint import unsigned
from transputer.engines.lifted.decoder.emit import (
    AWAY,
    OUT,
    UNKNOWN,
    BlockEmitter,
    counted,
    length,
    uncounted,
)
from transputer.engines.lifted.decoder.program import LiftedProgram, Node

#: Characters of C in one function.
CHUNK = 240_000
#: Contexts for each place where code begins, on average, and in addition.
CONTEXTS, MORE_CONTEXTS = 4, 64
#: Steps that a function takes at a time, at most.
MOST = 1 << 30
#: Blocks that a device passes by together.
GROUP = 8
_READ = re.compile(r"^const uint64_t (v\d+) = A(\d+)\[(.*)\]\.word;$")
_ENTRY = re.compile(r"^const Entry (ev\d+) = A(\d+)\[(.*)\];$")
_WRITE = re.compile(r"^A(\d+)\[(.*)\] = \(Entry\)\{(.*), 1\};$")
_LOAD = re.compile(r"^const (uint64_t|Entry) (e?v\d+) = load(\d+)\(s, (.*)\)(?:\.word)?;$")
_STORE = re.compile(r"^store(\d+)\(s, (.*) @ (.*)\);$")  # not C yet: `@` ends the index
_DECLARED = re.compile(r"^const (uint64_t|int64_t|i128|Entry) (e?v\d+) = (.*);$")
_HELD = re.compile(r"^if \(!\((ev\d+\.held(?: & ev\d+\.held)*)\)\) goto R\d+;$")
_ASSIGNED = re.compile(r"^(?:const uint64_t )?(v\d+) = (.*);$")
_MERGED = re.compile(r"^uint64_t (v\d+);$")
_NUMBER = re.compile(r"UINT64_C\((\d+)\)")
#: What is known of the words that tell contexts apart: a number, or None.
Context = dict[int, int | None]
Known = tuple[tuple[int, int | None], ...]


@dataclass
class _Chunk:
    """The blocks of one function: the nodes where code begins, and the lines of numbered blocks.

    `labels` has the number of a block by node and context, or by what it chooses; `exits` that
    of a node with what is known of its words, where the function is left.
    """

    leaders: list[Node]
    labels: dict[tuple[object, ...], int] = field(default_factory=dict)
    blocks: dict[int, list[str]] = field(default_factory=dict)
    exits: dict[tuple[int, Known], int] = field(default_factory=dict)

    def label(self, *key: object) -> int:
        """The number of a block."""
        return self.labels.setdefault(key, len(self.labels))


@dataclass(frozen=True)
class ArrayPlace:
    """Where the words of an array are: a window of a row, or constants.

    `words` has the constants by address. `plain` arrays have no flags. `far` ones are in memory
    that threads share, which functions reach by a pointer.
    """

    base: int
    size: int
    plain: bool = False
    far: bool = False
    words: Mapping[int, int] | None = None


class RowEmitter(BlockEmitter):
    """Prints the blocks of a program in all contexts of `sampled`, the words of tokens.

    Of a token that the host has to see, the words of the groups `tag` and `value` are handed on.
    """

    def __init__(
        self, program: LiftedProgram, sampled: NDArray[np.uint64], tag: int, value: int
    ) -> None:
        self._sampled, self._tag, self._value = sampled, tag, value
        super().__init__(program)

    # Contexts

    def _lifted(self) -> dict[Node, LiftedBlock]:
        """The blocks of all contexts; keys have the number of the context last."""
        blocks = super()._lifted()
        self.fixed, self.contexts = list[int](), dict[Node, list[tuple[int, ...]]]()
        if not blocks:
            return blocks
        self.hot = self.printer.used - {*self.program.setting.static}
        self.fixed, self.contexts = self._choice()
        return {
            (*node, k): LiftedBlock(
                self, self.program.steps[node], dict(zip(self.fixed, values, strict=True))
            )
            for node, contexts in self.contexts.items()
            for k, values in enumerate(contexts)
        }

    def _choice(self) -> tuple[list[int], dict[Node, list[tuple[int, ...]]]]:
        """The words that contexts fix, those that take few values where code begins; and these."""
        static = [*self.program.setting.static]
        limit = CONTEXTS * len(self.leaders) + MORE_CONTEXTS
        first = np.zeros(1 + max(node[0] for node in self.leaders), dtype=np.bool_)
        first[[node[0] for node in self.leaders]] = True
        rows = self._sampled[self._sampled[:, static[0]] < len(first)]
        rows = rows[first[rows[:, static[0]].astype(np.int64)]]

        numbered = {g: np.unique(rows[:, g], return_inverse=True) for g in (*static, *self.hot)}

        def values(groups: list[int]) -> NDArray[np.uint64]:
            """The different values of some words, with those of the static ones."""
            code = np.zeros(len(rows), dtype=np.int64)
            for g in (*static, *groups):
                code = code * len(numbered[g][0]) + numbered[g][1]
                code = np.unique(code, return_inverse=True)[1]
            _, first = np.unique(code, return_index=True)
            return rows[first][:, [*static, *groups]]

        counts = {g: len(values([g])) for g in sorted(self.hot)}
        fixed = sorted(g for g in self.hot if counts[g] <= limit)
        while len(values(fixed)) > limit:
            fixed.remove(max(fixed, key=lambda g: counts[g]))
        contexts: dict[Node, list[tuple[int, ...]]] = {node: [] for node in self.leaders}
        for row in values(fixed).tolist():
            node = tuple(row[: len(static)])
            if node in contexts:
                contexts[node].append(tuple(row[len(static) :]))
        return fixed, contexts

    # Lines

    def _source(self) -> str:
        self.hot |= {*self.fixed}
        leaders, size = sorted(self.leaders), 0
        self.chunks = [_Chunk([])]
        for node in leaders:
            more = sum(self._size(node, k) for k in range(len(self.contexts[node])))
            if size and size + more > CHUNK:
                self.chunks.append(_Chunk([]))
                size = 0
            size += more
            self.chunks[-1].leaders.append(node)
        self._home = {node: c for c, chunk in enumerate(self.chunks) for node in chunk.leaders}
        for c, chunk in enumerate(self.chunks):
            self._now = c
            for node in chunk.leaders:
                for k in range(len(self.contexts[node])):
                    chunk.label(node, k)
            for node in chunk.leaders:
                for k in range(len(self.contexts[node])):
                    me = chunk.label(node, k)
                    chunk.blocks[me] = [*self._variant(c, node, k, me)]
            for key, me in [*chunk.labels.items()]:
                if me not in chunk.blocks and len(key) == 1:  # jumps to a computed address
                    chunk.blocks[me] = [*self._jumps(c, key[0], me)]
            for key, me in [*chunk.labels.items()]:
                if me not in chunk.blocks:
                    chunk.blocks[me] = self._choose(c, key[0], f"GO({me}, ", f"LEAVE({me})")
        lines = (line for chunk in self.chunks for lines in chunk.blocks.values() for line in lines)
        return "\n".join(lines)

    def _size(self, node: Node, k: int) -> int:
        return length([self.blocks[*node, k]])

    def _variant(self, chunk: int, node: Node, k: int, me: int) -> Iterator[str]:
        """The lines of a block in a context."""
        block = self.blocks[*node, k]
        context: Context = dict(zip(self.fixed, self.contexts[node][k], strict=True))
        most = block.steps + block.extra
        tests = [f"left < {most}", *block.conditions()]
        yield f"if ({' || '.join(tests)}) {{ {self._exit(context, self.numbers[node], me)} }}"
        yield f"START({me}, {most})"
        yield counted(block.steps, block.weight)
        after = context
        for line in block.lines:
            if isinstance(line, str):
                yield self._line(line)
            elif isinstance(line, WordsChange):
                lines, after = self._changed(line, context)
                yield from lines
            elif isinstance(line, SeenToken):
                yield f"seen(s, {line.texts[self._tag]}, {line.texts[self._value]});"
            elif isinstance(line, Back):
                if line.used:
                    yield from self._returned(block, line, context, me)
            else:
                yield self._jumped(chunk, line, after, me)

    def _line(self, line: str) -> str:
        """A line with calls for entries of arrays."""
        if match := _READ.match(line):
            return f"const uint64_t {match[1]} = load{match[2]}(s, {_index(match[3])}).word;"
        if match := _ENTRY.match(line):
            return f"const Entry {match[1]} = load{match[2]}(s, {_index(match[3])});"
        if match := _WRITE.match(line):
            return f"store{match[1]}(s, {_index(match[2])} @ {match[3]});"
        return line

    def _changed(self, change: WordsChange, context: Context) -> tuple[list[str], Context]:
        """The lines after which words are as a change says, and the context then."""
        static = {*self.program.setting.static}
        lines, after = list[str](), dict(context)
        after |= {g: n for g, n in change.numbers.items() if g in context}
        after |= {g: None for g in change.texts if g in context}
        cold = {g: n for g, n in change.numbers.items() if g not in self.hot | static}
        for g in self._carried & {*cold}:
            lines.append(f"x{g} = {unsigned(cold.pop(g))};")
        hot = {g: n for g, n in change.numbers.items() if g in self.hot and g not in context}
        texts = {g: unsigned(n) for g, n in hot.items()}
        for g, text in change.texts.items():
            if g in self.hot:
                texts[g] = text
            elif g not in static:
                lines.append(f"x{g} = {text};")
        lines += [f"n{g} = {text};" for g, text in texts.items()]
        lines += [f"w{g} = n{g};" for g in texts]
        return [*lines, f"from = {self._token(cold)};"], after

    def _known(self, context: Context) -> str:
        """Text that gives the words of a context to their variables."""
        return "".join(f"w{g} = {unsigned(n)}; " for g, n in context.items() if n is not None)

    def _exit(self, context: Context, number: int, me: int) -> str:
        """Leave before a node: the function's end gives words and the node, by a number."""
        chunk = self.chunks[self._now]
        why = chunk.exits.setdefault((number, tuple(context.items())), len(chunk.exits) + 1)
        return f"why = {why}; LEAVE({me})"

    def _returned(self, block: LiftedBlock, back: Back, context: Context, me: int) -> Iterator[str]:
        yield uncounted(block, back)
        if back.assign is not None:
            lines, context = self._changed(back.assign, context)
            yield from lines
        yield f"{self._exit(context, self.numbers[back.node], me)} }}"

    def _jumped(self, c: int, jump: BlockJump, context: Context, me: int) -> str:
        static, known, chunk = self.program.setting.static, self._known(context), self.chunks[c]
        if jump.to is not None:
            return f"{known}to = {jump.to}; GO({me}, {chunk.label(jump.node[1:])})"
        there = self.numbers.get(jump.node)
        if there is None:
            words = zip(static, jump.node, strict=True)
            lost = " ".join(f"s->word[{g}] = {v};" for g, v in words)
            return f"{known}{lost} next = -1; reason = {UNKNOWN}; LEAVE({me})"
        if jump.node not in self._home:
            return self._exit(context, there, me)
        if self._home[jump.node] != c:
            return f"{known}next = {there}; reason = {AWAY}; LEAVE({me})"
        if None in context.values():
            return f"{known}GO({me}, {chunk.label(jump.node, 'choose')})"
        values = tuple(context[g] or 0 for g in self.fixed)
        if values not in self.contexts[jump.node]:
            return self._exit(context, there, me)
        goal = chunk.label(jump.node, self.contexts[jump.node].index(values))
        return f"AGAIN({me})" if goal == me else f"GO({me}, {goal})"

    def _jumps(self, c: int, rest: object, me: int) -> Iterator[str]:
        """Jumps to an address that is computed: on the first static group, for given others."""
        static = self.program.setting.static
        assert isinstance(rest, tuple)
        yield "switch (to) {"
        for node in sorted(n for n in self.program.targets if n in self._home and n[1:] == rest):
            if self._home[node] != c:
                there = f"next = {self.numbers[node]}; reason = {AWAY}; LEAVE({me})"
            else:
                there = f"GO({me}, {self.chunks[c].label(node, 'choose')})"
            yield f"case {node[0]}: {there}"
        words = " ".join(f"s->word[{g}] = {v};" for g, v in zip(static[1:], rest, strict=True))
        lost = f"s->word[{static[0]}] = to; {words} next = -1; reason = {UNKNOWN};"
        yield f"default: {lost} LEAVE({me}) }}"

    def _choose(self, chunk: int, node: object, go: str, leave: str) -> list[str]:
        """Lines that choose the context at a node where its words are not known."""
        assert isinstance(node, tuple)
        lines = []
        for k, values in enumerate(self.contexts[node]):
            pairs = zip(self.fixed, values, strict=True)
            test = " && ".join(f"w{g} == {unsigned(n)}" for g, n in pairs) or "1"
            lines.append(f"if ({test}) {go}{self.chunks[chunk].label(node, k)})")
        return [*lines, f"next = {self.numbers[node]}; {leave}"]

    # Functions

    def finish(self, places: Mapping[int, ArrayPlace]) -> str:
        """The functions, for arrays that are in these places; nothing reads the others."""
        functions = [_Function(self, c, places).text() for c in range(len(self.chunks))]
        cases = " ".join(f"case {c}: return chunk{c}(s);" for c in range(len(functions)))
        return f"""{chr(10).join(functions)}
{self.node_tables("TABLE")}
DEV int64_t run_chunk(State *s, int c) {{ switch (c) {{ {cases} }} return 0; }}
DEV int64_t lifted_run(State *s, int64_t entry) {{
    const int64_t before = s->left;
    int64_t reason = {AWAY};
    s->next = entry;
    s->from = s->extra = 0;
    while (reason == {AWAY}) reason = run_chunk(s, homes[s->next]);
{self.ending()}
}}
"""


class _Function:
    """The C function of a chunk; `slots` are the addresses, by array, that are variables."""

    def __init__(self, emitter: RowEmitter, chunk: int, places: Mapping[int, ArrayPlace]) -> None:
        self.emitter, self.chunk, self.places = emitter, chunk, places
        blocks = emitter.chunks[chunk].blocks
        self.blocks = blocks
        self.slots = self._slots()
        self.narrow = self._narrow()
        self.variables: dict[str, str] = {}

    def _slots(self) -> dict[int, list[int]]:
        """The arrays of rows whose addresses are all numbers, with those inside their windows."""
        slots: dict[int, set[int]] = {}
        moving: set[int] = set()
        for line in (line for lines in self.blocks.values() for line in lines):
            match = _LOAD.match(line)
            array, index = (match[3], match[4]) if match else ("", "")
            if match is None:
                if (match := _STORE.match(line)) is None:
                    continue
                array, index = match[1], match[2]
            place = self.places.get(int(array))
            if place is None or place.words is not None:
                continue
            if not index.isdigit():
                moving.add(int(array))
            elif 0 <= int(index) - place.base < place.size:
                slots.setdefault(int(array), set()).add(int(index))
        return {n: sorted(at) for n, at in sorted(slots.items()) if n not in moving}

    def _narrow(self) -> set[tuple[int, int]]:
        """Slots that only get words below 2^32; the function is not entered with others there."""
        values: dict[str, list[str]] = {}
        stores: dict[tuple[int, int], list[str]] = {}
        for line in (line for lines in self.blocks.values() for line in lines):
            if match := _LOAD.match(line):
                slot = int(match[3]), int(match[4]) if match[4].isdigit() else -1
                name = match[2].removeprefix("e")
                inside = slot[1] in self.slots.get(slot[0], ())
                values[name] = [f"slot {slot[0]} {slot[1]}" if inside else "?"]
            elif match := _STORE.match(line):
                if int(match[1]) in self.slots and match[2].isdigit():
                    stores.setdefault((int(match[1]), int(match[2])), []).append(match[3])
            elif (match := _ASSIGNED.match(line)) and match[2] != f"e{match[1]}.word":
                values.setdefault(match[1], []).append(match[2])
        narrow = {(n, at) for n, slots in self.slots.items() for at in slots}
        small: set[str] = set()

        def is_small(text: str) -> bool:
            if text.startswith("slot "):
                return tuple(map(int, text.split()[1:])) in narrow
            return text in small or _is_small(text)

        while True:
            small = {*values}
            while wide := {n for n in small if not all(map(is_small, values[n]))}:
                small -= wide
            wider = {slot for slot in narrow if not all(map(is_small, stores.get(slot, ())))}
            if not wider:
                return narrow
            narrow -= wider

    def _flag(self, array: int, at: int) -> tuple[str, int]:
        """The variable and the bit that say whether a slot was written."""
        word, bit = divmod(self.slots[array].index(at), 32)
        return f"h{array}_{word}", bit

    def text(self) -> str:
        """The function."""
        emitter = self.emitter
        body = [*self._body()]
        hot = sorted(emitter.hot)
        cold = sorted({int(g) for line in body for g in re.findall(r"\bx(\d+) = ", line)})
        kept = [(f"w{g}", g) for g in hot] + [(f"x{g}", g) for g in cold]
        variables = "\n".join(f"    {kind} {name};" for name, kind in self.variables.items())
        words = "\n".join(f"    uint64_t {name} = s->word[{g}];" for name, g in kept)
        temporary = "".join(f"    uint64_t n{g};\n" for g in hot)
        back = "\n".join(f"    s->word[{g}] = {name};" for name, g in kept)
        cases = "\n".join(
            f"    case {emitter.numbers[n]}: {' '.join(self._enter(n))}"
            for n in emitter.chunks[self.chunk].leaders
        )
        return f"""DEV int64_t chunk{self.chunk}(State *s) {{
{variables}
{words}
{temporary}    uint64_t large = 0;
{chr(10).join(self._loads())}
    /* counted in 32 bits: a run that is longer enters again */
    const int32_t given = s->left > {MOST} ? {MOST} : (int32_t)s->left;
    int32_t left = given, extra = 0, next = -1, from = (int32_t)s->from, reason = {OUT}, lost = 0;
    uint64_t *const far = s->far;
    uint64_t to;
    int at = 0, why = 0;
    switch (s->next) {{
{cases}
    default: next = s->next; goto out;
    }}
    ROUNDS
{chr(10).join(body)}
    ROUNDS_END
out:
    switch (why) {{
{self._exits()}
    }}
    s->next = next;
{back}
{chr(10).join(self._stores())}
    s->left -= given - left; s->extra += extra; s->from = from; s->lost |= lost;
    return reason;
}}
"""

    def _enter(self, node: Node) -> list[str]:
        return self.emitter._choose(self.chunk, node, "FIRST(", "goto out;")

    def _exits(self) -> str:
        lines = []
        for (number, pairs), why in self.emitter.chunks[self.chunk].exits.items():
            known = " ".join(f"w{g} = {unsigned(n)};" for g, n in pairs if n is not None)
            lines.append(f"    case {why}: {known} next = {number}; break;")
        return "\n".join(lines)

    def _surely(self, lines: list[str]) -> Iterator[str]:
        """Lines that test first what slots were written: a flag is never taken back.

        Tests that every thread takes go before the start of the block, so that turns lack them.
        """
        bits: dict[str, int] = {}
        entries: dict[str, tuple[str, int]] = {}
        stored, depth, rest, first = set[tuple[int, int]](), 0, [], lines[0]
        for line in lines[1:]:
            if (match := _LOAD.match(line)) and int(match[3]) in self.slots:
                key = int(match[3]), int(match[4]) if match[4].isdigit() else -1
                if key[1] in self.slots[key[0]] and key not in stored and depth == 0:
                    plain = self.places[key[0]].plain
                    entries[match[2]] = ("", 0) if plain else self._flag(*key)
            elif (match := _STORE.match(line)) and int(match[1]) in self.slots:
                stored.add((int(match[1]), int(match[2]) if match[2].isdigit() else -1))
            elif depth == 0 and (match := _HELD.match(line)):
                names = match[1].replace(".held", "").split(" & ")
                if all(name in entries for name in names):
                    for flag, bit in (entries[name] for name in names):
                        bits[flag] = bits.get(flag, 0) | 1 << bit
                    continue
            depth += line.count("{") - line.count("}")
            rest.append(line)
        bits.pop("", None)
        yield first
        leave = first[first.find("{") :]
        for flag, mask in bits.items():
            yield f"if (({flag} & {mask}u) != {mask}u) {leave}"
        yield from rest

    def _body(self) -> Iterator[str]:
        """All blocks; a device passes by groups of them that no thread is at."""
        count = len(self.blocks)
        for me, lines in sorted(self.blocks.items()):
            again = f"AGAIN({me})" in lines
            lines = [*self._surely(lines)]
            grouped = count > 2 * GROUP
            if grouped and me % GROUP == 0:
                yield f"GROUP_OF({me}, {min(me + GROUP, count) - 1})"
            yield f"BLOCK({me})"
            for line in lines:
                yield from self._printed(line)
            yield f"END_AGAIN({me})" if again else f"END({me})"
            if grouped and (me % GROUP == GROUP - 1 or me == count - 1):
                yield "GROUP_END"

    def _loads(self) -> Iterator[str]:
        """Lines that give slots to their variables."""
        for n, slots in self.slots.items():
            if not self.places[n].plain:
                for word in range(-(-len(slots) // 32)):
                    yield f"    uint32_t h{n}_{word} = 0;"
            for at in slots:
                small = (n, at) in self.narrow
                yield f"    uint{32 if small else 64}_t r{n}_{at};"
                flag = " large |= e.word >> 32;" if small else ""
                if not self.places[n].plain:
                    name, bit = self._flag(n, at)
                    flag += f" {name} |= (uint32_t)e.held << {bit};"
                kind = "(uint32_t)" if small else ""
                yield f"    {{ const Entry e = load{n}(s, {at}); r{n}_{at} = {kind}e.word;{flag} }}"
        yield f"    if (large) return {OUT};"

    def _stores(self) -> Iterator[str]:
        """Lines that store variables in their slots."""
        for n, slots in self.slots.items():
            for at in slots:
                test = ""
                if not self.places[n].plain:
                    name, bit = self._flag(n, at)
                    test = f"if ({name} >> {bit} & 1) "
                yield f"    {test}store{n}(s, {at}, r{n}_{at});"

    def _printed(self, line: str) -> Iterable[str]:
        if match := _LOAD.match(line):
            line = self._load(match[1], match[2], int(match[3]), match[4])
        elif match := _STORE.match(line):
            return self._store(int(match[1]), match[2], match[3])
        if match := _DECLARED.match(line):
            self.variables[match[2]] = match[1]
            line = f"{match[2]} = {match[3]};"
        elif match := _MERGED.match(line):
            self.variables[match[1]] = "uint64_t"
            return ()
        return (line,)

    def _load(self, kind: str, name: str, array: int, index: str) -> str:
        place = self.places[array]
        inside = index.isdigit() and 0 <= int(index) - place.base < place.size
        if place.words is not None and index.isdigit():
            word = place.words.get(int(index))
            text = f"entry({unsigned(word or 0)}, {int(word is not None)})"
        elif index.isdigit() and not inside:
            text = f"entry(0, {int(place.plain)})"
        elif array in self.slots:
            held = "1"
            if not place.plain:
                flag, bit = self._flag(array, int(index))
                held = f"{flag} >> {bit} & 1"
            text = f"entry(r{array}_{index}, {held})"
        elif place.far:
            text = f"get{array}(far, {index})"
        else:
            text = f"load{array}(s, {index})"
        return f"const {kind} {name} = {text}{'.word' if kind == 'uint64_t' else ''};"

    def _store(self, array: int, index: str, word: str) -> Iterable[str]:
        place = self.places.get(array)
        if place is None:
            return ()
        if place.words is not None:
            return ("lost = 1;",)
        if index.isdigit() and not 0 <= int(index) - place.base < place.size:
            return ("lost = 1;",)
        if array in self.slots:
            flag = ""
            if not place.plain:
                name, bit = self._flag(array, int(index))
                flag = f" {name} |= {1 << bit}u;"
            kind = "(uint32_t)" if (array, int(index)) in self.narrow else ""
            return (f"r{array}_{index} = {kind}{word};{flag}",)
        if place.far:
            return (f"put{array}(far, &lost, {index}, {word});",)
        return (f"store{array}(s, {index}, {word});",)


def _is_small(text: str) -> bool:
    """Whether a C text is surely below 2^32: a mask, a test, a cast, or a number."""
    if match := _NUMBER.fullmatch(text):
        return int(match[1]) < 2**32
    if text.startswith(("(uint64_t)((uint32_t)(", "ROTL32(")):
        return _outer(text.replace(",", " "), ())
    if text.startswith("(uint64_t)("):
        return _outer(text, (" == ", " != ", " < ", " > ", " <= ", " >= "))
    match = re.fullmatch(r"\((.*) & UINT64_C\((\d+)\)\)", text)
    return match is not None and int(match[2]) < 2**32 and _outer(f"({match[1]})", ())


def _outer(text: str, tests: tuple[str, ...]) -> bool:
    """Whether the last parentheses close where a text ends, around one of these tests, if any."""
    start = text.index("(", len("(uint64_t)") if text.startswith("(uint64_t)") else 0)
    depth, top = 0, ""
    for i, c in enumerate(text[start:], start):
        depth += (c == "(") - (c == ")")
        top += c if depth == 1 else ""
        if depth == 0 and i < len(text) - 1:
            return False
    return not any(c in top for c in "|^?,") and (not tests or any(t in top for t in tests))


def _index(text: str) -> str:
    match = _NUMBER.fullmatch(text)
    return match[1] if match else text


__all__ = ["ArrayPlace", "RowEmitter"]
