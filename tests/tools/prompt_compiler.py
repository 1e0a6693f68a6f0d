"""A prompt compiler for core code, written from docs/encoding.md alone.

It imports nothing of the package. The tables of the page (fields, spaces, opcodes, aliases and the
prologue) are its tables.
"""

import hashlib
import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "encoding.md").read_text(encoding="utf-8")


def rows(section: str) -> list[list[str]]:
    """The cells of the tables of a section, without heads."""
    text = PAGE.partition(f"# {section}\n")[2].partition("\n#")[0]
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip("` ") for cell in line] for line in lines[2:]]


def numbered(section: str) -> dict[str, int]:
    return {name: int(number) for number, name, *_ in rows(section)}


LAYOUT = [(name, int(count)) for name, _, count, *_ in rows("Parts of a token")]
SPACE, STATUS, OPCODES = map(numbered, ("Spaces", "Statuses", "Instructions"))
ALIASES = {name: other for name, other, _ in rows("Instructions that share an opcode")}
FIRST_GLOBAL = int(re.search(r"first global of a program has address (\d+)", PAGE)[1])
FIRST_FUNCTION = int(re.search(r"first function of a program has address (\d+)", PAGE)[1])


def token(**fields: int) -> tuple[int, ...]:
    """The parts of a token, least significant byte first."""
    parts: list[int] = []
    for name, count in LAYOUT:
        parts += (fields.pop(name, 0) % 256**count).to_bytes(count, "little")
    assert not fields, fields
    return tuple(parts)


def fields_of(parts: tuple[int, ...]) -> dict[str, int]:
    numbers, rest = {}, bytes(parts)
    for name, count in LAYOUT:
        numbers[name], rest = int.from_bytes(rest[:count], "little"), rest[count:]
    return numbers


PROLOGUE = [
    {name: int(n) for name, n in re.findall(r"(\w+)` (\d+)", f"`{text}")}
    for _, text in rows("Prologue")
]


class Module:
    """A program in core code, read from its text."""

    def __init__(self, text: str) -> None:
        def lines(pattern: str) -> list:
            return re.findall(f"^ *{pattern}", text, re.M)

        def numbers(words: str) -> list[int]:
            return [int(word) for word in words.split()]

        self.code = [(name, numbers(args)) for name, args in lines(r"\d+  (\S+)([ \d]*)")]
        self.types = lines(r"type (.*)$")
        self.memories = [(int(n), int(most or 65536)) for n, most in lines(r"memory (\d+) ?(\d*)")]
        self.tables = [int(n) for n in lines(r"table funcref (\d+)")]
        self.globals = [int(n) for n in lines(r"global .*const (\d+)\)")]
        self.exports = {name: int(n) for n, name in lines(r'export func (\d+) "(\w+)"')}
        place = r"active (\d+) \(i32.const (\d+)\)"
        self.elements = [
            (int(table), int(start), numbers(rest.replace("(ref.func", "").replace(")", "")))
            for table, start, rest in lines(rf"elem {place} funcref (.*)$")
        ]
        self.data = [
            (int(memory), int(start), bytes.fromhex(data))
            for memory, start, data in lines(rf'data {place} "(\w*)"')
        ]
        layout = r"entry (\d+) locals (\d+) frame (\d+)"
        self.functions = [
            dict(type=type_, params=len(params.split()), entry=int(e), locals=int(n), frame=int(f))
            for type_, params, e, n, f in lines(rf"func (\((.*?)\)->\(.*?\)) {layout}")
        ]


