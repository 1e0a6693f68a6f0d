"""Machines as values: what each can do, and the one place that refuses what it cannot do.

A `Machine` names its file kinds, its options and, for each of its verbs, an `Ability`: the
function, the engines and the shared options that it takes. Verbs dispatch here once; the command
line, the studio and the JSON derive their choices from the registry.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from functools import cache
from importlib import import_module
from typing import Any

from transputer.errors import EngineUnavailable, Unsupported, UsageError
from transputer.values import dataclass

#: The entry-point group under which other packages offer machines.
ENTRY_POINTS = "transputer.machines"
#: The phrase for a verb in a refusal, if it is not a word that the user typed.
_PHRASES = {"prepare": "be watched in the studio", "view": "be watched in the studio"}
#: The built-in machines; each has a module in `systems`.
BUILT_IN = ("trace", "loom", "soft")


def lazy(target: str) -> Callable[..., Any]:
    """Return a function that imports `module:name` when it is called."""
    module, _, name = target.partition(":")

    def call(*args: Any, **options: Any) -> Any:
        return getattr(import_module(module), name)(*args, **options)

    return call


@dataclass(frozen=True, slots=True)
class Option:
    """An option that only some machines have: a keyword, and `--name` on the command line."""

    name: str
    type: type
    doc: str
    verbs: tuple[str, ...]
    metavar: str = "N"


@dataclass(frozen=True, slots=True)
class Ability:
    """How a machine does one verb.

    `engines` are the engines for the verb, the default first. `takes` are the shared options that
    it accepts. `excludes` are file kinds that the verb refuses, with what to do instead;
    `restricts` are file kinds that only some of the engines support. `formats` are the choices of
    `export`.
    """

    call: Callable[..., Any]
    engines: tuple[str, ...] = ()
    takes: frozenset[str] = frozenset()
    excludes: Mapping[str, str] = field(default_factory=dict)
    restricts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    formats: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine: its name, the file kinds that it compiles, its options, its abilities by verb.

    `compile` takes a `Source` and options and returns a `Program`.
    """

    name: str
    doc: str
    kinds: Mapping[str, str]
    compile: Callable[..., Any]
    abilities: Mapping[str, Ability]
    options: tuple[Option, ...] = ()

    def ability(self, verb: str) -> Ability:
        """Return the ability for a verb; raise `Unsupported` with the machines that have it."""
        if verb == "compile":
            return Ability(self.compile)
        if verb in self.abilities:
            return self.abilities[verb]
        able = [m.name for m in machines() if verb in m.abilities]
        verb = _PHRASES.get(verb, verb)
        others = f"; {_list(able)} can" if able else ""
        raise Unsupported(f"the {self.name} machine cannot {verb}{others}")

    def engine(self, verb: str, name: str, kind: str = "") -> str:
        """Return the engine `name` for a verb, or the default engine for `auto`.

        Raises `UsageError` if the verb has no such engine for files of this kind.
        """
        ability = self.ability(verb)
        engines = ability.restricts.get(kind, ability.engines)
        if name == "auto" and engines:
            return engines[0]
        if name not in engines:
            what = f"{verb} {kind} files" if kind in ability.restricts else verb
            known = ", ".join(engines) or "none"
            raise UsageError(
                f"no engine {name!r} to {what} on the {self.name} machine; available: {known}"
            )
        return name

    def own_options(self, verb: str) -> tuple[Option, ...]:
        """Return the options that only this machine has for a verb."""
        return tuple(option for option in self.options if verb in option.verbs)


@dataclass(frozen=True, slots=True)
class Source:
    """A source to compile: a file, or `contents` with a file name."""

    name: str
    kind: str
    contents: bytes | None = None


_machines: dict[str, Machine] = {}


def register(machine: Machine) -> Machine:
    """Add a machine to the registry; raise `UsageError` if its name is in use."""
    if _machines.get(machine.name, machine) is not machine:
        raise UsageError(f"a machine {machine.name!r} is already registered")
    _machines[machine.name] = machine
    return machine


@cache
def _load() -> None:
    """Register the built-in machines and those of other packages."""
    for name in BUILT_IN:
        register(import_module(f"transputer.systems.{name}").MACHINE)
    if any(map(_may_declare, sys.path)):
        from importlib.metadata import entry_points  # slow to import, and rarely needed

        for entry in entry_points(group=ENTRY_POINTS):
            register(entry.load())


