"""A language model with a Transputer inside, as a model of the transformers library.

`joint.py` is the network and its decode loop, `network.py` the machine; the language model is the
library's own. `input_ids` is (batch, time, 1 + parts): an id, and the parts of the machine. This
file imports nothing of the package that it is part of: exports ship it as it is.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import linear
from transformers import (
    AutoConfig,
    AutoModel,
    DynamicCache,
    GenerationMixin,
    PretrainedConfig,
    PreTrainedModel,
)
from transformers.modeling_outputs import CausalLMOutputWithPast

from .joint import JointCache, JointNetwork, decode
from .network import Network
from .probe import Probe

#: The least shapes: the library makes a configuration without arguments to compare with.
_NETWORK = {"parts": [["x", 1]], "context": 1, "width": 1, "layers": [], "output": [1, 1]}
_LANGUAGE = {"model_type": "llama", "hidden_size": 2, "intermediate_size": 2, "vocab_size": 2,
             "num_hidden_layers": 1, "num_attention_heads": 1}  # fmt: skip


class JointConfig(PretrainedConfig):  # type: ignore[misc]
    """Shapes of both networks and of the vocabulary that they share.

    Ids below `own` are text; the others are kinds 1 to `kinds` - 1. The language model writes
    kinds up to `writes`; the id `end` ends an answer. `groups` are names in the machine.
    """

    model_type = "transputer_joint"

    def __init__(
        self,
        network: dict[str, Any] | None = None,
        language: dict[str, Any] | None = None,
        own: int = 1,
        kinds: int = 1,
        writes: int = 0,
        end: int = 0,
        groups: dict[str, Any] | None = None,
        **more: Any,
    ) -> None:
        self.network, self.language = network or _NETWORK, language or _LANGUAGE
        self.own, self.kinds, self.writes, self.end = own, kinds, writes, end
        self.groups = groups or {}
        # what the library asks of every model
        self.hidden_size = self.language["hidden_size"]
        self.num_hidden_layers = self.language["num_hidden_layers"]
        self.num_attention_heads = self.language["num_attention_heads"]
        self.vocab_size = own + kinds - 1
        more.setdefault("tie_word_embeddings", False)
        super().__init__(**more)


class LanguageCache:
    """Keys and values of the language model, and which of them are tokens of each row."""

    def __init__(self, rows: int, device: Any) -> None:
        self.past = DynamicCache()
        self.real = torch.zeros((rows, 0), dtype=torch.int64, device=device)


class LanguageTower(nn.Module):  # type: ignore[misc]
    """The language model on ids of the joint vocabulary: `rows` has its row of each id.

    Kinds that it writes and the ends of a run have rows behind those of its text; an output byte
    shares the row of its character. Its logits are products with its embedding.
    """

    def __init__(self, config: JointConfig) -> None:
        super().__init__()
        language = dict(config.language)
        self.model = AutoModel.from_config(AutoConfig.for_model(**language))
        self.register_buffer("rows", torch.zeros(config.vocab_size, dtype=torch.int64))
        self.scores, self.ids = config.own + config.writes, config.vocab_size

    def cache(self, rows: int) -> LanguageCache:
        """Return an empty cache."""
        return LanguageCache(rows, self.rows.device)

    def forward(self, ids: Tensor, counts: Tensor, cache: LanguageCache) -> Tensor:
        """Return the logits of all ids after the first `counts` ids of each row."""
        every = torch.arange(ids.size(1), device=ids.device)
        positions = cache.real.sum(1, keepdim=True) + every
        cache.real = torch.cat([cache.real, (every < counts[:, None]).long()], 1)
        states = self.model(
            self.rows[ids],
            attention_mask=cache.real,
            position_ids=positions,
            past_key_values=cache.past,
            use_cache=True,
        ).last_hidden_state
        last = states[torch.arange(len(ids), device=ids.device), counts - 1]
        table = self.model.get_input_embeddings().weight[: self.scores]
        logits = linear(last, table).double()
        return nn.functional.pad(logits, (0, self.ids - self.scores))


class TransputerJointForCausalLM(PreTrainedModel, GenerationMixin):  # type: ignore[misc]
    """Both networks with the library's `forward` and `generate`; the machine stays float64."""

    config_class = JointConfig
    base_model_prefix = "joint"
    main_input_name = "input_ids"
    _no_split_modules = ["Network", "LlamaDecoderLayer"]
    _supports_sdpa = True

    def __init__(self, config: JointConfig) -> None:
        super().__init__(config)
        machine = Network(config.network, "softmax")
        self.joint = JointNetwork(machine, LanguageTower(config), config.own, config.kinds)
        self.probe = Probe(machine, config.groups)
        self.post_init()

    def _init_weights(self, module: Any) -> None:
        """Weights are loaded, never drawn."""

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        past_key_values: JointCache | None = None,
        **more: Any,
    ) -> Any:
        """Logits (batch, 1, ids) of the next id, both networks' together, and the caches."""
        cache = past_key_values or self.joint.cache(len(input_ids))
        logits, _ = self.joint.logits(input_ids, cache, _real(input_ids, attention_mask))
        return CausalLMOutputWithPast(logits=logits[:, None], past_key_values=cache)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def generate(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        max_new_tokens: int = 20_000,
        past_key_values: JointCache | None = None,
        streamer: Any = None,
        **more: Any,
    ) -> Tensor:
        """Decode greedily until every row has ended; return the prompt and the new tokens.

        A batch is padded on the left. Rows that have ended are padded with the end. With
        `past_key_values`, `input_ids` continue its sequences, and it then has all tokens but the
        last. `streamer.put` gets the new tokens (batch, 1 + parts) of every step. Only greedy
        decoding is exact: other ways are refused.
        """
        allowed = {"do_sample": False, "num_beams": 1, "use_cache": True}
        for name, value in more.items():
            if value not in (None, allowed.get(name)):
                raise ValueError(f"generate: {name}={value!r} is not supported")
        assert input_ids is not None
        tokens = input_ids.to(self.joint.idle.device)
        mask = _real(tokens, attention_mask)
        following = decode(
            self.joint, tokens, self.config.end, max_new_tokens, past_key_values, mask, streamer
        )
        if streamer is not None:
            streamer.end()
        return torch.cat([tokens, following], 1)


def _real(tokens: Tensor, mask: Tensor | None) -> Tensor | None:
    """Return which tokens are not padding; raise `ValueError` unless padding is on the left."""
    if mask is None:
        return None
    real = mask[:, -tokens.size(1) :].to(tokens.device).bool()
    if not bool(real[:, -1].all()):
        raise ValueError("attention_mask: pad on the left")
    return real
