"""The official WebAssembly tests, run in any session.

Reads scripts (`*.wast`), the bundles of this project (`*.json.gz`: `{"source", "commands",
"modules"}`) and plain output of wabt's `wast2json` (`*.json` beside its `.wasm` and `.wat` files).
"""

import base64
import gzip
import json
import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from transputer.check.wast import read_wast
from transputer.errors import (
    CapacityError,
    InvalidError,
    LinkError,
    MalformedError,
    SourceError,
    Trap,
    TrapError,
    Unsupported,
    UsageError,
)
from transputer.frontends.binary import decode
from transputer.frontends.source import PathLike
from transputer.frontends.wat import to_wasm
from transputer.host.outcome import DEFAULT_STEPS, CallOutcome
from transputer.host.store import Instance
from transputer.ir.module import GlobalType
from transputer.ir.verified import Verified
from transputer.ir.verify import verify
from transputer.isa.core import MAX_FRAMES
from transputer.isa.floats import F32, F64
from transputer.isa.integers import join, split
from transputer.runtime.trace.sessions import check_engine, new_session

#: Default folder of the suite, if neither an argument nor TRANSPUTER_SPEC names it.
DEFAULT_FOLDER = Path("..") / "shared" / "wasm-spec"


class SpecSession(Protocol):
    """A session as the runner uses it."""

    def load_module(self, verified: Verified) -> tuple[Instance, CallOutcome]:
        """Instantiate a module."""

    def register(self, name: str, instance: Instance) -> None:
        """Make an instance's exports importable."""

    def invoke(self, instance: Instance, export: str, args: list[int]) -> CallOutcome:
        """Call an exported function."""

    def global_value(self, instance: Instance, export: str) -> tuple[GlobalType, int]:
        """Type and value of an exported global."""


@dataclass(slots=True)
class Score:
    """The result of one file. A problem is `line: why`."""

    passed: int = 0
    failed: int = 0
    refused: int = 0
    problems: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return the form that `spec --json` prints."""
        counts = {"passed": self.passed, "failed": self.failed, "refused": self.refused}
        return {**counts, "problems": self.problems}


@dataclass(frozen=True, slots=True)
class Script:
    """One test file: its commands, a function that returns a module by name, and the release of
    WebAssembly that it tests.
    """

    name: str
    commands: list[dict[str, Any]]
    module: Callable[[str], bytes | str]
    release: int = 2


class Mismatch(Exception):
    """An assertion that does not hold."""


def spec(
    path: PathLike | None = None,
    *,
    engine: str = "auto",
    max_steps: int = DEFAULT_STEPS,
    frames: int = MAX_FRAMES,
    progress: Callable[[str, Score], None] | None = None,
) -> Mapping[str, Score]:
    """Run the official WebAssembly tests; return the score of each file.

    `path` is by default the folder that TRANSPUTER_SPEC names, or DEFAULT_FOLDER; raises
    `UsageError` if there is none. `frames` is the number of open calls that the machine allows
    (the standard leaves that to implementations).
    """
    folder = find_folder() if path is None else Path(path)
    if folder is None:
        raise UsageError("no official tests found; pass their folder or set TRANSPUTER_SPEC")
    if not folder.exists():
        raise UsageError(f"{folder}: no such file or folder")
    check_engine(engine)
    scores: dict[str, Score] = {}
    for script in scripts(folder):
        scores[script.name] = run_script(
            script, lambda: new_session(engine, max_steps=max_steps, frames=frames)
        )
        if progress is not None:
            progress(script.name, scores[script.name])
    return scores


def find_folder(base: Path = Path()) -> Path | None:
    """Return the suite's folder, relative to `base`; None if it does not exist."""
    folder = base / os.environ.get("TRANSPUTER_SPEC", DEFAULT_FOLDER)
    return folder if folder.is_dir() else None


def scripts(path: Path) -> Iterator[Script]:
    """Yield the test files at a path: one file, or all files of a folder, by name."""
    kinds = ("*.json", "*.json.gz", "*.wast")
    files = sorted(f for k in kinds for f in path.glob(k)) if path.is_dir() else [path]
    if not files:
        raise UsageError(f"{path}: no {', '.join(kinds)} test files")
    for file in files:
        yield read_script(file)


