"""Training of the language model with the computer inside, on a tiny random language model."""

import argparse
import random
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("tokenizers")
import torch  # noqa: E402

from tests.tiny_language import byte_tokenizer, tiny  # noqa: E402
from tools.one_model import base, train  # noqa: E402
from tools.one_model.data import OPERATIONS, Nonsense, draw, evaluate, question  # noqa: E402
from transputer.embed.one_model.vocabulary import KINDS  # noqa: E402
from transputer.frontends.words.smollm.network import Rank, SmolNetwork  # noqa: E402


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
