"""Scripts of the official tests (`.wast`), read into the commands that `spec` runs.

Only the commands are read here; the text of a module goes to wasmtime's parser.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from transputer.isa.floats import F32, F64, Format, rounded

_TOKEN = re.compile(
    r'\s+|;;[^\n]*|\(;|(?P<open>\()|(?P<close>\))|(?P<string>"(?:\\.|[^"\\])*")|(?P<atom>[^\s()";]+|;)',
    re.DOTALL,
)
_STRING = re.compile(r'"(?:\\.|[^"\\])*"', re.DOTALL)
_COMMENT = re.compile(r"\(;|;\)")
_ESCAPE = re.compile(rb"\\(?:u\{([0-9a-fA-F_]+)\}|([0-9a-fA-F]{2})|(.))", re.DOTALL)
_LETTERS = {b"t": b"\t", b"n": b"\n", b"r": b"\r"}


@dataclass(frozen=True, slots=True)
class Parenthesis:
    """A parenthesis with its parts, and its place in the text."""

    parts: tuple["Parenthesis | str", ...]
    start: int
    end: int

    @property
    def head(self) -> str:
        """The first word, or nothing."""
        return self.parts[0] if self.parts and isinstance(self.parts[0], str) else ""


@dataclass(frozen=True, slots=True)
class WastScript:
    """Commands as `wast2json` writes them, and the modules that they name."""

    commands: list[dict[str, Any]]
    modules: dict[str, bytes | str]


def read_wast(text: str) -> WastScript:
    """Read a script; raise `ValueError` if it is not one."""
    forms = [form for form in _forms(text) if not form.head.startswith("@")]
    if not any(form.head in _COMMANDS for form in forms):  # the fields of a single module
        return WastScript([{"type": "module", "line": 1, "filename": "0"}], {"0": text})
    reader = _Reader(text)
    for form in forms:
        reader.command(form)
    return WastScript(reader.commands, reader.modules)


def _forms(text: str) -> Iterator[Parenthesis]:
    """Yield the outermost parentheses."""
    stack: list[tuple[int, list[Parenthesis | str]]] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"offset {at}: {text[at : at + 20]!r}")
        if match[0] == "(;":
            at = _after_comment(text, at)
            continue
        at = match.end()
        if match["open"]:
            stack.append((match.start(), []))
        elif match["close"]:
            if not stack:
                raise ValueError(f"offset {at}: a parenthesis too many")
            start, parts = stack.pop()
            form = Parenthesis(tuple(parts), start, at)
            if not stack:
                yield form
            else:
                stack[-1][1].append(form)
        elif match["string"] or match["atom"]:
            if not stack:
                raise ValueError(f"offset {at}: {match[0]!r} outside of parentheses")
            stack[-1][1].append(match[0])
    if stack:
        raise ValueError("a parenthesis is not closed")


def _after_comment(text: str, at: int) -> int:
    depth = 0
    for match in _COMMENT.finditer(text, at):
        depth += 1 if match[0] == "(;" else -1
        if not depth:
            return match.end()
    raise ValueError("a comment is not closed")


def _string(part: "Parenthesis | str") -> bytes:
    if not isinstance(part, str) or not part.startswith('"'):
        raise ValueError(f"expected a string, got {part}")

    def escaped(match: re.Match[bytes]) -> bytes:
        if match[1]:
            return chr(int(match[1].replace(b"_", b""), 16)).encode("utf-8", "surrogatepass")
        return bytes([int(match[2], 16)]) if match[2] else _LETTERS.get(match[3], match[3])

    return _ESCAPE.sub(escaped, part[1:-1].encode())


def _name(part: "Parenthesis | str") -> str:
    return _string(part).decode("utf-8", "surrogateescape")


def _without_unicode(match: re.Match[str]) -> str:
    """Escape what wasmtime's parser refuses in a text, although it may be in a name."""
    return "".join(c if c.isascii() else f"\\u{{{ord(c):x}}}" for c in match[0])