def read_script(file: Path) -> Script:
    """Read a test file; raise `UsageError` if it is unreadable or not a test file."""
    try:
        raw = file.read_bytes()
        if file.suffix == ".wast":
            script = read_wast(raw.decode("utf-8", "surrogateescape"))
            return Script(file.stem, script.commands, script.modules.__getitem__, 3)
        content = json.loads(gzip.decompress(raw) if file.name.endswith(".gz") else raw)
        name = Path(content.get("source") or content["source_filename"]).stem
        for command in content["commands"]:
            _check_command(command)
        return Script(name, content["commands"], _modules(file, content))
    except (*_BROKEN, gzip.BadGzipFile) as error:
        raise UsageError(f"{file}: not a test script ({error})") from None
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror or error}") from None


_BROKEN = (ValueError, KeyError, TypeError, EOFError, AttributeError, zlib.error)


def _check_command(command: dict[str, Any]) -> None:
    """Raise one of `_BROKEN` unless a command has the fields of its kind."""
    kind, _ = command["type"], _COMMANDS[command["type"]]
    if "action" in command:
        action = command["action"]
        needed = action["field"], action["type"] == "get" or [argument(a) for a in action["args"]]
    elif kind == "register":
        needed = command["as"], None
    else:
        needed = command["filename"], None
    if not isinstance(needed[0], str):
        raise ValueError(f"{kind} in line {command.get('line')}")
    if kind == "assert_return":
        for expected in command["expected"]:
            matches(0, expected)
    elif kind.startswith("assert_"):
        command["text"].startswith("")


def _modules(file: Path, content: dict[str, Any]) -> Callable[[str], bytes | str]:
    bundled: dict[str, str] | None = content.get("modules")
    if bundled is None:
        return partial(_module_file, file.parent)
    return partial(_bundled_module, bundled)


def _bundled_module(modules: dict[str, str], name: str) -> bytes | str:
    return base64.b64decode(modules[name]) if name.endswith(".wasm") else modules[name]


def _module_file(folder: Path, name: str) -> bytes | str:
    raw = (folder / name).read_bytes()
    return raw if name.endswith(".wasm") else raw.decode("utf-8", "surrogateescape")


def run_script(script: Script, new_session: Callable[[], SpecSession]) -> Score:
    """Run all commands of a file in one session; return the score."""
    runner = _Runner(script, new_session())
    for command in script.commands:
        runner.run(command)
    return runner.score


class _Runner:
    def __init__(self, script: Script, session: SpecSession) -> None:
        self.script = script
        self.session = session
        self.score = Score()
        self.named: dict[str, Instance] = {}
        self.current: Instance | None = None
        self.refusal = ""  # why the current module was refused
        self.lost: set[str] = set()  # names of refused modules that others may import

    def run(self, command: dict[str, Any]) -> None:
        """Run one command and count it; only assertions count as passed."""
        kind = command["type"]
        try:
            _COMMANDS[kind](self, command)
            self.score.passed += kind.startswith("assert_")
        except (Unsupported, CapacityError) as error:
            self.score.refused += 1
            if kind == "module":
                self.refusal = str(error)
            self.problem(command, f"refused: {error}")
        except (Mismatch, SourceError, LinkError, UsageError, TrapError) as error:
            self.score.failed += 1
            self.problem(command, str(error))

    def problem(self, command: dict[str, Any], why: str) -> None:
        first = why.splitlines()[0] if why else "failed"
        self.score.problems.append(f"{command.get('line', '?')}: {command['type']}: {first}")

    def load(self, command: dict[str, Any]) -> Verified:
        source = self.script.module(command["filename"])
        binary = to_wasm(source) if isinstance(source, str) else source
        verified = verify(decode(binary, self.script.release), self.script.release)
        if needed := sorted({i.module for i in verified.module.imports} & self.lost):
            raise Unsupported(f"it imports from {needed[0]!r}, which was refused")
        return verified

    def instance(self, name: str | None) -> Instance:
        instance = self.named.get(name) if name else self.current
        if instance is None and self.refusal:
            raise Unsupported(f"its module was refused: {self.refusal}")
        if instance is None:
            raise Mismatch(f"no module {name or 'yet'}")
        return instance

    def act(self, action: dict[str, Any]) -> CallOutcome:
        instance = self.instance(action.get("module"))
        if action["type"] == "get":
            return CallOutcome((self.session.global_value(instance, action["field"])[1],))
        args = [argument(a) for a in action["args"]]
        return self.session.invoke(instance, action["field"], args)


