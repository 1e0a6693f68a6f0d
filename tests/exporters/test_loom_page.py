"""What the page of the loom machine loads: the engine as wasm, the compiler, programs as data."""

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import wasmtime

from tests.machines.loom.support import TINY, scramble
from transputer.engines.native.looped import image
from transputer.engines.reference.looped import LoopedReference
from transputer.exporters.loom_page import CONFIGS, looped_wasm, write_compiler
from transputer.frontends.smallc import compile
from transputer.frontends.smallc.loom.plain import plain
from transputer.ir.loom import LoomConfig, LoomProgram, configuration
from transputer.machines.loom.circuit import model
from transputer.machines.loom.host import Layout, initial
from transputer.model import Array

ENGINE = wasmtime.Engine()
EXAMPLES = Path(__file__).parents[2] / "examples" / "loom"
LAYERS = 2  # the word of an image that says how many layers it has


class Wasm:
    """The engine in wasmtime, with memory as a page gives it: never taken back."""

    def __init__(self, module: wasmtime.Module, words: Any, state: Array) -> None:
        self.store = wasmtime.Store(ENGINE)
        number = wasmtime.ValType.i32()
        take = wasmtime.FuncType([number, number], [number])
        drop = wasmtime.FuncType([number], [])
        given = {
            "calloc": wasmtime.Func(self.store, take, lambda count, size: self.take(count * size)),
            "free": wasmtime.Func(self.store, drop, lambda at: None),
        }
        made = wasmtime.Instance(self.store, module, [given[i.name] for i in module.imports])
        self.exports = made.exports(self.store)
        self.end = self.memory.data_len(self.store)
        self.shape = state.shape
        self.buffer = self.write(np.ascontiguousarray(state.T))
        self.engine = self.call("open", self.write(words), self.buffer)
        assert self.engine

    @property
    def memory(self) -> Any:
        return self.exports["memory"]

    def call(self, name: str, *args: int) -> Any:
        return self.exports[f"looped_{name}"](self.store, *args)

    def take(self, size: int) -> int:
        at, self.end = self.end, self.end + (size + 15 & ~15)
        more = self.end - self.memory.data_len(self.store)
        if more > 0:
            self.memory.grow(self.store, -(-more // 65536))
        return at

    def write(self, words: Any) -> int:
        held = words.astype("<i8").tobytes()
        at = self.take(len(held))
        self.memory.write(self.store, held, at)
        return at

    def run(self, steps: int) -> int:
        return int(self.call("run", self.engine, steps, 0))

    @property
    def state(self) -> Array:
        self.call("state", self.engine, self.buffer)
        count = int(np.prod(self.shape))
        held = self.memory.read(self.store, self.buffer, self.buffer + 8 * count)
        return np.frombuffer(held, "<i8").reshape(self.shape[::-1]).T.astype(np.float64)


@pytest.fixture(scope="module")
def modules() -> Callable[[int], wasmtime.Module]:
    made: dict[int, wasmtime.Module] = {}

    def module(bits: int) -> wasmtime.Module:
        if bits not in made:
            made[bits] = wasmtime.Module(ENGINE, looped_wasm(bits))
        return made[bits]

    return module


@pytest.mark.parametrize("config, bits", [(TINY, 32), (TINY, 64), (LoomConfig(64, 32, 32, 10), 64)])
def test_the_engine_as_wasm_makes_the_steps_of_the_reference(
    modules: Any, config: LoomConfig, bits: int
) -> None:
    held = model(config)
    for seed in range(3):
        state = initial(scramble(seed, config), config)
        wasm, true = Wasm(modules(bits), image(held), state), LoopedReference(held, state)
        for _ in range(12):
            assert wasm.run(1) == true.run(1)
            assert np.array_equal(wasm.state, true.state)


def test_an_image_of_fewer_layers_gives_what_is_between_layers(modules: Any) -> None:
    """How the page shows what each layer does."""
    held = model(TINY)
    state = initial(scramble(5, TINY), TINY)
    for count in range(1, len(held.layers) + 1):
        words = image(held).copy()
        words[LAYERS] = count
        wasm = Wasm(modules(32), words, state)
        assert wasm.run(1) == 1
        assert np.array_equal(wasm.state, between(held, state, count))


def between(held: Any, state: Array, count: int) -> Array:
    """The state after so many layers of a step."""
    found = LoopedReference(held, state)
    found.model = replace(held, layers=held.layers[:count])
    found.step()
    return found.state


def test_the_compiler_needs_nothing_but_python(tmp_path: Path) -> None:
    write_compiler(tmp_path / "compiler.zip")
    with zipfile.ZipFile(tmp_path / "compiler.zip") as held:
        held.extractall(tmp_path)
    text = (EXAMPLES / "snake.c").read_text()
    program = (
        "import json, sys; sys.path.insert(0, sys.argv[1])\n"
        "from transputer.frontends.smallc.loom.plain import plain\n"
        "print(json.dumps(plain(*json.load(sys.stdin))))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, str(tmp_path)],
        input=json.dumps([text, 8, CONFIGS]),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == json.loads(json.dumps(plain(text, 8, CONFIGS)))


@pytest.mark.parametrize("name, bits", [("snake", 8), ("raycaster", 8), ("gcd", 16), ("gcd", 32)])
def test_a_program_as_data_is_the_program(name: str, bits: int) -> None:
    """Put into the state of no program, column by column, it is the program's state."""
    text = (EXAMPLES / f"{name}.c").read_text()
    found = plain(text, bits, CONFIGS)
    config = configuration(found["config"])
    rows = Layout.of(config).rows
    state = initial(LoomProgram((), bits=bits), config)
    for at, one in enumerate(found["code"], start=config.scratch + config.memory):
        words = (rows.command_a, rows.command_b, rows.command_c)
        for number, word in zip(one["columns"], words, strict=True):
            for i, row in enumerate(word):
                state[row.index, at] = 1 if number >> i & 1 else -1
    for at, number in enumerate(found["memory"], start=config.scratch):
        for i, row in enumerate(rows.memory):
            state[row.index, at] = 1 if number >> i & 1 else -1
    assert np.array_equal(state, initial(compile(text, bits=bits), config))


def test_constants_are_what_only_stays() -> None:
    found = plain("int x; int main(void) { x += 77; return x; }", 8, CONFIGS)
    assert [found["memory"][slot] for slot in found["constants"]] == [77]


def test_problems_have_their_places() -> None:
    found = plain("int main(void) {\n    int x = y;\n    return z;\n}\n", 8, CONFIGS)["problems"]
    assert [(p["line"], p["column"]) for p in found] == [(2, 13), (3, 12)]
    assert found[0]["message"] == "'y' is not declared"


def test_what_fits_nowhere_is_a_problem() -> None:
    text = "int a[240]; int main(void) { a[3] = 1; return a[4]; }"
    [problem] = plain(text, 8, CONFIGS)["problems"]
    assert problem["line"] == 0 and "memory slots, 164x2048 has 224" in problem["message"]
