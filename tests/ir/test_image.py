"""Images and their files."""

import pytest

from transputer.errors import CapacityError, MalformedError
from transputer.ir.image import MOST, Image, from_bytes, room, to_bytes
from transputer.ir.soft import Instruction
from transputer.isa.soft import SOFT

#: `SET R1, -2; ADD R0, R1, R15; HALT`, the words 7 and 0x80000000, 16 words of memory.
BYTES = bytes.fromhex(
    "534f4654 03000000 02000000 10000000"
    "02010000 feffffff 0300010f 00000000 00000000 00000000"
    "07000000 00000080"
)
IMAGE = Image(
    (Instruction("SET", d=1, n=0xFFFFFFFE), Instruction("ADD", a=1, b=15), Instruction("HALT")),
    (7, 0x80000000),
    16,
)


def test_the_file_is_as_documented() -> None:
    assert to_bytes(IMAGE) == BYTES
    assert from_bytes(BYTES) == IMAGE


def test_every_operation_comes_back() -> None:
    code = tuple(Instruction(op.name, 1, 2, 3, 0xFEDCBA98) for op in SOFT)
    assert from_bytes(to_bytes(Image(code))) == Image(code)


@pytest.mark.parametrize(
    "data, message",
    [
        (b"", "t.image:0x0: not an image of the soft machine"),
        (b"\0asm" + BYTES[4:], "t.image:0x0: not an image"),
        (BYTES[:-1], "t.image:0x4: 47 bytes, where the header says 48"),
        (BYTES + b"\n", "t.image:0x4: 49 bytes, where the header says 48"),
        (BYTES[:12] + b"\x11\0\0\0" + BYTES[16:], "t.image:0xc: memory of 17 words"),
        (BYTES[:12] + b"\1\0\0\0" + BYTES[16:], "t.image:0xc: memory of 1 words"),
        (BYTES[:12] + b"\0\0\0\x80" + BYTES[16:], "t.image:0xc: memory of 2,147,483,648 words"),
        (BYTES[:24] + b"\x40" + BYTES[25:], "t.image:0x18: no instruction"),
        (BYTES[:24] + b"\x03\x10" + BYTES[26:], "t.image:0x18: no instruction"),
    ],
)
def test_what_is_no_image(data: bytes, message: str) -> None:
    with pytest.raises(MalformedError) as problem:
        from_bytes(data, "t.image")
    assert str(problem.value).startswith(message)


def test_room_is_a_power_of_two() -> None:
    assert [room(n) for n in (1, 2, 3, 4, 5, 1000, MOST)] == [2, 2, 4, 4, 8, 1024, MOST]
    with pytest.raises(CapacityError, match="needs 16,777,217 words"):
        room(MOST + 1)
