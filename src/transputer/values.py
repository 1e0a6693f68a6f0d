"""Dataclasses with slots, such as those for values: their methods are compiled when used.

A run imports some seventy classes and uses some of them. The standard decorator compiles six
methods for each, which took a fifth of a short run. Type checkers see the standard decorator.
"""

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from dataclasses import dataclass as standard
from typing import TYPE_CHECKING, Any

_FACTORY = object()


def _value(cls: Any, frozen: bool, eq: bool = True, repr: bool = True) -> Any:
    """Return the class with its fields as slots and the methods of a dataclass."""
    inherits = any(hasattr(base, "__dataclass_params__") for base in cls.__bases__)
    checked = frozen and inherits  # the standard decorator compares it with what bases are
    cls = standard(init=False, repr=False, eq=False, slots=True, frozen=checked)(cls)
    cls.__dataclass_params__.frozen = frozen
    makers = {"__init__": _init}
    if eq:
        makers |= {"__eq__": _eq, "__hash__": _hash}
    if repr:
        makers |= {"__repr__": _repr}
    methods: dict[str, Any] = {name: _compiled(cls, name, make) for name, make in makers.items()}
    methods |= {"__getstate__": _state, "__setstate__": _restore}
    if frozen:
        methods |= {"__setattr__": _refuse, "__delattr__": _refuse}
    elif eq:
        methods["__hash__"] = None
    for name, method in methods.items():
        if cls.__dict__.get(name) is None:
            setattr(cls, name, method)
    return cls


def _compiled(cls: Any, name: str, make: Callable[[Any, dict[str, Any]], str]) -> Any:
    """Return a method that replaces itself in the class by what `make` has the text of."""

    def first(*args: Any, **keywords: Any) -> Any:
        names: dict[str, Any] = {"FACTORY": _FACTORY, "__name__": cls.__module__}
        exec(make(cls, names), names)
        names[name].__qualname__ = f"{cls.__qualname__}.{name}"
        setattr(cls, name, names[name])
        return names[name](*args, **keywords)

    return first


def _init(cls: Any, names: dict[str, Any]) -> str:
    words, lines = ["self"], ["pass"]
    for field in fields(cls):
        names[f"set_{field.name}"] = getattr(cls, field.name).__set__
        if value := _parameter(field, words, names):
            lines.append(f"set_{field.name}(self, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    return f"def __init__({', '.join(words)}): " + "; ".join(lines)


def _parameter(field: "Field[Any]", words: list[str], names: dict[str, Any]) -> str:
    """Add the parameter of a field to `words`; return what the field is set to, if anything."""
    name, default = field.name, ""
    if field.default_factory is not MISSING:
        names[f"make_{name}"] = field.default_factory
        default = f"make_{name}()"
    elif field.default is not MISSING:
        names[f"default_{name}"] = field.default
        default = f"default_{name}"
    if not field.init:
        return default
    if field.default_factory is MISSING:
        words.append(f"{name}={default}" if default else name)
        return name
    words.append(f"{name}=FACTORY")
    return f"{default} if {name} is FACTORY else {name}"


def _repr(cls: Any, names: dict[str, Any]) -> str:
    shown = ", ".join(f"{f.name}={{self.{f.name}!r}}" for f in fields(cls) if f.repr)
    return f"def __repr__(self): return f'{{self.__class__.__qualname__}}({shown})'"


def _compared(cls: Any, value: str) -> str:
    return "(" + "".join(f"{value}.{f.name}, " for f in fields(cls) if f.compare) + ")"


def _eq(cls: Any, names: dict[str, Any]) -> str:
    same = f"{_compared(cls, 'self')} == {_compared(cls, 'other')}"
    condition = "other.__class__ is self.__class__"
    return f"def __eq__(self, other): return {same} if {condition} else NotImplemented"


def _hash(cls: Any, names: dict[str, Any]) -> str:
    return f"def __hash__(self): return hash({_compared(cls, 'self')})"


def _refuse(self: Any, name: str, *value: Any) -> None:
    raise FrozenInstanceError(f"cannot change field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for field, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, *, frozen=False, slots=False, **options):
        """Return what the standard decorator returns; classes with slots take less time."""
        if not slots:
            return standard(cls, frozen=frozen, **options)
        return lambda cls: _value(cls, frozen, **options)
