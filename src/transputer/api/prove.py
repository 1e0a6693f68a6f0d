"""Proving: what the lifted engine rests on, derived from a model and checked."""

from transputer.engines.lifted.certificate import Certificate, Progress, certify, check
from transputer.machines.trace.circuit import model as trace_model
from transputer.machines.trace.tape import STATUS
from transputer.model import Model, load


def prove(
    path: str | None = None, progress: Progress | None = None
) -> tuple[Certificate, list[str]]:
    """The certificate of a model (by default the universal one), and what contradicts it.

    Raises `Unsupported` for a model whose heads are no array reads or whose outputs are not
    nearest numbers, and as loading does.
    """
    model: Model = trace_model() if path is None else load(path)
    stops = frozenset([STATUS]) if len(model.parts) > STATUS else frozenset[int]()
    return certify(model, stops, progress), check(model, stops)


__all__ = ["Certificate", "prove"]
