"""The embedded model's problems, as the language model's pieces."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.words.cases import Case, held_cases, mawps_asdiv, measuring
from training.words.cases import svamp as svamp_cases
from training.words.dataset import CHUNK, PAD, gsm8k_problems, kept_apart, seeds, synthetic
from training.words.grams import Apart
from training.words.problems import LONGEST_PLAN, Problem
from transputer.frontends.words.embedded.network import INDEX
from transputer.frontends.words.numbers import find
from transputer.frontends.words.smollm.prompt import LONGEST, pieces

_tokenizer: Any = None


@dataclass(frozen=True, slots=True)
class Arrays:
    """Padded pieces (0 behind the end), how many there are, and tokens of plans (PAD: none)."""

    ids: NDArray[np.uint16]
    lengths: NDArray[np.int16]
    plans: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.ids)


def arrays(problems: Iterable[Problem], tokenizer: Any) -> Arrays:
    """Problems as padded arrays; those with too long a text are left out."""
    rows = [(p, pieces(tokenizer, p.text, find(p.text))) for p in problems]
    rows = [(p, read) for p, read in rows if not read.cut]
    ids = np.zeros((len(rows), LONGEST), np.uint16)
    plans = np.full((len(rows), LONGEST_PLAN), PAD, np.uint8)
    for row, (problem, read) in enumerate(rows):
        ids[row, : len(read.ids)] = read.ids
        plans[row, : len(problem.tokens)] = [INDEX[token] for token in problem.tokens]
    return Arrays(ids, np.array([len(read.ids) for _, read in rows], np.int16), plans)


def _chunk(seed: int) -> Arrays:
    rng = Random(seed)
    return arrays((synthetic(rng) for _ in range(CHUNK)), _tokenizer)


def generate(examples: int, seed: int, workers: int, apart: Apart, tokenizer: Any) -> Arrays:
    """At least that many synthetic problems, in whole chunks, apart from problems that measure."""
    global _tokenizer
    _tokenizer = tokenizer
    kept_apart(apart)
    if workers == 1:
        return together([_chunk(item) for item in seeds(examples, seed)])
    with get_context("fork").Pool(workers) as pool:
        return together(list(pool.imap(_chunk, seeds(examples, seed))))


def together(parts: Sequence[Arrays]) -> Arrays:
    """Several sets as one."""
    columns = ("ids", "lengths", "plans")
    return Arrays(*(np.concatenate([getattr(p, name) for p in parts]) for name in columns))


def sets(
    svamp: Path | None, mawps: Path | None, gsm8k: Path | None
) -> tuple[dict[str, Any], list[Problem], Apart]:
    """Cases that measure by set, GSM8K's problems to train on, and what to keep apart from."""
    cases: dict[str, Any] = held_cases(60, 98)
    train: list[Problem] = []
    if svamp:
        cases["svamp"] = svamp_cases(svamp)
    if mawps:
        cases |= mawps_asdiv(mawps)
    if gsm8k:
        train, held = gsm8k_problems(gsm8k, Counter())
        cases["gsm8k"] = [Case.of(problem) for problem in held]
    texts = (text for each in measuring(svamp, mawps).values() for text in each)
    return cases, train, Apart.of(texts)
