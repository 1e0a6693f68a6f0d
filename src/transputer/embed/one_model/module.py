"""Assemble the network of a language model with the trace machine inside.

`engines/torch/joint.py` is the network and its decode loop; here it gets the weights of the
extended machine and the tables of kinds.
"""

from typing import Any

import numpy as np

from transputer.embed.one_model.machine import HUGE, Library, extended, library
from transputer.embed.one_model.vocabulary import KINDS
from transputer.engines.torch.decoder import Decoder, torch
from transputer.engines.torch.joint import JointNetwork
from transputer.model import Array

#: Rows that the language model gets: kinds that it writes, and the two ends of a run.
EXTRA = KINDS.run + 2


def kind_tables() -> dict[str, Array]:
    """Return the tables of kinds: which tower reads a token, and what an idle machine says."""
    kinds = np.arange(KINDS.count)
    text = (kinds == KINDS.text) | (kinds == KINDS.done) | (kinds == KINDS.trap)
    return {
        "idle": np.where(kinds > KINDS.code, -8 * HUGE, 0.0),  # after text, a program may begin
        "reads": kinds != KINDS.step,
        "acts": ~text,
    }


def language_rows(own: int, characters: list[int]) -> Array:
    """Return the language model's row of each id; `characters` has those of the output bytes."""
    rows = np.zeros(KINDS.count, dtype=np.int64)
    rows[1 : KINDS.run + 1] = own + np.arange(KINDS.run)
    rows[KINDS.done], rows[KINDS.trap] = own + KINDS.run, own + KINDS.run + 1
    rows[KINDS.out :] = characters
    return np.concatenate([np.arange(own), rows[1:]])


def joint_network(tower: Any, own: int, routines: Library | None = None) -> JointNetwork:
    """Return the network of a language model `tower` with `own` ids, and the machine."""
    machine = Decoder(extended(routines=routines or library()), "softmax")
    network = JointNetwork(machine, tower, own, KINDS.count)
    for name, table in kind_tables().items():
        getattr(network, name).copy_(torch.tensor(table))
    return network


def prompt_tokens(routines: Library, own: int, ids: list[int]) -> list[list[int]]:
    """Return the tokens of a sequence that begins: the library's, then text."""
    step = own + KINDS.step - 1
    parts = len(routines.tokens[0])
    return [[step, *token] for token in routines.tokens] + [[i] + [0] * parts for i in ids]
