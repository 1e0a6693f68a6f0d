"""Attention of both networks while an answer is decoded: which tokens heads attend to.

Hooks see the forward passes that decode the answer. A head of the machine attends to one token; of
the language model's heads, those that attend most to another token than the first are kept.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

#: Arcs of the language model per forward pass.
STRONGEST = 3


@dataclass(frozen=True)
class ChatArc:
    """A head of `network` (`machine` or `language model`), the index of the token that it attends
    to among those that the network reads, and the weight of that token."""

    network: str
    head: str
    index: int
    weight: float


class ArcRecorder:
    """Collects arcs of a joint model; `take` returns those of the forward pass just made."""

    def __init__(self, model: Any) -> None:
        self._model = model
        rows = model.config.groups.get("heads", ())
        self._names = {(row["layer"], row["head"]): row["name"] for row in rows}
        self._machine: dict[str, ChatArc] = {}
        self._language: list[ChatArc] = []

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Hook both networks; the language model computes its attention openly meanwhile."""
        machine, language = self._model.joint.machine, self._model.joint.tower.model
        layers = [(i, layer.heads) for i, layer in enumerate(machine.layers) if layer.heads]
        hooks = [
            heads.hook_pattern.register_forward_hook(
                lambda module, given, pattern, i=i: self._see_machine(i, pattern)
            )
            for i, heads in layers
        ]
        hooks += [
            layer.self_attn.register_forward_hook(
                lambda module, given, result, i=i: self._see_language(i, result[1])
            )
            for i, layer in enumerate(language.layers)
        ]
        before = language.config._attn_implementation
        language.set_attn_implementation("eager")
        try:
            yield
        finally:
            language.set_attn_implementation(before)
            for hook in hooks:
                hook.remove()

    def take(self) -> list[ChatArc]:
        """Return the arcs of the last forward pass, the machine's first."""
        strongest, indices = list[ChatArc](), set[int]()
        for arc in sorted(self._language, key=lambda arc: -arc.weight):
            if arc.index not in indices and len(strongest) < STRONGEST:
                strongest.append(arc)
                indices.add(arc.index)
        arcs = [*self._machine.values(), *strongest]
        self._machine, self._language = {}, []
        return arcs

    def _see_machine(self, layer: int, pattern: Any) -> None:
        for head, weights in enumerate(pattern[0, :, -1]):
            name = self._names.get((layer, head), f"head {layer}.{head}")
            index = int(weights.argmax())
            self._machine[name] = ChatArc("machine", name, index, float(weights[index]))

    def _see_language(self, layer: int, weights: Any) -> None:
        """Keep a head's largest weight; the first token, where idle heads rest, and the last,
        which is the one being read, are left out."""
        others = weights[0, :, -1, 1:-1]
        if not others.size(-1):
            return
        largest = others.max(-1)
        for head, (weight, index) in enumerate(
            zip(largest.values.tolist(), largest.indices.tolist(), strict=True)
        ):
            name = f"{layer}.{head}"
            self._language.append(ChatArc("language model", name, index + 1, weight))
