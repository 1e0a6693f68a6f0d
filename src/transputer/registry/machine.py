"""Machines as values: what each can do, and the one place that refuses what it cannot.

A `Machine` names its file kinds, its options and, for every verb it knows, an `Ability`: the
function, the engines and the shared options that it honours. Verbs dispatch here once; the
command line, the studio and the JSON derive their choices from the registry.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from transputer.errors import EngineUnavailable, Unsupported, UsageError

#: Packages outside this one offer machines under this group of entry points.
ENTRY_POINTS = "transputer.machines"
#: What a verb is called in a refusal, where its name is not what the user typed.
_DOING = {"prepare": "be watched in the studio", "view": "be watched in the studio"}
#: Our own machines; each module registers one when it is imported.
BUILT_IN = ("trace", "loom", "soft")


def lazy(target: str) -> Callable[..., Any]:
    """Return a function that imports `module:name` when it is first called."""
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

    `engines` are those that do it, the default first. `takes` are the options shared by several
    machines that it honours. `excludes` are file kinds it cannot do it for, with what to do
    instead; `restricts` are kinds that only some of the engines can do it for. `formats` are the
    choices of `export`.
    """

    call: Callable[..., Any]
    engines: tuple[str, ...] = ()
    takes: frozenset[str] = frozenset()
    excludes: Mapping[str, str] = field(default_factory=dict)
    restricts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    formats: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine: its name, the file kinds it compiles, its options and its abilities by verb.

    `compile` takes a `Source` and options and returns a `Program`.
    """

    name: str
    doc: str
    kinds: Mapping[str, str]
    compile: Callable[..., Any]
    abilities: Mapping[str, Ability]
    options: tuple[Option, ...] = ()

    def ability(self, verb: str) -> Ability:
        """Return how the machine does a verb; `Unsupported` says which machines do it."""
        if verb == "compile":
            return Ability(self.compile)
        if verb in self.abilities:
            return self.abilities[verb]
        able = [m.name for m in machines() if verb in m.abilities]
        verb = _DOING.get(verb, verb)
        others = f"; {_list(able)} can" if able else ""
        raise Unsupported(f"the {self.name} machine cannot {verb}{others}")

    def engine(self, verb: str, name: str, kind: str = "") -> str:
        """Return the engine to do a verb on, the default for `auto`; `UsageError` if there is none.

        Some engines cannot do it for every kind of file.
        """
        ability = self.ability(verb)
        engines = ability.restricts.get(kind, ability.engines)
        if name == "auto" and engines:
            return engines[0]
        if name not in engines:
            what = f"{verb} {kind} files" if kind in ability.restricts else verb
            known = ", ".join(engines) or "none"
            raise UsageError(
                f"no engine {name!r} to {what} on the {self.name} machine; there is: {known}"
            )
        return name

    def own_options(self, verb: str) -> tuple[Option, ...]:
        """Return the options that only this machine has for a verb."""
        return tuple(option for option in self.options if verb in option.verbs)


@dataclass(frozen=True, slots=True)
class Source:
    """Something to compile: a file by its path, or a text with the name it would have."""

    name: str
    kind: str
    contents: bytes | None = None


_machines: dict[str, Machine] = {}


def register(machine: Machine) -> Machine:
    """Add a machine, so that every verb knows it; `UsageError` if the name is taken."""
    if _machines.get(machine.name, machine) is not machine:
        raise UsageError(f"there is a machine {machine.name!r} already")
    _machines[machine.name] = machine
    return machine


@cache
def _load() -> None:
    """Register our own machines and those of other packages."""
    from importlib.metadata import entry_points  # slow to import, and seldom needed

    for name in BUILT_IN:
        register(import_module(f"transputer.systems.{name}").MACHINE)
    for entry in entry_points(group=ENTRY_POINTS):
        register(entry.load())


def machines() -> tuple[Machine, ...]:
    """Return every machine, our own first."""
    _load()
    own = [_machines[name] for name in BUILT_IN]
    return (*own, *(m for m in _machines.values() if m.name not in BUILT_IN))


def machine(name: str) -> Machine:
    """Return the machine of a name; `UsageError` lists those there are."""
    _load()
    if name not in _machines:
        known = ", ".join(m.name for m in machines())
        raise UsageError(f"no machine {name!r}; there is: {known}")
    return _machines[name]


def able(verb: str) -> tuple[Machine, ...]:
    """Return the machines that can do a verb."""
    return tuple(m for m in machines() if verb == "compile" or verb in m.abilities)


def check(name: str, verb: str, kind: str = "", given: Mapping[str, Any] | None = None) -> Ability:
    """Return how a machine does a verb, or refuse: the verb, the file kind or an option.

    `given` are options by name; those that are None or empty were not given. This is the only
    place where a machine refuses what others do.
    """
    chosen = machine(name)
    ability = chosen.ability(verb)
    if kind in ability.excludes:
        raise Unsupported(
            f"the {name} machine cannot {verb} {kind} files: {ability.excludes[kind]}"
        )
    own = {option.name for option in chosen.own_options(verb)}
    for option, value in (given or {}).items():
        if value in (None, (), "", False, b"") or option in ability.takes or option in own:
            continue
        takers = [m.name for m in able(verb) if option in _taken(m, verb)]
        where = f"; it is for {_list(takers)}" if takers else ""
        raise UsageError(f"{verb} on the {name} machine does not take `{option}`{where}")
    return ability


def source_of(name: str, kind: str | None = None, contents: str | bytes | None = None) -> Source:
    """Return a source: the file `name`, or `contents` of a kind such as `c` or `.c`."""
    suffix = _suffix(name) if kind is None else f".{kind.removeprefix('.')}"
    data = contents.encode() if isinstance(contents, str) else contents
    return Source(name, suffix, data)


def kind_of(chosen: Machine, source: Source) -> str:
    """Return the file kind of a source; `UsageError` if the machine does not compile it."""
    if source.kind in chosen.kinds:
        return source.kind
    others = [m.name for m in machines() if source.kind in m.kinds]
    hint = f"; --machine {others[0]} does" if others else ""
    kinds = _list(list(chosen.kinds))
    raise UsageError(
        f"{source.name}: the {chosen.name} machine compiles {kinds} files, "
        f"not {source.kind or 'files without a suffix'}{hint}"
    )


def compiled(
    chosen: Machine,
    source: Source,
    *more: Any,
    notice: Callable[[str], None] | None = None,
    **given: Any,
) -> Any:
    """Compile a source for a machine, or refuse its kind or an option of the compiler.

    `notice` hears what takes long, on a machine whose compiler has something to announce.
    """
    check(chosen.name, "compile", kind_of(chosen, source), given)
    if notice is not None and any(option.name == "notice" for option in chosen.options):
        given["notice"] = notice
    return chosen.compile(source, *more, **given)


def require(library: str, extra: str, what: str) -> None:
    """Raise `EngineUnavailable` if a library is not installed; the message says how to get it."""
    from importlib.util import find_spec

    if find_spec(library) is None:
        raise EngineUnavailable(
            f"{what}: {library} is not installed; pip install 'transputer[{extra}]'"
        )


def _taken(chosen: Machine, verb: str) -> Iterator[str]:
    yield from chosen.ability(verb).takes
    yield from (option.name for option in chosen.own_options(verb))


def _suffix(name: str) -> str:
    base = name.rsplit("/", 1)[-1].rsplit("\\", 1)[-1]
    return f".{base.rpartition('.')[2].lower()}" if "." in base[1:] else ""


def _list(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
