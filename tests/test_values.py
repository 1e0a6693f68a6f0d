"""Values are what the standard dataclasses are."""

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError, field
from typing import Any

import pytest

from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class Ours:
    first: int
    second: tuple[int, ...] = ()
    third: list[int] = field(default_factory=list, repr=False)
    place: int = field(default=3, compare=False)
    twice: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "twice", 2 * self.first)


@dataclasses.dataclass(frozen=True, slots=True)
class Standard:
    first: int
    second: tuple[int, ...] = ()
    third: list[int] = field(default_factory=list, repr=False)
    place: int = field(default=3, compare=False)
    twice: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "twice", 2 * self.first)


@dataclass(frozen=True, slots=True, eq=False)
class Identical:
    """Compared by identity."""

    value: int = 0


@dataclass(frozen=True, slots=True)
class Hashed:
    """Has its own hash."""

    value: int

    def __hash__(self) -> int:
        return 5


ARGUMENTS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((1,), {}),
    ((1, (2, 3)), {}),
    ((), {"first": 4, "third": [5]}),
    ((1, (), [2], 7), {}),
]


@pytest.mark.parametrize("args,named", ARGUMENTS)
def test_they_are_what_the_standard_ones_are(args: Any, named: Any) -> None:
    ours, standard = Ours(*args, **named), Standard(*args, **named)
    assert repr(ours) == repr(standard).replace("Standard", "Ours")
    assert dataclasses.astuple(ours) == dataclasses.astuple(standard)
    assert Ours.__match_args__ == Standard.__match_args__
    for other in ARGUMENTS:
        same = Standard(*other[0], **other[1]) == standard
        assert (Ours(*other[0], **other[1]) == ours) == same
    assert ours != standard
    for copied in (copy.copy(ours), copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
        assert copied == ours and copied.twice == ours.twice
    assert dataclasses.replace(ours, first=9).twice == 18


def test_nothing_changes_them() -> None:
    value = Ours(1)
    with pytest.raises(FrozenInstanceError, match="first"):
        value.first = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="first"):
        del value.first
    with pytest.raises(AttributeError):
        value.fourth = 2  # type: ignore[attr-defined]


def test_hashes() -> None:
    @dataclass(frozen=True, slots=True)
    class Pair:
        left: int
        right: str = field(default="", compare=False)

    assert hash(Pair(1, "a")) == hash(Pair(1, "b")) == hash((1,))
    assert hash(Hashed(1)) == 5 and Hashed(1) == Hashed(1)
    assert Identical() != Identical() and len({Identical(), Identical()}) == 2


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(TypeError, match=r"Ours.__init__\(\) missing 1 required .*'first'"):
        Ours()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'fifth'"):
        Ours(1, fifth=5)  # type: ignore[call-arg]


def test_those_that_change_have_no_hash() -> None:
    @dataclass(slots=True)
    class Changing:
        value: int = 0

    changing = Changing()
    changing.value = 3
    assert changing == Changing(3) != Changing()
    assert copy.copy(changing) == changing
    with pytest.raises(TypeError, match="unhashable"):
        hash(changing)


def test_those_without_slots_are_the_standard_ones() -> None:
    @dataclass(frozen=True)
    class Open:
        value: int

    assert Open(3).__dict__ == {"value": 3}


def test_standard_dataclasses_inherit_from_ours() -> None:
    @dataclasses.dataclass(frozen=True, slots=True)
    class More(Identical):
        other: int = 2

    @dataclass(frozen=True, slots=True)
    class Again(Identical):
        other: int = 3

    for inherited in (More(5), Again(5)):
        assert (inherited.value, dataclasses.replace(inherited, other=4).other) == (5, 4)
        with pytest.raises(FrozenInstanceError):
            inherited.value = 6  # type: ignore[misc]
        assert not hasattr(inherited, "__dict__")
    with pytest.raises(TypeError, match="cannot inherit"):
        dataclasses.dataclass(slots=True)(type("Loose", (Identical,), {}))
