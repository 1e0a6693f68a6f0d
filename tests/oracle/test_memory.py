"""Sparse memory against a plain bytearray."""

from collections.abc import Callable
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sampling import random_cases
from transputer.errors import Trap, TrapError
from transputer.host.memory import LinearMemory
from transputer.ir.module import MAX_PAGES, PAGE

PAGES = 4
SIZE = PAGES * PAGE

# Addresses near page ends and in the middle, counts small and page-sized.
addresses = st.one_of(
    st.builds(lambda page, d: max(0, page * PAGE + d), st.integers(0, PAGES), st.integers(-5, 5)),
    st.integers(0, SIZE + 3),
)
counts = st.one_of(st.integers(0, 9), st.integers(0, 2 * PAGE), st.just(PAGE))
widths = st.sampled_from([1, 2, 4, 8])


def _store(m: LinearMemory, b: bytearray, address: int, width: int, value: int) -> None:
    value &= (1 << 8 * width) - 1
    m.store(address, width, value)
    b[address : address + width] = value.to_bytes(width, "little")


def _write(m: LinearMemory, b: bytearray, address: int, data: bytes) -> None:
    m.write(address, data)
    b[address : address + len(data)] = data


def _fill(m: LinearMemory, b: bytearray, address: int, byte: int, n: int) -> None:
    m.fill(address, byte, n)
    b[address : address + n] = bytes([byte & 0xFF]) * n


def _copy(m: LinearMemory, b: bytearray, destination: int, source: int, n: int) -> None:
    m.copy(destination, source, n)
    b[destination : destination + n] = b[source : source + n]


actions = st.lists(
    st.one_of(
        st.tuples(st.just(_store), addresses, widths, st.integers(0, 2**64 - 1)),
        st.tuples(st.just(_write), addresses, st.binary(max_size=9)),
        st.tuples(st.just(_fill), addresses, st.integers(0, 2**32 - 1) | st.just(0), counts),
        st.tuples(st.just(_copy), addresses, addresses, counts),
    ),
    max_size=12,
)


@random_cases(60)
@given(actions, addresses, widths)
def test_like_a_bytearray(steps: list[tuple[object, ...]], address: int, width: int) -> None:
    memory, model = LinearMemory(PAGES), bytearray(SIZE)
    for action, *args in steps:
        before = bytes(model)
        try:
            action(memory, model, *args)  # type: ignore[operator]
        except TrapError as error:
            assert error.trap is Trap.MEMORY_OUT_OF_BOUNDS
            assert bytes(model) == before
        assert len(model) == SIZE
    assert memory.read(0, SIZE) == model
    if address + width <= SIZE:
        expected = int.from_bytes(model[address : address + width], "little")
        assert memory.load(address, width) == expected
    words = [int.from_bytes(model[i : i + 8], "little") for i in range(0, SIZE, 8)]
    assert list(memory.nonzero_words()) == [(8 * i, w) for i, w in enumerate(words) if w]
    fresh = LinearMemory(PAGES)
    fresh.write(0, bytes(model))
    assert fresh == memory
    assert fresh.digest() == memory.digest()


Access = Callable[[LinearMemory], object]
OUTSIDE: dict[str, Access] = {
    "load": lambda m: m.load(SIZE - 3, 4),
    "load far": lambda m: m.load(2**32, 1),
    "store": lambda m: m.store(SIZE - 3, 4, 1),
    "store far": lambda m: m.store(2**33, 1, 1),
    "read": lambda m: m.read(SIZE, 1),
    "read nothing": lambda m: m.read(SIZE + 1, 0),
    "write": lambda m: m.write(SIZE - 1, b"ab"),
    "fill": lambda m: m.fill(1, 1, SIZE),
    "copy from": lambda m: m.copy(0, 1, SIZE),
    "copy to": lambda m: m.copy(1, 0, SIZE),
}


@pytest.mark.parametrize("access", OUTSIDE.values(), ids=OUTSIDE)
def test_outside_traps_before_any_effect(access: Access) -> None:
    memory = LinearMemory(PAGES)
    memory.fill(0, 7, SIZE)
    before = memory.digest()
    with pytest.raises(TrapError) as caught:
        access(memory)
    assert caught.value.trap is Trap.MEMORY_OUT_OF_BOUNDS
    assert memory.digest() == before


def test_nothing_at_the_very_end_is_fine() -> None:
    memory = LinearMemory(PAGES)
    memory.fill(SIZE, 1, 0)
    memory.copy(SIZE, SIZE, 0)
    memory.write(SIZE, b"")
    assert memory.read(SIZE, 0) == b""


def test_the_last_bytes_of_the_whole_space() -> None:
    memory = LinearMemory(MAX_PAGES)
    assert memory.size == 2**32
    memory.store(2**32 - 4, 4, 0xDEADBEEF)
    assert memory.load(2**32 - 2, 2) == 0xDEAD
    assert list(memory.nonzero_words()) == [(2**32 - 8, 0xDEADBEEF << 32)]


def test_grow() -> None:
    memory = LinearMemory(1, maximum=3)
    assert memory.grow(0) == 1
    assert memory.grow(2) == 1
    assert memory.size == 3 * PAGE
    assert memory.grow(1) == -1
    assert memory.grow(2**32 - 1) == -1
    assert memory.size == 3 * PAGE


def test_zeroes_bring_no_page_into_being() -> None:
    memory = LinearMemory(MAX_PAGES)
    memory.fill(0, 0, 2**32)
    memory.fill(5, 0x100, 10)
    memory.write(7, bytes(100))
    memory.store(9, 4, 0)
    memory.copy(0, 1 << 31, 1 << 31)
    assert repr(memory) == "LinearMemory(65536 pages, 0 in use)"


def test_a_copy_of_almost_nothing_is_fast_however_far() -> None:
    memory = LinearMemory(MAX_PAGES)
    memory.store(2**31 + 12, 4, 99)
    started = perf_counter()
    memory.copy(1, 2**31, 2**31)
    memory.copy(2**31, 0, 2**31)
    assert perf_counter() - started < 5
    assert next(memory.nonzero_words()) == (8, 99 << 40)
    assert memory.load(2**31 + 13, 4) == 99


def test_the_digest_says_size_and_contents() -> None:
    one, other = LinearMemory(2), LinearMemory(2)
    assert one.digest() == other.digest()
    one.store(PAGE, 1, 1)
    assert one.digest() != other.digest()
    assert one != other
    one.store(PAGE, 1, 0)  # the page exists now, and is zero
    assert one.digest() == other.digest()
    assert one == other
    assert LinearMemory(1).digest() != LinearMemory(2).digest()
    assert one != object()
