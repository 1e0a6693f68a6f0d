"""One module, one sequence, one loop: a language model with the trace machine inside.

A token is an id and the parts of the machine. The id alone decides, by table, which weights a token
goes through: text those of the language model, machine steps those of the machine, instructions and
output bytes both. The next id is the argmax of the sum of both towers' logits; while the machine
runs its logits are so large, and while it does not so negative, that nothing is left to a host.
"""

from dataclasses import dataclass, field
from typing import Any

from transputer.embed.one_model.machine import HUGE, Library, extended, library
from transputer.embed.one_model.vocabulary import KINDS
from transputer.engines.torch.decoder import Decoder, KeyValueCache, Tensor, nn, torch
from transputer.frontends.words.smollm.network import SmolNetwork

#: Rows that the language model gets: kinds that it writes, and the two ends of a run.
EXTRA = KINDS.run + 2


@dataclass
class Caches:
    """Keys and values of both towers."""

    machine: KeyValueCache
    language: Any = None


class Tower(nn.Module):  # type: ignore[misc]
    """The language model on ids of the joint vocabulary.

    Ids behind its own are kinds: those it writes and the ends of a run have rows of their own, an
    output byte shares the row of its character.
    """

    def __init__(self, network: SmolNetwork, characters: list[int]) -> None:
        super().__init__()
        self.network = network
        self.own = len(network.embedding)
        rows = torch.zeros(KINDS.count, dtype=torch.int64)
        rows[1 : KINDS.run + 1] = self.own + torch.arange(KINDS.run)
        rows[KINDS.done], rows[KINDS.trap] = self.own + KINDS.run, self.own + KINDS.run + 1
        rows[KINDS.out :] = torch.tensor(characters)
        self.register_buffer("rows", torch.cat([torch.arange(self.own), rows[1:]]))

    def forward(self, ids: Tensor, past: Any) -> tuple[Tensor, Any]:
        """Logits of all ids after these (time), and the keys and values."""
        rows = self.rows[ids][None]
        pieces = [rows] if past is None else rows.split(1, 1)
        for piece in pieces:
            states, past = self.network.states(piece, past)
        last = states[-1][:, -1]
        text, kinds = self.network.lens(last)[0], self.network.scores(last)[0, : KINDS.run]
        rest = torch.zeros(KINDS.count - 1 - KINDS.run, device=text.device)
        return torch.cat([text, kinds, rest]).double(), past


class OneModel(nn.Module):  # type: ignore[misc]
    """Tokens (time, 1 + parts) to the next token (1 + parts)."""

    def __init__(self, tower: Tower, routines: Library | None = None) -> None:
        super().__init__()
        self.routines = routines or library()
        self.tower = tower
        self.machine = Decoder(extended(routines=self.routines), "softmax")
        self.parts = len(self.machine.parts) - 1
        kinds = torch.arange(KINDS.count)
        idle = torch.where(kinds > KINDS.code, -8 * HUGE, 0.0).double()
        self.register_buffer("idle", idle)  # after text there is no program but one that begins
        self.register_buffer("reads", kinds != KINDS.step)
        runs = (kinds != KINDS.text) & (kinds != KINDS.done) & (kinds != KINDS.trap)
        self.register_buffer("acts", runs)

    def forward(self, tokens: Tensor, caches: Caches) -> Tensor:
        """Return the token after these; `caches` then include them."""
        ids = tokens[:, 0]
        kinds = (ids - self.tower.own + 1).clamp(min=0)
        reads, acts = self.reads[kinds], self.acts[kinds]
        logits = torch.zeros(self.tower.own + KINDS.count - 1, device=ids.device).double()
        own, parts = self.idle, torch.zeros(self.parts, dtype=torch.int64, device=ids.device)
        if reads.any():
            text, caches.language = self.tower(ids[reads], caches.language)
            logits = text * reads[-1]
        if acts.any():
            given = torch.cat([kinds[:, None], tokens[:, 1:]], 1)[acts]
            after = self.machine(given[None], caches.machine)[0, -1]
            own = torch.where(acts[-1], after[0, : KINDS.count], own)
            parts = torch.where(acts[-1], after[1:].argmax(-1), parts)
        logits[: self.tower.own] += own[KINDS.text]
        logits[self.tower.own :] += own[1:]
        return torch.cat([logits.argmax()[None], parts])

    def caches(self) -> Caches:
        """Return empty caches."""
        return Caches(KeyValueCache(self.machine))

    def prompt(self, ids: list[int], begins: bool = True) -> Tensor:
        """Return text as tokens; behind the library's, if the sequence begins with it."""
        step = self.tower.own + KINDS.step - 1
        rows = [[step, *token] for token in self.routines.tokens] if begins else []
        return torch.tensor(rows + [[i] + [0] * self.parts for i in ids])


@torch.no_grad()  # type: ignore[untyped-decorator]
def decode(
    model: OneModel, tokens: Tensor, end: int, limit: int = 20_000, caches: Caches | None = None
) -> Tensor:
    """The decode loop, all of it: forward, append, until the id `end`."""
    caches = caches or model.caches()
    sequence: list[Tensor] = []
    while len(sequence) < limit and (not sequence or int(sequence[-1][0]) != end):
        tokens = model(tokens, caches)[None]
        sequence.append(tokens[0])
    return torch.stack(sequence)


@dataclass(frozen=True)
class DecodedText:
    """What a decoded sequence says: text with output bytes in it, programs, and ends of runs."""

    text: str
    programs: list[str] = field(default_factory=list)
    traps: int = 0
    steps: int = 0


def read_answer(tokens: Tensor, own: int, tokenizer: Any) -> DecodedText:
    """Return the text of a sequence, and what was computed for it."""
    names = {number: name for name, number in KINDS.routines.items()}
    pieces: list[int] = []
    text, programs, traps, steps = "", list[list[str]](), 0, 0

    def flush() -> None:
        nonlocal text
        text += tokenizer.decode(pieces)
        pieces.clear()

    for number in tokens[:, 0].tolist():
        kind = max(0, number - own + 1)
        if kind == KINDS.text:
            pieces.append(number)
            continue
        flush()
        if kind == KINDS.code:
            programs.append([])
        elif kind in names:
            programs[-1].append(names[kind])
        elif kind >= KINDS.out:
            text += chr(kind - KINDS.out)
        traps += kind == KINDS.trap
        steps += kind == KINDS.step or kind >= KINDS.out
    flush()
    return DecodedText(text, [spelled(program) for program in programs], traps, steps)


def spelled(program: list[str]) -> str:
    """Return a program with its numbers in digits: `12 34 add show`."""
    words: list[str] = []
    for name in program:
        if name[0] == "d" and name[1:].isdigit() and words and (words[-1] + "0").isdigit():
            words[-1] += name[1:]
        else:
            words.append("" if name == "push" else name)
    return " ".join(word or "0" for word in words)
