"""The control: the same straight-line programs where a word is one float, not a vector of bits.

A blend of two words is then a number between them. Values wrap as words do, and a comparison is
a sigmoid of the difference. Rounding, shifts and bitwise operations have no slope of their own.
Where every choice is certain the results are those of the machine.
"""

from collections.abc import Callable

from transputer.errors import Unsupported
from transputer.isa.op import Registry
from transputer.isa.soft import SOFT
from transputer.learning.problem import Examples
from transputer.machines.soft.backend import Array, jax, jnp
from transputer.machines.soft.config import Config
from transputer.machines.soft.program import FetchChoice

#: Operations that need neither branches nor memory.
OPS = "MOV SET ADD ADDI SUB AND OR XOR SHL SHR SRA CMP CMOV MIN MAX".split()
#: What a row leaves in d, from the width, d, a, b, the number, and the probability of less.
Rule = Callable[[int, Array, Array, Array, Array, Array], Array]
rules: Registry[Rule] = Registry(SOFT)


def wrapped(width: int, x: Array) -> Array:
    """A number moved into the signed range; the slope stays 1."""
    turn = float(1 << width)
    return x - turn * jax.lax.stop_gradient(jnp.floor(x / turn + 0.5))


def _whole(x: Array) -> Array:
    return jax.lax.stop_gradient(jnp.round(x)).astype(jnp.int32)


def _less(a: Array, b: Array, tau: Array) -> Array:
    sure = (jnp.round(a) < jnp.round(b)).astype(jnp.float32)
    return jnp.where(tau > 0, jax.nn.sigmoid((b - a - 0.5) / jnp.where(tau > 0, tau, 1.0)), sure)


def _bitwise(name: str, function: Callable[[Array, Array], Array]) -> None:
    def value(w: int, d: Array, a: Array, b: Array, n: Array, less: Array) -> Array:
        return function(_whole(a), _whole(b)).astype(jnp.float32)

    rules.on(name)(value)


def _shift(name: str, function: Callable[[int, Array, Array], Array]) -> None:
    def value(w: int, d: Array, a: Array, b: Array, n: Array, less: Array) -> Array:
        return wrapped(w, function(w, _whole(a), _whole(n) & (w - 1)).astype(jnp.float32))

    rules.on(name)(value)


rules.on("MOV")(lambda w, d, a, b, n, less: a)
rules.on("SET")(lambda w, d, a, b, n, less: n)
rules.on("ADD")(lambda w, d, a, b, n, less: wrapped(w, a + b))
rules.on("ADDI")(lambda w, d, a, b, n, less: wrapped(w, a + n))
rules.on("SUB")(lambda w, d, a, b, n, less: wrapped(w, a - b))
rules.on("MIN")(lambda w, d, a, b, n, less: jnp.minimum(a, b))
rules.on("MAX")(lambda w, d, a, b, n, less: jnp.maximum(a, b))
rules.on("CMOV")(lambda w, d, a, b, n, less: d + less * (a - d))
_bitwise("AND", lambda a, b: a & b)
_bitwise("OR", lambda a, b: a | b)
_bitwise("XOR", lambda a, b: a ^ b)
_shift("SHL", lambda w, a, k: (a << k) & ((1 << w) - 1))
_shift("SHR", lambda w, a, k: (a & ((1 << w) - 1)) >> k)
_shift("SRA", lambda w, a, k: a >> k)


def run(choice: FetchChoice, registers: Array, width: int, tau: Array) -> Array:
    """The registers after every instruction in turn: signed numbers, blended."""
    scale = jnp.asarray([1 << k for k in range(width - 1)] + [-(1 << (width - 1))], jnp.float32)
    missing = [name for name in choice.ops if name not in OPS]
    if missing:
        raise Unsupported(f"no meaning on floats: {', '.join(missing)}")
    probabilities = {name: i for i, name in enumerate(choice.ops)}
    valued = [name for name in choice.ops if name in rules.rules]

    def once(carry: tuple[Array, Array], at: FetchChoice) -> tuple[tuple[Array, Array], None]:
        words, less = carry
        d, a, b, n = at.d @ words, at.a @ words, at.b @ words, at.n @ scale
        values = jnp.stack([rules.rules[name](width, d, a, b, n, less) for name in valued])
        share = jnp.stack([at.op[probabilities[name]] for name in valued])
        words = words * (1 - share.sum() * at.d) + at.d * (share @ values)
        if "CMP" in probabilities:
            less = less + at.op[probabilities["CMP"]] * (_less(a, b, tau) - less)
        return (words, less), None

    (ended, _), _ = jax.lax.scan(once, (registers, jnp.float32(0)), choice)
    return ended


def loss_of(rows: Examples, config: Config) -> Callable[[FetchChoice, Array], Array]:
    """The squared error of the results, in units of the largest word."""
    top = 1 << (config.width - 1)

    def signed(words: Array) -> Array:
        return ((jnp.asarray(words, jnp.int32) + top) % (2 * top) - top).astype(jnp.float32)

    registers, wanted = signed(rows.registers), signed(rows.wanted)

    def loss(choice: FetchChoice, tau: Array) -> Array:
        ended = jax.vmap(lambda words: run(choice, words, config.width, tau))(registers)
        return (((ended[:, : wanted.shape[1]] - wanted) / top) ** 2).mean()

    return loss
