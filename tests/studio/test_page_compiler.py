"""Programs that a visitor pastes into an exported page, which compiles them itself."""

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from transputer import api
from transputer.check.fuzz import plan
from transputer.check.fuzz.choose import Seeded
from transputer.check.fuzz.modules import case
from transputer.errors import TransputerError
from transputer.frontends.binary import encode
from transputer.ir.module import ExternKind
from transputer.machines.trace.opcodes import LOWERED
from transputer.runtime.trace.program import compile_text
from transputer.runtime.trace.site import page_program

ROOT = Path(__file__).parents[2]
Page = Any
#: Random modules without imports; the page must compile at least `COMPILED` of them.
MODULES, COMPILED = 70, 7
#: Texts with a call of each.
TEXTS = {
    "tests/exporters/programs.wat": ("pair", ["3"]),
    "tests/regressions/branch-to-return.wat": ("chained", ["0"]),
    "examples/clean_room/programs.wat": ("i32", ["-7", "0x10"]),
    "src/transputer/embed/one_model/library.wat": ("d0", ["1"]),
    **{f"examples/asm/{name}.asm": ("", []) for name in ("bubble_sort", "hanoi", "primes")},
}
#: Text, language, function, arguments, and a part of what the page says: of each something else,
#: since what it said of the last one is still there when the next one begins.
PASTED = {
    "asm": ("PUSH 40\nPUSH 2\nADD\nHALT\n", "asm", "", "", "returned 42"),
    "asm with an argument": ("PUSH 2\nMUL\nHALT\n", "asm", "", "22", "returned 44"),
    "wat": (
        '(module (func (export "f") (param i32) (result i32)\n local.get 0 i32.const 1 i32.add))',
        "wat", "f", "42", "returned 43",
    ),
    "folded wat": (
        '(module (func (export "main") (result f64) (f64.div (f64.const 1) (f64.const 4))))',
        "wat", "main", "", "returned 0.25",
    ),
    "memory": (
        '(module (memory 1) (data (i32.const 3) "hello") (func (export "f") (result i64) '
        "(i64.load (i32.const 3))))",
        "wat", "f", "", f"returned {int.from_bytes(b'hello', 'little')}",
    ),
    "exit code": (
        '(module (func (export "main") (result i32) i32.const 7))', "wat", "", "", "exit code 7",
    ),
    "trap": (
        '(module (func (export "f") (param i32) (result i32) i32.const 1 local.get 0 i32.div_s))',
        "wat", "f", "0", "integer divide by zero",
    ),
}  # fmt: skip
REFUSED = {
    "C": ("int main(void) { return 1; }", "c", "pip install transputer"),
    "C as wat": ("int main(void) { return 1; }", "wat", "C is compiled by clang"),
    "wat as assembly": ('(module (func (export "f")))', "asm", "choose WebAssembly as the"),
    "Python": ("def f(x):\n    return x\n", "asm", "looks like Python"),
    "syntax": ("(module\n (func (export)))", "wat", "line 2"),
    "type": ('(module (func (export "f") (result i32)\n i64.const 1))', "wat", "type mismatch"),
    "no such instruction": ("PUSH 1\nJMP 0\n", "asm", "did you mean BR?"),
    "no operand": ("PUSH\n", "asm", "PUSH needs a number"),
    "no label": ("BR away\n", "asm", "no label `away`"),
    "nothing": ("", "wat", "exports no function"),
    "WASI": (
        '(module (import "wasi_snapshot_preview1" "proc_exit" (func (param i32))) '
        '(func (export "_start")))',
        "wat", "imports wasi_snapshot_preview1.proc_exit",
    ),
    "bulk": (
        '(module (memory 1) (func (export "main") '
        "(memory.fill (i32.const 0) (i32.const 1) (i32.const 9))))",
        "wat", "does not compile memory.fill",
    ),
    "start": ('(module (func $f) (start $f) (func (export "main")))', "wat", "a start function"),
    "no function": ('(module (func (export "f")))', "wat", "name one with --invoke: f"),
    "base64": ("not a module", "wasm", "no WebAssembly module"),
}  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("site")
    (page,) = api.compile(ROOT / "examples/asm/gcd.asm").export("site", folder)
    if not (folder / "wabt.js").is_file():
        pytest.skip("the parser of WebAssembly's text format is missing: make studio-page")
    return page.as_uri()


def job(source: str, language: str, invoke: str, args: list[str]) -> dict[str, Any]:
    return {
        "source": source, "language": language, "invoke": invoke, "args": args,
        "stdin": "", "machine": "trace", "edits": {}, "broken": None,
    }  # fmt: skip


def compiled(page: Page, what: dict[str, Any]) -> dict[str, Any] | str:
    """What the page makes of a job: a program, or the message with which it is refused."""
    result: dict[str, Any] | str = page.evaluate(
        """async (job) => {
          try {
            const { rows, example, uses, ...program } = await transputer.program(job);
            const text = rows.reduce((text, byte) => text + String.fromCharCode(byte), "");
            return { ...program, prompt: btoa(text) };
          } catch (error) {
            if (!error.problems) throw error;
            return error.message;
          }
        }""",
        what,
    )
    return result


