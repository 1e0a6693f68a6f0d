"""Training of the language model with the computer inside, on a tiny random language model."""

import argparse
import random
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("tokenizers")
import torch  # noqa: E402
from tokenizers import Tokenizer, decoders, models, pre_tokenizers  # noqa: E402

from tools.one_model import base, train  # noqa: E402
from tools.one_model.data import OPERATIONS, Nonsense, draw, evaluate, question  # noqa: E402
from transputer.embed.one_model.vocabulary import KINDS  # noqa: E402
from transputer.frontends.words.smollm.checkpoint import SmolCheckpoint, SmolShape  # noqa: E402
from transputer.frontends.words.smollm.network import MATRICES, Rank, SmolNetwork  # noqa: E402


def byte_tokenizer() -> Tokenizer:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    pieces = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *alphabet]
    tokenizer = Tokenizer(models.BPE({piece: i for i, piece in enumerate(pieces)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def tiny(seed: int = 0) -> SmolCheckpoint:
    """A language model of Llama's kind with random weights, on bytes."""
    rng = np.random.default_rng(seed)
    shape = SmolShape(2, 32, 4, 2, 48, 10_000.0, 1e-5)
    sizes = {
        "attn_q": (32, 32), "attn_k": (16, 32), "attn_v": (16, 32), "attn_output": (32, 32),
        "ffn_gate": (48, 32), "ffn_up": (48, 32), "ffn_down": (32, 48),
    }  # fmt: skip
    weights = {"token_embd.weight": rng.normal(size=(259, 32)), "output_norm.weight": np.ones(32)}
    for layer in range(2):
        for name in MATRICES:
            weights[f"blk.{layer}.{name}.weight"] = 0.1 * rng.normal(size=sizes[name])
        for name in ("attn_norm", "ffn_norm"):
            weights[f"blk.{layer}.{name}.weight"] = np.ones(32)
    return SmolCheckpoint(
        shape, {k: v.astype(np.float32) for k, v in weights.items()}, byte_tokenizer()
    )


def test_programs_print_the_results_of_their_questions() -> None:
    rng = random.Random(5)
    for name, how in OPERATIONS.items():
        for digits in range(1, how.most_digits + 1):
            one = question(rng, name, digits, held_out=digits % 2 == 0)
            assert evaluate(" ".join(one.program)) == one.result
        assert not set(how.ways) & set(how.held_out)
    with pytest.raises(Nonsense):
        evaluate("5 add")
    with pytest.raises(Nonsense):
        evaluate("7 0 divrem")


def test_the_loss_sees_the_program_and_not_the_machine() -> None:
    reader = train.Reader(byte_tokenizer(), 259)
    one = draw(random.Random(3))
    ids, targets = reader.example(one)
    shown = [i for i in targets if i != train.MASKED]
    program = [reader.row(kind) for kind in KINDS.program(one.program)]
    closing = [*reader.text(one.closing), train.END]
    assert shown == [*reader.text(one.opening), *program, *closing]
    assert train.program_of(ids, 259) == " ".join(one.program)


@pytest.mark.slow
def test_it_trains_and_measures(tmp_path: Path) -> None:
    torch.manual_seed(0)
    checkpoint = tiny()
    network = SmolNetwork(checkpoint, Rank(4), train.EXTRA)
    reader = train.Reader(checkpoint.tokenizer, 259)
    train.new_rows(network, reader)
    args = argparse.Namespace(
        seed=0, rate=1e-2, batch=8, chats=3, words=4, steps=30, seconds=60.0, every=10, keep=0.1,
        questions=1, plain=2,
    )  # fmt: skip
    curve = train.fit(network, reader, ["Some prose to keep."], args, "cpu")
    assert [row["step"] for row in curve] == [10, 20, 30]
    assert curve[-1]["loss"] < curve[0]["loss"]
    results = train.measure(network, reader, ["Prose. " * 120], args, "cpu")
    assert {row["operation"] for row in results["questions"]} == set(OPERATIONS)
    assert results["plain"]["asked"] == 2
    assert results["perplexity"]["base"] > 1 and results["perplexity"]["adapted"] > 1


def test_pieces_join_to_the_weights(tmp_path: Path) -> None:
    data = np.arange(2 * 20, dtype=np.uint8).reshape(2, 20)
    blocks = base.DEQUANTISE["Q4_1"](data)
    scale, least = data[:, :2].copy().view(np.float16), data[:, 2:4].copy().view(np.float16)
    assert blocks.shape == (2, 32)
    assert blocks[1, 0] == np.float32(scale[1, 0]) * (data[1, 4] & 15) + np.float32(least[1, 0])
    assert blocks[0, 16] == np.float32(scale[0, 0]) * (data[0, 4] >> 4) + np.float32(least[0, 0])


def test_the_tower_reads_text_and_kinds_alike() -> None:
    """Whole or token by token, in rows of its own; an output byte is its character."""
    from transputer.embed.one_model.module import Tower

    checkpoint = tiny()
    network = SmolNetwork(checkpoint, Rank(4), train.EXTRA)
    network.merge()
    reader = train.Reader(checkpoint.tokenizer, 259)
    rows = [reader.text(chr(byte))[0] if byte < 128 else 0 for byte in range(256)]
    tower = Tower(network, rows)
    program = [259 + kind - 1 for kind in KINDS.program(["12", "show"])]
    output = [259 + KINDS.out + ord("1") - 1, 259 + KINDS.done - 1]
    ids = torch.tensor([*reader.prompt("Say 12."), *program, *output])
    with torch.no_grad():
        whole, _ = tower(ids, None)
        first, past = tower(ids[:5], None)
        again, _ = tower(ids[5:], past)
    assert whole.shape == (259 + KINDS.count - 1,)
    assert torch.allclose(whole, again, atol=1e-4)
    assert tower.rows[output[0]] == reader.text("1")[0]
    # the rows that training wrote are those that the module reads
    trained_rows = [reader.row(kind) for kind in KINDS.program(["12", "show"])] + [reader.done]
    assert tower.rows[[*program, output[1]]].tolist() == trained_rows
