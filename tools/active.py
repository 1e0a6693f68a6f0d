"""How many nonzero weights take part in a step.

Those of all heads do, and those of a neuron whose gate is open and whose value is not 0. `python -m
tools.active` prints the mean over the steps of gcd(48, 36); `python -m tools.measure sizes` saves
it.
"""

import numpy as np

from transputer.engines.reference.decoder import Reference
from transputer.machines.trace.universal import model
from transputer.model import Array, Layer, Token
from transputer.runtime.trace.program import compile_file
from transputer.runtime.trace.run import run_session
from transputer.runtime.trace.sessions import MachineSession


class CountingReference(Reference):
    """Counts, for each step, the weights that take part."""

    def __init__(self) -> None:
        super().__init__(model())
        layers = self.model.layers
        heads = [head for layer in layers for head in layer.heads]
        self._heads = sum(
            int(np.count_nonzero(matrix))
            for head in heads
            for matrix in (head.query, head.key, head.value, head.output)
        )
        self._neurons_of = [
            sum(np.count_nonzero(rows, axis=1) for rows in (layer.gate, layer.value, layer.out.T))
            for layer in layers
        ]
        self._host: int | None = None  # tokens of the host before the first step
        self.counts: list[int] = []

    def step(self) -> Token:
        """Take a step; the tokens of the host before the first are not counted."""
        if self._host is None:
            self._host = len(self.tokens)
        return super().step()

    def _neurons(self, number: int, layer: Layer, x: Array) -> Array:
        opened = super()._neurons(number, layer, x)
        first = len(self.tokens) - len(x)
        for at, row in enumerate(opened, first):
            if self._host is not None and at >= self._host:
                self.counts += [self._heads] if not number else []
                self.counts[-1] += int(self._neurons_of[number][row != 0].sum())
        return opened


def active(
    source: str = "examples/c/gcd.c", invoke: str = "gcd", args: tuple[int, ...] = (48, 36)
) -> float:
    """The mean over the steps of a program."""
    engine = CountingReference()
    run_session(compile_file(source), MachineSession(engine, max_steps=1000), invoke, [*args])
    _ = engine.residual  # that of the last step
    return float(np.mean(engine.counts))


if __name__ == "__main__":
    print(f"{active():,.0f} nonzero weights take part in a step")
