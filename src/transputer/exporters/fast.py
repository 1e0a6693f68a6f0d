"""The lifted code of a program as WebAssembly, for a page that runs it beside the weights.

Rows and blocks are those of the lifted engine. Only the way to arrays is another (`fast.h`): a
browser cannot reserve address space, so arrays are pages that come with the first token in them.
The code of rows is compiled once per model and instruction, and cached.
"""

import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from transputer import cache
from transputer.engines.batch.source import BatchRowPrinter
from transputer.engines.lifted.decoder.cprint import HEAD, unsigned
from transputer.engines.lifted.decoder.emit import BlockEmitter
from transputer.engines.lifted.decoder.families import with_shifts
from transputer.engines.lifted.decoder.library import RowCode
from transputer.engines.lifted.decoder.program import HostTokens, LiftedProgram, Node
from transputer.engines.lifted.decoder.proved import Fixed
from transputer.engines.lifted.decoder.rowcode import (
    STATE,
    STOPPED,
    UNPROVED,
    driver_source,
    numbered,
    row_count,
    row_source,
)
from transputer.engines.lifted.decoder.rowrun import RowRun
from transputer.errors import EngineUnavailable, Unsupported
from transputer.frontends.zig import LIBRARY_TIMEOUT, run, zig

#: Tokens that one call hands over: all of them, and those to be seen.
BATCH, ROOM = 1 << 13, 1 << 12
#: Instructions of a program all of which become blocks; of a longer one, those that are hot.
WHOLE = 700
#: Rows of an instruction that a page has.
MANY = 24
_FLAGS = (
    *("-target", "wasm32-freestanding", "-mcpu=baseline+bulk_memory", "-std=gnu11", "-O1"),
    *("-fwrapv", "-ffreestanding", "-fno-strict-aliasing", "-fno-sanitize=all", "-w", "-g0"),
)
_EXPORTS = "open append run word buffer outcome".split()
_ARRAY = re.compile(r"\bA(\d+)\[")
_POINTER = re.compile(r"^ *Entry \*restrict const A\d+ = .*\n", re.MULTILINE)
_STORE = " = (Entry){"


class WholeRowPrinter(BatchRowPrinter):
    """Prints rows with all their leaves: a page has no formulas to leave a last step to.

    Long rows are printed without: their traps are left to the weights.
    """

    ending = 1 << 30


