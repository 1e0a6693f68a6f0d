"""The compiler that compiles itself: its stages, what it makes of programs, what it refuses."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.frontends.smallc.cases import CASES, golden
from tests.images import run_image
from transputer import api
from transputer.check.fuzz.smallc.judge import compiler
from transputer.errors import SourceError, Trap
from transputer.frontends.selfhost import SOURCE
from transputer.frontends.smallc.soft.code import LINK, STACK
from transputer.host.result import Result
from transputer.ir.image import FAILURES, ZERO, from_bytes
from transputer.isa.soft import SOFT
from transputer.runtime.soft.selfhost import CompilerStage, self_compile, stages

EXAMPLES = sorted(Path("examples/selfhost").glob("*.c"))
PROGRAMS = [*EXAMPLES, *sorted(Path("examples/everywhere").glob("*.c"))]
_FLAGS = ("-w", "-fwrapv", "-fsigned-char", "-fno-builtin", "-fno-sanitize=undefined")


@pytest.fixture(scope="module")
def built() -> list[CompilerStage]:
    return list(stages())


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The compiler and the programs, as programs of this computer."""
    folder = tmp_path_factory.mktemp("host")
    found = {}
    for source in (SOURCE, *PROGRAMS):
        found[str(source)] = folder / f"{source.parent.name}-{source.stem}"
        command = [*compiler(), *_FLAGS, str(source), "-o", str(found[str(source)])]
        subprocess.run(command, check=True, capture_output=True)
    return found


def compiled_by_host(host: dict[str, Path], source: Path) -> bytes:
    text = source.read_bytes()
    return subprocess.run([host[str(SOURCE)]], input=text, capture_output=True, check=True).stdout


def test_the_compiler_compiles_itself(built: list[CompilerStage]) -> None:
    first, second, third = built
    assert second.image == third.image
    assert first.image != second.image
    assert from_bytes(second.image).words
    assert second.steps > 1_000_000 and third.steps > 1_000_000


def test_every_build_of_the_compiler_makes_the_same(
    built: list[CompilerStage], host: dict[str, Path]
) -> None:
    assert compiled_by_host(host, SOURCE) == built[1].image
    for source in PROGRAMS:
        text = source.read_bytes()
        made = {run_image(from_bytes(stage.image), stdin=text).stdout for stage in built}
        assert made == {compiled_by_host(host, source)}, source


