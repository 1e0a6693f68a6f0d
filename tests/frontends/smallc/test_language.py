"""What small C means, construct by construct, on the interpreter of the loom machine."""

import pytest

from transputer.errors import Trap
from transputer.frontends.smallc import compile
from transputer.ir.loom import smallest
from transputer.isa.integers import signed
from transputer.oracle.loom import Loom

WIDTHS = (8, 16, 32)


def run(text: str, bits: int = 8, limit: int = 2_000_000, **globals: int) -> Loom:
    program = compile(text, "test.c", bits)
    loom = Loom(program, smallest(program))
    for symbol in program.symbols:
        if symbol.name in globals:
            loom.memory[symbol.slot] = globals[symbol.name] & ((1 << bits) - 1)
    loom.run(limit)
    loom.symbols = {symbol.name: symbol for symbol in program.symbols}  # type: ignore[attr-defined]
    return loom


def value(text: str, bits: int = 8, name: str = "result", **globals: int) -> int:
    loom = run(text, bits, **globals)
    assert loom.trap is None
    return signed(bits, loom.memory[loom.symbols[name].slot])  # type: ignore[attr-defined]


def returned(expression: str, bits: int = 8, **globals: int) -> int:
    declared = "".join(f"int {name};\n" for name in globals)
    return value(f"{declared}int main(void) {{ return {expression}; }}", bits, **globals)


# ---- what the published compiler gets wrong or refuses


@pytest.mark.parametrize("bits", WIDTHS)
def test_a_negated_sum(bits):
    assert returned("-(a + b)", bits, a=30, b=12) == -42


@pytest.mark.parametrize("x, expected", [(-5, 1), (0, 2), (5, 3)])
def test_an_early_return(x, expected):
    text = "int x; int main(void) { if (x < 0) return 1; if (!x) return 2; x = 9; return 3; }"
    assert value(text, x=x) == expected


def test_an_element_set_to_an_element():
    text = """int a[4], b[4] = {5, 6, 7, 8}, i = 2, j = 3;
    int main(void) { a[i] = b[j]; a[j] = b[i]; return 10 * a[2] + a[3]; }"""
    assert value(text) == 87


@pytest.mark.parametrize("x, y, expected", [(1, 2, 1), (2, 1, 0), (-100, 100, 1), (100, -100, 0)])
def test_an_element_set_to_a_comparison(x, y, expected):
    text = "int a[3] = {7, 7, 7}, i = 1, x, y; int main(void) { a[i] = (x < y); return a[1]; }"
    assert value(text, x=x, y=y) == expected


def test_nested_calls_in_one_expression():
    text = """int g;
    int f(int a, int b) { return 3 * a - b; }
    int main(void) { return f(f(g, 2), f(f(1, g), f(g, g))) + f(g, 1); }"""
    f = lambda a, b: 3 * a - b  # noqa: E731
    assert value(text, g=4) == f(f(4, 2), f(f(1, 4), f(4, 4))) + f(4, 1)


def test_a_deep_expression():
    deep = "x"
    for i in range(40):
        deep = f"({i % 3} + ({deep} ^ (y - {i})))"
    x, y = 5, 9
    expected = x
    for i in range(40):
        expected = (i % 3) + (expected ^ (y - i))
    assert returned(deep, 32, x=x, y=y) == expected


def test_elements_swapped():
    text = """int a[4] = {1, 2, 3, 4}, i, j;
    int main(void) { swap(a[i], a[j]); return 100 * a[0] + 10 * a[1] + a[3]; }"""
    assert value(text, 16, i=0, j=3) == 421
    assert value(text, 16, i=2, j=2) == 124


def test_shadowed_locals():
    text = """int x = 1;
    int main(void) { int s = x; int x = 2; { int x = 3; s += 10 * x; } return s + 100 * x; }"""
    assert value(text, 16) == 231


@pytest.mark.parametrize(
    "body, expected",
    [
        ("return 7 * g;", 42),
        ("return 100 / g;", 16),
        ("return -100 % g;", -4),
        ("int i = g; i++; ++i; i--; return i++ + i;", 15),
        ("return g > 5 ? g * 2 : 0;", 12),
        ("int s = 0; for (int i = 0; ; i++) { if (i == g) break; s += i; } return s;", 15),
        ("int a[3] = {1, g, 3}, b = g + 1; return a[0] + a[1] * a[2] + b;", 26),
        ("int m[2][3] = {{1, 2, 3}, {4, 5, 6}}; return m[1][g - 4] + m[g - 5][0];", 10),
        ("int x = 3, *p = &x; *p += g; return x;", 9),
    ],
    ids="product quotient remainder increment ternary break initialisers 2-D pointers".split(),
)
def test_what_the_published_compiler_refuses(body, expected):
    assert value(f"int g; int main(void) {{ {body} }}", g=6) == expected


