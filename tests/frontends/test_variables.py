"""Variables from debug information: places, types, and how values are shown."""

import struct
from pathlib import Path

import pytest

from transputer.frontends.c import compile_c
from transputer.frontends.variables import CType, Variables, Where, read_variables

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
        "here": ("point", 24),
        "big": ("long long", 8),
        "bytes": ("unsigned char[5]", 5),
        "grid": ("int[3][2]", 24),
        "text": ("char[8]", 8),
        "ratio": ("float", 4),
        "shade": ("colour", 4),
    }
    assert all(v.where.address and v.where.base is None for v in found.values())
    assert len({v.where.address for v in found.values()}) == len(found)


def test_inner_variables_hide_outer_ones(binary: bytes) -> None:
    found = [v for v in read_variables(binary).locals if v.name == "y"]
    outer, inner = found
    assert (outer.type.name, inner.type.name) == ("int", "long long")
    assert outer.start <= inner.start < inner.end <= outer.end
    seen = {v.name: v for v in read_variables(binary).at(inner.start)}
    assert seen["y"] is inner and seen["x"].where.base is not None
    assert {v.name: v for v in read_variables(binary).at(outer.start)}["y"] is outer
    assert read_variables(binary).at(0) == []


def test_values_are_shown_as_c_means_them(binary: bytes) -> None:
    types = {v.name: v.type for v in read_variables(binary).globals}
    assert types["total"].shown(struct.pack("<i", -5)) == "-5"
    here = struct.pack("<iHxxdIxxxx", -3, 65535, 2.5, 0x1234)
    assert types["here"].shown(here) == "{x = -3, y = 65535, d = 2.5, next = 0x1234}"
    assert types["bytes"].shown(b"\x01\xff\x00ab") == "{1, 255, 0, 97, 98}"
    assert types["text"].shown(b"hello\0xy") == '"hello"'
    assert types["text"].shown(b"abcdefgh").startswith("{97 'a', 98 'b'")
    assert types["grid"].shown(struct.pack("<6i", *range(6))) == "{{0, 1, 2}, {3, 4, 5}}"
    assert types["ratio"].shown(struct.pack("<f", 0.5)) == "0.5"
    assert types["total"].shown(b"\0") == "?"
    many = CType("int[99]", 396, "array", types["total"])
    assert many.shown(bytes(396)).endswith("0, …}")


def test_without_debug_information_there_is_nothing(binary: bytes) -> None:
    assert read_variables(b"\0asm\x01\0\0\0") == Variables()
    at = binary.index(b".debug_info") + 20
    damaged = binary[:at] + bytes(len(binary) - at)
    assert isinstance(read_variables(damaged), Variables)  # whatever is left: no exception


def test_optimised_programs_keep_their_globals(tmp_path: Path) -> None:
    path = tmp_path / "small.c"
    path.write_text("int count = 4;\nint add(int x) { return count += x; }\n")
    (found,) = read_variables(compile_c(path)).globals
    assert found.name == "count" and isinstance(found.where, Where) and found.where.address
