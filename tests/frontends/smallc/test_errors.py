import re

import pytest
from pycparser import c_ast

from transputer.errors import CapacityError
from transputer.frontends.smallc import SmallCError, compile
from transputer.ir.loom import PUBLISHED, smallest
from transputer.oracle.loom import Loom


def problems(text: str, bits: int = 8) -> list[str]:
    with pytest.raises(SmallCError) as caught:
        compile(text, "bad.c", bits)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    "text, where",
    [
        ("int main(void) { return y; }", "1:25: 'y' is not declared"),
        ("int main(void) {\n  float x = 1;\n  return 0; }", "2:3: float is not supported"),
        (
            "int main(void) { return 300; }",
            "300 does not fit into 8 bits; compile for 32 bits",
        ),
        ("int main(void) { return f(1); }", "1:25: function 'f' is not declared"),
        (
            "int f(int a) { return a; }\nint main(void) { return f(); }",
            "2:25: f takes 1 argument, not 0",
        ),
        ("int main(void) { break; }", "1:18: break outside a loop"),
        ("int main(void) { 3 = 4; }", "1:18: this is not a variable; it cannot be assigned"),
        ("const int k = 3; int main(void) { k = 4; }", "1:35: 'k' is a constant"),
        (
            "const int k[2] = {1, 2}; int main(void) { k[0] = 4; }",
            "1:43: this is const and cannot be assigned",
        ),
        ("int a[3]; int main(void) { return a[3]; }", "1:35: index 3 is out of range: 'a' has 3"),
        ("int main(void) { return 5 / 0; }", "1:25: division by zero"),
        ("int x; int main(void) { return x << 8; }", "1:32: shift count 8 is out of range"),
        ("int x; int main(void) { return *x; }", "1:33: int is not a pointer"),
        (
            "int a[2] = {1, 2, 3}; int main(void) { return 0; }",
            "1:19: too many values for an array of 2",
        ),
        (
            "int x; int a[x]; int main(void) { return 0; }",
            "1:14: the length of an array must be a constant here; malloc takes any",
        ),
        ("struct s { int x; }; int main(void) { struct s y; y.z = 1; }", "no member 'z'"),
        ("void f(void) {} int main(void) { return f(); }", "1:41: this call returns no value"),
        ("void f(void) { return 1; } int main(void) { return 0; }", "1:16: a void function"),
        ("int f(void); int main(void) { return f(); }", "'f' is declared but not defined"),
        ("int f(void) { return 1; }", "1:1: there is no main"),
        ("int main(void) { return main(); }", "1:25: main cannot be called"),
        ("int main(int n) { return n; }", "1:5: main must be int main(void)"),
        ("int main(void) { int x; int x; }", "1:29: 'x' is already declared"),
        ("int main(void) { switch (1) { case 1: case 1: ; } }", "1:44: duplicate case 1"),
        ("int main(void) { goto out; }", "this function has no label 'out'"),
        ("int main(void) { return 1 +; }", "1:28: syntax error before ';'"),
        ("int main(void) { return 0;", "syntax error"),
        ("#if 1\nint main(void) { return 0; }", "1:2: this has no #endif"),
        ("#define F(x) x\nint main(void) { return F(1, 2); }", "2:25: F takes 1 argument, not 2"),
        ("#define X y + 1\nint main(void) { return  X; }", "2:26: 'y' is not declared"),
        ("int __div(int a) { return a; } int main(void) { return 0; }", "1:5: names that begin"),
        ("int *p; int main(void) { p = 5; }", "1:26: expected int *, not int"),
        ("int main(void) { find(3, 4); }", "1:23: find searches an array of integers"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text, where):
    shown = "\n".join(problems(text))
    assert where in shown
    assert shown.startswith("bad.c:")
    assert "^" in shown


def main(text: str) -> str:
    return f"#include <stdio.h>\nint main(void) {{ {text} return 0; }}"


REFUSED = {
    main("int x; x.y = 3;"): "int is not a struct, so it has no members",
    main("int *p; p->next = 0;"): "int * is not a pointer to a struct, so it has no members",
    main("struct s *p = 0; p->x = 1;"): "struct s is declared but has no members here",
    main("int x = ({ 3; });"): "statement expressions are not supported",
    main('_Static_assert(1 > 2, "no");'): 'the assertion is false: "no"',
    main('printf("%d\\n", 1.5);'): "floating point is not supported here; use int",
    main('printf("%d\\n", "x");'): "%d needs an integer, not char *",
    main('printf("%s\\n", 3);'): "%s needs a char *, not int",
    main('printf("%d %d\\n", 3);'): "printf has fewer arguments than its format wants",
    main('printf("%d\\n", 3, 4);'): "printf has more arguments than its format wants",
    main('printf("%f\\n", 3);'): "%f is for floating point",
    main('printf("%lld\\n", 3);'): "%lld is for 64 bits; int has 32",
    main('int x = printf("a");'): "this call returns no value",
    main('fprintf(stderr, "a");'): "stderr is not available here; write to stdout",
    main("int x = rand();"): "rand is not available here: C leaves its numbers open",
    main("int x = 5; char *p = (char *)&x;"): "char * cannot point to int",
    main("union { int all; unsigned char bytes[4]; } u;"): "pieces of different sizes",
    main("long x = 3;"): "long is not supported here; use int, which has 32 bits",
    main("int x = 3L;"): "3L is long; use int",
    main("unsigned x = 3000000000;"): "3000000000 is long, because int has 32 bits",
    main("FILE *f;") + "int g(FILE x) { return 0; }": "FILE is not available: there are no files",
    "#include <stdint.h>\nint main(void) { int64_t x = 3; return x; }": "int64_t has 64 bits",
    "#include <math.h>\nint main(void) { return 0; }": "math.h is not available here",
    '#include "own.h"\nint main(void) { return 0; }': "only headers of the C library",
    "#error too old\nint main(void) { return 0; }": "#error too old",
    "int f(int a, ...) { return a; } int main(void) { return 0; }": "variable argument lists",
    "int f(a) int a; { return a; } int main(void) { return 0; }": "every parameter needs a type",
    "int main(void) { return 'ab'; }": "a character constant has one character",
    "int f(int n) { int a[n]; return a[0]; } int main(void) { return f(3); }": (
        "the length of an array must be a constant here; malloc takes any"
    ),
    "int *p; unsigned u; int main(void) { return p * u; }": "invalid operands of *: int * and unsi",
    "char c; int main(void) { return *c; }": "char is not a pointer",
    "void swap(void *a, void *b, int n) { char *x = a, *y = b; while (n--) { char t = *x;"
    " *x++ = *y; *y++ = t; } }"
    "int main(void) { int i = 1, j = 2; swap(&i, &j, sizeof i); return i; }": (
        "char * cannot point to int: every int, char and pointer has a word of its own"
    ),
}


@pytest.mark.parametrize("text, message", REFUSED.items())
def test_refusals_speak_of_c_and_not_of_the_parser(text, message):
    shown = problems(text, 32)
    assert any(message in problem for problem in shown), shown
    nodes = {name for name, one in vars(c_ast).items() if isinstance(one, type)}
    for problem in shown:
        said = problem.split("\n")[0].removeprefix("bad.c:")
        assert not nodes & set(re.findall(r"\b[A-Z]\w+", said))


def test_nesting_without_end_is_an_error():
    deep = "(" * 5000 + "1" + ")" * 5000
    (problem,) = problems(f"int main(void) {{ return {deep}; }}")
    assert problem == "bad.c: expressions or blocks are nested too deeply"


def test_all_problems_at_once():
    text = "int main(void) {\n    int x = y;\n    z++;\n    return x + w;\n}\n"
    assert [p.split("\n")[0] for p in problems(text)] == [
        "bad.c:2:13: 'y' is not declared",
        "bad.c:3:5: 'z' is not declared",
        "bad.c:4:16: 'w' is not declared",
    ]


def test_the_line_with_a_caret():
    (problem,) = problems("int main(void) {\n    return wrong + 1;\n}\n")
    message, line, caret = problem.split("\n")
    assert message == "bad.c:2:12: 'wrong' is not declared"
    assert line == "      return wrong + 1;"
    assert caret == "             ^^^^^"


def test_a_wrong_declaration_is_one_problem():
    assert len(problems("float x; int main(void) { x = 1; return x; }")) == 1


def test_too_large_is_an_error_that_says_how_many():
    lines = "\n".join(f"x = (x ^ {i % 100}) + y; y = a[x & 3] - {i % 90};" for i in range(200))
    text = f"int x, y, a[4]; int main(void) {{ {lines} return x; }}"
    program = compile(text, bits=8)
    assert len(program.code) > 928
    with pytest.raises(CapacityError) as caught:
        Loom(program, PUBLISHED["155x1024"])
    expected = f"needs {len(program.code):,} instruction slots, 155x1024 has 928"
    assert str(caught.value) == expected


def test_memory_beyond_what_words_count_is_an_error():
    program = compile("int a[150], b[150]; int main(void) { return a[2] + b[3]; }", bits=8)
    with pytest.raises(CapacityError, match="needs 30. memory slots, words of 8 bits count 255"):
        smallest(program)


@pytest.mark.parametrize(
    "count, memory, name",
    [
        (10, 4, "512x8,s=32,m=160"),
        (10, 180, "2048x8,s=32,m=224"),
        (700, 4, "1024x8,s=32,m=64"),
        (700, 100, "2048x8,s=32,m=224"),
    ],
)
def test_the_smallest_published_configuration(count, memory, name):
    lines = "x = a[x & 3] ^ 1;" * (count // 4)
    text = f"int x, a[{memory}]; int main(void) {{ {lines} return x; }}"
    assert smallest(compile(text, bits=8)).name == name


def test_wide_words_get_a_power_of_two():
    config = smallest(compile("int x; int main(void) { return x + 1; }"))
    assert (config.columns, config.bits) == (128, 32)
