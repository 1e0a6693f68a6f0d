"""Problems as arrays: made by worker processes, each from its own seed.

A chunk's problems depend on its seed alone, so that any number of workers makes the same set.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.words import gsm8k
from training.words.constructs import BLIND, Template, chained, construct, templates
from training.words.grams import Apart
from training.words.problems import LONGEST_PLAN, Problem
from training.words.stories import Story, stories, tell
from transputer.frontends.words.embedded.network import INDEX
from transputer.frontends.words.embedded.wordpiece import LONGEST, pieces
from transputer.frontends.words.evaluate import evaluate
from transputer.frontends.words.grammar import SLOTS
from transputer.frontends.words.numbers import find
from transputer.frontends.words.plan import parse

#: Of a hundred synthetic problems, how many are stories and how many chains; the rest constructs.
STORIES, CHAINS = 72, 5
CHUNK = 2000
PAD = 255


@dataclass(frozen=True, slots=True)
class Arrays:
    """Padded pieces, places of the slots (-1: none) and tokens of plans (PAD: none)."""

    ids: NDArray[np.int16]
    slots: NDArray[np.int16]
    plans: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.ids)


@cache
def _weighted() -> tuple[tuple[Story, ...], tuple[float, ...]]:
    told = stories()
    return told, tuple(sum(not q.held for q in story.questions) ** 0.75 for story in told)


@cache
def _by_construct(held: bool) -> dict[str, list[int]]:
    rows: dict[str, list[int]] = {}
    for index, template in enumerate(templates()):
        if template.held == held:
            rows.setdefault(template.construct, []).append(index)
    return rows


_apart = Apart()


def kept_apart(apart: Apart) -> None:
    """From now on, in this process, no problem to train on shares seven words with these."""
    global _apart  # noqa: PLW0603  once per worker, before it makes anything
    _apart = apart


def synthetic(rng: random.Random) -> Problem:
    """One problem to train on."""
    while True:
        made = _any(rng)
        if not _apart.shared(made.text):
            return made


def _any(rng: random.Random) -> Problem:
    while True:
        draw = rng.randrange(100)
        if draw < STORIES:
            told, weights = _weighted()
            made = tell(rng.choices(told, weights)[0], rng)
        elif draw < STORIES + CHAINS:
            made = chained(rng, held=False)
        else:
            rows = _by_construct(False)
            kind = rng.choices(list(rows), [len(of) ** 0.5 for of in rows.values()])[0]
            made = construct(templates()[rng.choice(rows[kind])], rng)
        if made is not None:
            return made


def held_out(rng: random.Random, kind: str) -> Problem:
    """One problem of a construct from a template that is never trained on."""
    while True:
        if kind == "story":
            made = tell(rng.choice(_held_stories()), rng, held=True)
        elif kind == "chain":
            made = chained(rng, held=True)
        else:
            made = construct(templates()[rng.choice(_by_construct(True)[kind])], rng)
        if made is not None:
            return made


def blind(rng: random.Random, name: str, each: int) -> dict[str, list[Problem]]:
    """So many problems of every construct of the templates in one of `BLIND`, taken in turn."""
    found: dict[str, list[Problem]] = {}
    held = templates(BLIND[name])
    for kind in dict.fromkeys(template.construct for template in held):
        rows = [template for template in held if template.construct == kind]
        found[kind] = [_sensible(rows[index % len(rows)], rng) for index in range(each)]
    return found


def _sensible(template: Template, rng: random.Random) -> Problem:
    """A problem of a template, whose answer is a count where the template says so."""
    while True:
        made = construct(template, rng)
        if made is None:
            continue
        value = evaluate(parse(made.tokens), [number.value for number in find(made.text)])
        if not template.counted or (value >= 0 and value == int(value)):
            return made


@cache
def _held_stories() -> tuple[Story, ...]:
    return tuple(story for story in stories() if any(q.held for q in story.questions))


def kinds() -> tuple[str, ...]:
    """Every construct that has held-out templates."""
    return ("story", "chain", *sorted(_by_construct(True)))


def arrays(problems: Iterable[Problem]) -> Arrays:
    """Problems as padded arrays."""
    rows = list(problems)
    ids = np.zeros((len(rows), LONGEST), np.int16)
    slots = np.full((len(rows), SLOTS), -1, np.int16)
    plans = np.full((len(rows), LONGEST_PLAN), PAD, np.uint8)
    for row, problem in enumerate(rows):
        found = pieces(problem.text, find(problem.text))
        ids[row, : len(found.ids)] = found.ids
        slots[row, : len(found.slots)] = found.slots
        plans[row, : len(problem.tokens)] = [INDEX[token] for token in problem.tokens]
    return Arrays(ids, slots, plans)


def _chunk(seed: int) -> Arrays:
    rng = random.Random(seed)
    return arrays(synthetic(rng) for _ in range(CHUNK))


def generate(examples: int, seed: int, workers: int, apart: Apart | None = None) -> Arrays:
    """At least that many synthetic problems, in whole chunks, apart from problems that measure."""
    kept_apart(apart or Apart())
    if workers == 1:
        return together([_chunk(item) for item in seeds(examples, seed)])
    with get_context("fork").Pool(workers) as pool:
        return together(list(pool.imap(_chunk, seeds(examples, seed))))


def seeds(examples: int, seed: int) -> list[int]:
    """The seeds of the chunks that make up so many problems."""
    return [seed * 1_000_003 + i for i in range(-(-examples // CHUNK))]


def together(parts: Sequence[Arrays]) -> Arrays:
    """Several sets as one."""
    return Arrays(
        np.concatenate([part.ids for part in parts]),
        np.concatenate([part.slots for part in parts]),
        np.concatenate([part.plans for part in parts]),
    )


def repeated(part: Arrays, times: int) -> Iterator[Arrays]:
    """The same set several times."""
    return (part for _ in range(times))


def gsm8k_problems(path: Path, counts: Counter[str]) -> tuple[list[Problem], list[Problem]]:
    """GSM8K's problems that fit: those to train on, and every twentieth held out."""
    made = list(gsm8k.convert(path, counts))
    return [p for p in made if not p.held], [p for p in made if p.held]
