"""A Transputer as a model of the transformers library.

A token has several parts, so that `input_ids` is (batch, time, parts) and logits are (batch, time,
parts, values); decoding takes the largest logit of each part. `network.py` is the network, and
this file only speaks the library's language. Exports ship both as they are.
"""

from typing import Any

import torch
from torch import Tensor
from transformers import GenerationMixin, PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import CausalLMOutputWithPast

from .network import KeyValueCache, Network, Watch
from .probe import Probe


class TransputerConfig(PretrainedConfig):  # type: ignore[misc]
    """The shape of the network, the part that says when to stop, and names of its groups."""

    model_type = "transputer"

    def __init__(
        self,
        network: dict[str, Any] | None = None,
        status_part: int = 0,
        groups: dict[str, Any] | None = None,
        **more: Any,
    ) -> None:
        self.network = network or {"parts": [["x", 1]], "context": 1, "width": 1, "layers": [],
                                   "output": [1, 1]}  # fmt: skip
        self.status_part = status_part
        self.groups = groups or {}
        # what the library asks of every model
        self.hidden_size = self.network["width"]
        self.num_hidden_layers = len(self.network["layers"])
        self.num_attention_heads = max(
            [len(a["heads"]["values"]) for a in self.network["layers"] if a["heads"]], default=1
        )
        self.vocab_size = max(size for _, size in self.network["parts"])
        more.setdefault("tie_word_embeddings", False)
        super().__init__(**more)


class TransputerForCausalLM(PreTrainedModel, GenerationMixin):  # type: ignore[misc]
    """The network with the library's `forward` and `generate`; weights stay float64."""

    config_class = TransputerConfig
    base_model_prefix = "network"
    main_input_name = "input_ids"
    _no_split_modules = ["Network"]
    _supports_sdpa = True

    def __init__(self, config: TransputerConfig) -> None:
        super().__init__(config)
        self.network = Network(config.network, "softmax")
        self.probe = Probe(self.network, config.groups)
        self.post_init()

    def _init_weights(self, module: Any) -> None:
        """Weights are loaded, never drawn."""

    @property
    def dtype(self) -> torch.dtype:
        """Return float64, whatever the library was asked for."""
        return torch.float64

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        past_key_values: KeyValueCache | None = None,
        use_cache: bool | None = None,
        output_attentions: bool | None = None,
        output_hidden_states: bool | None = None,
        logits_to_keep: int = 0,
        return_dict: bool = True,
        **more: Any,
    ) -> Any:
        """Logits of the token after each given one, and what else was asked for.

        A padded batch has an `attention_mask` with 0 at its padding. `past_key_values` is a
        `KeyValueCache` of an earlier call.
        """
        rows, time, _ = input_ids.shape
        cache = past_key_values or KeyValueCache(self.network, rows)
        order, counts = _alignment(input_ids, attention_mask)
        if output_attentions and order is not None:
            raise ValueError("output_attentions: give sequences of one length, without padding")
        watch = Watch(patterns=bool(output_attentions)) if output_attentions or (
            output_hidden_states) else None  # fmt: skip
        x = self.network.hidden(_moved(input_ids, order), cache, counts, watch)
        back = None if order is None else order.argsort(1)
        x = _moved(x, back)
        logits = self.network.logits(x[:, -logits_to_keep:] if logits_to_keep else x)
        hidden = tuple(_moved(a, back) for a in watch.hidden) if watch is not None else None
        output = CausalLMOutputWithPast(
            logits=logits,
            past_key_values=cache if use_cache or past_key_values is not None else None,
            hidden_states=hidden if output_hidden_states else None,
            attentions=tuple(watch.attentions) if watch is not None and output_attentions else None,
        )
        return output if return_dict else output.to_tuple()

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def generate(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        max_new_tokens: int = 1_000_000,
        past_key_values: KeyValueCache | None = None,
        streamer: Any = None,
        **more: Any,
    ) -> Tensor:
        """Decode greedily until the status of every row is not 0; return prompt and new tokens.

        Rows that have stopped are padded with zeros. With `past_key_values`, `input_ids` continue
        its sequences, and it then has all tokens but the last. `streamer.put` gets the new tokens
        (batch, parts) of every step. Only greedy decoding is exact: other ways are refused.
        """
        allowed = {"do_sample": False, "num_beams": 1, "use_cache": True}
        for name, value in more.items():
            if value not in (None, allowed.get(name)):
                raise ValueError(f"generate: {name}={value!r} is not supported")
        assert input_ids is not None
        device = self.network.bias.device
        input_ids = input_ids.to(device)
        cache = past_key_values or KeyValueCache(self.network, len(input_ids))
        order, counts = _alignment(input_ids, attention_mask)
        running = torch.ones(len(input_ids), dtype=torch.bool, device=device)
        rows = torch.arange(len(input_ids), device=device)  # the sequence of each row of the cache
        tokens, sequences = _moved(input_ids, order), [input_ids]
        while len(sequences) <= max_new_tokens and bool(running.any()):
            following = torch.zeros_like(input_ids[:, 0])
            following[rows] = self.network.predict(tokens, cache, counts)
            following *= running[:, None]
            sequences.append(following[:, None])
            if streamer is not None:
                streamer.put(following.cpu())
            running = running & (following[:, self.config.status_part] == 0)
            if past_key_values is None and 2 * int(running[rows].sum()) <= len(rows):
                rest = running[rows].nonzero()[:, 0]
                cache, rows = cache.select(rest.tolist()), rows[rest]
            tokens, counts = following[rows][:, None], None
        if streamer is not None:
            streamer.end()
        return torch.cat(sequences, 1)


def _alignment(tokens: Tensor, mask: Tensor | None) -> tuple[Tensor | None, list[int] | None]:
    """How to move padding behind the tokens, and how many each row has; None without padding."""
    if mask is None:
        return None, None
    real = mask[:, -tokens.size(1) :].to(tokens.device).bool()
    if bool(real.all()):
        return None, None
    return (~real).long().argsort(dim=1, stable=True), real.sum(1).tolist()


def _moved(tensor: Tensor, order: Tensor | None) -> Tensor:
    """Reorder the second axis of each row."""
    if order is None:
        return tensor
    return tensor.take_along_dim(order[:, :, None], 1)
