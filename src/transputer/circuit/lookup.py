"""Memory by attention: heads that find the latest token with a given address.

Scores are integers times `R = context`, plus the position of the key: among equal addresses the
latest wins, because the position lane says so and because it stays below R. A token that is no
member of the space loses to every member with the address. The optional sentinel is a token
before all members that counts as a write of every address, so that reading what was never
written reads what the sentinel carries.
"""

from collections.abc import Sequence
from math import isqrt

from transputer.circuit.form import Form
from transputer.circuit.graph import Graph, GraphHead
from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class KeySpace:
    """How tokens say where they are: forms at every token.

    `digits` of the address, the sum of their `squares`, `member` (1 for tokens of this space)
    and `sentinel` (1 for the sentinel, whose digits are 0, which is no member and which comes
    before the members).
    """

    digits: tuple[Form, ...]
    squares: Form
    member: Form | int = 1
    sentinel: Form | int = 0


def digit_parabolic(
    g: Graph,
    name: str,
    query: Sequence[Form],
    space: KeySpace,
    squares: Form | None = None,
    recency: bool = True,
) -> GraphHead:
    """The latest member at the address with these digits, or else the sentinel.

    sum_d (2 q_d a_d - a_d^2) == |q|^2 - |q - a|^2: |q|^2 on a hit, at most |q|^2 - 1 elsewhere.
    The sentinel gets |q|^2 too: a hit wins because it is later, a miss loses because positions
    differ by less than R. Other tokens lack the 1 that members and the sentinel get. The sum of
    the squares of the query digits is computed by neurons unless it is given; without a
    sentinel it is not needed. Without `recency` a tie goes to the engine: for addresses that
    are written once, and the sentinel gets |q|^2 - 1/2 in scores that are doubled.
    """
    unit = 2 if space.sentinel != 0 and not recency else 1
    scale = g.context if recency else 1
    rows: list[tuple[Form | int, Form | int]] = [
        (2 * unit * scale * q, a) for q, a in zip(query, space.digits, strict=True)
    ]
    rows.append((unit * scale, space.member + space.sentinel - space.squares))
    if space.sentinel != 0:
        total = _squares(g, name, query) if squares is None else squares
        rows.append((scale * (unit * total - (unit - 1)), space.sentinel))
    rows += [(1, g.position)] if recency else []
    return g.attend(name, [q for q, _ in rows], [k for _, k in rows])


def _squares(g: Graph, name: str, query: Sequence[Form]) -> Form:
    """relu(q) * q == q^2 for q >= 0."""
    if any(q.lo < 0 for q in query):
        raise ValueError(f"head {name}: a query digit may be negative; assume its range")
    return g.signal(f"{name}.squares", [g.neuron(q, q) for q in query])


def parabolic(
    g: Graph,
    name: str,
    query: Form,
    key: Form,
    member: Form | int = 1,
    sentinel: Form | int = 0,
    recency: bool = True,
) -> GraphHead:
    """The same for an address that is one number: score 2qa - a^2, squares by neurons.

    Exact for addresses up to `parabolic_reach`; beyond, `CapacityError`.
    """
    space = KeySpace((key,), g.signal(f"{name}.key^2", g.neuron(key, key)), member, sentinel)
    return digit_parabolic(g, name, [query], space, None, recency)


def parabolic_reach(limit: int, context: int, sentinel: bool = True) -> int:
    """The largest address A of a plain parabola for which every score is exact.

    With R the context, the terms of a score add up to at most R (2A^2 + A^2 + A^2) with a
    sentinel and to 3 R A^2 without, and the position, below R, comes on top.
    """
    return isqrt((limit // context - 1) // (4 if sentinel else 3))


def bipolar(
    g: Graph,
    name: str,
    query: Sequence[Form],
    key: Sequence[Form],
    member: Form | int = 1,
    sentinel: Form | int = 0,
    recency: bool = True,
) -> GraphHead:
    """The same for addresses in n bits: score sum (2q - 1)(2a - 1), n minus twice the distance.

    A hit scores n, the nearest miss n - 2, and other tokens lose 2. The sentinel, whose bits are
    0, has key 0 where they have 2a - 1, and scores n - 1 whatever the query: no squares are
    needed. (Keys are written without their constant -1, which compares with nothing.)
    """
    scale = g.context if recency else 1
    queries: list[Form | int] = [scale * (2 * q - 1) for q in query]
    keys: list[Form | int] = [2 * a + sentinel for a in key]
    queries.append(scale)
    keys.append(2 * Form.of(member) + (len(query) + 1) * Form.of(sentinel))
    if recency:
        queries.append(1)
        keys.append(g.position)
    return g.attend(name, queries, keys)