class _Reader:
    """Collects the commands and modules of one script."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.commands: list[dict[str, Any]] = []
        self.modules: dict[str, bytes | str] = {}
        self.definitions: dict[str, str] = {}  # files of modules that are not instantiated yet
        self.line, self.seen = 1, 0

    def command(self, form: Parenthesis) -> None:
        """Add the command of a form."""
        self.line += self.text.count("\n", self.seen, form.start)
        self.seen = form.start
        _COMMANDS.get(form.head, _module)(self, form)  # an annotation may come before the word

    def add(self, type_: str, **fields: Any) -> None:
        self.commands.append({"type": type_, "line": self.line, **fields})

    def module(self, form: Parenthesis) -> dict[str, str]:
        """Store the module of a form; return its file and its name."""
        rest = [part for part in form.parts[1:] if part != "definition"]
        name = rest.pop(0) if rest and str(rest[0]).startswith("$") else None
        file = str(len(self.modules))
        if rest and rest[0] == "binary":
            self.modules[file] = b"".join(map(_string, rest[1:]))
        elif rest and rest[0] == "quote":
            self.modules[file] = b"\n".join(map(_string, rest[1:])).decode(
                "utf-8", "surrogateescape"
            )
        else:
            text = _STRING.sub(_without_unicode, self.text[form.start : form.end])
            self.modules[file] = re.sub(r"^\(\s*module\s+definition\b", "(module", text)
        return {"filename": file, **({"name": str(name)} if name else {})}

    def action(self, form: Parenthesis) -> dict[str, Any]:
        """Return the action of an `invoke` or a `get`."""
        rest = list(form.parts[1:])
        named = {"module": rest.pop(0)} if str(rest[0]).startswith("$") else {}
        field = _name(rest.pop(0))
        if form.head == "get":
            return {"type": "get", "field": field, **named}
        args = [_value(part) for part in rest]
        return {"type": "invoke", "field": field, "args": args, **named}


def _value(part: "Parenthesis | str") -> dict[str, Any]:
    """Return a constant as `wast2json` writes it."""
    if not isinstance(part, Parenthesis):
        raise ValueError(f"expected a constant, got {part}")
    kind, _, what = part.head.partition(".")
    words = [str(p) for p in part.parts[1:]]
    if part.head == "either":
        return {"type": "either", "values": [_value(p) for p in part.parts[1:]]}
    if kind in ("i8", "i16", "i32", "i64") and what == "const":
        bits = int(kind[1:])
        number = int(words[0].replace("_", ""), 0 if "0x" in words[0] else 10)
        return {"type": kind, "value": str(number & (1 << bits) - 1)}
    if kind in ("f32", "f64") and what == "const":
        return {"type": kind, "value": float_bits(F32 if kind == "f32" else F64, words[0])}
    if kind == "v128" and what == "const":
        lane = words[0].partition("x")[0]
        numbers = [_value(Parenthesis((f"{lane}.const", word), 0, 0)) for word in words[1:]]
        return {"type": "v128", "lane_type": lane, "value": [n["value"] for n in numbers]}
    if kind == "ref" and what == "null":
        return {"type": "funcref", "value": "null"}
    if kind == "ref" and what in ("extern", "host"):
        return {"type": "externref", **({"value": words[0]} if words else {})}
    if kind == "ref":
        return {"type": "funcref" if what == "func" else f"{what}ref"}
    return {"type": kind, "value": " ".join(words)}


def float_bits(format_: Format, text: str) -> str:
    """Return the bits of a float in text form, or the kind of NaN that is expected."""
    if text in ("nan:canonical", "nan:arithmetic"):
        return text
    sign = format_.sign if text.startswith("-") else 0
    plain = text.lstrip("+-").replace("_", "")
    if plain == "inf":
        return str(format_.infinity | sign)
    if plain == "nan":
        return str(format_.nan | sign)
    if plain.startswith("nan:"):
        return str(format_.infinity | int(plain[4:], 16) | sign)
    value = _fraction(plain)
    return str(rounded(format_, value.numerator, value.denominator) | sign)


def _fraction(text: str) -> Fraction:
    """Return the exact value of a decimal or hexadecimal float."""
    if not text.startswith("0x"):
        return Fraction(text if not text.endswith(".") else text[:-1])
    digits, _, exponent = text[2:].lower().partition("p")
    whole, _, part = digits.partition(".")
    value = Fraction(int(whole + part, 16), 16 ** len(part))
    return value * Fraction(2) ** int(exponent or "0")


def _module(r: _Reader, form: Parenthesis) -> None:
    if form.parts[1:2] == ("instance",):
        name, definition = str(form.parts[2]), str(form.parts[3])
        r.add("module", filename=r.definitions[definition], name=name)
        return
    module = r.module(form)
    if form.parts[1:2] == ("definition",):
        r.definitions[module.get("name", "")] = module["filename"]
    else:
        r.add("module", **module)


def _register(r: _Reader, form: Parenthesis) -> None:
    named = {"name": str(form.parts[2])} if len(form.parts) > 2 else {}
    r.add("register", **{"as": _name(form.parts[1])}, **named)


def _plain(r: _Reader, form: Parenthesis) -> None:
    r.add("action", action=r.action(form))


def _checked(r: _Reader, form: Parenthesis) -> None:
    """An assertion about an action, or about a module that must be refused or trap."""
    inner = form.parts[1]
    if not isinstance(inner, Parenthesis):
        raise ValueError(f"{form.head} in line {r.line}")
    if form.head == "assert_return":
        r.add(form.head, action=r.action(inner), expected=[_value(p) for p in form.parts[2:]])
        return
    text = _name(form.parts[2]) if len(form.parts) > 2 else ""
    if inner.head == "module":
        type_ = "assert_uninstantiable" if form.head == "assert_trap" else form.head
        r.add(type_, text=text, **r.module(inner))
    else:
        r.add(form.head, text=text, action=r.action(inner))


_COMMANDS: dict[str, Callable[[_Reader, Parenthesis], None]] = {
    "module": _module,
    "register": _register,
    "invoke": _plain,
    "get": _plain,
    **dict.fromkeys(
        "assert_return assert_trap assert_exhaustion assert_invalid assert_malformed "
        "assert_malformed_custom assert_invalid_custom assert_unlinkable assert_exception".split(),
        _checked,
    ),
}