@dataclass(eq=False)
class FastCode:
    """The lifted code of a program: `run` has the tokens `host` of its prompt noted.

    `hot` marks the addresses whose nodes become blocks; `result` is the part and the value that
    tell tokens with results.
    """

    code: RowCode
    run: RowRun
    host: NDArray[np.uint16]
    hot: NDArray[np.bool_]
    result: tuple[int, int]

    def wasm(self) -> bytes:
        """The module; raises `EngineUnavailable` if zig is missing or fails."""
        blocks, enter = self._blocks()
        names = [f"rows_table_{value}" for value in self._by_instruction()]
        with tempfile.TemporaryDirectory(prefix="transputer-") as scratch:
            folder = Path(scratch)
            (folder / "fast.h").write_text(self._header())
            texts = {
                "page": self._page(enter, names, bool(blocks)),
                "driver": driver_source(self.code.shelf, WholeRowPrinter),
                **({"blocks": blocks} if blocks else {}),
            }
            objects = [_compiled(folder, name, text) for name, text in texts.items()]
            for value, rows in self._by_instruction().items():
                objects.append(self._rows_object(folder, value, rows))
            return _linked(folder, objects)

    @cached_property
    def _host(self) -> HostTokens:
        return self.run.host(self.host)

    # Rows

    def _by_instruction(self) -> Mapping[int, list[Fixed]]:
        """What chooses the rows of the program's instructions."""
        setting, proved = self.code.shelf.frame.setting, self.code.lifting.proved
        if proved is None:
            raise Unsupported("no rows are shipped for this model")
        (part,) = (p for source, p in setting.controls if source == setting.fetch)
        there = {token[part] for token in self._host.code.values()}
        chosen: dict[int, list[Fixed]] = {value: [] for value in sorted(there)}
        for fixed in proved.chosen:
            rows = chosen.get(fixed[setting.fetch, part])
            if rows is not None and len(rows) < MANY:
                rows.append(fixed)
        return chosen

    def _rows_object(self, folder: Path, value: int, rows: list[Fixed]) -> Path:
        """The object file of an instruction's rows, from the cache if it has it."""
        inputs = self.code.lifting.identity, self._header(), value, _FLAGS
        emits = cache.code("transputer.exporters.fast")
        entry = cache.entry("site", "rows", *inputs, emits, most=512)
        content = entry.get(bytes)
        path = folder / f"rows{value}.o"
        if content is not None:
            path.write_bytes(content)
            return path
        shelf = self.code.shelf
        trees = {numbered(shelf, f): (f, with_shifts(self.code.lifting.row(f))) for f in rows}
        printer = BatchRowPrinter if {*trees} & self.code.long else WholeRowPrinter
        text = row_source(shelf, trees, printer)
        name = f"-Drows_table=rows_table_{value}"
        _compiled(folder, f"rows{value}", text, name)
        entry.write(path.read_bytes())
        return path

    # Blocks

    def _blocks(self) -> tuple[str, NDArray[np.int32]]:
        """The C of blocks, and the number of the block at an address, or -1."""
        shelf, hot = self.code.shelf, self.hot
        enter = np.full(max(1, len(hot)), -1, dtype=np.int32)
        others = (0,) * (len(shelf.frame.setting.static) - 1)
        seeds = [(address, *others) for address in np.flatnonzero(hot).tolist()]

        def is_hot(node: Node) -> bool:
            return node[0] < len(hot) and bool(hot[node[0]])

        try:
            program = LiftedProgram(shelf, self.code.row, self._host, is_hot, seeds)
            emitter = BlockEmitter(program, loops=True)
        except Unsupported:  # rows take the same steps
            return "", enter
        for node in emitter.leaders:
            if not any(node[1:]):
                enter[node[0]] = emitter.numbers[node]
        return paged(emitter.text) if emitter.leaders else "", enter

    # The page's part

    def _header(self) -> str:
        """`fast.h`, with a name for the entries of each array."""
        count = self.code.shelf.slots * len(self.code.shelf.frame.groups)
        names = "".join(
            f"#define load{n}(s, at) load_any(s, {n}, at)\n"
            f"#define store{n}(s, at, word) store_any(s, {n}, at, word)\n"
            for n in range(count)
        )
        return _file("fast.h") + names

    def _page(self, enter: NDArray[np.int32], names: list[str], blocks: bool) -> str:
        """The C of what a page calls."""
        shelf, frame = self.code.shelf, self.code.shelf.frame
        groups, counted = len(frame.groups), shelf.want.counted
        marks = np.zeros(1, np.uint8) if counted is None else counted.marks()
        part, value = self.result
        group, _ = frame.place[part]
        results = shelf.longest.slot_of(value) * groups + group
        stops = " || ".join(f"state.word[{frame.place[p][0]}]" for p in shelf.want.stops)
        numbers = {
            "GROUPS": groups,
            "PARTS": len(frame.sizes),
            "ARRAYS": shelf.slots * groups,
            "BATCH": BATCH,
            "ROOM": ROOM,
            "MARKED": len(marks),
            "ROWS": row_count(shelf),
            "ENTERABLE": len(enter),
            "BLOCKS": "lifted_run" if blocks else 0,
            "RESULTS": results,
            "UNPROVED": UNPROVED,
            "STOPPED": STOPPED,
            "STATUS": f"({stops})",
        }
        lines = [
            *(f"#define {name} {number}" for name, number in numbers.items()),
            HEAD + STATE,
            "int64_t rows_run(State *, Row *), rows_note(State *, const uint64_t *, int64_t);",
            "int64_t lifted_run(State *, int64_t);",
            _table("uint8_t", "marks", marks),
            _table("uint8_t", "kept", self._directories()),
            _table("uint8_t", "flags", self.run.flags),
            _table("int32_t", "enter", enter),
            _table("uint64_t", "fixed", self.run.fixed.ravel()),
            _table("uint64_t", "special", self.run.special),
            *(f"void {name}(Row *);" for name in names),
            f"static void fill(Row *table) {{ {' '.join(f'{n}(table);' for n in names)} }}",
            *self._tokens(),
            *self._leads(),
        ]
        return "\n".join([*lines, _file("fast.c")])

    def _directories(self) -> NDArray[np.uint8]:
        """For each array the pages of its directory; 0 for one that nothing reads."""
        shelf, groups = self.code.shelf, len(self.code.shelf.frame.groups)
        pages = np.zeros(shelf.slots * groups, dtype=np.uint8)
        for slot in range(shelf.slots):
            for group in shelf.groups(slot):
                entries = 256 ** shelf.digits(slot)
                pages[slot * groups + group] = max(1, entries // 4096 * 4 // 65536)
        return pages

    def _tokens(self) -> Iterator[str]:
        """Functions that turn the bytes of a token into words, and back."""
        words, parts = [], []
        for g, group in enumerate(self.code.shelf.frame.groups):
            texts = [f"(uint64_t)bytes[{p}] << {8 * d}" for d, p in enumerate(group)]
            words.append(f"words[{g}] = {' | '.join(texts)};")
            parts += [
                f"bytes[{p}] = (uint8_t)(words[{g}] >> {8 * d});" for d, p in enumerate(group)
            ]
        yield f"static void words_of(const uint8_t *bytes, uint64_t *words) {{ {' '.join(words)} }}"
        yield f"static void bytes_of(const uint64_t *words, uint8_t *bytes) {{ {' '.join(parts)} }}"

    def _leads(self) -> Iterator[str]:
        """The function `may_lead`: whether a head with a constant query may attend to a token."""
        frame, tests = self.code.shelf.frame, []
        tables: dict[tuple[int, ...], str] = {}

        def reading(part: int, table: tuple[int, ...]) -> str:
            group, shift = frame.place[part]
            name = tables.setdefault(table, f"L{len(tables)}")
            return f"{name}[s->word[{group}] >> {shift} & 255]"

        for head, score in frame.fixed.items():
            texts = [str(score.constant + score.position * (frame.context - 1))]
            texts += [reading(part, table) for part, table in score.tables.items()]
            tests.append(f"{' + '.join(texts)} >= {self._host.leads[head]}")
        extras = {key.extra for key in frame.keys.values() if key.extra is not None}
        tests += [reading(part, table) for part, table in sorted(extras)]
        for table, name in tables.items():
            yield _table("int64_t", name, table)
        yield f"static int may_lead(const State *s) {{ return {' || '.join(tests) or 0}; }}"


def paged(text: str) -> str:
    """The C of blocks with entries of arrays as calls of `fast.h`."""
    pieces, at = [], 0
    text = _POINTER.sub("", text)
    for match in _ARRAY.finditer(text):
        assert match.start() >= at, "an array inside the index of another"
        end = _closing(text, match.end())
        index, array = text[match.end() : end], match[1]
        pieces.append(text[at : match.start()])
        at = end + 1
        if text.startswith(_STORE, at):
            last = text.index(", 1};", at)
            pieces.append(f"store{array}(s, {index}, {text[at + len(_STORE) : last]});")
            at = last + len(", 1};")
        else:
            pieces.append(f"load{array}(s, {index})")
    return "".join([*pieces, text[at:]])


def _closing(text: str, at: int) -> int:
    """Where the bracket that was opened before `at` is closed."""
    depth = 1
    while depth:
        depth += {"[": 1, "]": -1}.get(text[at], 0)
        at += 1
    return at - 1


def _compiled(folder: Path, name: str, text: str, *options: str) -> Path:
    source, target = folder / f"{name}.c", folder / f"{name}.o"
    source.write_text(text)
    command = [zig(), "cc", *_FLAGS, *options, "-include", str(folder / "fast.h")]
    _zig([*command, "-c", str(source), "-o", str(target)], folder)
    return target


def _linked(folder: Path, objects: list[Path]) -> bytes:
    exports = [f"-Wl,--export=fast_{name}" for name in _EXPORTS]
    command = [zig(), "cc", *_FLAGS[:3], "-Wl,--no-entry", "-s", *exports]
    module = folder / "fast.wasm"
    _zig([*command, *map(str, objects), "-o", str(module)], folder)
    return module.read_bytes()


def _zig(command: list[str], folder: Path) -> None:
    code, message = run(command, folder, LIBRARY_TIMEOUT)
    if code:
        raise EngineUnavailable(f"zig does not compile lifted code: {message.decode()[-2000:]}")


def _file(name: str) -> str:
    return files("transputer.exporters").joinpath(name).read_text(encoding="utf-8")


def _table(kind: str, name: str, values: object) -> str:
    numbers = [unsigned(int(v)) if kind == "uint64_t" else str(int(v)) for v in values]  # type: ignore[attr-defined]
    return f"static const {kind} {name}[] = {{{', '.join(numbers)}}};"