def expected(text: str | bytes, language: str, invoke: str, args: list[str]) -> dict[str, Any]:
    program = page_program(compile_text(text, f"program.{language}"), invoke or None, args)
    del program["example"], program["uses"]
    same: dict[str, Any] = json.loads(json.dumps(program))
    return same


def test_texts_have_the_prompts_of_the_package(open_page: Callable[..., Page], site: str) -> None:
    page = open_page(site)
    for name, (invoke, args) in TEXTS.items():
        text, language = (ROOT / name).read_text(), name.rpartition(".")[2]
        program = compiled(page, job(text, language, invoke, args))
        assert program == expected(text, language, invoke, args), name


def modules() -> Iterator[tuple[bytes, str]]:
    """Random modules, and a function without parameters of each; none with bulk operations."""
    for seed in range(MODULES):
        module = case(Seeded(seed)).module
        names = {instr.name for function in module.functions for instr in function.body}
        functions = [e for e in module.exports if e.kind is ExternKind.FUNC]
        calls = [e.name for e in functions if not module.func_types[e.index].params]
        if calls and names.isdisjoint(LOWERED):
            yield encode(module), calls[0]


def test_random_modules_have_the_prompts_of_the_package(
    open_page: Callable[..., Page], site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "_imports", lambda *_: ())  # they are from a module for tests
    page, same = open_page(site), 0
    for binary, invoke in modules():
        program = compiled(page, job(base64.b64encode(binary).decode(), "wasm", invoke, []))
        if isinstance(program, str):
            assert "page" in program or "traps before it runs" in program, program
            continue
        assert program == expected(binary, "wasm", invoke, [])
        same += 1
    assert same >= COMPILED


def paste(page: Page, text: str, language: str, invoke: str = "", args: str = "") -> None:
    boxes = page.locator(".how input")
    page.locator('[aria-label="Language"]').select_option(language)
    page.locator(".cm-content").fill(text)
    boxes.nth(0).fill(invoke)
    boxes.nth(1).fill(args)
    page.locator("#run").click()


def test_what_is_pasted_runs_or_is_refused(open_page: Callable[..., Page], site: str) -> None:
    page = open_page(site)
    for text, language, invoke, args, said in PASTED.values():
        paste(page, text, language, invoke, args)
        page.locator(".transport .note", has_text=said).wait_for()
        page.locator(".now .count b").wait_for()
    paste(page, "again:\nBR again\n", "asm")
    page.locator(".stop").click()
    page.locator(".transport .note", has_text="cancelled").wait_for()
    for text, language, said in REFUSED.values():
        paste(page, text, language)
        page.locator(".problems", has_text=said).wait_for()


def test_of_two_runs_at_once_the_newer_one_stays(open_page: Callable[..., Page], site: str) -> None:
    """The older one takes longer to compile: the parser of WebAssembly's text is loaded for it."""
    page = open_page(site)
    page.locator(".now .count b").wait_for()
    older, newer = (job(text, language, invoke, []) for text, language, invoke in (
        (PASTED["folded wat"][0], "wat", "main"), (PASTED["asm"][0], "asm", ""),
    ))  # fmt: skip
    runs = page.evaluate(
        """async ([older, newer]) => {
          const both = await Promise.all([transputer.run(older), transputer.run(newer)]);
          return both.map((status) => status.run);
        }""",
        [older, newer],
    )
    assert runs[0] == runs[1] > 1
    page.wait_for_timeout(500)  # the older one would have ended
    assert "returned 42" in page.locator(".transport .note").inner_text()


def test_a_file_is_opened_and_its_lines_are_shown(
    open_page: Callable[..., Page], site: str, tmp_path: Path
) -> None:
    source = '(module (func (export "main") (result i32)\n  i32.const 6\n  i32.const 7\n  i32.mul))'
    file = tmp_path / "product.wasm"
    file.write_bytes(compile_text(source, "product.wat").binary)
    page = open_page(site)
    page.locator('[aria-label="Open a file"]').set_input_files(file)
    page.locator(".transport .note", has_text="exit code 42").wait_for()
    assert "i32.const 7" in page.locator(".cm-content").inner_text()
    page.locator(".now .what", has_text="main, line").wait_for()
    page.locator("#jump").fill("3")
    page.locator("#jump").press("Enter")
    page.locator(".explain", has_text="compute 42").wait_for()
    page.locator(".share").click()
    page.wait_for_url("**#run=*")
    other = open_page(page.url)
    other.locator('.now .count b:text-is("3")').wait_for()
    other.locator(".explain", has_text="compute 42").wait_for()


def test_what_the_package_refuses_the_page_refuses(tmp_path: Path) -> None:
    source = '(module (func (export "_initialize")) (func (export "g")))'
    with pytest.raises(TransputerError, match="_initialize"):
        compile_text(source, "library.wat").export("site", tmp_path / "out", invoke="g")
