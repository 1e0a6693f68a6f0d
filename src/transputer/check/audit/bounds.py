"""Rule 6: exact or refused."""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import log2
from pathlib import Path

import numpy as np

from transputer.check.audit.corpus import CorpusProgram
from transputer.check.audit.evidence import Evidence, MakeEngine
from transputer.check.audit.play import MirroredSession, Screen, core_code
from transputer.check.audit.verdict import Fact, rule, some
from transputer.engines.reference.decoder import Reference
from transputer.errors import CapacityError
from transputer.machines.trace.addressing import PARABOLIC
from transputer.machines.trace.session import WORDS
from transputer.machines.trace.universal import model as trace_model
from transputer.model import EXACT, Bounds, Model, load, save, verify

#: A context that a few tokens use up.
TINY = 16
#: Pages that a plain parabola cannot address.
PAGES = 9
LARGE = CorpusProgram("a memory too large for a plain parabola", f"(module (memory {PAGES}))")


@rule(6, "Exact or refused")
def bounds(evidence: Evidence) -> Iterator[Fact]:
    """Every sum stays below 2^53, or the model or the program is refused with the number."""
    proven = verify(evidence.model)
    yield _limit(proven)
    yield from _magnitudes(evidence, proven)
    yield _refused_model(evidence.model, proven)
    small = replace(evidence.model, context=TINY)
    for name, make in evidence.engines.items():
        yield _refused_context(small, name, make)
    yield _refused(
        f"a memory of {PAGES} pages with plain parabolic addressing", _parabolic, PAGES * WORDS
    )


def _limit(proven: Bounds) -> Fact:
    worst = max(magnitude for magnitude, _ in proven.largest.values())
    return Fact(
        f"every sum of magnitudes, derived from the tensors, is below 2^{log2(proven.limit):g}: "
        f"the largest is {worst:,}, {log2(proven.limit / worst):.1f} bits below",
        proven.limit <= EXACT and worst < proven.limit,
    )


def _magnitudes(evidence: Evidence, proven: Bounds) -> Iterator[Fact]:
    """Compare the magnitudes measured on the corpus with the proven bounds."""
    measured = evidence.survey.largest
    for kind, (magnitude, where) in sorted(proven.largest.items(), key=lambda item: -item[1][0]):
        slack = log2(EXACT / max(1, magnitude))
        occurred = f"; {measured[kind]:,.0f} seen" if kind in measured else ""
        yield Fact(
            f"{kind}: at most {magnitude:,} ({where}), {slack:.1f} bits of slack{occurred}",
            measured.get(kind, 0.0) <= magnitude < EXACT,
        )


def _refused_model(model: Model, proven: Bounds) -> Fact:
    """Save a model with one weight of the head with the largest score too large; load it."""
    magnitude, where = proven.largest["score"]
    layer, number = (int(word.split()[1]) for word in where.split(", ")[:2])
    name = f"layer{layer}.head{number}.query"
    query = model.tensors()[name].copy()
    at = np.unravel_index(np.abs(query).argmax(), query.shape)
    query[at] *= 2.0 ** (int(log2(proven.limit / magnitude)) + 9)
    broken = model.with_tensors({**model.tensors(), name: query})

    def attempt() -> None:
        with tempfile.TemporaryDirectory() as folder:
            save(broken, Path(folder) / "model")
            load(Path(folder) / "model")

    return _refused(f"a file with one weight of {name} too large", attempt, proven.limit)


def _refused_context(model: Model, name: str, make: MakeEngine) -> Fact:
    """Run a session that is longer than the context of a model, which is tiny."""

    def attempt() -> None:
        engine = make(model)
        token = (0,) * len(model.parts)
        for _ in range(TINY):
            engine.append(token)
        engine.step()

    return _refused(f"token {TINY + 1} of a context of {TINY} on {name}", attempt, TINY)


def _parabolic() -> None:
    engine = Reference(trace_model(PARABOLIC))
    session = MirroredSession(engine, Screen(), frames=64, addressing=PARABOLIC)
    session.load(core_code(LARGE))


def _refused(text: str, attempt: Callable[[], None], number: int) -> Fact:
    """Return whether an attempt ends in a `CapacityError` that names the number."""
    try:
        attempt()
    except CapacityError as error:
        message = str(error)
        named = str(number) in message.replace(",", "")
        return Fact(f"{text}: refused, {some([message])}", named)
    return Fact(f"{text} is refused", False)
