"""One sentence about a step: what its heads fetched, which neurons computed, what was written."""

from collections.abc import Iterable, Mapping, Sequence

from transputer.debugger.steps import Read

#: Heads that every step uses: they fetch the instruction itself.
FETCHES = ("instruction", "pc")


#: Groups of neurons that every instruction uses: addresses to look up, the usual next state.
BOOKKEEPING = ("addresses", "usual", "stops", "stack")
#: What a token of an instruction that is not finished yet says.
_WORK = "work "


def sentence(
    instruction: str,
    reads: Iterable[Read],
    groups: Sequence[Mapping[str, int]],
    writes: str,
    jump: int | None = None,
) -> str:
    """Return the sentence of a step.

    `reads` are the lookups that the result depends on, `groups` the firing groups of neurons with
    a path to the result, per layer; `jump` is the next pc where it is not the following one.
    """
    fetched = ", ".join(_fetched(read) for read in reads if read.head not in FETCHES)
    neurons = _neurons(groups)
    result = _result(writes, jump, bool(neurons))
    facts = [text for text in (fetched, f"{neurons} {result}".strip()) if text]
    return f"{instruction}: {'; '.join(facts)}."


def _fetched(read: Read) -> str:
    place, _, value = read.says.rpartition(" = ")
    if place:
        return f"head {read.head} fetched {value} from token {read.position:,} ({place})"
    return f"head {read.head} attended to token {read.position:,} ({read.says or 'a state'})"


def _neurons(groups: Sequence[Mapping[str, int]]) -> str:
    """Return the groups of neurons with their layers: `neurons of add (layers 1 and 2)`."""
    layers: dict[str, list[str]] = {}
    for number, layer in enumerate(groups):
        for name in layer:
            if name not in BOOKKEEPING and not name.startswith("next "):
                layers.setdefault(name, []).append(str(number))
    texts = [f"{name} ({_listed(numbers)})" for name, numbers in layers.items()]
    return f"neurons of {', '.join(texts)}" if texts else ""


def _listed(numbers: list[str]) -> str:
    *first, last = numbers
    return f"layers {', '.join(first)} and {last}" if first else f"layer {last}"


def _result(writes: str, jump: int | None, computed: bool) -> str:
    place, _, value = writes.rpartition(" = ")
    if writes.startswith(_WORK):
        text = "keep numbers for the next step" if computed else "numbers kept for the next step"
    elif place:
        text = f"compute {value}, written to {place}" if computed else f"{value} goes to {place}"
    else:
        text = writes or ("" if jump is not None else "nothing is written")
    return ", ".join(
        [*([text] if text else []), *([f"next pc {jump}"] if jump is not None else [])]
    )
