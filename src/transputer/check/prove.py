"""Prove the formulas that the lifted engine uses: derive them from a model and check them."""

from dataclasses import dataclass
from pathlib import Path

from transputer.check.fuzz.loom import NEEDED, every
from transputer.engines.lifted.decoder.certificate import (
    DecoderCertificate,
    Progress,
    certify,
    check,
)
from transputer.engines.lifted.looped.certificate import (
    LoopedCertificate,
    certify_looped,
    check_looped,
)
from transputer.errors import UsageError
from transputer.frontends.source import PathLike
from transputer.ir.loom import LoomConfig, configuration
from transputer.machines.loom.host import initial
from transputer.machines.trace.tape import STATUS
from transputer.model import Array, Looped, Model, load_any


@dataclass(frozen=True, slots=True)
class Proof:
    """The certificate of a model, and the contradictions to it."""

    certificate: DecoderCertificate | LoopedCertificate
    problems: list[str]

    def __repr__(self) -> str:
        verdict = f"{len(self.problems)} problems" if self.problems else "proved"
        return f"Proof({verdict}, model {self.certificate.model[:16]})"


def prove(
    weights: PathLike | Model | Looped, progress: Progress | None = None, fresh: bool = True
) -> Proof:
    """Prove what a model computes; `weights` is the model or its file.

    With `fresh`, everything is derived from the weights. Without it, rows of a decoder may come
    from the package or from the user's cache.

    The proof of a looped model covers a program with every instruction. Raises `Unsupported` for a
    model of which nothing can be proved (heads that are not array reads, outputs that are not
    nearest numbers, columns that change by themselves), and as loading does.
    """
    model = weights if isinstance(weights, Model | Looped) else load_any(Path(weights))
    if isinstance(model, Looped):
        state = _every(model)
        return Proof(certify_looped(model, state), check_looped(model, state))
    stops = frozenset([STATUS]) if len(model.parts) > STATUS else frozenset[int]()
    return Proof(certify(model, stops, progress, fresh), check(model, stops, fresh=fresh))


def _every(model: Looped) -> Array:
    """Return a state whose program has every instruction of the model's configuration."""
    config: LoomConfig | None = None
    if "config" in model.hints:
        config = configuration(model.hints["config"])
    if config is None or config.memory < NEEDED or config.columns != model.columns:
        raise UsageError(f"the proof needs a loom model with at least {NEEDED} slots")
    return initial(every((1 << config.bits) - 50, config), config)


__all__ = ["DecoderCertificate", "LoopedCertificate", "Proof", "prove"]