def _may_declare(path: str) -> bool:
    """Whether some package in a folder declares machines; any file may be an archive that does."""
    group = f"[{ENTRY_POINTS}]".encode()
    try:
        packages = [name for name in os.listdir(path or ".") if name.endswith("-info")]
    except OSError:
        return os.path.isfile(path)
    return any(group in _contents(f"{path or '.'}/{name}/entry_points.txt") for name in packages)


def _contents(path: str) -> bytes:
    """The contents of a file, which may not be there."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def machines() -> tuple[Machine, ...]:
    """Return all machines, the built-in ones first."""
    _load()
    own = [_machines[name] for name in BUILT_IN]
    return (*own, *(m for m in _machines.values() if m.name not in BUILT_IN))


def machine(name: str) -> Machine:
    """Return the machine `name`; raise `UsageError` with all names if there is none."""
    _load()
    if name not in _machines:
        known = ", ".join(m.name for m in machines())
        raise UsageError(f"no machine {name!r}; available: {known}")
    return _machines[name]


def able(verb: str) -> tuple[Machine, ...]:
    """Return the machines that have a verb."""
    return tuple(m for m in machines() if verb == "compile" or verb in m.abilities)


def check(
    name: str, verb: str, kind: str = "", options: Mapping[str, Any] | None = None
) -> Ability:
    """Return a machine's ability for a verb, or refuse the verb, the file kind or an option.

    `options` maps names to values; a value that is None or empty means that the option is absent.
    This is the only place where a machine refuses what others do.
    """
    subject = machine(name)
    ability = subject.ability(verb)
    if kind in ability.excludes:
        raise Unsupported(
            f"the {name} machine cannot {verb} {kind} files: {ability.excludes[kind]}"
        )
    own = {option.name for option in subject.own_options(verb)}
    for option, value in (options or {}).items():
        if value in (None, (), "", False, b"") or option in ability.takes or option in own:
            continue
        takers = [m.name for m in able(verb) if option in _option_names(m, verb)]
        where = f"; it is for {_list(takers)}" if takers else ""
        raise UsageError(f"{verb} on the {name} machine does not take `{option}`{where}")
    return ability


def source_of(name: str, kind: str | None = None, contents: str | bytes | None = None) -> Source:
    """Return a source: the file `name`, or `contents` of a kind such as `c` or `.c`."""
    suffix = _suffix(name) if kind is None else f".{kind.removeprefix('.')}"
    data = contents.encode() if isinstance(contents, str) else contents
    return Source(name, suffix, data)


def kind_of(machine: Machine, source: Source) -> str:
    """Return the file kind of a source; raise `UsageError` if the machine does not compile it."""
    if source.kind in machine.kinds:
        return source.kind
    others = [m.name for m in machines() if source.kind in m.kinds]
    hint = f"; --machine {others[0]} does" if others else ""
    kinds = _list(list(machine.kinds))
    raise UsageError(
        f"{source.name}: the {machine.name} machine compiles {kinds} files, "
        f"not {source.kind or 'files without a suffix'}{hint}"
    )


def compiled(
    machine: Machine,
    source: Source,
    *more: Any,
    notice: Callable[[str], None] | None = None,
    **options: Any,
) -> Any:
    """Compile a source for a machine, or refuse its kind or an option of the compiler.

    `notice` gets messages about long work, from machines whose compiler sends them.
    """
    check(machine.name, "compile", kind_of(machine, source), options)
    if notice is not None and any(option.name == "notice" for option in machine.options):
        options["notice"] = notice
    return machine.compile(source, *more, **options)


def require(library: str, extra: str, what: str) -> None:
    """Raise `EngineUnavailable` if a library is missing; the message says how to install it."""
    from importlib.util import find_spec

    if find_spec(library) is None:
        raise EngineUnavailable(
            f"{what}: {library} is not installed; pip install 'transputer[{extra}]'"
        )


def _option_names(machine: Machine, verb: str) -> Iterator[str]:
    yield from machine.ability(verb).takes
    yield from (option.name for option in machine.own_options(verb))


def _suffix(name: str) -> str:
    base = name.rsplit("/", 1)[-1].rsplit("\\", 1)[-1]
    return f".{base.rpartition('.')[2].lower()}" if "." in base[1:] else ""


def _list(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
