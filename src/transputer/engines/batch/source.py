"""One program on many rows of arguments: lifted code as one source, for a C compiler or for nvcc.

The blocks and rows are those of the lifted engine; only the way to the arrays is another. Tokens
are kept in *windows*: the part of an array that rows were seen to use, laid out densely, with the
words of neighbouring threads side by side on a device. A row that writes outside a window, or
meets a row of the model that the source lacks, is *lost*: the caller runs it on another engine.
So a window never changes a result, only who computes it.

Words of an array that is only read with a default of 0 are kept without a flag that they were
written: reading an unwritten word gives 0 either way. Arrays that nothing writes are constants.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from transputer.engines.batch.blocks import ArrayPlace, RowEmitter
from transputer.engines.lifted.decoder.circuit import OWN
from transputer.engines.lifted.decoder.cprint import HEAD, number, unsigned
from transputer.engines.lifted.decoder.expr import WordExpr
from transputer.engines.lifted.decoder.library import RowCode
from transputer.engines.lifted.decoder.program import LiftedProgram, Node
from transputer.engines.lifted.decoder.rowcode import (
    DONE,
    ROW,
    SEEN,
    STOPPED,
    UNPROVED,
    UNSAFE,
    RowPrinter,
)
from transputer.engines.lifted.decoder.rowrun import RowRun
from transputer.engines.lifted.decoder.shelf import KeyClass, Shelf
from transputer.errors import Unsupported

Tokens = NDArray[np.uint16]
#: An array with at most this many words has its flags in one word, and is kept near the thread.
SMALL = 64
#: Words of the program from which on rows share them.
SHARED = 16
_STATIC_READ = re.compile(r"\bload(\d+)\(")
_STATIC_WRITE = re.compile(r"\bstore(\d+)\(")


@dataclass(frozen=True)
class Window:
    """The words of an array that are kept: from `base` on, `size` of them."""

    base: int
    size: int


@dataclass(frozen=True)
class BatchWant:
    """What a batch hands out, and what it must not do itself.

    Tokens whose part that tells keys apart has the value `output` add their word of `group`, and
    with `mask`, to the output; with the value `growth` and more than `most` in that word, the row
    is lost. `results` words of `group` are read at the addresses 0, 1, .. of tokens with the
    value `result`. `tags` are values whose arrays may be read by a tag that is computed.
    """

    group: int
    output: int
    mask: int
    growth: int
    most: int
    result: int
    results: int
    tags: tuple[int, ...]
    room: int = 0  #: numbers of output that a row may have


@dataclass(frozen=True, eq=False)
class RowStart:
    """How a row starts: tokens of the host, in some of which an argument replaces a word.

    `arguments` has the token and the group for each argument.
    """

    tokens: Tokens
    arguments: tuple[tuple[int, int], ...]


class BatchRowPrinter(RowPrinter):
    """Prints rows that reach arrays through the functions of windows."""

    def _entry(self, owner: KeyClass, tag: WordExpr, group: int, index: str) -> str:
        self._count += 1
        name, count = f"e{self._count}", len(self.frame.groups)
        if tag.kind == "num":
            slot = owner.slot(tag.data[0])
            there = slot is not None and group in self.shelf.groups(slot)
            text = f"load{(slot or 0) * count + group}(s, {index})" if there else "entry(0, 0)"
        else:
            offset = number(owner.first - owner.low)
            tag_text = self.printer.exact(self._name(tag))
            self.lines.append(f"const int64_t t{name} = {tag_text} + {offset};")
            inside = f"t{name} >= {owner.slots.start} && t{name} < {owner.slots.stop}"
            text = f"{inside} ? load_any(s, t{name} * {count} + {group}, {index}) : entry(0, 0)"
        self.lines.append(f"const Entry {name} = {text};")
        return name

    def _check(self, owner: KeyClass, words: Sequence[WordExpr]) -> None:
        """Windows are always there."""

    def _write(self, owner: KeyClass, words: Sequence[WordExpr], texts: Sequence[str]) -> None:
        slot, count = self._slot(owner, words), len(self.frame.groups)
        slots = [slot] if isinstance(slot, int) else owner.slots
        groups = sorted({g for s in slots for g in self.shelf.groups(s)})
        if not groups:
            return
        index = self._index(owner, words[owner.group])
        for g in groups:
            if isinstance(slot, int):
                self.lines.append(f"store{slot * count + g}(s, {index}, {texts[g]});")
            else:
                self.lines.append(f"store_any(s, {slot} * {count} + {g}, {index}, {texts[g]});")


@dataclass
class BatchSource:
    """The source of a program: `text`.

    `run` has the tokens `host` of the program noted, nothing else. `hot` marks the addresses
    whose nodes become blocks, `rows` are the numbers of the rows that become functions, `seen`
    are tokens of some runs, which say how large windows must be.
    """

    code: RowCode
    run: RowRun
    host: Tokens
    start: RowStart
    want: BatchWant
    hot: NDArray[np.bool_]
    rows: Sequence[int]
    seen: Tokens
    margin: float = 1.25
    windows: dict[int, Window] = field(default_factory=dict)

    @property
    def shelf(self) -> Shelf:
        """The arrays of the model."""
        return self.code.shelf

    @property
    def _count(self) -> int:
        return len(self.shelf.frame.groups)

    # Blocks

    @cached_property
    def _emitter(self) -> RowEmitter | None:
        """The blocks of hot nodes; None if there are none."""
        host = self.run.host(self.host)
        others = (0,) * (len(self.shelf.frame.setting.static) - 1)
        seeds = [(address, *others) for address in np.flatnonzero(self.hot).tolist()]

        def is_hot(node: Node) -> bool:
            return node[0] < len(self.hot) and bool(self.hot[node[0]])

        program = LiftedProgram(self.shelf, self.code.row, host, is_hot, seeds)
        words = self.run.words(self.seen)
        _keep(program, {*map(tuple, np.unique(words[:, program.setting.static], axis=0).tolist())})
        emitter = RowEmitter(program, words, self._tag_group, self.want.group)
        return emitter if emitter.leaders else None

    @property
    def _lines(self) -> str:
        """The lines of all blocks, with calls that say which arrays they use."""
        return "" if self._emitter is None else self._emitter.text

    def _blocks(self) -> str:
        """The functions of blocks: C that is C++ as well."""
        if self._emitter is None:
            return "DEV int64_t lifted_run(State *s, int64_t entry) { return 0; }"
        places = {}
        for n in self.read | {*self.private}:
            if n in self.private:
                window = self.private[n]
                far = n in self.far
                places[n] = ArrayPlace(window.base, window.size, n in self.plain, far)
            else:
                at, words = self.image.get(n, (np.zeros(0, np.int64), np.zeros(0, np.uint64)))
                known = dict(zip(at.tolist(), words.tolist(), strict=True))
                places[n] = ArrayPlace(0, 0, words=known)
        return self._emitter.finish(places)

    @property
    def _tag_group(self) -> int:
        """The group of the part that tells keys apart."""
        return self.shelf.frame.place[self.shelf.classes[-1].part][0]

    # Rows

    @cached_property
    def _tables(self) -> dict[tuple[int, ...], str]:
        return {} if self._emitter is None else self._emitter.printer.tables

    @cached_property
    def _row_texts(self) -> dict[int, str]:
        return {
            which: self._device(
                BatchRowPrinter(self.shelf, self._tables).function(
                    f"row{which}", fixed, self.code.lifting.row(fixed)
                )
            )
            for which in self.rows
            for fixed in [self.code.fixed(which)]
        }

    @staticmethod
    def _device(text: str) -> str:
        text = text.replace("static int ", "DEV int ")
        return text.replace("s->fixed[", "FIXED[").replace("s->special[", "SPECIAL[")

    @cached_property
    def _driver(self) -> str:
        """What takes steps: by blocks where there are some, else by rows."""
        frame, setting = self.shelf.frame, self.shelf.frame.setting
        row = BatchRowPrinter(self.shelf, self._tables)
        fetched = row.fetched()
        which, stride = [], 1
        for source, part in setting.controls:
            group, shift = frame.place[part]
            text = f"s->word[{group}]" if source == OWN else fetched[group]
            digit = text if len(frame.groups[group]) == 1 else f"({text} >> {shift} & 255)"
            which.append(f"{digit} * {stride}")
            stride *= frame.sizes[part]
        counted = self.shelf.want.counted
        mark = "0"
        if counted is not None:
            at, zero = frame.place[counted.address[0]][0], frame.place[counted.zero][0]
            mark = f"!s->word[{zero}] && s->word[{at}] < MARKED && MARKS[s->word[{at}]]"
        stops = " || ".join(f"s->word[{frame.place[p][0]}]" for p in self.shelf.want.stops)
        address, *rest = setting.static
        others = "".join(f" && !s->word[{g}]" for g in rest)
        hungry, fed = "0", (0, 0)
        if (wait := self.shelf.want.feed) is not None:
            fed = frame.place[wait.part][0], frame.place[wait.into][0]
            hungry = f"s->word[{fed[0]}] == {wait.value}"
        cases = "\n".join(f"    case {n}: return row{n}(s);" for n in self._row_texts)
        note = self._device(BatchRowPrinter(self.shelf, self._tables).note())
        text = f"""{note}