# ---- arithmetic, over the full range


def pairs_of(text: str, expected, bits: int = 8) -> None:
    """Compare a function of x and y with one of ours on every pair of 8-bit words."""
    program = compile(text, "test.c", bits)
    loom = Loom(program, smallest(program))
    slots = {symbol.name: symbol.slot for symbol in program.symbols}
    wrong = []
    for x in range(-128, 128):
        for y in range(-128, 128):
            loom.memory[slots["x"]], loom.memory[slots["y"]] = x & 255, y & 255
            loom.pc = 0
            loom.run(100_000)
            if loom.memory[slots["result"]] != expected(x, y) & 255:
                wrong.append((x, y))
    assert not wrong


def quotient(x: int, y: int) -> int:
    q = abs(x) // abs(y)
    return q if (x < 0) == (y < 0) else -q


@pytest.mark.parametrize(
    "expression, expected",
    [
        ("x * y", lambda x, y: x * y),
        ("x / (y ? y : 1)", lambda x, y: quotient(x, y or 1)),
        ("x % (y ? y : 1)", lambda x, y: x - (y or 1) * quotient(x, y or 1)),
        ("x < y", lambda x, y: x < y),
        ("(unsigned)x < (unsigned)y", lambda x, y: x & 255 < y & 255),
    ],
    ids=["product", "quotient", "remainder", "less", "less, unsigned"],
)
def test_every_pair_of_bytes(expression, expected):
    pairs_of(f"int x, y; int main(void) {{ return {expression}; }}", expected)


EDGES = (0, 1, 2, 3, 5, 7, 100, -1, -2, -3, -7, -100)


