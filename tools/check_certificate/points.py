"""Functions compared at a random point, where normal forms would take too many terms.

A poly is a polynomial in its atoms. Each atom gets a random number below PRIME, a name the value
of what it stands for. If two polynomials differ, their values modulo PRIME are equal with a
probability of at most degree / PRIME, provided that PRIME exceeds every coefficient of their
difference (Schwartz-Zippel). A point is (value, degree, size); size bounds the sum of the absolute
values of all coefficients. An atom is known by the values of its forms: equal functions inside give
the same atom. The numbers are drawn when the checker runs, so no certificate can be made for them.
"""

import secrets

PRIME = 2**521 - 1
MOST_DEGREE = 2**20  # a false equality has a probability below 2^-500


class TooLargeError(Exception):
    """A polynomial has a degree or coefficients that a point cannot vouch for."""


def point(value, degree, size):
    if degree > MOST_DEGREE or 2 * size > PRIME:
        raise TooLargeError("coefficients are too large to compare")
    return value % PRIME, degree, size


def constant(n):
    return point(n, 0, abs(n))


def variable():
    return secrets.randbelow(PRIME), 1, 1


def total(terms):
    """The sum of coefficient * point."""
    value = degree = size = 0
    for c, (v, d, s) in terms:
        value, degree, size = value + c * v, max(degree, d), size + abs(c) * s
    return point(value, degree, size)


def multiplied(a, b):
    return point(a[0] * b[0], a[1] + b[1], a[2] * b[2])


def step_key(a, bound):
    """A key of [a >= bound], and whether it is that of the opposite, [bound - 1 - a >= 0]."""
    value = (a - bound) % PRIME
    opposite = (-1 - value) % PRIME
    return ("step", min(value, opposite)), opposite < value


def opposite(a):
    return total([(1, constant(1)), (-1, a)])
