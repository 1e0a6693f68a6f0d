"""Variables from debug information: places, types, and how values are shown."""

import struct
from pathlib import Path

import pytest

from transputer.frontends.c import compile_c
from transputer.frontends.c_types import CType
from transputer.frontends.variables import Variables, Where, read_variables

SOURCE = """#include "transputer.h"
typedef unsigned short u16;
enum colour { RED, GREEN };
struct point { int x; u16 y; double d; struct point *next; };
int total;
struct point here = {-3, 7, 2.5, 0};
long long big;
unsigned char bytes[5];
int grid[2][3];
char text[8];
const volatile float ratio = 0.5f;
enum colour shade;
static int square(int x) {
    int y = x * x;
    { long long y = x; total += (int)y; }
    return y;
}
int main(void) { return square(3) + grid[1][2] + bytes[1] + text[1] + here.x + (int)(big + ratio)
                        + shade; }
"""


@pytest.fixture(scope="module")
def binary(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("c") / "variables.c"
    path.write_text(SOURCE)
    return compile_c(path, opt="-O0")


def test_globals(binary: bytes) -> None:
    found = {v.name: v for v in read_variables(binary).globals}
    assert {n: (v.type.name, v.type.size) for n, v in found.items()} == {
        "total": ("int", 4),
        "here": ("struct point", 24),
        "big": ("long long", 8),
        "bytes": ("unsigned char [5]", 5),
        "grid": ("int [2][3]", 24),
        "text": ("char [8]", 8),
        "ratio": ("const volatile float", 4),
        "shade": ("enum colour", 4),
    }
    places = [v.where(0) for v in found.values()]
    assert all(where.address and where.base is None for where in places)
    assert len({where.address for where in places}) == len(found)


def test_inner_variables_hide_outer_ones(binary: bytes) -> None:
    found = [v for v in read_variables(binary).locals if v.name == "y"]
    outer, inner = found
    assert (outer.type.name, inner.type.name) == ("int", "long long")
    ((start, end),), ((first, last),) = outer.spans, inner.spans
    assert start <= first < last <= end
    seen = {v.name: v for v in read_variables(binary).at(first)}
    assert seen["y"] is inner and seen["x"].where(first).base is not None
    assert seen["x"].parameter and not seen["y"].parameter
    assert {v.name: v for v in read_variables(binary).at(start)}["y"] is outer
    assert read_variables(binary).at(0) == []


def test_values_are_shown_as_c_means_them(binary: bytes) -> None:
    types = {v.name: v.type for v in read_variables(binary).globals}
    assert types["total"].shown(struct.pack("<i", -5)) == "-5"
    here = struct.pack("<iHxxdIxxxx", -3, 65535, 2.5, 0x1234)
    assert types["here"].shown(here) == "{x = -3, y = 65535, d = 2.5, next = 0x1234}"
    assert types["bytes"].shown(b"\x01\xff\x00ab") == "{1, 255, 0, 97, 98}"
    assert types["text"].shown(b"hello\0xy") == '"hello"'
    assert types["text"].shown(b'a"\n\x01efgh') == '"a\\"\\n\\001efgh"'
    assert types["shade"].shown(b"\1\0\0\0") == "GREEN"
    assert types["shade"].shown(b"\7\0\0\0") == "7"
    assert types["grid"].shown(struct.pack("<6i", *range(6))) == "{{0, 1, 2}, {3, 4, 5}}"
    assert types["ratio"].shown(struct.pack("<f", 0.5)) == "0.5"
    assert types["total"].shown(b"\0") == "?"
    many = CType("int [999]", 3996, "array", lambda: types["total"])
    assert many.shown(bytes(3996)).endswith("0, 0...}")
    pointer = types["here"].members[3].type
    assert pointer.name == "struct point *" and pointer.element.members[0].name == "x"
    text = CType("char *", 4, "pointer", lambda: CType("char", 1, "character"))
    assert text.shown(b"\x10\0\0\0", lambda at, count: b"hi\0there") == '0x10 "hi"'


def test_without_debug_information_there_is_nothing(binary: bytes) -> None:
    assert read_variables(b"\0asm\x01\0\0\0") == Variables()
    at = binary.index(b".debug_info") + 20
    damaged = binary[:at] + bytes(len(binary) - at)
    assert isinstance(read_variables(damaged), Variables)  # whatever is left: no exception


def test_optimised_programs_keep_their_globals(tmp_path: Path) -> None:
    path = tmp_path / "small.c"
    path.write_text("int count = 4;\nint add(int x) { return count += x; }\n")
    (found,) = read_variables(compile_c(path)).globals
    where = found.where(0)
    assert found.name == "count" and isinstance(where, Where) and where.address