@pytest.mark.parametrize("source", PROGRAMS, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_what_it_compiles_runs_as_in_c(source: Path, host: dict[str, Path]) -> None:
    wanted = subprocess.run([host[str(source)]], capture_output=True)
    seen = run_image(from_bytes(self_compile(source)), invoke=None)
    assert (seen.stdout, seen.exit_code) == (wanted.stdout, wanted.returncode)


def test_factorial_of_five() -> None:
    image = from_bytes(self_compile("examples/selfhost/short.c"))
    assert run_image(image).results == [120]
    image = from_bytes(self_compile("examples/selfhost/factorial.c"))
    assert b"factorial(5) = 120\n" in run_image(image).stdout


def test_a_transformer_runs_the_compiler_too() -> None:
    """The trace machine, on its weights, makes the same bytes."""
    source = Path("examples/selfhost/short.c")
    made = api.run(SOURCE, engine="native", stdin=source.read_bytes())
    assert (made.machine, made.stdout) == ("trace", self_compile(source))


#: Programs of the small C suite that use more of C than this compiler has.
BEYOND = frozenset(
    "array_minimum bits bubble enum_typedef find_builtin goto_label initialisers matrix "
    "min_max_abs quicksort selection shifts statics string_table swap_elements switch_cases "
    "traffic two_dimensions unsigned_range".split()
)


@pytest.mark.parametrize(
    "case", [case for case in CASES if len(case.ticks) == 1], ids=lambda case: case.name
)
def test_the_programs_of_small_c(case) -> None:
    """What gcc says they do, or a refusal: never something else."""
    if case.name in BEYOND:
        with pytest.raises(SourceError):
            self_compile(case.path)
        return
    seen = run_image(from_bytes(self_compile(case.path)))
    (wanted,) = golden()[case.name]
    assert (seen.results, seen.stdout.hex()) == ([wanted.result], wanted.output)


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("int main(void) {\n  return x;\n}", "2:10: 'x' is not declared"),
        ("int main(void) {\n  return 1\n}", "3:1: expected ';' before '}'"),
        ("int main(void) { return (1; }", "1:27: expected ')' before ';'"),
        ("int main(void) { return +; }", "1:25: expected an expression before '+'"),
        ("int main(void) {", "1:17: expected '}' before the end of the file"),
        ("int main(void) { 1 = 2; }", "1:18: this cannot be assigned"),
        ("int a;\nint main(void) { a + 1 = 2; }", "2:18: this cannot be assigned"),
        ("int main(void) { return *1; }", "1:26: this is not a pointer"),
        ("int x;\nint main(void) { return 2 + x[1]; }", "2:29: this is not a pointer"),
        ("int main(void) { return 1 / 0; }", "1:29: division by zero"),
        ("int f(int a);\nint main(void) { return f(); }", "2:25: 'f' has another number"),
        ("int f(int a);\nint main(void) { return f(1); }", "'f' is not defined"),
        ("int f(int a);\nint f(void) { return 1; }", "2:5: 'f' was declared otherwise"),
        ("char f(void);\nint f(void) { return 1; }", "2:5: 'f' was declared otherwise"),
        ("int main(void) { return 0; }\nint main(void) { }", "2:5: 'main' is defined already"),
        ("int f(int) { return 0; }", "1:5: 'f' has a parameter without a name"),
        ("int f(void) { return 0; }", "'main' is not defined"),
        ("int main(void) { return 2147483648; }", "1:25: the number is too large"),
        ("int main(void) { return 08; }", "1:25: not a number"),
        ("char *s = \"abc;\n", "1:11: the string does not end"),
        ("int x; /* no end", "1:8: the comment does not end"),
        ("int main(void) { return '\\q'; }", "1:25: unknown escape sequence"),
        ("int main(void) { break; }", "1:18: 'break' is not in a loop"),
        ("int a[0];", "1:7: the length of an array is at least 1"),
        ("int a[2] = {1, 2, 3};", "1:21: more values than the array has room for"),
        ("int a[2000000000];", "1:18: too much memory"),
        ("int main(void) { int a[2000000000] = {1}; }", "1:36: too much for a frame"),
        ("int main(void) { return 1 << 32; }", "1:30: the shift is not from 0 to 31"),
        ("int main(void) { return getchar() >> -1; }", "1:38: the shift is not from 0 to 31"),
        ("int a[9000] = {1};", "1:18: too many strings and initial values"),
        ("x;", "1:1: expected a type before 'x'"),
        ("int main(void) { static int a; }", "1:18: 'static' is supported outside functions only"),
        ("int main(void) { int a[] = {1}; }", "1:26: expected the length of the array before '='"),
        ("int main(void) { return " + "(1+" * 9 + "getchar()" + ")" * 9 + "; }",
         "1:52: the expression is too deep"),
        ("int main(void) { return " + "(" * 2000 + "1" + ")" * 2000 + "; }",
         "cannot compile this: call stack exhausted"),
        # Words of C that it refuses.
        *((f"int main(void) {{ int x = 1;\n  {text} }}", f"2:{column}: '{word}' is not supported")
          for text, word, column in (
            ("switch (x) { case 1: return 2; }", "switch", 3), ("goto end; end: ;", "goto", 3),
            ("return sizeof x;", "sizeof", 10), ("unsigned y;", "unsigned", 3),
            ("struct p q;", "struct", 3))),
        ("long x;", "1:1: 'long' is not supported"),
        ("int goto;", "1:5: 'goto' is not supported"),
        # Names that are declared twice in one scope.
        ("int main(void) { int a; char a; }", "1:30: 'a' is declared already"),
        ("int main(void) { int a; { int a; int a; } }", "1:38: 'a' is declared already"),
        ("int f(int a, int a) { return a; }", "1:18: 'a' is declared already"),
        ("int f(int a) { int a; return a; }", "1:20: 'a' is declared already"),
        ("int x = 1;\nint x = 2;", "2:5: 'x' is declared already"),
        ("int x, x;", "1:8: 'x' is declared already"),
        ("enum { A, A };", "1:11: 'A' is declared already"),
        ("int f(void);\nint f;", "2:5: 'f' is declared already"),
        # const.
        ("int main(void) { const int a = 1; a = 2; }", "1:35: this is const"),
        ("int main(void) { int const a = 1; a += 2; }", "1:35: this is const"),
        ("const int x = 1, y;\nint main(void) { y++; }", "2:18: this is const"),
        ("const int a[2];\nint main(void) { a[1] = 2; }", "2:18: this is const"),
        ("int f(const char *p) { *p = 1; }", "1:24: this is const"),
        ("int f(const char p[]) { p[0] = 1; }", "1:25: this is const"),
        ("int f(const char *p) { (p + 1)[2] = 1; }", "1:24: this is const"),
        ("int x;\nint *const p = 0;\nint main(void) { --p; }", "3:20: this is const"),
        ("int const x = (int)1, y;\nint main(void) { y = 1; }", "2:18: this is const"),
        # void.
        ("void f(void) {}\nint main(void) { return f(); }", "2:25: this is void: it has no value"),
        ("void f(void) {}\nint main(void) { return 1 + f(); }", "2:29: this is void"),
        ("void f(void) {}\nint main(void) { int a = f(); }", "2:26: this is void"),
        ("void f(void) {}\nint main(void) { while (f()) {} }", "2:25: this is void"),
        ("void f(void) {}\nint main(void) { putchar(f()); }", "2:26: this is void"),
        ("void f(void) { return 1; }", "1:23: a void function returns no value"),
        ("int main(void) { void a; }", "1:23: 'a' cannot be void"),
        # Characters that no C has.
        ("int main(void) {\n  return \x01; }", "2:10: this character is not part of C"),
        ("int main(void) { return 1 é 2; }", "1:27: this character is not part of C"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(text: str, wanted: str, tmp_path: Path) -> None:
    source = tmp_path / "bad.c"
    source.write_text(text)
    with pytest.raises(SourceError, match=re.escape(wanted)):
        self_compile(source)


def test_const_void_and_inner_scopes_are_compiled(tmp_path: Path) -> None:
    """What is right still is: inner names hide outer ones, pointers to const may change."""
    text = """
    const int table[3] = {3, 4, 5};
    int total;
    void add(int n) { total += n; return; }
    int sum(const int *p, int n) { int a = 0; while (n--) a += *p++; return a; }
    int main(void) {
        int a = 1;
        { int a = 2; add(a); }
        for (int a = 0; a < 2; a++) { int b = a; add(b); }
        a ? add(1) : add(2);
        (void)sum(table, 1);
        return total * 100 + sum(table, 3) + a;
    }"""
    assert compiled(text, tmp_path).results == [4 * 100 + 12 + 1]


def test_a_binary_file_is_not_shown(tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_bytes(b"\x7fELF\x02\x01\x01\0\0\0")
    with pytest.raises(SourceError, match="this is a binary file, not C") as refusal:
        self_compile(source)
    assert "ELF" not in str(refusal.value)
    source.write_bytes(b"int main(void) { return \x1b[31m\xff; }")
    with pytest.raises(SourceError, match="1:25: this character is not part of C") as refusal:
        self_compile(source)
    assert "\x1b" not in str(refusal.value) and "[31m" in str(refusal.value)


def compiled(text: str, tmp_path: Path) -> Result:
    source = tmp_path / "program.c"
    source.write_text(text)
    return run_image(from_bytes(self_compile(source)))


def test_division_by_zero_and_deep_recursion_are_traps(tmp_path: Path) -> None:
    divided = compiled("int zero; int main(void) { return 5 % zero; }", tmp_path)
    assert divided.trap is Trap.DIVIDE_BY_ZERO
    endless = "int f(int n) { return f(n + 1) + 1; } int main(void) { return f(0); }"
    deep = compiled(endless, tmp_path)
    assert deep.trap is Trap.STACK_EXHAUSTED


def test_the_compiler_knows_the_machine() -> None:
    """The numbers that its source repeats are those of the table and of the image."""
    text = re.sub(r"//.*", "", SOURCE.read_text())
    numbers = {name: int(n) for name, n in re.findall(r"\b([A-Z_]+) = (\d+)\b", text)}
    operations = {name: n for name, n in numbers.items() if name in SOFT}
    assert len(operations) == 26
    assert operations == {name: SOFT[name].code for name in operations}
    assert (numbers["ZERO"], numbers["LINK"], numbers["STACK"]) == (ZERO, LINK, STACK)
    assert (FAILURES[1], FAILURES[2]) == (Trap.DIVIDE_BY_ZERO, Trap.STACK_EXHAUSTED)
    start = from_bytes(self_compile("examples/selfhost/short.c")).code
    assert [str(start[numbers[name]]) for name in ("DIVIDED", "TOO_DEEP")] == [
        "SET R13, 1", "SET R13, 2",
    ]  # fmt: skip


def test_the_figures_of_the_page(built: list[CompilerStage]) -> None:
    page = Path("docs/selfhost.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d) \| .*? \| (.*) \| (.*) \| (.*) \|$", page, re.MULTILINE)
    told = [tuple(int(cell.replace(",", "")) for cell in row) for row in rows]
    seen = [stage.as_json() for stage in built]
    assert told == [(s["stage"], s["instructions"], s["bytes"], s["steps"]) for s in seen]
