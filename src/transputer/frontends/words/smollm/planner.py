"""The planner `smollm2`: plans of SmolLM2-135M with our adapter, weighed by their values."""

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from transputer.errors import UsageError
from transputer.frontends.words.embedded.beam import search
from transputer.frontends.words.embedded.planner import (
    Calibration,
    calibration,
    proposals,
    readable,
)
from transputer.frontends.words.numbers import Number
from transputer.frontends.words.planner import Abstained, Proposal
from transputer.frontends.words.smollm import checkpoint, prompt
from transputer.frontends.words.weights import weights

if TYPE_CHECKING:
    from transputer.frontends.words.smollm.decoder import SmolDecoder

ADAPTER = "adapter.safetensors"


class SmolLM:
    """The language model as a planner; `UsageError` where it or what it needs is not installed."""

    name = "smollm2"

    def __init__(self, adapter: bytes | None = None, setting: Calibration | None = None) -> None:
        self.tokenizer, self.decoder = _loaded(adapter)
        self.setting = setting or _calibration()
        # its own threshold is fitted on SVAMP; on everyday questions only `embedded` was measured
        self.threshold = max(self.setting.threshold, calibration().threshold)

    def propose(self, text: str, numbers: Sequence[Number]) -> Sequence[Proposal]:
        """The plans of different values, the likeliest first."""
        readable(text, numbers)
        read = prompt.pieces(self.tokenizer, text, numbers)
        if read.cut:
            raise Abstained(f"the text is too long; the model reads {prompt.LONGEST} pieces")
        return proposals(search(self.decoder, read), text, numbers, self.setting.temperature)


@cache
def _calibration() -> Calibration:
    text = files(__package__).joinpath("calibration.json").read_text()
    return Calibration(**json.loads(text))


@cache
def _loaded(adapter: bytes | None) -> tuple[object, "SmolDecoder"]:
    try:
        from safetensors.torch import load

        from transputer.frontends.words.smollm.decoder import SmolDecoder
        from transputer.frontends.words.smollm.network import Rank, SmolNetwork
    except ImportError as missing:
        raise UsageError(f"{missing.name} is not installed: {checkpoint.HOW}") from None
    model = checkpoint.read(checkpoint.find())
    tensors = load(adapter or weights(SmolLM.name, ADAPTER))
    network = SmolNetwork(model, Rank(), prompt.EXTRA)
    network.load_state_dict({name: value.float() for name, value in tensors.items()})
    network.merge()
    return model.tokenizer, SmolDecoder(network)
