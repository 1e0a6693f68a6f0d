"""The soft step with devices: keyboard, serial line and screen at their ports.

Words are 32 bits, as on the board. A word access goes to memory or to a port, each with its
probability: the expectation over the register that holds the address, so that a program which
chooses between two devices is a mixture of both. At temperature 0 the machine does what the board
does. The other ports read as 0 and ignore stores.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from transputer.isa.op import Registry
from transputer.isa.ports import PORTS, WINDOW
from transputer.isa.soft import SOFT
from transputer.machines.soft.backend import Array, jax, jnp, pytree
from transputer.machines.soft.bits import add, places, to_bits
from transputer.machines.soft.devices import rings, screen
from transputer.machines.soft.effects import Effect
from transputer.machines.soft.ports import append, onward
from transputer.machines.soft.program import FetchChoice
from transputer.machines.soft.state import SoftState
from transputer.machines.soft.step import Fetched, fetch, finish

_WORD = 32
#: Bits of a port's number, and the first of those that are set in every address of the window.
_NUMBER, _UPPER = (len(PORTS) - 1).bit_length(), WINDOW.bit_length() - WINDOW.bit_count()


@dataclass(frozen=True)
class WiredState:
    """A soft machine and its devices. `sent` are words as bits, `wrote` is the place of the next.

    `column` and `row` are those of the next point, as bits; the picture holds numbers to 255.
    """

    machine: SoftState
    keyboard: rings.Ring
    sent: Array  # (words, 32)
    wrote: Array  # (words + 1)
    column: Array
    row: Array
    picture: Array  # (height, width, 3)


pytree(WiredState)


def wired(
    machine: SoftState, keys: Array, room: int, height: int, width: int, slots: int
) -> WiredState:
    """A machine with keys waiting, `room` for words on the serial line, and a black picture."""
    count = keys.shape[0]
    words = jnp.zeros((slots, _WORD)).at[:count].set(to_bits(keys, _WORD))
    ring = rings.Ring(words, jax.nn.one_hot(0, slots), jax.nn.one_hot(count, slots + 1))
    blank = jnp.zeros(_WORD)
    return WiredState(
        machine, ring, jnp.zeros((room, _WORD)), jax.nn.one_hot(0, room + 1), blank, blank,
        jnp.zeros((height, width, 3)),
    )  # fmt: skip


def port_probabilities(address: Array) -> Array:
    """The probability of each port to be the one at an address, given as bits."""
    inside = jnp.prod(address[_UPPER:]) * jnp.prod(1 - address[_NUMBER:_UPPER])
    return inside * places(address, 1 << _NUMBER)[: len(PORTS)]


@dataclass(frozen=True)
class PortAccess:
    """What an access to a port sees: the word stored, and the probability of each way."""

    word: Array
    load: Array
    store: Array


#: What a load from a port gives, and the devices after an access that happened with a probability.
loads: Registry[Callable[[WiredState], Array]] = Registry(PORTS)
changes: Registry[Callable[[WiredState, PortAccess], WiredState]] = Registry(PORTS)


@loads.on("KEYBOARD")
def _(state: WiredState) -> Array:
    return rings.take(state.keyboard, jnp.float32(0))[0]


@changes.on("KEYBOARD")
def _(state: WiredState, by: PortAccess) -> WiredState:
    return replace(state, keyboard=rings.take(state.keyboard, by.load)[1])


@loads.on("KEYS")
def _(state: WiredState) -> Array:
    count = state.keyboard.count
    return count @ to_bits(np.arange(count.shape[0], dtype=np.uint32), _WORD)


@loads.on("SERIAL")
def _(state: WiredState) -> Array:
    return jnp.ones(_WORD)  # nothing is received


@changes.on("SERIAL")
def _(state: WiredState, by: PortAccess) -> WiredState:
    sent = append(state.sent, state.wrote, by.word, by.store)
    return replace(state, sent=sent, wrote=onward(state.wrote, by.store))


@loads.on("SCREEN_X")
def _(state: WiredState) -> Array:
    return state.column


@changes.on("SCREEN_X")
def _(state: WiredState, by: PortAccess) -> WiredState:
    return replace(state, column=state.column + by.store * (by.word - state.column))


@loads.on("SCREEN_Y")
def _(state: WiredState) -> Array:
    return state.row


@changes.on("SCREEN_Y")
def _(state: WiredState, by: PortAccess) -> WiredState:
    return replace(state, row=state.row + by.store * (by.word - state.row))


@changes.on("SCREEN_GO")
def _(state: WiredState, by: PortAccess) -> WiredState:
    picture = screen.point(state.picture, state.column, state.row, by.word, by.store)
    return replace(state, picture=picture)


def advance(choice: FetchChoice, state: WiredState) -> WiredState:
    """The state after one step; a device acts with the probability that its port was accessed."""
    now = fetch(choice, state.machine)
    given = {name: rule(state) for name, rule in loads.rules.items()}
    words = jnp.stack([given.get(port.name, jnp.zeros(_WORD)) for port in PORTS])
    effects, load, store = [], jnp.zeros(len(PORTS)), jnp.zeros(len(PORTS))
    for name, (probability, effect) in zip(now.names, now.effects, strict=True):
        row = SOFT[name]
        if row.group == "memory" and not row.width:
            port = _ports(now, "n" in row.imm)
            if "to" in row.imm:
                load = load + probability * port
            else:
                store = store + probability * port
            effect = _mixed(effect, port, words)
        effects.append((probability, effect))
    after = replace(state, machine=finish(now, effects))
    for at, row in enumerate(PORTS):
        if row.name in changes.rules:
            after = changes.rules[row.name](after, PortAccess(now.x.b, load[at], store[at]))
    return after


def _ports(now: Fetched, displaced: bool) -> Array:
    """The probability of each port to be accessed at a, or at a + n, over the choices of a."""
    bases = now.x.state.registers
    if displaced:
        numbers = jnp.broadcast_to(now.x.n, bases.shape)
        bases, _ = add(bases, numbers, jnp.zeros(bases.shape[0]))
    return now.a @ jax.vmap(port_probabilities)(bases)


def _mixed(effect: Effect, port: Array, words: Array) -> Effect:
    """An access to memory that may be one to a port instead."""
    memory = 1 - port.sum()
    if effect.store is None:
        assert effect.value is not None
        return replace(effect, value=memory * effect.value + port @ words)
    where, *rest = effect.store
    return replace(effect, store=(memory * where, *rest))


def run(choice: FetchChoice, state: WiredState, steps: int) -> WiredState:
    """The state after `steps` steps; a program that has ended stays where it is."""
    ended: WiredState
    ended, _ = jax.lax.scan(lambda s, _: (advance(choice, s), None), state, None, steps)
    return ended
