"""How many nonzero weights take part in a step.

Those of all heads do, and those of a neuron whose gate is open and whose value is not 0. `python -m
tools.active` prints the mean over the steps of gcd(48, 36); `python -m tools.measure sizes` saves
it.
"""

import numpy as np

from transputer.engines.reference.decoder import Reference
from transputer.machines.trace.universal import model
from transputer.model import Token
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
        self._neurons = [
            sum(np.count_nonzero(rows, axis=1) for rows in (layer.gate, layer.value, layer.out.T))
            for layer in layers
        ]
        self._steps = False
        self.counts: list[int] = []

    def step(self) -> Token:
        """Take a step; the tokens of the host before the first are not counted."""
        self._steps = True
        return super().step()

    def append(self, token: Token) -> None:
        """Append a token, and count."""
        if not self._steps:
            super().append(token)
            return
        x, count = self._embed(token), self._heads
        self.tokens.append(tuple(token))
        for number, layer in enumerate(self.model.layers):
            x = x + sum(self._attend(number, h, head, x) for h, head in enumerate(layer.heads))
            gate, value = np.maximum(layer.gate @ x, 0.0), layer.value @ x
            count += int(self._neurons[number][gate * value != 0].sum())
            x = x + layer.out @ (gate * value)
        self.residual = x
        self.counts.append(count)


def active(
    source: str = "examples/c/gcd.c", invoke: str = "gcd", args: tuple[int, ...] = (48, 36)
) -> float:
    """The mean over the steps of a program."""
    engine = CountingReference()
    run_session(compile_file(source), MachineSession(engine, max_steps=1000), invoke, [*args])
    return float(np.mean(engine.counts))


if __name__ == "__main__":
    print(f"{active():,.0f} nonzero weights take part in a step")