DEV int take(State *s, uint64_t which) {{
    switch (which) {{
{cases}
    default: s->slot = which; return {ROW};
    }}
}}
DEV int run_rows(State *s, const int traced) {{
    while (s->left > 0 && !s->lost) {{
        if (!traced && s->word[{address}] < ENTERABLE{others}) {{
            const int32_t block = ENTER[s->word[{address}]];
            if (block >= 0) {{
                const int64_t before = s->left;
                lifted_run(s, block);
                if (s->left != before) continue;
            }}
        }}
        {" ".join(row.opening())}
        {" ".join(row.lines)}
        const uint64_t which = {" + ".join(which)};
        const int64_t mark = {mark};
        const int reason = take(s, which);
        if (reason) return reason;
        s->left--;
        s->tally += mark;
        if (traced) hash_token(s);
        const uint8_t flags = FLAGS[s->word[{self._tag_group}]];
        if (flags & {SEEN}) seen(s, s->word[{self._tag_group}], s->word[{self.want.group}]);
        if (flags & {UNSAFE}) return {UNPROVED};
        if ({stops}) {{
            if (!({hungry})) return {STOPPED};
            s->word[{fed[0]}] = 0;
            s->word[{fed[1]}] = next_input(s);
            note(s);
        }}
    }}
    return {DONE};
}}"""
        return self._device(text)

    # Arrays

    def _array_of(self, tag: int, group: int) -> Iterable[int]:
        """The arrays that hold a group of tokens with a value of the part that tells keys apart."""
        for owner in self.shelf.classes:
            slot = owner.slot_of(tag)
            if group in self.shelf.groups(slot):
                yield slot * self._count + group

    @cached_property
    def _code_text(self) -> str:
        return "\n".join([*self._row_texts.values(), self._driver])

    @cached_property
    def dynamic(self) -> list[int]:
        """The arrays that a tag that is computed may choose."""
        owners = {
            int(n) // self._count
            for tag in self.want.tags
            for n in self._array_of(tag, self.want.group)
        }
        return sorted(s * self._count + g for s in owners for g in self.shelf.groups(s))

    @cached_property
    def read(self) -> set[int]:
        """The arrays that something reads."""
        arrays = {int(n) for n in _STATIC_READ.findall(self._lines + self._code_text)}
        return arrays | ({*self.dynamic} if "load_any(" in self._code_text else set())

    @cached_property
    def written(self) -> set[int]:
        """The arrays that something writes, of those that are read."""
        arrays = {int(n) for n in _STATIC_WRITE.findall(self._lines + self._code_text)}
        arrays |= {n for n, _, _ in self._start_writes}
        return (arrays | {*self.dynamic}) & self.read

    @cached_property
    def result_array(self) -> int:
        """The array that has the results."""
        arrays = [*self._array_of(self.want.result, self.want.group)]
        return next((n for n in arrays if n in self.read), arrays[0])

    def places(self, tokens: Tokens) -> dict[int, tuple[NDArray[np.int64], NDArray[np.uint64]]]:
        """For each array the addresses that tokens write, and the words that they leave there."""
        words = self.run.words(tokens)
        result = {}
        for owner in self.shelf.classes:
            slots = np.array([owner.slot_of(v) for v in range(len(owner.table))])
            own = slots[tokens[:, owner.part]]
            mask = (1 << 8 * owner.digits) - 1
            index = (words[:, owner.group] & np.uint64(mask)).astype(np.int64)
            for slot in np.unique(own).tolist():
                rows = np.flatnonzero(own == slot)[::-1]
                at, last = np.unique(index[rows], return_index=True)
                for g in self.shelf.groups(slot):
                    result[slot * self._count + g] = at, words[rows[last], g]
        return result

    @cached_property
    def image(self) -> dict[int, tuple[NDArray[np.int64], NDArray[np.uint64]]]:
        """What the program's tokens leave in each array."""
        return self.places(self.host)

    @cached_property
    def _start_writes(self) -> list[tuple[int, int, str]]:
        """Array, address and text of what the first tokens of a row write."""
        words = self.run.words(self.start.tokens)
        given = {place: i for i, place in enumerate(self.start.arguments)}
        writes = []
        for t, token in enumerate(self.start.tokens.tolist()):
            for owner in self.shelf.classes:
                slot = owner.slot_of(token[owner.part])
                index = int(words[t, owner.group]) % 256**owner.digits
                for g in self.shelf.groups(slot):
                    text = f"ARG({given[t, g]})" if (t, g) in given else unsigned(int(words[t, g]))
                    writes.append((slot * self._count + g, index, text))
        return writes

    def _window(self, array: int) -> Window:
        """The window of an array: what runs used, with a margin."""
        if array in self.windows:
            return self.windows[array]
        used = [at for places in (self.image, self._used) if array in places
                for at in places[array][0][[0, -1]].tolist()]  # fmt: skip
        used += [at for n, at, _ in self._start_writes if n == array]
        if array == self.result_array:
            used += [0, self.want.results]
        low, high = (min(used), max(used) + 1) if used else (0, 1)
        if low < SMALL:
            low = 0
        size = int((high - low) * self.margin) + 4
        size = next((n for n in (8, 16, 32, SMALL) if high - low <= n), (size + 63) // 64 * 64)
        return Window(low, min(size, 256 ** self.shelf.digits(array // self._count) - low))

    @cached_property
    def _used(self) -> dict[int, tuple[NDArray[np.int64], NDArray[np.uint64]]]:
        return self.places(self.seen)

    @cached_property
    def private(self) -> dict[int, Window]:
        """The windows that every row has of its own."""
        return {n: self._window(n) for n in sorted(self.written | {self.result_array})}

    @cached_property
    def plain(self) -> set[int]:
        """Arrays without flags: every read of them takes 0 where nothing was written."""
        special = self.run.special
        full = {int(n) for n in re.findall(r"ev\d+ = load(\d+)\(", self._lines)}
        for text in (*self._row_texts.values(), self._driver):
            for name, array in re.findall(r"const Entry (e\d+) = load(\d+)\(", text):
                if f"if (!{name}.held)" in text:
                    full.add(int(array))
            for name in re.findall(r"const Entry (e\d+) = .*load_any\(", text):
                if f"if (!{name}.held)" in text:
                    full |= {*self.dynamic}
        return {n for n in self.private if n not in full and not special[n % self._count]}

    @cached_property
    def shared(self) -> dict[int, range]:
        """Parts of large windows that rows share: words of the program that no sample wrote."""
        parts = {}
        for n, window in self.private.items():
            at = self.image.get(n, (np.zeros(0, np.int64),))[0] - window.base
            if window.size <= SMALL or n not in self.plain or not len(at):
                continue
            used = self._used[n][0] - window.base if n in self._used else np.zeros(0, np.int64)
            used = np.union1d(used, [a - window.base for m, a, _ in self._start_writes if m == n])
            gap = np.searchsorted(used, at)  # words in the same gap between written ones
            best = int(np.bincount(gap[~np.isin(at, used)], minlength=1).argmax())
            inside = at[(gap == best) & ~np.isin(at, used)]
            if len(inside) >= SHARED:
                parts[n] = range(int(inside[0]), int(inside[-1]) + 1)
        return parts

    @cached_property
    def far(self) -> dict[int, int]:
        """Offsets, in words, of the windows that are too large to be kept near a thread."""
        offsets, total = {}, 0
        for n, window in self.private.items():
            if window.size > SMALL:
                offsets[n] = total
                total += window.size - len(self.shared.get(n, ()))
                total += 0 if n in self.plain else (window.size + 63) // 64
        self._far_words = total
        return offsets

    @property
    def row_words(self) -> int:
        """Words of memory that each row has besides its small windows."""
        assert self.far is not None
        return self._far_words

    def _array_text(self, n: int) -> str:
        load = f"DEV Entry load{n}(const State *s, uint64_t i)"
        if n not in self.private:
            return self._constant_text(n, load)
        base, size = self.private[n].base, self.private[n].size
        at = f"i - {unsigned(base)}" if base else "i"
        store = f"DEV void store{n}(State *s, uint64_t i, uint64_t word)"
        inside = f"const uint64_t at = {at}; if (at >= {size})"
        missing = "entry(0, 1)" if n in self.plain else "entry(0, 0)"
        if n not in self.far:
            word = f"s->near{n}[at]"
            held = "1" if n in self.plain else f"s->held{n} >> at & 1"
            hold = "" if n in self.plain else f"s->held{n} |= UINT64_C(1) << at;"
            return (
                f"{load} {{ {inside} return {missing}; return entry({word}, {held}); }}\n"
                f"{store} {{ {inside} s->lost = 1; else {{ {word} = word; {hold} }} }}"
            )
        word, flags = f"FAR({self.far[n]} + at)", f"FAR({self.far[n] + size} + (at >> 6))"
        held = "1" if n in self.plain else f"{flags} >> (at & 63) & 1"
        hold = "" if n in self.plain else f"{flags} |= UINT64_C(1) << (at & 63);"
        get = f"DEV Entry get{n}(const uint64_t *far, uint64_t i)"
        put = f"DEV void put{n}(uint64_t *far, int32_t *lost, uint64_t i, uint64_t word)"
        text, known, refused = "", "", ""
        if part := self.shared.get(n):
            words = self._dense(n)[part.start : part.stop]
            text = f"TABLE uint64_t S{n}[] = {{{_listed(words)}}};\n"
            test = f"if (at - {part.start} < {len(part)})"
            known = f"{test} return entry(S{n}[at - {part.start}], 1);"
            refused = f"{test} *lost = 1; else"
            word = f"FAR({self.far[n]} + (at < {part.start} ? at : at - {len(part)}))"
        return (
            f"{text}{get} {{ {inside} return {missing}; {known} return entry({word}, {held}); }}\n"
            f"{put} {{ {inside} *lost = 1; else {refused} {{ {word} = word; {hold} }} }}\n"
            f"{load} {{ return get{n}(s->far, i); }}\n"
            f"{store} {{ put{n}(s->far, &s->lost, i, word); }}"
        )

    def _dense(self, n: int) -> NDArray[np.uint64]:
        """The words of the program in a window."""
        at, words = self.image[n]
        whole = np.zeros(self.private[n].size, dtype=np.uint64)
        whole[at - self.private[n].base] = words
        return whole

    def _constant_text(self, n: int, load: str) -> str:
        at, words = self.image.get(n, (np.zeros(0, np.int64), np.zeros(0, np.uint64)))
        if not len(at):
            return f"{load} {{ return entry(0, 0); }}"
        base, size = int(at[0]), int(at[-1] - at[0]) + 1
        dense = np.zeros(size, dtype=np.uint64)
        dense[at - base] = words
        held = "1"
        text = f"TABLE uint64_t K{n}[] = {{{', '.join(map(unsigned, dense.tolist()))}}};\n"
        if len(at) < size:
            flags = np.zeros(size, dtype=np.uint8)
            flags[at - base] = 1
            text += f"TABLE uint8_t KH{n}[] = {{{', '.join(map(str, flags.tolist()))}}};\n"
            held = f"KH{n}[i - {base}]"
        test = f"if (i - {unsigned(base)} >= {size}) return entry(0, 0);"
        return f"{text}{load} {{ {test} return entry(K{n}[i - {base}], {held}); }}"

    def _any_texts(self) -> str:
        loads = " ".join(f"case {n}: return load{n}(s, i);" for n in self.dynamic if n in self.read)
        # what is read by a known tag alone may also be written by one that is computed
        stores = " ".join(f"case {n}: store{n}(s, i, word); return;" for n in self.private)
        fixed = {n for n in self.read if n not in self.private}
        lost = " ".join(f"case {n}:" for n in sorted(fixed))
        lost = f"{lost} s->lost = 1; return;" if lost else ""
        return f"""DEV Entry load_any(State *s, int64_t n, uint64_t i) {{
    switch (n) {{ {loads} }}
    s->lost = 1;
    return entry(0, 0);
}}
DEV void store_any(State *s, int64_t n, uint64_t i, uint64_t word) {{
    switch (n) {{ {stores} {lost} }}
}}"""

    # Starting and ending a row

    def _begin_text(self) -> str:
        """The function that gives a row the program's words, and its own arguments."""
        lines, tables = [], []
        for n, window in self.private.items():
            at, words = self.image.get(n, (np.zeros(0, np.int64), np.zeros(0, np.uint64)))
            place = f"s->near{n}[i]" if n not in self.far else f"FAR({self.far[n]} + i)"
            part = self.shared.get(n, range(0))
            own = (at - window.base < part.start) | (at - window.base >= part.stop)
            at, words = at[own], words[own]
            size = window.size - len(part)
            dense = size <= 4 * len(at)
            if n in self.plain and not dense:
                lines.append(f"for (int i = 0; i < {size}; i++) {place} = 0;")
            if n not in self.plain and n not in self.far:
                lines.append(f"s->held{n} = 0;")
            elif n not in self.plain:
                flags = f"FAR({self.far[n] + window.size} + i)"
                lines.append(f"for (int i = 0; i < {(window.size + 63) // 64}; i++) {flags} = 0;")
            if not len(at):
                continue
            if n in self.plain and dense:
                whole = np.delete(self._dense(n), np.arange(part.start, part.stop))
                tables.append(f"TABLE uint64_t I{n}[] = {{{_listed(whole)}}};")
                lines.append(f"for (int i = 0; i < {size}; i++) {place} = I{n}[i];")
            else:
                tables.append(f"TABLE uint32_t IA{n}[] = {{{', '.join(map(str, at.tolist()))}}};")
                tables.append(f"TABLE uint64_t IW{n}[] = {{{_listed(words)}}};")
                lines.append(
                    f"for (int i = 0; i < {len(at)}; i++) store{n}(s, IA{n}[i], IW{n}[i]);"
                )
        lines += [
            f"store{n}(s, {at}, {t});" for n, at, t in self._start_writes if n in self.private
        ]
        last = len(self.start.tokens) - 1
        given = {place: i for i, place in enumerate(self.start.arguments)}
        for g, value in enumerate(self.run.words(self.start.tokens)[last].tolist()):
            text = f"ARG({given[last, g]})" if (last, g) in given else unsigned(value)
            lines.append(f"s->word[{g}] = {text};")
        body = "\n    ".join(["uint64_t *const far = s->far;", *lines])
        begin = f"DEV void begin(State *s, const uint64_t *args, int64_t stride) {{\n    {body}\n}}"
        return "\n".join([*tables, begin])

    def _digest_text(self) -> str:
        """The function that sums up what a row has left in its windows."""
        lines = []
        for n, window in self.private.items():
            entry = f"load{n}(s, {unsigned(window.base)} + i)"
            test = "e.word" if n in self.plain else "e.held"
            lines.append(
                f"for (uint64_t i = 0; i < {window.size}; i++) {{ const Entry e = {entry};\n"
                f"        if ({test}) sum += mix({n}, {unsigned(window.base)} + i, e.word); }}"
            )
        body = "\n    ".join(lines)
        head = "DEV uint64_t digest(const State *s)"
        return f"{head} {{\n    uint64_t sum = 0;\n    {body}\n    return sum;\n}}"

    def digest(self, tokens: Tokens) -> int:
        """What `digest` of the source must give for a run that left these tokens."""
        total, words = 0, self.run.words(tokens)
        for n, window in self.private.items():
            slot, group = divmod(n, self._count)
            owner = self.shelf.owner(slot)
            slots = np.array([owner.slot_of(v) for v in range(len(owner.table))])
            rows = np.flatnonzero(slots[tokens[:, owner.part]] == slot)
            mask = np.uint64((1 << 8 * owner.digits) - 1)
            at = (words[rows, owner.group] & mask).astype(np.int64) - window.base
            if len(at) and not 0 <= at.min() <= at.max() < window.size:
                raise Unsupported("a token outside of its window")
            values, held = np.zeros(window.size, np.uint64), np.zeros(window.size, np.bool_)
            values[at], held[at] = words[rows, group], True  # of equal addresses the last counts
            chosen = np.flatnonzero(values if n in self.plain else held)
            places = (chosen + window.base).astype(np.uint64)
            total += int(mix(n, places, values[chosen]).sum(dtype=np.uint64))
        return total % 2**64

    def _token_text(self) -> str:
        """The function that writes the bytes of the last token."""
        lines = []
        for g, parts in enumerate(self.shelf.frame.groups):
            for d, part in enumerate(parts):
                lines.append(f"to[{part}] = (uint8_t)(s->word[{g}] >> {8 * d});")
        return f"DEV void token_bytes(const State *s, uint8_t *to) {{\n    {' '.join(lines)}\n}}"

    # The whole

    @cached_property
    def text(self) -> str:
        """The source."""
        want, code = self.want, self._code_text
        assert all(window.size for window in self.private.values())
        near = [n for n in self.private if n not in self.far]
        enter = np.full(max(1, len(self.hot)), -1, dtype=np.int32)
        for node in () if self._emitter is None else self._emitter.leaders:
            if not any(node[1:]):
                enter[node[0]] = self._emitter.numbers[node] if self._emitter else -1
        counted = self.shelf.want.counted
        marks = np.zeros(1, np.uint8) if counted is None else counted.marks()
        feed = self.shelf.want.feed
        arrays = [n for n in sorted(self.read | {*self.private})]
        unread = {int(n) for n in _STATIC_WRITE.findall(code)} - {*self.private}
        reads_only = {*arrays} - {*self.private}
        stubs = [
            f"DEV void store{n}(State *s, uint64_t i, uint64_t word) {{ "
            f"{'s->lost = 1;' if n in reads_only else ''} }}"
            for n in sorted(unread)
        ]
        parts = sum(len(p) for p in self.shelf.frame.groups)
        rows = with_sha("rows.h")
        return "\n".join(
            [
                f"#define GROUPS {self._count}",
                f"#define PARTS {parts}",
                f"#define ARGUMENTS {len(self.start.arguments)}",
                f"#define RESULTS {want.results}",
                f"#define ROOM {want.room}",
                f"#define ROW_WORDS {self.row_words}",
                f"#define OUTPUT {want.output}",
                f"#define OUTPUT_MASK {want.mask}",
                f"#define GROWTH {want.growth}",
                f"#define GROWTH_MOST {unsigned(want.most)}",
                f"#define FEEDS {int(feed is not None)}",
                f"#define ENTERABLE {len(enter)}",
                f"#define MARKED {len(marks)}",
                f"#define LOAD_RESULT(i) load{self.result_array}(s, i).word",
                "#define NEAR "
                + " ".join(
                    f"uint64_t near{n}[{self.private[n].size}];"
                    + ("" if n in self.plain else f" uint64_t held{n};")
                    for n in near
                ),
                rows.split("/* ---- program ---- */")[0],
                HEAD.replace("static inline", "DEV").replace("#include <stdint.h>\n", ""),
                f"TABLE int32_t ENTER[] = {{{', '.join(map(str, enter.tolist()))}}};",
                f"TABLE uint8_t MARKS[] = {{{', '.join(map(str, marks.tolist()))}}};",
                f"TABLE uint8_t FLAGS[] = {{{', '.join(map(str, self.run.flags.tolist()))}}};",
                f"TABLE uint64_t FIXED[] = {{{_listed(self.run.fixed.ravel())}}};",
                f"TABLE uint64_t SPECIAL[] = {{{_listed(self.run.special)}}};",
                *(
                    f"TABLE int64_t {name}[] = {{{', '.join(map(number, values))}}};"
                    for values, name in self._tables.items()
                ),
                *map(self._array_text, arrays),
                *stubs,
                self._any_texts(),
                self._token_text(),
                rows.split("/* ---- program ---- */")[1],
                self._blocks(),
                code,
                self._begin_text(),
                self._digest_text(),
                rows.split("/* ---- program ---- */")[2],
            ]
        )


def _keep(program: LiftedProgram, nodes: set[Node]) -> None:
    """Keep the nodes of a program that samples had: code that no row needs takes room in caches."""
    for node in [n for n in program.steps if n not in nodes]:
        del program.steps[node]
    for step in program.steps.values():
        step.ends = [(e, leaf) for e, leaf in step.ends if e.target is None or e.target in nodes]
        step.next &= nodes
        step._goes.clear()


def with_sha(name: str) -> str:
    """A file of this folder, with SHA-256 where it says so."""
    folder = files("transputer.engines.batch")
    text, sha = (folder.joinpath(n).read_text() for n in (name, "sha.h"))
    return text.replace("/* ---- sha ---- */", sha)


def _listed(words: NDArray[np.uint64]) -> str:
    return ", ".join(map(unsigned, words.tolist()))


def mix(array: int, at: NDArray[np.uint64], words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A hash of an array's number, an address and a word, as `mix` of the source."""
    with np.errstate(over="ignore"):
        x = words ^ (at * np.uint64(0x9E3779B97F4A7C15) + np.uint64(array))
        x = (x ^ x >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ x >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
        mixed: NDArray[np.uint64] = x ^ x >> np.uint64(31)
    return mixed


__all__ = ["BatchSource", "BatchWant", "RowStart", "Window", "with_sha"]
