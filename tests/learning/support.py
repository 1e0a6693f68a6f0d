"""A small training that several tests share: JAX compiles it once, and keeps that on disk."""

from transputer.learning.gradient import Settings

#: Settings with which gradient descent learns `add`.
ADDING = Settings(length=2, updates=400, examples=16)
#: Restarts of a wave; other numbers are compiled again.
RESTARTS = 6
