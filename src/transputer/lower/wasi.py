"""Lower WASI to routines over the devices, which the machine executes like any other code.

The routines for streams are in `wasi.wat`, the file system in `files.c`; only what a program
imports is linked. The arguments and environment variables become code that stores them where the
program asks.
"""

from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files

from transputer.errors import LinkError
from transputer.frontends.binary import decode
from transputer.frontends.wat import library_wasm
from transputer.ir.environment import WASI, Environment, Ticks
from transputer.ir.module import ExternKind, Module
from transputer.ir.verify import verify
from transputer.lower.files import file_system
from transputer.lower.link import link_imports
from transputer.lower.origin import Lowered


def lower_wasi(program: Lowered, environment: Environment) -> Lowered:
    """Link the WASI imports of a program; return it unchanged if there are none.

    Raises a `LinkError` that names every function that is not available.
    """
    wanted = [item for item in program.module.imports if item.module == WASI]
    if not wanted:
        return program
    libraries = [wasi(environment)]
    imports = {(i.module, i.name) for i in wanted if i.kind is ExternKind.FUNC}
    if environment.files.mounts or imports - _routines(libraries[0]).keys():
        libraries.insert(0, file_system(environment))  # it has its own streams and clock
    known = {key for library in libraries for key in _routines(library)}
    functions = {i.name for i in wanted if i.kind is ExternKind.FUNC and (WASI, i.name) in known}
    if missing := sorted({i.name for i in wanted} - functions):
        raise LinkError(f"WASI has no function {', '.join(missing)}")
    for library in libraries:
        program = link_imports(program, library, _routines(library))
    return program


def _routines(library: Module) -> dict[tuple[str, str], str]:
    """Return the routines of a library by the import that each replaces."""
    return {(WASI, e.name): e.name for e in library.exports if e.kind is ExternKind.FUNC}


@lru_cache(maxsize=16)
def wasi(environment: Environment) -> Module:
    """Return the library of WASI routines for one environment."""
    text = files("transputer.lower").joinpath("wasi.wat").read_text(encoding="utf-8")
    module = f"(module {text}\n{_state(environment)}\n{_string_functions(environment)})"
    return verify(decode(library_wasm(module, "wasi.wat"))).module


def _state(environment: Environment) -> str:
    values = {
        "seed": environment.seed & 0xFFFFFFFF,
        "tick": environment.ticks.length,
        "time": environment.clock & 0xFFFFFFFF,
        "time_high": environment.clock >> 32 & 0xFFFFFFFF,
    }
    lines = [f"(global ${name} (mut i32) (i32.const {value}))" for name, value in values.items()]
    clock = "$count_steps" if environment.ticks is Ticks.STEPS else "$count_readings"
    return "\n".join([*lines, f'(export "clock_time_get" (func {clock}))'])


def _string_functions(environment: Environment) -> str:
    return _strings("args", environment.arguments) + _strings("environ", environment.variables)


def _strings(name: str, strings: Sequence[bytes]) -> str:
    """Return the two functions for a list of strings: `NAME_sizes_get` and `NAME_get`."""
    whole = b"".join(s + b"\0" for s in strings)
    starts = [sum(len(s) + 1 for s in strings[:i]) for i in range(len(strings))]
    pointers = "".join(_store_pointer(i, start) for i, start in enumerate(starts))
    stores = "".join(_store_word(at, whole[at : at + 4]) for at in range(0, len(whole), 4))
    return f"""
  (func (export "{name}_sizes_get") (param $count i32) (param $size i32) (result i32)
    (i32.store (local.get $count) (i32.const {len(strings)}))
    (i32.store (local.get $size) (i32.const {len(whole)}))
    (i32.const 0))
  (func (export "{name}_get") (param $pointers i32) (param $at i32) (result i32)
    {pointers}{stores}(i32.const 0))"""


def _store_pointer(index: int, start: int) -> str:
    place = f"(i32.add (local.get $at) (i32.const {start}))" if start else "(local.get $at)"
    return f"(i32.store offset={4 * index} (local.get $pointers) {place})\n    "


def _store_word(at: int, data: bytes) -> str:
    """Store four bytes at once, or the remaining bytes one by one."""
    if len(data) == 4:
        value = int.from_bytes(data, "little")
        return f"(i32.store offset={at} (local.get $at) (i32.const {value}))\n    "
    return "".join(
        f"(i32.store8 offset={at + i} (local.get $at) (i32.const {byte}))\n    "
        for i, byte in enumerate(data)
    )