def argument(value: dict[str, Any]) -> int:
    """Return an argument for the session: the bits of a number, or a reference plus one."""
    if value["type"] in ("externref", "funcref"):
        return 0 if value["value"] == "null" else int(value["value"]) + 1
    if value["type"] == "v128":
        return join(_lane_bits(value), [int(lane) for lane in value["value"]])
    return int(value["value"])


def _lane_bits(value: dict[str, Any]) -> int:
    return int(value["lane_type"][1:])


def matches(actual: int, expected: dict[str, Any]) -> bool:
    """Return whether a result is as expected, including the kind of a NaN."""
    type_, value = expected["type"], expected.get("value")
    if type_ == "either":
        return any(matches(actual, one) for one in expected["values"])
    if type_ == "v128":
        lanes = [{"type": expected["lane_type"], "value": lane} for lane in expected["value"]]
        return all(map(matches, split(_lane_bits(expected), actual), lanes))
    if value is None:
        return actual != 0  # some reference
    if value in ("nan:canonical", "nan:arithmetic"):
        f = F32 if type_ == "f32" else F64
        quiet = 1 << (f.fraction - 1)
        if value == "nan:canonical":
            return actual & ~f.sign == f.nan
        return f.is_nan(actual) and bool(actual & quiet)
    return actual == argument(expected)


def _module(r: _Runner, command: dict[str, Any]) -> None:
    r.current, r.refusal = None, ""
    instance, outcome = r.session.load_module(r.load(command))
    if outcome.trap:
        raise Mismatch(f"instantiation trapped: {outcome.trap.value}")
    r.current = instance
    if "name" in command:
        r.named[command["name"]] = instance


def _register(r: _Runner, command: dict[str, Any]) -> None:
    r.lost.add(command["as"])
    r.session.register(command["as"], r.instance(command.get("name")))
    r.lost.discard(command["as"])


def _action(r: _Runner, command: dict[str, Any]) -> None:
    if trap := r.act(command["action"]).trap:
        raise Mismatch(f"trapped: {trap.value}")


def _assert_return(r: _Runner, command: dict[str, Any]) -> None:
    outcome = r.act(command["action"])
    if outcome.trap:
        raise Mismatch(f"trapped: {outcome.trap.value}")
    expected = command["expected"]
    same = len(expected) == len(outcome.results)
    if not same or not all(map(matches, outcome.results, expected)):
        raise Mismatch(f"got {list(outcome.results)}, expected {expected}")


def _same_trap(outcome: CallOutcome, text: str) -> None:
    if outcome.trap is None:
        raise Mismatch(f"no trap, expected: {text}")
    message = outcome.trap.value
    if not (text.startswith(message) or message.startswith(text)):
        raise Mismatch(f"trapped with {message}, expected: {text}")


def _assert_trap(r: _Runner, command: dict[str, Any]) -> None:
    _same_trap(r.act(command["action"]), command["text"])


def _assert_exhaustion(r: _Runner, command: dict[str, Any]) -> None:
    outcome = r.act(command["action"])
    if outcome.trap is not Trap.STACK_EXHAUSTED:
        raise Mismatch(f"expected: {command['text']}")


def _assert_exception(r: _Runner, command: dict[str, Any]) -> None:
    if r.act(command["action"]).trap is not Trap.UNCAUGHT_EXCEPTION:
        raise Mismatch("expected an exception")


def _assert_refused(error: type[Exception], what: str) -> Callable[[_Runner, dict[str, Any]], None]:
    def check(r: _Runner, command: dict[str, Any]) -> None:
        try:
            r.session.load_module(r.load(command))
        except error as problem:
            if isinstance(problem, Unsupported):
                raise  # refused for another reason
            return
        raise Mismatch(f"accepted a module that is {what}: {command['text']}")

    return check


def _assert_uninstantiable(r: _Runner, command: dict[str, Any]) -> None:
    _, outcome = r.session.load_module(r.load(command))
    _same_trap(outcome, command["text"])


_COMMANDS: dict[str, Callable[[_Runner, dict[str, Any]], None]] = {
    "module": _module,
    "register": _register,
    "action": _action,
    "assert_return": _assert_return,
    "assert_trap": _assert_trap,
    "assert_exhaustion": _assert_exhaustion,
    "assert_exception": _assert_exception,
    "assert_invalid": _assert_refused(InvalidError, "invalid"),
    "assert_malformed": _assert_refused(MalformedError, "malformed"),
    "assert_unlinkable": _assert_refused(LinkError, "unlinkable"),
    "assert_uninstantiable": _assert_uninstantiable,
}