class PromptCompiler:
    """The tokens of a module and of an invocation."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.base = sum(item.get("space") == SPACE["CODE"] for item in PROLOGUE)
        self.types = ["()->(i32)", "(i32)->()"]

    def memory(self, index: int) -> int:
        return SPACE["FIRST"] + index

    def table(self, index: int) -> int:
        return SPACE["FIRST"] + len(self.module.memories) + index

    def type(self, text: str) -> int:
        if text not in self.types:
            self.types.append(text)
        return self.types.index(text)

    def call(self, index: int) -> dict[str, int]:
        f = self.module.functions[index]
        entry, params = f["entry"] + self.base, f["params"]
        return {
            "pc": entry,
            "sp": f["locals"] - params,
            "fp": -params,
            "value": f["frame"] - params,
        }

    def prompt(self, export: str, args: list[int]) -> list[tuple[int, ...]]:
        m = self.module
        items = list(PROLOGUE)
        sizes = [(self.memory(i), least) for i, (least, _) in enumerate(m.memories)]
        sizes += [(self.table(i), size) for i, size in enumerate(m.tables)]
        items += [{"space": SPACE["SIZE"], "at": at, "value": size} for at, size in sizes]
        for at, value in enumerate(m.globals, FIRST_GLOBAL):
            items.append({"space": SPACE["GLOBAL"], "at": at, "value": value})
        items += [self.instruction(i) for i in range(len(m.code))]
        for i, function in enumerate(m.functions):
            place = {"space": SPACE["FUNC"], "at": FIRST_FUNCTION + i + 1}
            items.append(place | self.call(i) | {"depth": self.type(function["type"])})
        if any(name == "call_indirect" for name, *_ in m.code):
            items.append({"space": SPACE["FUNC"]})
        for table, start, functions in m.elements:
            for at, function in enumerate(functions, start):
                reference = FIRST_FUNCTION + function + 1
                items.append({"space": self.table(table), "at": at, "value": reference})
        for memory, start, data in m.data:  # segments do not overlap here
            padded = bytes(start % 8) + data + bytes(-(start + len(data)) % 8)
            for i in range(0, len(padded), 8):
                word = int.from_bytes(padded[i : i + 8], "little")
                at = start // 8 + i // 8
                items += [{"space": self.memory(memory), "at": at, "value": word}] if word else []
        function = m.functions[m.exports[export]]
        items += [{"space": SPACE["SLOT"], "at": i, "value": arg} for i, arg in enumerate(args)]
        start = {"pc": function["entry"] + self.base, "sp": function["locals"]}
        return [token(**item) for item in [*items, {"space": SPACE["FRAME"], **start}]]

    def instruction(self, index: int) -> dict[str, int]:
        name, args = self.module.code[index]
        op, fields = self.immediates(index, name, args)
        number = OPCODES[ALIASES.get(op, op)]
        return {"space": SPACE["CODE"], "at": self.base + index, "op": number, **fields}

    def immediates(self, index: int, name: str, args: list[int]) -> tuple[str, dict[str, int]]:
        kind = name.rpartition(".")[2]
        if name in ("br", "br_if", "return"):
            height, keep = args[1:] if len(args) == 3 else (0, args[0])
            place = height if keep == 1 else -keep - (name == "br_if")
            target = {"pc": args[0] + self.base} if len(args) == 3 else {}
            value = height + (keep << 24)
            fields = {"sp": height + keep, "fp": place, "value": value}
            return f"{name}.{keep if keep < 2 else 'n'}", fields | target
        if name == "br_table":
            last, (entry, entry_args) = index + 1 + args[0], self.module.code[index + 1 + args[0]]
            target = entry_args[0] if entry == "jump" else last
            return name, {"value": args[0], "pc": target + self.base}
        if name == "call_indirect":
            space = self.table(args[1])
            return name, {
                "value": self.type(self.module.types[args[0]]),
                "fp": space,
                "depth": space,
            }
        if name == "call":
            return name, self.call(args[0])
        if name.startswith("jump"):
            return name, {"pc": args[0] + self.base}
        if name.startswith("global."):
            return name, {"fp": FIRST_GLOBAL + args[0]}
        if name.startswith("memory."):
            most = {"value": self.module.memories[args[0]][1]} if kind == "grow" else {}
            return name, {"fp": self.memory(args[0])} | most
        if kind.startswith(("load", "store")):
            return name, {"value": args[0]} | dict.fromkeys(("fp", "depth"), self.memory(args[1]))
        return name, dict(zip(["value" if kind == "const" else "fp"], args, strict=False))


def run(engine, prompt, stdin: bytes = b"") -> tuple[dict[str, int], str]:
    """The last token and the hash of the decoded ones; any engine with `append` and `step`."""
    decoded, source = hashlib.sha256(), iter(stdin)
    for item in prompt:
        engine.append(item)
    while True:
        parts = tuple(map(int, engine.step()))
        decoded.update(bytes(parts))
        last = fields_of(parts)
        if last["status"] == STATUS["INPUT"]:
            engine.append(token(**last | {"status": 0, "value": next(source, 0xFFFFFFFF)}))
        elif last["status"]:
            return last, decoded.hexdigest()