@pytest.mark.parametrize("bits", [16, 32])
def test_division_of_wide_words(bits):
    least = -(1 << (bits - 1))
    edges = (*EDGES, least, least + 1, -least - 1, -least - 2, least // 2)
    text = """int x, y; unsigned q, r;
    int main(void) { unsigned u = x, v = y; q = u / v; r = u % v; return x / y; }"""
    signed_rest = "int x, y; int main(void) { return x % y; }"
    programs = [compile(source, bits=bits) for source in (text, signed_rest)]
    looms = [(Loom(p, smallest(p)), {s.name: s.slot for s in p.symbols}) for p in programs]
    mask = (1 << bits) - 1
    for x in edges:
        for y in edges:
            if y == 0:
                continue
            for loom, slots in looms:
                loom.memory[slots["x"]], loom.memory[slots["y"]], loom.pc = x & mask, y & mask, 0
                loom.run(100_000)
            (both, at), (rest, rest_at) = looms
            assert both.memory[at["result"]] == quotient(x, y) & mask, (x, y)
            assert both.memory[at["q"]] == (x & mask) // (y & mask), (x, y)
            assert both.memory[at["r"]] == (x & mask) % (y & mask), (x, y)
            assert rest.memory[rest_at["result"]] == (x - y * quotient(x, y)) & mask, (x, y)


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("op", ["<", "<=", ">", ">=", "==", "!="])
@pytest.mark.parametrize("kind", ["int", "unsigned"])
def test_comparisons_over_the_full_range(op, kind, bits):
    half, mask = 1 << (bits - 1), (1 << bits) - 1
    edges = (0, 1, -1, half - 1, -half, 100, -100)
    compare = {"<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__"}
    text = f"""{kind} x, y; int r;
    int main(void) {{ r = x {op} y; if (x {op} y) return 1; else return 0; }}"""
    program = compile(text, bits=bits)
    loom, slots = Loom(program, smallest(program)), {s.name: s.slot for s in program.symbols}
    for x in edges:
        for y in edges:
            loom.memory[slots["x"]], loom.memory[slots["y"]], loom.pc = x & mask, y & mask, 0
            loom.run(1000)
            a, b = (x, y) if kind == "int" else (x & mask, y & mask)
            expected = getattr(a, compare.get(op, "__eq__" if op == "==" else "__ne__"))(b)
            assert loom.memory[slots["r"]] == loom.memory[slots["result"]] == expected, (x, y)


@pytest.mark.parametrize("op", ["<", "<=", ">", ">=", "==", "!="])
@pytest.mark.parametrize("limit", [-128, -127, -1, 0, 1, 63, 64, 126, 127])
def test_comparisons_with_every_constant(op, limit):
    text = f"""int x; int main(void) {{ int n = 0;
    if (x {op} {limit}) n += 1; if (!(x {op} {limit})) n += 2; if ({limit} {op} x) n += 4;
    if ((unsigned)x {op} (unsigned){limit}) n += 8; return n; }}"""
    program = compile(text, bits=8)
    loom, slots = Loom(program, smallest(program)), {s.name: s.slot for s in program.symbols}
    for x in range(-128, 128):
        holds = {
            name: eval(f"{a} {op} {b}")
            for name, a, b in (
                *(("plain", x, limit), ("turned", limit, x)),
                ("u", x & 255, limit & 255),
            )
        }
        loom.memory[slots["x"]], loom.pc = x & 255, 0
        loom.run(1000)
        expected = (1 if holds["plain"] else 2) + 4 * holds["turned"] + 8 * holds["u"]
        assert loom.memory[slots["result"]] == expected, x


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("op", ["/", "%"])
@pytest.mark.parametrize("kind", ["int", "unsigned"])
def test_division_by_zero_traps(op, kind, bits):
    text = f"{kind} x = 5, y; int main(void) {{ return x {op} y; }}"
    loom = run(text, bits)
    assert loom.trap is Trap.MEMORY_OUT_OF_BOUNDS
    assert compile(text, bits=bits).cause(loom.trap, loom.memory) is Trap.DIVIDE_BY_ZERO


@pytest.mark.parametrize("factor", [*range(-12, 13), 25, 60, 63, 64, 65, 85, 100, 127, -128])
def test_products_with_constants(factor):
    program = compile(f"int x; int main(void) {{ return x * {factor}; }}", bits=8)
    loom, slots = Loom(program, smallest(program)), {s.name: s.slot for s in program.symbols}
    for x in range(-128, 128):
        loom.memory[slots["x"]], loom.pc = x & 255, 0
        loom.run(1000)
        assert loom.memory[slots["result"]] == (x * factor) & 255, x


@pytest.mark.parametrize("divisor", [1, 2, 3, 4, 8, 16, 32, 64, 100, -1, -2, -128])
def test_division_by_constants(divisor):
    text = f"int x, r; int main(void) {{ r = x % {divisor}; return x / {divisor}; }}"
    program = compile(text, bits=8)
    loom, slots = Loom(program, smallest(program)), {s.name: s.slot for s in program.symbols}
    for x in range(-128, 128):
        loom.memory[slots["x"]], loom.pc = x & 255, 0
        loom.run(2000)
        assert loom.memory[slots["result"]] == quotient(x, divisor) & 255, x
        assert loom.memory[slots["r"]] == (x - divisor * quotient(x, divisor)) & 255, x


@pytest.mark.parametrize("bits", WIDTHS)
def test_shifts_by_variables(bits):
    text = """int x, n, r; unsigned u;
    int main(void) { r = x >> n; u = (unsigned)x >> n; return x << n; }"""
    program = compile(text, bits=bits)
    loom, slots = Loom(program, smallest(program)), {s.name: s.slot for s in program.symbols}
    mask = (1 << bits) - 1
    for x in (1, -1, 77, -100, 1 << (bits - 1)):
        for n in range(bits):
            loom.memory[slots["x"]], loom.memory[slots["n"]], loom.pc = x & mask, n, 0
            loom.run(10_000)
            assert loom.memory[slots["result"]] == (x << n) & mask
            assert loom.memory[slots["u"]] == (x & mask) >> n
            assert loom.memory[slots["r"]] == (signed(bits, x & mask) >> n) & mask


@pytest.mark.parametrize("bits", WIDTHS)
def test_chars_have_eight_bits(bits):
    text = """char c = 127; unsigned char u = 255;
    int main(void) { c++; u += 2; return c + u; }"""
    assert value(text, bits) == -127
    assert value(text, bits, "c") == -128
    assert value(text, bits, "u") == 1


def test_the_result_is_signed_and_whole():
    assert returned("-128") == -128
    assert returned("x * 1000", 16, x=-32) == -32000
    assert returned("x << 31", 32, x=1) == -(1 << 31)


# ---- functions


def test_recursion_keeps_what_is_wanted_after_a_call():
    text = """int sum(int n, int k) {
        if (!n) return k;
        int a = n + k;
        return a + sum(n - 1, k + 1) + n * k;
    }
    int main(void) { return sum(5, 2); }"""

    def total(n: int, k: int) -> int:
        return n + k + total(n - 1, k + 1) + n * k if n else k

    assert value(text, 16) == total(5, 2)


def test_arguments_that_change_places():
    text = """int f(int a, int b, int n) { return n ? f(b, a, n - 1) + 1 : 10 * a + b; }
    int main(void) { return f(1, 2, 3); }"""
    assert value(text) == 24


def test_a_frame_for_every_call():
    text = """int depth(int n) {
        int a[2] = {n, 2 * n}, *p = a;
        if (n) depth(n - 1);
        return p[0] + a[1];
    }
    int main(void) { return depth(4); }"""
    assert value(text) == 12


def test_too_deep_recursion_traps():
    loom = run("int f(int n) { return f(n + 1) + n; } int main(void) { return f(0); }")
    assert loom.trap is Trap.MEMORY_OUT_OF_BOUNDS


def test_many_calls_of_one_function():
    calls = "\n".join(f"x = f(x, {i});" for i in range(40))
    loop = "for (int i = 0; i < b; i++) { t ^= i; if (t > 50) t -= 49; t += 3; }"
    body = f"int t = a; {loop} return t;"
    text = f"int x; int f(int a, int b) {{ {body} }} int main(void) {{ {calls} return x; }}"
    x = 0
    for b in range(40):
        t = x
        for i in range(b):
            t ^= i
            if t > 50:
                t -= 49
            t += 3
        x = t
    assert value(text) == x
    assert len(compile(text, bits=8).code) < 300


def test_globals_stay_between_runs_of_main():
    text = "int n = 3; static int k; int main(void) { k++; return n += k; }"
    program = compile(text, bits=8)
    loom = Loom(program, smallest(program))
    slot = next(s.slot for s in program.symbols if s.name == "result")
    seen = []
    for _ in range(3):
        loom.pc = 0
        loom.run(100)
        seen.append(loom.memory[slot])
    assert seen == [4, 6, 9]


def test_output_is_put_out_in_order():
    loop = 'for (const char *p = "loom"; *p; p++) putchar(*p);'
    loom = run(f"int main(void) {{ {loop} return putchar(44); }}")
    assert bytes(loom.output) == b"loom,"


def test_find_beyond_the_end_of_an_array_is_not_found():
    text = "int a[3] = {1, 2, 3}, b[3] = {7, 8, 9}, x; int main(void) { return find(a, x); }"
    assert [value(text, x=x) for x in (1, 3, 7, 100)] == [0, 2, -1, -1]


def test_pointers_compare_above_half_of_the_words():
    text = """int a[150];
    int main(void) {
        int n = 0;
        for (int *p = a + 100; p < a + 150; p++) n++;
        for (int *p = a + 149; p >= a + 140; p--) n++;
        return n;
    }"""
    assert value(text) == 60


def test_lines_of_the_source_are_kept():
    program = compile("int x;\nint main(void) {\n    x++;\n    putchar(x);\n    return 0;\n}\n")
    lines = {str(one).split()[0]: one.line for one in program.code}
    assert lines["INC"] == 3
    assert {3, 4, 5} <= {one.line for one in program.code}


# ---- what random programs and examples found wrong in this compiler


def test_a_known_condition_keeps_the_type_of_both_sides():
    assert value("unsigned g = 5; int main(void) { return (1 ? -6 : g) <= 1; }") == 0
    assert value("int g = 5; int main(void) { return (1 ? -6 : g) <= 1; }") == 1


@pytest.mark.parametrize("x, expected", [(3, 12), (4, 13), (5, 24), (6, 25)])
def test_both_ways_after_a_test_that_uses_its_operand_up(x, expected):
    text = """int x, y; int main(void) { int t = x + 7; y = t;
    if (t < 12) { y += 2; return y; } y += 12; return y; }"""
    assert value(text, x=x) == expected


@pytest.mark.parametrize("n, expected", [(6, 1), (7, 0), (0, 1)])
def test_functions_that_call_each_other(n, expected):
    text = """int n; int odd(int n);
    int even(int n) { int k = n; if (!n) return 1; return odd(n - 1) + k - n; }
    int odd(int n) { int k = n; if (!n) return 0; return even(n - 1) + k - n; }
    int main(void) { return even(n); }"""
    assert value(text, n=n) == expected


def test_an_array_of_the_name_stack_beside_the_stack():
    text = """int stack[4] = {1, 2, 3, 4};
    int sum(int n) { return n < 0 ? 0 : stack[n] + sum(n - 1); }
    int main(void) { return sum(3); }"""
    assert value(text) == 10


def test_indices_that_only_unsigned_words_hold():
    text = "int a[200]; int main(void) { a[199] = 7; int *p = a + 150; return p[49] + a[130]; }"
    assert value(text) == 7


@pytest.mark.parametrize("i, expected", [(0, 2), (1, 1)])
def test_a_store_is_not_done_before_a_test_of_the_word_it_changes(i, expected):
    text = """int a[4] = {0, 1}, i, k = 2; int main(void) {
    if (a[1]) { a[i + 1] = 0; k = 1 + (a[1] == 0); } else { a[i + 1] = 0; k = 7; }
    return k; }"""
    assert value(text, i=i) == expected
