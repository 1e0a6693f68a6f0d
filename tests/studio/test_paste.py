"""Programs that a new user pastes: each runs, or is refused with a sentence that helps."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from transputer import api
from transputer.errors import TransputerError
from transputer.runtime.trace.text import compile_confined, other_language
from transputer.studio.limits import StudioLimits

from .conftest import served

#: Time limit of the compiler, on a busy machine.
SECONDS = 300.0
#: Text, language, function, arguments, and the result: values or exit code.
RUNS = {
    "main": ("int main(void) { return 42; }", "c", None, [], 42),
    "no main": ("int add(int a, int b) { return a + b; }", "c", "add", [2, 3], [5]),
    "loop": ("int f(int n) { int s = 0; while (n) s += n--; return s; }", "c", "f", [10], [55]),
    "recursion": ("int f(int n) { return n < 2 ? n : f(n-1) + f(n-2); }", "c", "f", [9], [34]),
    "double": ("double half(double x) { return x / 2; }", "c", "half", [5.0], [2.5]),
    "long": ("long long m(long long a) { return a * a; }", "c", "m", [1 << 20], [1 << 40]),
    "wat": (
        '(module (func (export "f") (param i32) (result i32) local.get 0 i32.const 1 i32.add))',
        "wat", "f", [41], [42],
    ),
    "folded wat": (
        '(module (func (export "f") (result i32) (i32.mul (i32.const 6) (i32.const 7))))',
        "wat", "f", [], [42],
    ),
    "asm": ("PUSH 40\nPUSH 2\nADD\nHALT\n", "asm", None, [], [42]),
    "asm input": ("PUSH 2\nMUL\nHALT\n", "asm", None, [21], [42]),
}  # fmt: skip
#: Text, the language that is chosen, and a part of the message.
REFUSED = {
    "undeclared": ("int main(void) { return x; }", "c", "undeclared identifier 'x'"),
    "no semicolon": ("int main(void) { return 1 }", "c", "expected ';'"),
    "wat as C": ('(module (func (export "f")))', "c", "choose WebAssembly as the language"),
    "C as wat": ("int main(void) { return 1; }", "wat", "choose C as the language"),
    "C++": (
        "#include <iostream>\nint main() { std::cout << 1; }", "c", "transputer run program.cpp",
    ),
    "Python": ("def f(x):\n    return x\nprint(f(1))\n", "c", "looks like Python"),
    "Rust": ('fn main() { println!("hi"); }', "c", "looks like Rust"),
    "JavaScript": ("console.log(1 + 1);", "c", "looks like JavaScript"),
    "wat type": ('(module (func (export "f") (result i32)))', "wat", "i32"),
    "nothing": ("", "c", "write main"),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_runs(name: str) -> None:
    text, language, invoke, args, expected = RUNS[name]
    result = api.run(compile_confined(text, language, seconds=SECONDS), invoke, args)
    assert (result.results if invoke or language == "asm" else result.exit_code) == expected


@pytest.mark.parametrize("name", REFUSED)
def test_is_refused_with_advice(name: str) -> None:
    text, language, message = REFUSED[name]
    with pytest.raises(TransputerError) as refusal:
        compile_confined(text, language, seconds=SECONDS)
    assert message in str(refusal.value)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    for client in served(StudioLimits(compile_seconds=SECONDS)):
        yield f"http://127.0.0.1:{client.port}/{client.token}/"


def test_the_page_runs_or_refuses_all_of_them(open_page: Callable[..., Any], address: str) -> None:
    page = open_page(address)
    page.set_default_timeout(1000 * SECONDS)
    boxes = page.locator(".how input")
    for text, language, invoke, args, expected in RUNS.values():
        page.locator('[aria-label="Language"]').select_option(language)
        page.locator(".cm-content").fill(text)
        boxes.nth(0).fill(invoke or "")
        boxes.nth(1).fill(" ".join(map(str, args)))
        page.locator("#run").click()
        values = " ".join(map(str, expected)) if isinstance(expected, list) else ""
        said = f"returned {values}" if values else f"exit code {expected}"
        page.locator(".transport .note", has_text=said).wait_for()
        page.locator(".now .count b").wait_for()
        page.locator(".transport .note:not(.busy)").wait_for()
    for text, language, message in REFUSED.values():
        page.locator('[aria-label="Language"]').select_option(language)
        page.locator(".cm-content").fill(text)
        page.locator("#run").click()
        page.locator(".problems", has_text=message).wait_for()


def test_there_are_twenty() -> None:
    assert len(RUNS) + len(REFUSED) == 20


def test_what_compiles_is_not_second_guessed() -> None:
    assert not other_language("int main(void) { return 1; }", "c")
    assert not other_language("PUSH 1\nHALT\n", "asm")
