"""Operations that machines lack, in small C: products, quotients, shifts by variables.

Each is translated like the user's code and called, or inlined where that is smaller. At 8 bits
division counts subtractions, which is shortest; wider words double the divisor first. Signed
division works on negative numbers, since the least word has no positive counterpart.
"""

_MUL = """
int __mul(int a, int b) {
    int product = 0;
    do {
        if (a & 1) product += b;
        a >>= 1;
        b <<= 1;
    } while (b);
    return product;
}
"""
_SHIFT = """
{kind} __{name}({kind} x, int count) {{
    while (count) {{
        x = x {operator} 1;
        count--;
    }}
    return x;
}}
"""
_NEGATIVE = """
    int a = -d, m = -n, before;
    if (d == 0) __trap();
    if (a > 0) a = d;
    if (m > 0) m = n;
"""
_DIV_SHORT = f"""
int __div(int n, int d) {{
    int q = -1, sign = n ^ d;
    {_NEGATIVE}
    do {{
        q++;
        before = m;
        m -= a;
    }} while (before <= a);
    return sign < 0 ? -q : q;
}}
"""
_REM_SHORT = f"""
int __rem(int n, int d) {{
    {_NEGATIVE}
    do {{
        before = m;
        m -= a;
    }} while (before <= a);
    m += a;
    return n > 0 ? -m : m;
}}
"""
_DOUBLE = """
    int k = 1;
    while (m - a < a) { a += a; k += k; }
"""
_DIV_LONG = f"""
int __div(int n, int d) {{
    int q = 0, sign = n ^ d;
    {_NEGATIVE}
    {_DOUBLE}
    do {{
        while (m <= a) {{ m -= a; q += k; }}
        a >>= 1;
        k >>= 1;
    }} while (k);
    return sign < 0 ? -q : q;
}}
"""
_REM_LONG = f"""
int __rem(int n, int d) {{
    {_NEGATIVE}
    {_DOUBLE}
    do {{
        while (m <= a) m -= a;
        a >>= 1;
        k >>= 1;
    }} while (k);
    return n > 0 ? -m : m;
}}
"""
# With the top bit flipped, unsigned order is signed order: d <= n where e <= m.
_UNSIGNED_SHORT = """
unsigned __{name}(unsigned n, unsigned d) {{
    unsigned q = 0;
    int top = ~(~0u >> 1), e = d ^ top, m = n ^ top;
    if (d == 0) __trap();
    while (e <= m) {{ m -= d; q++; }}
    return {result};
}}
"""
_UNSIGNED_LONG = """
unsigned __{name}(unsigned n, unsigned d) {{
    unsigned q = 0, k = 1;
    if (d == 0) __trap();
    while ((int)d > 0 && d < n) {{ d <<= 1; k <<= 1; }}
    do {{
        if (n >= d) {{ n -= d; q += k; }}
        d >>= 1;
        k >>= 1;
    }} while (k);
    return {result};
}}
"""


def routine(op: str, bits: int) -> str:
    """Return the source of the function of an operation: `__` and the name of the operation."""
    short = bits <= 8
    match op:
        case "mul":
            return _MUL
        case "div":
            return _DIV_SHORT if short else _DIV_LONG
        case "rem":
            return _REM_SHORT if short else _REM_LONG
        case "udiv":
            form = _UNSIGNED_SHORT if short else _UNSIGNED_LONG
            return form.format(name=op, result="q")
        case "urem":
            form = _UNSIGNED_SHORT if short else _UNSIGNED_LONG
            return form.format(name=op, result="m ^ top" if short else "n")
    kind, operator = {"shl": ("int", "<<"), "shr": ("int", ">>"), "ushr": ("unsigned", ">>")}[op]
    return _SHIFT.format(kind=kind, name=op, operator=operator)
