"""The headers of the C library: types and macros; the functions need no declaration."""

_NULL = "#define NULL ((void *)0)\n"
_SIZE = "typedef unsigned size_t;\n"
_EXACT = """typedef signed char int8_t; typedef unsigned char uint8_t;
typedef signed char int_least8_t; typedef unsigned char uint_least8_t;
typedef signed char int_fast8_t; typedef unsigned char uint_fast8_t;
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
"""
_EXACT_16 = """typedef short int16_t; typedef unsigned short uint16_t;
typedef short int_least16_t; typedef unsigned short uint_least16_t;
#define INT16_MIN (-32767 - 1)
#define INT16_MAX 32767
#define UINT16_MAX 65535
"""
_EXACT_32 = """typedef int int32_t; typedef unsigned uint32_t;
typedef int int_least32_t; typedef unsigned uint_least32_t;
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295u
#define SIZE_MAX 4294967295u
"""
#: Names of types without a meaning here: using one is an error that says why.
_OPAQUE = "typedef struct __{0} {0};\n"
_WIDE = ("int64_t", "uint64_t", "intmax_t", "uintmax_t", "intptr_t", "uintptr_t",
         "int_fast16_t", "uint_fast16_t", "int_fast32_t", "uint_fast32_t",
         "int_fast64_t", "uint_fast64_t")  # fmt: skip
_FORMATS = "\n".join(
    f'#define PRI{letter}{width} "{letter}"' for letter in "diuxX" for width in (8, 16, 32)
)


def _stdint(bits: int) -> str:
    text = _EXACT + "".join(map(_OPAQUE.format, _WIDE))
    text += _EXACT_16 if bits >= 16 else _OPAQUE.format("int16_t") + _OPAQUE.format("uint16_t")
    text += _EXACT_32 if bits >= 32 else _OPAQUE.format("int32_t") + _OPAQUE.format("uint32_t")
    return text


def _limits(bits: int) -> str:
    most, short = (1 << (bits - 1)) - 1, (1 << (min(bits, 16) - 1)) - 1
    numbers = {
        **{"CHAR_BIT": 8, "SCHAR_MAX": 127, "CHAR_MAX": 127, "UCHAR_MAX": 255},
        **{"SCHAR_MIN": "(-127 - 1)", "CHAR_MIN": "(-127 - 1)", "SHRT_MAX": short},
        **{"SHRT_MIN": f"(-{short} - 1)", "USHRT_MAX": 2 * short + 1, "INT_MAX": most},
        **{"INT_MIN": f"(-{most} - 1)", "UINT_MAX": f"{2 * most + 1}u"},
    }
    return "".join(f"#define {name} {value}\n" for name, value in numbers.items())


_BOOL = "#define bool _Bool\n#define true 1\n#define false 0\n"
_ASSERT = """#ifdef NDEBUG
#define assert(e) ((void)0)
#else
#define assert(e) ((e) ? (void)0 : abort())
#endif
"""
_STDDEF = f"{_SIZE}{_NULL}typedef int ptrdiff_t;\n"
_HEADERS = {
    "assert.h": _ASSERT,
    "ctype.h": "",
    "stdbool.h": _BOOL,
    "stddef.h": _STDDEF,
    "stdio.h": f"{_SIZE}{_NULL}#define EOF (-1)\n" + _OPAQUE.format("FILE"),
    "stdlib.h": f"{_SIZE}{_NULL}#define EXIT_SUCCESS 0\n#define EXIT_FAILURE 1\n",
    "string.h": _SIZE + _NULL,
}


def header(name: str, bits: int) -> str | None:
    """The text of a header for ints of `bits` bits; None if there is no such header."""
    match name:
        case "stdint.h":
            return _stdint(bits)
        case "inttypes.h":
            return f"{_stdint(bits)}{_FORMATS}\n"
        case "limits.h":
            return _limits(bits)
    return _HEADERS.get(name)


#: Why the types that a header only names cannot be used.
OPAQUE = {
    **dict.fromkeys(_WIDE, "has 64 bits, the machine's words have 32; use int or unsigned"),
    "FILE": "is not available: there are no files beside stdin and stdout",
    **dict.fromkeys(("int16_t", "uint16_t"), "needs words of 16 bits; compile for 32 bits"),
    **dict.fromkeys(("int32_t", "uint32_t"), "needs words of 32 bits; compile for 32 bits"),
}
